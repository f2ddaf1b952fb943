//! `wattkeeper events`.

use serde_json::json;

use crate::place::both_ways;

#[test]
fn events_are_shown_by_the_clock_of_the_account() {
    both_ways(|place| {
        place.prepare();
        place.ok(&["account", "set", "home", "--tz", "Asia/Kathmandu"]);
        place.ok(&["sensor", "set", "house", "--register", "counter"]);
        let none = place.run(&["events"]).err;
        assert!(none.contains("There are no events."), "{none}");
        let readings = b"time,watthours\n2026-01-05T10:00:00,5000\n2026-01-05T10:01:00,5001\n\
            2026-01-05T10:02:00,3\n2026-01-05T10:03:00,900003\n2026-01-05T10:04:00,900004\n";
        let into = ["import", "-", "--sensor", "house", "--tz", "UTC"];
        let imported = place.run_on(readings, &into);
        assert_eq!(imported.status, 0, "{imported:?}");

        let table = place.ok(&["events"]);
        let lines: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(lines.len(), 3, "{table}");
        assert_eq!(
            lines[0].join(" "),
            "SENSOR KIND SINCE TIME UNTIL BEFORE AFTER COUNTED STATE"
        );
        assert_eq!(
            lines[1].join(" "),
            "house reset 2026-01-05T15:46:00+05:45 2026-01-05T15:47:00+05:45 2026-01-05T15:47:00+05:45 5.001 kWh 0.003 kWh 0.003 kWh -"
        );
        assert_eq!(lines[2].last(), Some(&"open"), "{table}");

        let open = place.json(&[
            "events",
            "house",
            "--open",
            "--from",
            "2026-01-05",
            "--to",
            "2026-01-06",
        ]);
        assert_eq!(open.as_array().unwrap().len(), 1);
        assert_eq!(
            json!([
                open[0]["kind"],
                open[0]["sensor_id"],
                open[0]["before"],
                open[0]["after"]
            ]),
            json!(["jump", "house", 3.0, 900_003.0])
        );
        // The time in the table is the one that decides.
        place.ok(&[
            "correct",
            "event",
            "house",
            "--at",
            lines[2][3],
            "--counts",
            "no",
        ]);
        assert_eq!(place.json(&["events", "--open"]), json!([]));
        assert!(place.ok(&["events"]).contains("decided"));

        assert!(place.error(&["events", "attic"]).contains("attic"));
        let reversed = place.run(&["events", "--from", "2026-01-06", "--to", "2026-01-05"]);
        assert_eq!(reversed.status, 2);
    });
}

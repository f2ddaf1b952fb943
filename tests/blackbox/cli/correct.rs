//! `wattkeeper correct`.

use serde_json::json;

use crate::place::both_ways;

#[test]
fn corrections_are_added_listed_and_revoked() {
    both_ways(|place| {
        place.prepare();
        let readings = b"time,watthours\n2026-01-05T10:00:00,1000\n2026-01-05T11:00:00,2000\n";
        let imported = place.run_on(readings, &["import", "-", "--sensor", "house"]);
        assert_eq!(imported.status, 0, "{imported:?}");
        let changed = place.json(&[
            "correct",
            "meter-changed",
            "house",
            "--at",
            "2026-01-05T11:30:00",
            "--old-end",
            "2.5",
            "--new-start",
            "0",
            "--note",
            "new meter",
        ]);
        assert_eq!(
            json!([
                changed["number"],
                changed["old_end"],
                changed["made_by"],
                changed["note"]
            ]),
            json!([1, 2_500.0, "command line", "new meter"])
        );
        let at = "2026-01-05T11:00:00";
        place.ok(&["correct", "event", "house", "--at", at, "--counts", "no"]);
        let day = ["--from", "2026-01-05", "--to", "2026-01-06"];
        place.ok(&[&["correct", "energy", "house", "--kwh", "1.5"], &day[..]].concat());
        place.ok(&[&["correct", "wrong", "house"], &day[..]].concat());
        place.ok(&["correct", "utility", "house", "--at", at, "--kwh", "4711"]);
        let listed = place.ok(&["correct", "list", "--sensor", "house"]);
        for line in [
            "meter-changed at 2026-01-05T11:30:00.000Z: 2.5 kWh to 0 kWh",
            "event at 2026-01-05T11:00:00.000Z does not count",
            "energy from 2026-01-05T00:00:00.000Z to 2026-01-06T00:00:00.000Z: 1.5 kWh, even",
            "utility at 2026-01-05T11:00:00.000Z: 4711 kWh",
        ] {
            assert!(listed.contains(line), "{listed}");
        }
        let revoked = place.json(&["correct", "revoke", "4", "--note", "was right"]);
        assert_eq!(revoked["revoked_note"], "was right");
        assert!(
            place
                .error(&["correct", "revoke", "4"])
                .contains("no correction 4")
        );
        let all = place.json(&["correct", "list"]);
        assert_eq!(all.as_array().unwrap().len(), 5);
        let error = place.error(&[
            "correct",
            "wrong",
            "house",
            "--from",
            "2026-01-07",
            "--to",
            "2026-01-08",
        ]);
        assert!(error.contains("no reading there"), "{error}");
    });
}

//! `wattkeeper peak`.

use std::fmt::Write as _;

use serde_json::json;
use wattkeeper::system_clock;

use crate::place::both_ways;

#[test]
fn a_running_quarter_is_printed() {
    both_ways(|place| {
        place.prepare();
        let error = place.error(&["peak"]);
        assert!(
            error.contains("no contract in force has a demand charge"),
            "{error}"
        );
        assert_eq!(place.json(&["peak"])["demands"], json!([]));
        let contract = r#"{"from":"2020-01-01","name":"A","currency":"EUR","components":[{"demand":{"name":"capacity","price":4.5,"per":"hour"}}]}"#;
        let set = place.run_on(contract.as_bytes(), &["contract", "set", "-"]);
        assert_eq!(set.status, 0, "{set:?}");
        // 2 kW for three days, until now.
        let now = system_clock()().time;
        let mut table = "time,watthours\n".to_owned();
        for minute in (0..=3 * 24 * 4_i64).rev() {
            let time = now.saturating_add_millis(-minute * 900_000);
            writeln!(table, "{time},{}", (3 * 24 * 4 - minute) * 500).unwrap();
        }
        let imported = place.run_on(table.as_bytes(), &["import", "-", "--sensor", "house"]);
        assert_eq!(imported.status, 0, "{imported:?}");
        let found = place.json(&["peak", "--account", "home"]);
        let row = &found["demands"][0];
        assert_eq!(
            [&row["name"], &row["per"], &row["kilowatt"]],
            ["capacity", "hour", "4.5"]
        );
        let printed = place.ok(&["peak"]);
        for text in [
            "capacity: ",
            "WHAT",
            "power left",
            "one kilowatt more",
            "4.5",
            "EUR",
        ] {
            assert!(printed.contains(text), "{text}: {printed}");
        }
        let error = place.error(&["peak", "--account", "attic"]);
        assert!(error.contains("attic"), "{error}");
    });
}

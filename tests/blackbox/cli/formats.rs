//! `wattkeeper formats`.

use serde_json::json;

use crate::place::both_ways;

const FORMAT: &str = "name = \"My utility\"\ncolumns = [\"when\", \"used\"]\n\n[read]\ntime = \"when\"\npower = [\"used\"]\nunit = \"kW\"\n";

#[test]
fn formats_are_added_listed_shown_used_and_removed() {
    both_ways(|place| {
        place.prepare();
        assert_eq!(place.json(&["formats", "list"]), json!([]));
        let table = b"when,used\n2026-01-05T10:00:00Z,1.5\n";
        let dry = ["import", "-", "--sensor", "house", "--dry-run"];
        assert!(!place.run_on(table, &dry).out.contains("1500 W"));
        let add = ["formats", "add", "-"];
        let added = place.run_on(FORMAT.as_bytes(), &add);
        assert_eq!(added.out, "added the format My utility\n", "{added:?}");
        assert_eq!(place.run_on(FORMAT.as_bytes(), &add).out, added.out);
        let row = json!({"account": "home", "name": "My utility", "columns": ["when", "used"],
            "text": FORMAT});
        assert_eq!(place.json(&["formats", "list"]), json!([row]));
        assert_eq!(place.json(&["formats", "show", "My utility"]), row);
        assert!(place.ok(&["formats", "list"]).contains("when, used"));
        assert_eq!(place.ok(&["formats", "show", "My utility"]), FORMAT);
        let read = place.run_on(table, &dry);
        assert!(read.out.contains("1500 W"), "{read:?}");

        let wrong = FORMAT.replace("kW", "kJ");
        let wrong = place.run_on(wrong.as_bytes(), &add);
        assert!(
            wrong.err.contains("line 7: expected W, kW, Wh"),
            "{wrong:?}"
        );
        let long = format!("{FORMAT}#{}", "x".repeat(16_000));
        let long = place.run_on(long.as_bytes(), &add);
        assert!(long.err.contains("longer than 16000 bytes"), "{long:?}");
        for verb in ["show", "remove"] {
            let error = place.error(&["formats", verb, "other"]);
            assert!(error.contains("no format \"other\""), "{error}");
        }
        assert_eq!(
            place.json(&["formats", "remove", "My utility"]),
            json!({"removed": "My utility"})
        );
        assert_eq!(place.json(&["formats", "list"]), json!([]));
    });
}

//! `wattkeeper days`.

use serde_json::json;

use crate::place::both_ways;

const TABLE: &[u8] = b"date,type\n2026-01-05,red\n2026-01-06,white\n2026-01-07,red\n";

#[test]
fn days_are_imported_listed_exported_and_removed() {
    both_ways(|place| {
        place.prepare();
        assert_eq!(place.json(&["days", "list"]), json!([]));
        let import = ["days", "import", "-", "--list", "tempo"];
        let imported = place.run_on(TABLE, &import);
        assert_eq!(imported.out, "stored 3 days in tempo\n", "{imported:?}");
        assert_eq!(
            place.json(&["days", "list"]),
            json!([{"account": "home", "list": "tempo", "days": 3, "first": "2026-01-05",
                "last": "2026-01-07", "types": ["red", "white"]}])
        );
        let listed = place.ok(&["days", "list"]);
        assert!(listed.contains("red, white"), "{listed}");
        let exported = place.run(&["days", "export", "tempo"]);
        assert_eq!(exported.out.as_bytes(), TABLE);
        let range = ["--start", "2026-01-06", "--end", "2026-01-07"];
        let some = place.run(&[&["days", "export", "tempo"], &range[..]].concat());
        assert_eq!(some.out, "date,type\n2026-01-06,white\n");
        let removed = place.ok(&[&["days", "remove", "tempo"], &range[..]].concat());
        assert_eq!(removed, "removed 1 days of tempo\n");
        assert_eq!(
            place.json(&["days", "remove", "tempo"]),
            json!({"list": "tempo", "removed": 2})
        );
        assert_eq!(place.json(&["days", "list"]), json!([]));
        for gone in ["remove", "export"] {
            let error = place.error(&["days", gone, "tempo"]);
            assert!(error.contains("no day list \"tempo\""), "{error}");
        }
        let wrong = place.run_on(b"date,type\n2026-02-30,red\n", &import);
        assert!(
            wrong.err.contains("line 2: expected a date and the type"),
            "{wrong:?}"
        );
        let error = place.error(&["days", "remove", "tempo", "--start", "tomorrow"]);
        assert!(error.contains("start: expected a date"), "{error}");
        let wrong = place.run_on(TABLE, &["days", "import", "-", "--list", "tempo:red"]);
        assert!(wrong.err.contains("without colons"), "{wrong:?}");
    });
}

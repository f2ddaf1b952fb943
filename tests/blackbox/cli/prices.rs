//! `wattkeeper prices` and `wattkeeper utility`.

use serde_json::json;

use crate::place::both_ways;

const TABLE: &[u8] = b"time,price\n2026-01-05T10:00:00.000Z,0.0873\n2026-01-05T11:00:00.000Z,-0.01\n2026-01-05T12:00:00.000Z,0.1\n";

#[test]
fn prices_are_imported_listed_exported_and_removed() {
    both_ways(|place| {
        place.prepare();
        assert_eq!(place.json(&["prices", "list"]), json!([]));
        let import = ["prices", "import", "-", "--series", "day-ahead"];
        let imported = place.run_on(TABLE, &import);
        assert_eq!(
            imported.out, "stored 3 prices in day-ahead\n",
            "{imported:?}"
        );
        assert!(
            imported.err.contains("the currency of the contracts"),
            "{imported:?}"
        );
        assert_eq!(
            place.json(&["prices", "list"]),
            json!([{"account": "home", "series": "day-ahead", "currency": null, "prices": 3,
                "first": "2026-01-05T10:00:00.000Z", "end": "2026-01-05T13:00:00.000Z"}])
        );
        let exported = place.run(&["prices", "export", "day-ahead"]);
        assert_eq!(exported.out.as_bytes(), TABLE);
        let range = [
            "--start",
            "2026-01-05T11:00:00",
            "--end",
            "2026-01-05T12:00:00",
        ];
        let some = place.run(&[&["prices", "export", "day-ahead"], &range[..]].concat());
        assert_eq!(
            some.out,
            "time,price\n2026-01-05T11:00:00.000Z,-0.01\n2026-01-05T12:00:00.000Z,\n"
        );
        place.ok(&[&["prices", "remove", "day-ahead"], &range[..]].concat());
        assert_eq!(place.json(&["prices", "list"])[0]["prices"], 2);
        place.ok(&["prices", "remove", "day-ahead"]);
        assert_eq!(place.json(&["prices", "list"]), json!([]));
        let import = [&import[..], &["--currency", "EUR"]].concat();
        let imported = place.run_on(TABLE, &import);
        assert!(imported.err.is_empty(), "{imported:?}");
        assert_eq!(place.json(&["prices", "list"])[0]["currency"], "EUR");
        let imported = place.run_on(TABLE, &[&import[..6], &["SEK"]].concat());
        assert!(
            imported.err.contains("the series \"day-ahead\" in EUR"),
            "{imported:?}"
        );
        place.ok(&["prices", "remove", "day-ahead"]);
        let error = place.error(&["prices", "remove", "day-ahead"]);
        assert!(error.contains("no price series \"day-ahead\""), "{error}");
        let error = place.error(&["prices", "export", "day-ahead"]);
        assert!(error.contains("no price series \"day-ahead\""), "{error}");
        let wrong = place.run_on(b"time,price\nnoon,1\n", &import);
        assert!(
            wrong.err.contains("expected a time and a price"),
            "{wrong:?}"
        );
    });
}

#[test]
fn an_import_tells_gaps_and_what_holds() {
    both_ways(|place| {
        place.prepare();
        let days = (5..8).flat_map(|day| {
            [0, 6, 22].map(|hour| format!("2026-01-{day:02}T{hour:02}:00:00Z,0.{hour:02}\n"))
        });
        let table: String = days.collect();
        let import = ["prices", "import", "-", "--series", "steps"];
        let imported = place.run_on(table.as_bytes(), &import);
        assert!(
            imported.err.contains("6 gaps") && imported.err.contains("54 hours in all"),
            "{imported:?}"
        );
        assert!(imported.err.contains("--length until-next"), "{imported:?}");
        let contract = br#"{"from":"2026-01-01","name":"A","currency":"EUR","components":[{"energy":{"price":0.3}}]}"#;
        place.run_on(contract, &["contract", "set", "-"]);
        let again = [
            "prices",
            "import",
            "-",
            "--series",
            "STEPS",
            "--length",
            "until-next",
        ];
        let imported = place.run_on(table.as_bytes(), &again);
        assert_eq!(imported.out, "stored 9 prices in steps\n", "{imported:?}");
        assert!(!imported.err.contains("gap"), "{imported:?}");
        assert!(
            imported.err.contains("prices in EUR") && !imported.err.contains("--currency"),
            "{imported:?}"
        );
    });
}

#[test]
fn the_cheapest_hours_are_printed() {
    both_ways(|place| {
        place.prepare();
        let cheapest = [
            "prices",
            "cheapest",
            "--start",
            "2026-01-05T10:00:00",
            "--before",
        ];
        let error = place.error(&[&cheapest[..], &["12:00"]].concat());
        assert!(error.contains("the account has no contract"), "{error}");
        let contract = br#"{"from":"2026-01-01","name":"Hourly","currency":"EUR","components":[
            {"energy":{"series":"day-ahead","surcharge":0.1}},{"tax":{"name":"VAT","percent":10}}]}"#;
        place.run_on(contract, &["contract", "set", "-"]);
        place.run_on(TABLE, &["prices", "import", "-", "--series", "day-ahead"]);
        let all = |more: &[&'static str]| [&cheapest[..], more].concat();
        let found = place.json(&all(&["2026-01-05T13:00:00", "--hours", "1.5"]));
        assert_eq!(
            [&found["start"], &found["price"], &found["window_price"]],
            ["2026-01-05T10:30:00.000Z", "0.134677", "0.17501"]
        );
        let text = place.run(&all(&["2026-01-05T14:00:00", "--hours", "2", "--split"]));
        for line in [
            "2026-01-05T10:00:00.000Z  2026-01-05T12:00:00.000Z  0.152515",
            "0.152515 EUR per kWh on average; 0.17501 from 2026-01-05T10:00:00.000Z to 2026-01-05T14:00:00.000Z",
            "prices are known until 2026-01-05T13:00:00.000Z; 60 minutes have none",
        ] {
            assert!(text.out.contains(line), "{text:?}");
        }
        let error = place.error(&all(&["12:00", "--hours", "30"]));
        assert!(
            error.contains("hours: expected hours from 0.25 to 24"),
            "{error}"
        );
    });
}

#[test]
fn bills_are_entered_listed_and_removed() {
    both_ways(|place| {
        place.prepare();
        let at = [
            "--at",
            "2026-01-05T10:00:00",
            "--kwh",
            "4711",
            "--note",
            "cellar",
        ];
        let reading = place.json(&[&["utility", "add", "house"], &at[..]].concat());
        assert_eq!(
            json!([reading["kind"], reading["shown"], reading["note"]]),
            json!(["utility", 4_711_000.0, "cellar"])
        );
        let january = [
            "utility",
            "bill",
            "--from",
            "2026-01-01",
            "--to",
            "2026-02-01",
        ];
        let lines = [
            "--total",
            "73.5",
            "--line",
            "night=12.25",
            "--line",
            "a=b=-1",
        ];
        let added = place.json(&[&january[..], &lines].concat());
        // Midnight in Berlin.
        assert_eq!(added["from"], "2025-12-31T23:00:00.000Z");
        assert_eq!(added["lines"][1], json!({"name": "a=b", "amount": "-1"}));
        place.ok(&[&january[..], &["--total", "1", "--kwh", "250.5"]].concat());
        let listed = place.ok(&["utility", "list"]);
        assert!(listed.contains("night 12.25, a=b -1"), "{listed}");
        assert!(listed.contains("250.5"), "{listed}");
        place.ok(&["utility", "remove", "1"]);
        let left = place.json(&["utility", "list"]);
        assert_eq!(json!([left[0]["number"], left[1]]), json!([2, null]));
        let error = place.error(&["utility", "remove", "1"]);
        assert!(error.contains("no bill 1"), "{error}");
        let error = place.error(&[&january[..], &["--total", "1,5"]].concat());
        assert!(error.contains("total: expected a decimal"), "{error}");
    });
}

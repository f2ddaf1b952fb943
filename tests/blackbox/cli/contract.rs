//! `wattkeeper contract`.

use serde_json::json;

use crate::place::both_ways;

const NIGHT: &str = r#"{"from":"2026-07-01","name":"Day and night","currency":"EUR","components":[{"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"}]}},{"tax":{"name":"VAT","percent":19}}]}"#;

#[test]
fn contracts_are_set_listed_and_removed() {
    both_ways(|place| {
        place.prepare();
        assert_eq!(place.json(&["contract", "list"]), json!([]));
        let flat = ["contract", "flat", "--price", "0.32", "--currency", "EUR"];
        let set = place.json(&flat);
        assert_eq!(
            set,
            json!([{"account": "home", "from": "1970-01-01", "name": "Flat", "currency": "EUR",
                "contract": {"from": "1970-01-01", "name": "Flat", "currency": "EUR", "components": [{"energy": {"price": 0.32}}]}}])
        );
        let named = [
            "--feed-in",
            "0.08",
            "--from",
            "2026-01-01",
            "--name",
            "Green",
        ];
        place.ok(&[&flat[..], &named].concat());
        let set = place.run_on(NIGHT.as_bytes(), &["contract", "set", "-"]);
        assert_eq!(set.status, 0, "{set:?}");
        let listed = place.ok(&["contract", "list"]);
        for line in [
            "ACCOUNT  FROM        NAME           CURRENCY  WHAT",
            "home     1970-01-01  Flat           EUR       0.32",
            "home     2026-01-01  Green          EUR       0.32, feed-in 0.08",
            "home     2026-07-01  Day and night  EUR       energy, tax",
        ] {
            assert!(listed.contains(line), "{listed}");
        }
        // The printed contract can be set again.
        let shown = place.ok(&["contract", "show"]);
        let again = place.run_on(shown.as_bytes(), &["contract", "set", "-"]);
        assert_eq!(again.out, listed);
        let removed = place.json(&["contract", "remove", "2026-07-01"]);
        assert_eq!(removed.as_array().unwrap().len(), 2);
        let error = place.error(&["contract", "remove", "2026-07-01"]);
        assert!(
            error.contains("no contract begins on 2026-07-01"),
            "{error}"
        );
        let error = place.error(&["contract", "flat", "--price", "0,3", "--currency", "EUR"]);
        assert!(error.contains("price: expected a price"), "{error}");
        let wrong = place.run_on(b"{\"from\":1}", &["contract", "set", "-"]);
        assert_eq!(wrong.status, 1);
        assert!(wrong.err.contains("currency: it is missing"), "{wrong:?}");
    });
}

#[test]
fn an_account_has_contracts_of_its_own() {
    both_ways(|place| {
        place.ok(&["account", "add", "home"]);
        place.ok(&["account", "add", "office"]);
        let flat = ["contract", "flat", "--price", "0.32", "--currency", "EUR"];
        let error = place.error(&flat);
        assert!(error.contains("name one with --account"), "{error}");
        let of = |account: &'static str| ["--account", account];
        place.ok(&[&flat[..], &of("home")].concat());
        let error = place.error(&[&flat[..], &of("shop")].concat());
        assert!(error.contains("no account \"shop\""), "{error}");
        let listed = |account| place.json(&[&["contract", "list"][..], &of(account)].concat());
        assert_eq!(listed("office"), json!([]));
        assert_eq!(listed("home"), place.json(&["contract", "list"]));
        // They go with their account: a new one of the same name has none.
        place.ok(&["account", "remove", "home"]);
        place.ok(&["account", "add", "home"]);
        assert_eq!(listed("home"), json!([]));
    });
}

#[test]
fn a_contract_starts_from_a_tariff_of_a_country() {
    both_ways(|place| {
        place.prepare();
        let listed = place.ok(&["contract", "templates", "--country", "BE"]);
        assert!(listed.contains("be-capacity  BE       demand"), "{listed}");
        assert!(!listed.contains("NO "), "{listed}");
        let by_kind = place.json(&["contract", "templates", "--kind", "net-metering"]);
        let kinds = by_kind.as_array().unwrap().iter().map(|one| &one["kind"]);
        assert!(kinds.clone().count() > 0 && kinds.clone().all(|kind| kind == "net-metering"));
        let text = place.ok(&["contract", "template", "be-capacity"]);
        let set = place.run_on(text.as_bytes(), &["contract", "set", "-"]);
        assert_eq!(set.status, 0, "{set:?}");
        let error = place.error(&["contract", "template", "be-nothing"]);
        assert!(error.contains("there is no be-nothing"), "{error}");
    });
}

#[test]
fn a_flat_contract_keeps_whether_it_continues() {
    both_ways(|place| {
        place.prepare();
        let flat = |more: &[&'static str]| {
            let flat = ["contract", "flat", "--price", "0.32", "--currency", "EUR"];
            place.json(&[&flat[..], more].concat())
        };
        flat(&["--name", "Old"]);
        let second = br#"{"from":"2026-01-01","name":"New","currency":"EUR","continues":false,"components":[{"energy":{"price":0.3}}]}"#;
        place.run_on(second, &["contract", "set", "-"]);
        let from = ["--from", "2026-01-01", "--name", "New"];
        let continues = |rows: serde_json::Value| rows[1]["contract"]["continues"].clone();
        assert_eq!(continues(flat(&from)), json!(false));
        let yes = [&from[..], &["--continues", "true"]].concat();
        assert_eq!(continues(flat(&yes)), json!(true));
        assert_eq!(continues(flat(&from)), json!(true));
        let no = [&from[..], &["--continues", "false"]].concat();
        assert_eq!(continues(flat(&no)), json!(false));
    });
}

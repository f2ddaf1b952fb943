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

#[test]
fn a_contract_comes_from_a_tariff_and_the_values_of_a_household() {
    both_ways(|place| {
        place.prepare();
        // Without values, the command lists them.
        let error = place.error(&["contract", "from", "de-flat-feed-in"]);
        for part in [
            "price: it is missing; expected a price in ct/kWh with up to 4 decimals, such as 32.9",
            "  base-fee: Base price, with VAT (EUR a month), such as 12.9",
            "  feed-in: Payment for a kilowatt-hour fed in (ct/kWh), such as 7.86, or nothing",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
        let from = FROM_TARIFF;
        let shown = place.ok(&[
            &from[..],
            &["price=32.9", "--print", "--from", "2026-01-01"],
        ]
        .concat());
        assert!(shown.contains("\"price\": 0.329"), "{shown}");
        assert_eq!(place.json(&["contract", "list"]), json!([]));
        let set = place.json(
            &[
                &from[..],
                &["price=32.9", "--from", "2026-01-01", "--name", "Stadtwerke"],
            ]
            .concat(),
        );
        assert_eq!(
            set[0]["contract"],
            json!({"from": "2026-01-01", "name": "Stadtwerke", "currency": "EUR",
                "components": [{"energy": {"price": 0.329}}, {"fixed": {"name": "base price", "price": 12.9, "per": "month"}}]})
        );
    });
}

/// What is before the price of a household.
const FROM_TARIFF: [&str; 6] = [
    "contract",
    "from",
    "de-flat-feed-in",
    "--set",
    "base-fee=12.90",
    "--set",
];

#[test]
fn unusual_and_wrong_values_of_a_tariff_are_refused() {
    both_ways(|place| {
        place.prepare();
        let from = FROM_TARIFF;
        // A number that is unusual needs a yes.
        let unusual = [&from[..], &["price=0.329", "--from", "2026-02-01"]].concat();
        let error = place.error(&unusual);
        assert!(
            error.contains("0.329 ct/kWh is unusual; usual is 10 to 80")
                && error.contains("add --yes"),
            "{error}"
        );
        assert_eq!(place.json(&["contract", "list"]), json!([]));
        place.ok(&[&unusual[..], &["--yes"]].concat());
        for (args, part) in [
            (
                &["price=1", "--set", "price=2"][..],
                "price: it is set twice",
            ),
            (
                &["prise=1"],
                "prise: this tariff has no such value; expected one of price, base-fee, feed-in",
            ),
            (&["price=x"], "price: expected a price in ct/kWh"),
            (
                &["price=32.9", "--from", "1.1.2026"],
                "from: expected a date such as 2026-01-01",
            ),
        ] {
            let error = place.error(&[&from[..], args].concat());
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(
            place
                .error(&["contract", "from", "xx-none"])
                .contains("there is no xx-none")
        );
    });
}

#[test]
fn doubtful_contracts_need_a_yes() {
    both_ways(|place| {
        place.prepare();
        let flat = ["contract", "flat", "--currency", "EUR", "--price", "32.9"];
        let error = place.error(&flat);
        assert!(error.contains("energy: 32.9 for a kilowatt-hour is a lot; if it is in hundredths, such as cents, enter 0.329") && error.contains("add --yes"), "{error}");
        assert_eq!(place.json(&["contract", "list"]), json!([]));
        place.ok(&[&flat[..], &["--yes"]].concat());
        let offer = r#"{"from":"2126-01-01","name":"O","currency":"EUR","components":[{"energy":{"price":31.5}}]}"#;
        let refused = place.run_on(offer.as_bytes(), &["offer", "set", "-"]);
        assert!(
            refused.status != 0
                && refused.err.contains("31.5 for a kilowatt-hour is a lot")
                && !refused.err.contains("future"),
            "{refused:?}"
        );
        let set = place.run_on(offer.as_bytes(), &["offer", "set", "-", "--yes"]);
        assert_eq!(set.status, 0, "{set:?}");
        // What is missing or still to come is only said.
        let text = r#"{"from":"2126-01-01","name":"Market","currency":"EUR","components":[{"energy":{"series":"spot"}}]}"#;
        let set = place.run_on(text.as_bytes(), &["contract", "set", "-"]);
        assert_eq!(set.status, 0, "{set:?}");
        for part in [
            "warning: there is no price series spot",
            "warning: the contract begins in the future, on 2126-01-01",
        ] {
            assert!(set.err.contains(part), "{part}: {set:?}");
        }
    });
}

//! `wattkeeper forecast`.

use std::fmt::Write as _;

use serde_json::json;
use wattkeeper::system_clock;

use crate::place::both_ways;

#[test]
fn a_forecast_is_printed() {
    both_ways(|place| {
        place.prepare();
        let error = place.error(&["forecast"]);
        assert!(
            error.contains("0 days of the last eight weeks were measured"),
            "{error}"
        );
        let found = place.json(&["forecast"]);
        assert_eq!(
            (&found["reason"], &found["periods"]),
            (&json!("few-days"), &json!([]))
        );
        // 100 W for seven weeks, until now.
        let now = system_clock()().time;
        let mut table = "time,watthours\n".to_owned();
        for hour in (0..=7 * 7 * 24_i64).rev() {
            let time = now.saturating_add_millis(-hour * 3_600_000);
            writeln!(table, "{time},{}", (7 * 7 * 24 - hour) * 100).unwrap();
        }
        let imported = place.run_on(table.as_bytes(), &["import", "-", "--sensor", "house"]);
        assert_eq!(imported.status, 0, "{imported:?}");
        let energy = place.ok(&["forecast"]);
        assert!(energy.contains("imported"), "{energy}");
        assert!(!energy.contains("cost"), "{energy}");
        place.ok(&["contract", "flat", "--price", "0.30", "--currency", "EUR"]);
        let printed = place.ok(&["forecast"]);
        for text in [
            "month: ",
            "year: ",
            "LIKELY",
            "cost",
            "EUR",
            "of the last 56 days were measured",
            "The next 31 days are as the method `last days` says: it is the first choice",
        ] {
            assert!(printed.contains(text), "{text}: {printed}");
        }
        let found = place.json(&["forecast", "--account", "home"]);
        assert_eq!(
            (&found["method"], &found["currency"]),
            (&json!("last-days"), &json!("EUR"))
        );
        let likely = found["periods"][0]["imported"]["likely"].as_f64();
        assert!(likely.is_some_and(|it| it > 0.0), "{found}");
        let error = place.error(&["forecast", "--account", "attic"]);
        assert!(error.contains("attic"), "{error}");
    });
}

#[test]
fn a_forecast_has_the_months_that_tested_it() {
    both_ways(|place| {
        place.prepare();
        // 100 W for five months, until now: some whole months have weeks before them.
        let now = system_clock()().time;
        let hours = 150 * 24_i64;
        let mut table = "time,watthours\n".to_owned();
        for hour in (0..=hours).rev() {
            let time = now.saturating_add_millis(-hour * 3_600_000);
            writeln!(table, "{time},{}", (hours - hour) * 100).unwrap();
        }
        let imported = place.run_on(table.as_bytes(), &["import", "-", "--sensor", "house"]);
        assert_eq!(imported.status, 0, "{imported:?}");
        let tested = &place.json(&["forecast"])["tested"];
        let months = tested["months"].as_array().unwrap();
        assert!(months.len() >= 2, "{tested}");
        let method = &tested["methods"][0];
        assert_eq!(method["tested"], months.len(), "{tested}");
        assert!(method["median_error"].as_f64().unwrap() < 0.01, "{tested}");
        assert!(place.ok(&["forecast"]).contains("last days"));
    });
}

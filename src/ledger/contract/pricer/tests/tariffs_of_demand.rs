//! Demand charges of several countries: worked examples.

use super::tariffs::{bill_in_berlin, hour_of, kilowatts, with};
use super::*;

#[test]
fn demand_is_the_mean_of_peaks_with_a_floor() {
    // The mean of twelve months, each at least 2.5 kW, billed in twelfths of a year.
    let contract = with(
        "",
        r#"{"demand":{"name":"capacity","price":48,"price_per":"year","per":"quarter","months":12,"at_least_kw":2.5}}"#,
    );
    let zone = zone("Europe/Berlin");
    let peak = |time: Timestamp| {
        let date = LocalDate::at(time, &zone);
        let is_peak = date.day() == 3 && hour_of(time, &zone) == 18;
        let kw = if is_peak {
            f64::from(date.month())
        } else {
            0.5
        };
        MeteredEnergy {
            is_whole: date.year() == 2026,
            ..kilowatts(kw, 0.0)
        }
    };
    // January to April: 2.5, 2.5, 3, 4.
    let lines = bill_in_berlin(&contract, ["2026-04-01", "2026-05-01"], peak);
    assert_eq!(lines, ["demand capacity 2026-04 3 kW 12", "total 12"]);
    let lines = bill_in_berlin(&contract, ["2026-01-01", "2026-05-01"], peak);
    assert_eq!(
        lines,
        [
            "demand capacity 2026-01 2.5 kW 10",
            "demand capacity 2026-02 2.5 kW 10",
            "demand capacity 2026-03 2.666666667 kW 10.666667",
            "demand capacity 2026-04 3 kW 12",
            "total 42.666667"
        ]
    );
}

#[test]
fn demand_has_steps_of_the_highest_hours_on_different_days() {
    let contract = with(
        "",
        r#"{"demand":{"name":"grid","per":"hour","peaks":3,"distinct_days":true,"steps":[{"up_to_kw":2,"price":110},{"up_to_kw":5,"price":180},{"price":300}]}}"#,
    );
    let zone = zone("Europe/Oslo");
    let load = |time: Timestamp| {
        let date = LocalDate::at(time, &zone);
        let kw = match (date.day(), hour_of(time, &zone)) {
            // Two high hours of one day count once.
            (5, 17 | 18) => 7.0,
            (9, 7) => 4.0,
            (20, 7) => 1.0,
            _ => 0.5,
        };
        kilowatts(kw, 0.0)
    };
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-01", "2026-02-01"], load),
        ["demand grid 2026-01 4 kW 180", "total 180"]
    );
}

#[test]
fn demand_counts_at_some_hours() {
    let contract = with(
        "",
        r#"{"demand":{"price":10,"per":"hour","at_most_kw":6,"when":{"months":"11-3","weekdays":"mon-fri","hours":"07:00-19:00"}}}"#,
    );
    let zone = zone("Europe/Berlin");
    let load = |time: Timestamp| {
        let date = LocalDate::at(time, &zone);
        let kw = match (date.day(), hour_of(time, &zone)) {
            // In January, the 10th is a Saturday.
            (10, 12) => 9.0,
            (12, 19) => 8.0,
            (12, 18) => 3.0,
            _ => 0.5,
        };
        kilowatts(kw, 0.0)
    };
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-01", "2026-05-01"], load),
        [
            "demand 2026-01 3 kW 10 30",
            "demand 2026-02 6 kW 10 60",
            "demand 2026-03 6 kW 10 60",
            "total 150"
        ]
    );
}

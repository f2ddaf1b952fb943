//! Netting, and credits for export: worked examples.

use super::tariffs::{bill_by_hour, bill_in_berlin, hour_of, kilowatts, with};
use super::*;

#[test]
fn a_year_is_netted_and_its_surplus_paid() {
    let contract = with(
        "",
        r#"{"energy":{"price":0.3,"netting":"year","surplus":{"price":0.05}}}"#,
    );
    let winter = |time: Timestamp| match LocalDate::at(time, &Zone::UTC).month() {
        4..=9 => kilowatts(0.0, 1.0),
        _ => kilowatts(1.2, 0.0),
    };
    // 183 days of 24 kWh fed in: UTC has no summer time.
    let year = bill_by_hour(
        (
            &Contracts::parse(&format!("[{contract}]")).unwrap(),
            &Zone::UTC,
            &Announced::default(),
        ),
        ["2026-01-01", "2027-01-01"],
        winter,
    );
    assert_eq!(year, ["energy 849.6 kWh 0.3 254.88", "total 254.88"]);
    let so_far = |dates| {
        let contracts = Contracts::parse(&format!("[{contract}]")).unwrap();
        bill_by_hour(
            (&contracts, &Zone::UTC, &Announced::default()),
            dates,
            winter,
        )
    };
    // By the end of September, the surplus is 1,800 kWh.
    assert_eq!(
        so_far(["2026-01-01", "2026-10-01"]),
        [
            "energy 0 kWh 0.3 0",
            "export surplus 1800 kWh 0.05 -90",
            "total -90"
        ]
    );
    // The last quarter uses up the surplus.
    assert_eq!(
        so_far(["2026-10-01", "2027-01-01"]),
        [
            "energy 849.6 kWh 0.3 254.88",
            "export surplus -1800 kWh 0.05 90",
            "total 344.88"
        ]
    );
}

#[test]
fn zones_are_netted_separately() {
    let contract = with(
        "",
        r#"{"energy":{"zones":[{"name":"day","price":0.4},{"name":"night","price":0.2,"hours":"22:00-06:00"}],"netting":"month","by_zone":true,"surplus":{"price":0.1}}}"#,
    );
    let zone = zone("Europe/Berlin");
    let load = |time| match hour_of(time, &zone) {
        12 => kilowatts(0.0, 20.0),
        _ => kilowatts(1.0, 0.0),
    };
    // Each day 15 - 20 kWh by day, and 8 kWh by night.
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-01", "2026-01-11"], load),
        [
            "energy night 80 kWh 0.2 16",
            "export surplus 50 kWh 0.1 -5",
            "total 11"
        ]
    );
}

#[test]
fn hours_are_netted_in_both_directions() {
    let contract = with(
        "",
        r#"{"energy":{"price":0.3,"netting":"hour"}},{"export":{"price":0.1}}"#,
    );
    let zone = zone("Europe/Berlin");
    let load = |time| match hour_of(time, &zone) {
        10..=13 => kilowatts(0.5, 2.0),
        _ => kilowatts(1.5, 0.5),
    };
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-05", "2026-01-06"], load),
        ["energy 20 kWh 0.3 6", "export 6 kWh 0.1 -0.6", "total 5.4"]
    );
}

#[test]
fn export_is_netted_with_the_energy_that_nets_it() {
    let contract = with(
        "",
        r#"{"energy":{"price":0.3}},{"energy":{"price":0.2,"netting":"hour","of":["night"]}},{"export":{"price":0.1}}"#,
    );
    let energy = |_| MeteredEnergy {
        named: vec![MicroWh::new(500_000_000)],
        ..kilowatts(2.0, 1.0)
    };
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-05", "2026-01-06"], energy),
        [
            "energy 36 kWh 0.3 10.8",
            "energy 0 kWh 0.2 0",
            "export 12 kWh 0.1 -1.2",
            "total 9.6"
        ]
    );
}

#[test]
fn a_credit_is_no_more_than_the_energy_costs() {
    let contract = with(
        "",
        r#"{"energy":{"price":0.1}},{"fixed":{"name":"power","price":3,"per":"month"}},{"export":{"price":0.2,"at_most":"energy"}},{"tax":{"name":"VAT","percent":10}}"#,
    );
    let load = |time: Timestamp| match LocalDate::at(time, &zone("Europe/Berlin")).day() {
        1..=10 => kilowatts(1.0, 0.0),
        _ => kilowatts(0.0, 1.0),
    };
    // In the month, 24 of the energy and 100.8 of the credit.
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-02", "2026-02-01"], load),
        [
            "energy 216 kWh 0.1 21.6",
            "fixed power 0.967742 month 3 2.903226",
            "export 504 kWh 0.2 -100.8",
            "export at most energy 76.8",
            "tax VAT 10 % 0.050323",
            "total 0.553549"
        ]
    );
}

#[test]
fn a_credit_has_tiers() {
    let contract = with(
        "",
        r#"{"export":{"period":"month","tiers":[{"up_to_kwh":300,"price":0.1},{"price":0.04}]}}"#,
    );
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-11", "2026-01-16"], |_| kilowatts(
            0.0, 1.0
        )),
        [
            "export up to 300 kWh 60 kWh 0.1 -6",
            "export over 300 kWh 60 kWh 0.04 -2.4",
            "total -8.4"
        ]
    );
}

#[test]
fn energy_without_a_price_is_not_netted() {
    let contract = with(
        "",
        r#"{"energy":{"zones":[{"name":"red","price":1,"days":"tempo:red"}],"netting":"month","surplus":{"price":1}}}"#,
    );
    assert_eq!(
        bill_in_berlin(&contract, ["2026-01-05", "2026-01-06"], |_| kilowatts(
            1.0, 2.0
        )),
        ["energy red 0 kWh 1 0", "unpriced 24 0", "total 0"]
    );
}

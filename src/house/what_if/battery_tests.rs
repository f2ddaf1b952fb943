//! What a battery costs and what nobody knows of it: standby, ageing, peaks, energy that is read
//! once an hour.

use super::tests::{ask, fill, house_of_days, put_contract, quarter, steady};
use super::*;
use crate::domain::{LocalDate, MeterKind};
use crate::house::tests::{import, open};

#[test]
fn standby_is_used_all_the_time() {
    let (_dir, store, account) = steady();
    put_contract(&store, &account, r#"{"energy":{"price":0.3}}"#);
    let fields = [("battery", "4"), ("standby_w", "100"), ("sizes", "0")];
    let found = ask(&store, &account, (96, 192), &fields);
    // The house feeds nothing in: 2.4 kWh more at 0.3.
    let changed = found.changed.as_ref().unwrap();
    let saved = found.present.more_than(changed);
    assert_eq!(saved, Decimal::parse("-0.72").ok());
    let more = found.used(changed).unwrap() - found.used(&found.present).unwrap();
    assert_eq!(more, MicroWh::new(2_400_000_000));
    // Without a battery nothing stands by.
    let saved = found.present.more_than(&found.sizes[0].side);
    assert_eq!(saved, Some(Decimal::ZERO));
}

#[test]
fn a_battery_that_ages_is_paid_back_later() {
    let begin = LocalDate::parse("2025-03-01").unwrap();
    let (_dir, store, account) = house_of_days(366, 0..0);
    let range = begin.start(&account.zone);
    let end = range.saturating_add_millis(366 * crate::domain::time::MS_PER_DAY);
    let years = |ageing: &str| {
        let form = WhatIfForm {
            battery: Some("5".to_owned()),
            price_per_kwh: Some("400".to_owned()),
            ageing: Some(ageing.to_owned()),
            ..WhatIfForm::default()
        };
        let question = form.question().unwrap();
        let found = what_if(&store, &account, (range..end, end), question).unwrap();
        let told = found.sizes.last().unwrap();
        let saved = found.sizes[0].side.more_than(&told.side).unwrap();
        let a_year = found.in_a_year(saved, &told.side);
        (
            found.payback_years(told.size, a_year),
            a_year.unwrap().to_f64(),
        )
    };
    let (plain, a_year) = years("0");
    let plain = plain.unwrap();
    assert!((plain - 2_000.0 / a_year).abs() < 1e-5);
    // Year by year: each saves two percent less than the one before.
    let (aged, _) = years("2");
    let aged = aged.unwrap();
    let mut rest = 2_000.0;
    let (mut whole_years, mut saved) = (0.0, a_year);
    while rest > saved {
        rest -= saved;
        saved *= 0.98;
        whole_years += 1.0;
    }
    assert!(aged > plain, "{aged} {plain}");
    assert!(
        (whole_years..=whole_years + 1.0).contains(&aged),
        "{aged} {whole_years}"
    );
    // With a fifth less each year it never saves its price.
    assert_eq!(years("20").0.is_none(), 2_000.0 * 0.2 >= a_year);
}

/// Four days of 400 W, and 2 kW from 18 to 19 o'clock.
fn evening_peaks(dir: &std::path::Path, contract: &str) -> (Store, Account) {
    let (store, account) = open(dir, &[("in", Role::GridImport, MeterKind::Counter)]);
    put_contract(&store, &account, contract);
    let energies = (0..4 * 96).map(|nth| {
        if (72..76).contains(&(nth % 96)) {
            500
        } else {
            100
        }
    });
    fill(&store, "in", &energies.collect::<Vec<i64>>());
    (store, account)
}

#[test]
fn a_battery_that_buys_knows_what_a_peak_costs() {
    const ZONES: &str = r#"{"energy":{"zones":[{"name":"day","price":0.4},{"name":"night","price":0.2,"hours":"22:00-06:00"}]}}"#;
    let fields = [("battery", "4"), ("dispatch", "prices")];
    let rule_of = |contract: &str| {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = evening_peaks(dir.path(), contract);
        let found = ask(&store, &account, (0, 4 * 96), &fields);
        let changed = found.changed.as_ref().unwrap();
        let saved = found.present.more_than(changed).unwrap();
        let mut most = 0;
        let demand = changed
            .statement
            .sum(&[crate::ledger::contract::LineKind::Demand]);
        let was = found
            .present
            .statement
            .sum(&[crate::ledger::contract::LineKind::Demand]);
        if let (Some(demand), Some(was)) = (demand, was) {
            most = demand.millionths() - was.millionths();
        }
        (found.rule().unwrap(), saved, most)
    };
    let (rule, alone, _) = rule_of(ZONES);
    assert_eq!(rule, BatteryRule::Prices);
    // A kilowatt more costs 20 a month: charging with 5 kW does not pay, below the peak it does.
    let demand = format!(r#"{ZONES},{{"demand":{{"price":20,"per":"quarter"}}}}"#);
    let (rule, saved, more) = rule_of(&demand);
    assert_eq!(rule, BatteryRule::BelowPeaks);
    assert!(
        Decimal::ZERO < saved && saved < alone.saturating_add(Decimal::ONE),
        "{saved}"
    );
    assert!(more <= 0, "{more}");
    // A peak that costs next to nothing is worth it, where one hour is too short below the peak.
    let short = ZONES.replace("22:00-06:00", "03:00-04:00");
    let cheap = format!(r#"{short},{{"demand":{{"price":0.001,"per":"quarter"}}}}"#);
    assert_eq!(rule_of(&cheap).0, BatteryRule::Prices);
}

#[test]
fn a_battery_feeds_the_grid_if_that_is_asked_for() {
    // Feeding in earns more in the evening than energy costs at night.
    const TARIFF: &str = r#"{"energy":{"zones":[{"name":"day","price":0.4},{"name":"night","price":0.1,"hours":"00:00-04:00"}]}},{"export":{"zones":[{"name":"day","price":0.05},{"name":"peak","price":0.3,"hours":"19:00-21:00"}]}}"#;
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = evening_peaks(dir.path(), TARIFF);
    let saved = |dispatch: &'static str| {
        let fields = [("battery", "10"), ("dispatch", dispatch)];
        let found = ask(&store, &account, (0, 4 * 96), &fields);
        let changed = found.changed.as_ref().unwrap();
        let sold = changed.at_grid().unwrap().exported;
        (
            found.present.more_than(changed).unwrap(),
            sold,
            found.rule().unwrap(),
        )
    };
    let (buying, sold, rule) = saved("prices");
    assert_eq!((sold, rule), (MicroWh::ZERO, BatteryRule::Prices));
    let (trading, sold, rule) = saved("trading");
    assert_eq!(rule, BatteryRule::Trading);
    assert!(
        sold > MicroWh::ZERO && trading > buying,
        "{sold:?} {trading} {buying}"
    );
}

#[test]
fn what_is_read_once_an_hour_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("in", Role::GridImport, MeterKind::Counter),
        ("out", Role::GridExport, MeterKind::Counter),
        ("sun", Role::Solar, MeterKind::Counter),
    ];
    let (store, account) = open(dir.path(), &sensors);
    put_contract(&store, &account, r#"{"energy":{"price":0.3}}"#);
    // In each hour the house draws 600 Wh and feeds in 600 Wh.
    for name in ["in", "out", "sun"] {
        let energy = if name == "sun" { 900.0 } else { 600.0 };
        let hours =
            (0..=48_i32).map(|nth| (quarter(i64::from(nth) * 4), 0.5 + energy * f64::from(nth)));
        import(&store, name, &hours.collect::<Vec<_>>());
    }
    let fields = [("battery", "4"), ("efficiency", "100")];
    let found = ask(&store, &account, (0, 192), &fields);
    let changed = found.changed.as_ref().unwrap();
    assert_eq!(found.present.coarse_share(), Some(1.0));
    // Spread evenly, the battery gives in each quarter what it took in the one before.
    let saved = found.present.more_than(changed).unwrap();
    assert!(saved > Decimal::parse("8").unwrap(), "{saved}");
    // Nobody knows that: at rest it saves nothing.
    assert_eq!(found.saved_at_rest(), Some(Decimal::ZERO));
}

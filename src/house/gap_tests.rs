//! Conclusions about houses whose meters were silent for a while: they are off by no more than the
//! energy that they name as unknown, at the dearest price of the range.
//!
//! `WATTKEEPER_CASES=125` makes it 500 houses.

use std::ops::Range;
use std::path::Path;

use super::tests::{at, import, open};
use super::{PricedSide, WhatIfForm, savings, what_if};
use crate::domain::{Account, Decimal, MeterKind, Role, Timestamp};
use crate::house::comparison::tests::{Noise, contract, put_contracts};
use crate::ledger::Flow;
use crate::ledger::scenario::HouseQuarter;
use crate::store::Store;

const SENSORS: [(&str, Role, MeterKind); 5] = [
    ("in", Role::GridImport, MeterKind::Counter),
    ("out", Role::GridExport, MeterKind::Counter),
    ("sun", Role::Solar, MeterKind::Counter),
    ("to", Role::BatteryCharge, MeterKind::Counter),
    ("back", Role::BatteryDischarge, MeterKind::Counter),
];
const DAYS: i64 = 3;
const QUARTERS: i64 = DAYS * 96;
/// No contract below has a higher price.
const DEAREST: f64 = 0.45;
const CONTRACTS: [&str; 4] = [
    r#"{"energy":{"price":0.3}},{"export":{"price":0.08}}"#,
    r#"{"energy":{"zones":[{"name":"day","price":0.45},{"name":"night","price":0.2,"hours":"22:00-06:00"}]}},{"export":{"price":0.08}}"#,
    r#"{"energy":{"price":0.3}},{"fixed":{"name":"standing","price":0.3,"per":"day"}}"#,
    r#"{"energy":{"zones":[{"name":"usual","price":0.33},{"name":"evening","price":0.41,"hours":"17:00-20:00"}]}},{"export":{"price":0.12}}"#,
];

fn start() -> Timestamp {
    at("2026-01-04T23:00:00")
}

fn quarter(nth: i64) -> Timestamp {
    start().saturating_add_millis(nth * HouseQuarter::LENGTH_MS)
}

/// The energy of each sensor in each quarter of an hour, in watt-hours: of a house that never feeds
/// in and draws at once, with a battery that never charges from the grid.
fn energies(noise: &mut Noise) -> Vec<[i64; 5]> {
    let all = (0..QUARTERS).map(|nth| {
        let hour = nth % 96 / 4;
        let sun = if (9..16).contains(&hour) {
            noise.below(900)
        } else {
            0
        };
        let used = 40 + noise.below(if hour >= 17 { 700 } else { 300 });
        let (mut to, mut back) = (0, 0);
        if sun > used {
            to = noise.below(sun - used + 1);
        } else {
            back = noise.below((used - sun) / 2 + 1);
        }
        let net = used + to - back - sun;
        [net.max(0), (-net).max(0), sun, to, back]
    });
    all.collect()
}

/// The house, without the readings of some sensors for a while.
fn house(
    dir: &Path,
    energies: &[[i64; 5]],
    components: &str,
    silent: &[(usize, Range<i64>)],
) -> (Store, Account) {
    let (store, account) = open(dir, &SENSORS);
    let terms = contract("2020-01-01", "now", components);
    put_contracts(&store, &account, vec![terms]);
    for (place, (name, ..)) in SENSORS.into_iter().enumerate() {
        // Half a watt-hour more, so that no step looks like one of a coarse register.
        let (mut shown, mut registers) = (0.5, Vec::new());
        for nth in 0..=QUARTERS {
            let is_silent =
                |(of, times): &(usize, Range<i64>)| *of == place && times.contains(&nth);
            if !silent.iter().any(is_silent) {
                registers.push((quarter(nth), shown));
            }
            if let Some(energy) = energies.get(usize::try_from(nth).unwrap()) {
                shown += f64::from(i32::try_from(energy[place]).unwrap());
            }
        }
        import(&store, name, &registers);
    }
    (store, account)
}

/// The energy that a side names as unknown, in kilowatt-hours.
fn named(side: &PricedSide) -> f64 {
    let both = |flow: Flow| flow.imported + flow.exported;
    let all = both(side.left_out()) + side.left_out_own() + both(side.statement.bill.unpriced);
    all.watthours() / 1_000.0
}

/// What the battery and the panels saved, and what another battery would have: each with the energy
/// that it names as unknown.
fn conclusions(store: &Store, account: &Account) -> Vec<(String, Option<Decimal>, f64)> {
    let (range, now) = (start()..quarter(QUARTERS), quarter(QUARTERS));
    let mut all = Vec::new();
    let found = savings(store, account, range.clone(), now).unwrap();
    for (without, side) in &found.priced.sides[1..] {
        let name = format!("without {without:?}");
        all.push((name, found.saved(side), named(side)));
    }
    let form = WhatIfForm {
        battery: Some("4".to_owned()),
        sizes: Some("0,2".to_owned()),
        ..WhatIfForm::default()
    };
    let question = form.question().unwrap();
    let found = what_if(store, account, (range, now), question).unwrap();
    for sized in &found.sizes {
        let saved = found.present.more_than(&sized.side);
        let kilowatthours = sized.size.watthours() / 1_000.0;
        all.push((format!("{kilowatthours} kWh"), saved, named(&sized.side)));
    }
    all
}

#[test]
fn no_conclusion_is_off_by_more_than_the_energy_that_it_names() {
    let cases = std::env::var("WATTKEEPER_CASES").ok();
    let cases: u64 = cases.and_then(|text| text.parse().ok()).unwrap_or(3);
    let (mut compared, mut largest) = (0, 0.0_f64);
    for seed in 0..4 * cases {
        let mut noise = Noise(seed * 77 + 1);
        let energies = energies(&mut noise);
        let components = CONTRACTS[usize::try_from(seed % 4).unwrap()];
        let silent: Vec<_> = (0..=noise.below(3))
            .map(|_| {
                let sensor = usize::try_from(noise.below(5)).unwrap();
                let from = 1 + noise.below(QUARTERS - 60);
                (sensor, from..from + 2 + noise.below(50))
            })
            .collect();
        let (whole, damaged) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let truth = house(whole.path(), &energies, components, &[]);
        let found = house(damaged.path(), &energies, components, &silent);
        let truth = conclusions(&truth.0, &truth.1);
        let found = conclusions(&found.0, &found.1);
        for ((name, expected, nothing), (_, saved, unknown)) in truth.into_iter().zip(found) {
            assert_eq!(nothing, 0.0, "{seed} {name}");
            let (expected, Some(saved)) = (expected.unwrap(), saved) else {
                continue;
            };
            let error = (expected.to_f64() - saved.to_f64()).abs();
            assert!(
                error <= DEAREST * unknown + 1e-5,
                "{seed} {name} {silent:?}: {saved} instead of {expected}, with {unknown} kWh unknown"
            );
            compared += 1;
            largest = largest.max(error);
        }
    }
    let houses = i32::try_from(4 * cases).unwrap();
    assert!(compared >= 5 * houses, "{compared} of {houses} houses");
    assert!(largest > 0.0);
}

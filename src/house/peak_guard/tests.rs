//! The guard of a house with a meter, beside its statements.

use super::*;
use crate::domain::{MeterKind, Role};
use crate::house::statement;
use crate::house::tests::{at, import, open};
use crate::ledger::contract::ContractChange;

const CONTRACT: &str = r#"{"from":"2024-01-01","name":"Capacity","currency":"€","components":[{"energy":{"price":0.3}},{"demand":{"name":"capacity","price":4.5,"per":"quarter"}},{"tax":{"name":"VAT","percent":19}}]}"#;
/// The beginning of the readings, and of a day in the next month, in Berlin.
const BEGIN: &str = "2026-01-09T23:00:00";
const DAY: &str = "2026-02-14T23:00:00";

/// A house with this contract that draws 600 W, and 3 kW in the quarter from 12:00 on each day.
struct House {
    _dir: tempfile::TempDir,
    store: Store,
    account: Account,
    register: f64,
}

impl House {
    fn new(contract: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let sensors = [("grid", Role::GridImport, MeterKind::Counter)];
        let (store, account) = open(dir.path(), &sensors);
        let change = ContractChange::parse(contract).unwrap();
        let name = account.name.clone();
        let changed = store.edit(move |edit| edit.change_contracts(&name, change));
        changed.unwrap();
        let mut house = Self {
            _dir: dir,
            store,
            account,
            register: 0.0,
        };
        let quarters = (at(DAY).millis() - at(BEGIN).millis()) / 900_000;
        let mut registers = vec![(at(BEGIN), 0.0)];
        for quarter in 0..quarters {
            // The middle of each quarter has a register, too.
            let watts = if quarter % 96 == 48 { 3_000.0 } else { 600.0 };
            for part in 1..=2 {
                house.register += watts / 8.0;
                let time = at(BEGIN).saturating_add_millis(quarter * 900_000 + part * 450_000);
                registers.push((time, house.register));
            }
        }
        import(&house.store, "grid", &registers);
        house
    }

    /// Registers at the end of each minute, of so many watts.
    fn minutes(&mut self, from: Timestamp, watts: &[f64]) -> Timestamp {
        let mut registers = Vec::new();
        let mut time = from;
        for watts in watts {
            time = time.saturating_add_millis(MS_PER_MINUTE);
            self.register += watts / 60.0;
            registers.push((time, self.register));
        }
        import(&self.store, "grid", &registers);
        time
    }

    fn look(&self, guard: &PeakGuard, now: Timestamp) -> PeaksNow {
        let found = guard.look(&self.store, &self.account, now).unwrap();
        found.unwrap()
    }

    fn total(&self, now: Timestamp) -> f64 {
        let month = at("2026-01-31T23:00:00")..now;
        let found = statement(&self.store, &self.account, month, now).unwrap();
        found.bill.total.to_f64()
    }
}

fn watts(power: Option<MicroWh>) -> f64 {
    power.unwrap().watthours().round()
}

#[test]
fn a_kilowatt_costs_the_difference_of_statements() {
    let mut house = House::new(CONTRACT);
    let now = at(DAY);
    let found = house.look(&PeakGuard::default(), now);
    let peak = &found.demands[0];
    assert_eq!(watts(peak.demand.peak()), 3_000.0);
    assert_eq!(watts(peak.demand.usual()), 3_000.0);
    // 4.50 and the tax.
    assert_eq!(peak.kilowatt.to_string(), "5.355");
    let before = house.total(now);
    let end = house.minutes(now, &[4_000.0; 15]);
    let energy = 0.3 * 1.19;
    assert!((house.total(end) - before - energy - 5.355).abs() < 0.000_01);
    // Now a further kilowatt costs as much again.
    let found = house.look(&PeakGuard::default(), end);
    assert_eq!(watts(found.demands[0].demand.peak()), 4_000.0);
    assert_eq!(found.demands[0].kilowatt.to_string(), "5.355");
}

#[test]
fn a_running_quarter_has_what_is_left() {
    let mut house = House::new(CONTRACT);
    // Five minutes at 1.2 kW, then at 6 kW.
    let now = house.minutes(at(DAY), &[1_200.0, 1_200.0, 1_200.0, 1_200.0, 1_200.0]);
    let now = house.minutes(now, &[6_000.0; 4]);
    let found = house.look(&PeakGuard::default(), now);
    let peak = found.shown().unwrap();
    assert_eq!(peak.demand.span(), at(DAY)..at("2026-02-14T23:15:00"));
    assert_eq!(watts(peak.demand.energy()), 500.0);
    // 500 Wh and 600 Wh in a quarter.
    assert_eq!(watts(peak.likely()), 4_400.0);
    // 3 kW are 750 Wh in a quarter, of which 250 are left for six minutes.
    assert_eq!(watts(peak.left()), 2_500.0);
    assert!(peak.is_new_peak() && peak.demand.is_time());
    assert_eq!(peak.rise.unwrap().to_string(), "7.497");
    let answer = PeakAnswer::new(&house.account, Some(&found), now);
    let row = &answer.demands[0];
    assert_eq!((row.per.as_str(), row.new_peak), ("quarter", true));
    assert_eq!(row.known_until.as_deref(), Some("2026-02-14T23:09:00.000Z"));
    // Readings that are too old say nothing about the rest.
    let late = now.saturating_add_millis(OLDEST_MS + 1);
    let found = house.look(&PeakGuard::default(), late);
    let peak = found.shown().unwrap();
    assert!(peak.likely().is_none() && peak.left().is_none() && peak.rise.is_none());
    assert!(!peak.is_new_peak());
}

#[test]
fn what_is_known_already_is_not_read_again_but_answers_alike() {
    let mut house = House::new(CONTRACT);
    let guard = PeakGuard::default();
    // All at once, because an import makes the guard read everything again.
    let powers = (0..50_u32).map(|minute| f64::from(400 + minute * 137 % 5_000));
    house.minutes(at(DAY), &powers.collect::<Vec<_>>());
    for minute in 0..50 {
        let now = at(DAY).saturating_add_millis(minute * MS_PER_MINUTE);
        let [kept, fresh] = [&guard, &PeakGuard::default()].map(|guard| {
            let found = house.look(guard, now);
            PeakAnswer::new(&house.account, Some(&found), now)
        });
        assert_eq!(kept, fresh);
    }
}

#[test]
fn without_a_demand_there_is_nothing_to_guard() {
    let house = House::new(
        r#"{"from":"2024-01-01","name":"Flat","currency":"€","components":[{"energy":{"price":0.3}}]}"#,
    );
    let guard = PeakGuard::default();
    let found = guard.look(&house.store, &house.account, at(DAY)).unwrap();
    assert!(found.is_none());
    let answer = PeakAnswer::new(&house.account, None, at(DAY));
    assert!(answer.demands.is_empty() && answer.currency.is_none());
}

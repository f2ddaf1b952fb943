//! The cost of a contract in a house in its last full month, before it is saved: by its own
//! readings or, while it has none, by those of the demo's household.

use std::ops::Range;
use std::sync::Arc;

use super::demo_house::Household;
use super::prices::{ExtraPrices, HousePrices};
use super::statement::{as_if_begun, offer_statement_by, statement};
use crate::domain::time::MS_PER_MINUTE;
use crate::domain::{Account, Calendar, Interval, LocalDate, MicroWh, TimeRange, Timestamp};
use crate::ledger::contract::{Contract, Contracts, MeteredEnergy};
use crate::ledger::house::MeasuredSlot;
use crate::ledger::{CostStatement, Flow, TouchCount};
use crate::store::{Store, StoreError};

/// The most months to look back for one with readings.
const MOST_MONTHS: usize = 12;
/// The demo's power is taken so often.
const STEP_MS: i64 = 5 * MS_PER_MINUTE;

/// The cost of a month by a contract.
#[derive(Clone, Debug)]
pub struct ContractPreview {
    /// The first day of the month.
    pub month: LocalDate,
    /// Whether the energy is that of the demo's household.
    pub is_demo: bool,
    /// By the contract.
    pub new: CostStatement,
    /// By the contracts in force; `None` without one in the month.
    pub present: Option<CostStatement>,
}

/// The last full months before `now`, the newest first.
#[must_use]
pub fn last_months(account: &Account, now: Timestamp) -> Vec<Range<Timestamp>> {
    let mut calendar = Calendar::new(account.zone.clone(), Interval::Month);
    let mut end = calendar.bucket(now).start();
    let mut months = Vec::with_capacity(MOST_MONTHS);
    for _ in 0..MOST_MONTHS {
        let start = calendar.bucket(end.saturating_add_millis(-1)).start();
        months.push(start..end);
        end = start;
    }
    months
}

/// The month that a preview is about: the last full one that is measured for more than a half, else
/// the last one, and whether it is measured. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn preview_month(
    store: &Store,
    account: &Account,
    (contract, now): (&Contract, Timestamp),
) -> Result<(Range<Timestamp>, bool), StoreError> {
    let months = last_months(account, now);
    for month in &months {
        let terms = (contract, &ExtraPrices::default());
        let found = offer_statement_by(store, account, terms, (month.clone(), now))?;
        if found.energy.is_some() && found.coverage().missing < 0.5 {
            return Ok((month.clone(), true));
        }
    }
    let last = months.into_iter().next();
    Ok((last.unwrap_or(now..now), false))
}

/// The cost of a contract in a month of [`preview_month`]. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn preview(
    store: &Store,
    account: &Account,
    (contract, extra): (&Contract, &ExtraPrices),
    ((month, is_measured), now): ((Range<Timestamp>, bool), Timestamp),
) -> Result<ContractPreview, StoreError> {
    let first = LocalDate::at(month.start, &account.zone);
    let known = store.registry().contracts(&account.name).cloned();
    let known = known.unwrap_or_default();
    let begins = |one: &Contract| one.from().start(&account.zone);
    let has_present = known
        .all()
        .first()
        .is_some_and(|one| begins(one) <= month.start);
    let (new, present) = if is_measured {
        let new = offer_statement_by(store, account, (contract, extra), (month.clone(), now))?;
        let present = has_present.then(|| statement(store, account, month.clone(), now));
        (new, present.transpose()?)
    } else {
        let new = as_if_begun(contract, account, month.start);
        let new = demo_statement(store, account, (&new, extra), &month)?;
        let none = ExtraPrices::default();
        let present = has_present.then(|| demo_statement(store, account, (&known, &none), &month));
        (new, present.transpose()?)
    };
    Ok(ContractPreview {
        month: first,
        is_demo: !is_measured,
        new,
        present,
    })
}

/// The statement of a month for the demo's household.
fn demo_statement(
    store: &Store,
    account: &Account,
    (contracts, extra): (&Arc<Contracts>, &ExtraPrices),
    month: &Range<Timestamp>,
) -> Result<CostStatement, StoreError> {
    let contracts = Arc::clone(contracts);
    let prices = HousePrices::by(store, account, month.clone(), contracts).with_extra(extra);
    let mut window = prices.window.clone();
    let mut walk = prices.pricer();
    let mut sum = Flow::default();
    while let Some(next) = walk.next_slot() {
        if let Some(series) = window.load(store, next.from())? {
            walk.set_series(series);
        }
        // Prices end slots.
        let Some(slot) = walk.next_slot() else {
            break;
        };
        let slot = slot.until(window.until());
        let flow = demo_flow(slot.from(), slot.to());
        if slot.is_billed() {
            sum = sum + flow;
        }
        let named = vec![MicroWh::ZERO; walk.sensors().len()];
        let energy = MeteredEnergy {
            named,
            ..MeteredEnergy::of_house(Some(flow))
        };
        walk.add_known(slot, &energy);
    }
    let range = TimeRange::new(month.start, month.end).unwrap_or(TimeRange::at(month.start));
    let known = MeasuredSlot {
        flow: Some(sum),
        ..MeasuredSlot::default()
    };
    let currency = prices.currency().cloned();
    let bill = walk.finish();
    Ok(CostStatement::of(
        range,
        currency,
        bill,
        known,
        TouchCount::default(),
    ))
}

/// The energy of the demo's household at the grid. Power is taken at fixed times, so that slots of
/// any length add up to the same.
fn demo_flow(from: Timestamp, to: Timestamp) -> Flow {
    let mut flow = Flow::default();
    let mut at = from;
    while at < to {
        let begin = at.millis() - at.millis().rem_euclid(STEP_MS);
        let end = Timestamp::from_millis(begin + STEP_MS)
            .unwrap_or(to)
            .min(to);
        let watts = Household::power_at_grid(Timestamp::from_millis(begin).unwrap_or(at));
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a step are few")]
        let hours = (end.millis() - at.millis()) as f64 / 3_600_000.0;
        let energy = MicroWh::from_watthours((watts * hours).abs());
        if watts < 0.0 {
            flow.exported = flow.exported + energy;
        } else {
            flow.imported = flow.imported + energy;
        }
        at = end;
    }
    flow
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Decimal, MeterKind, Role};
    use crate::house::comparison::tests::{contract, put_contracts};
    use crate::house::tests::{at, import, open};
    use crate::ledger::contract::{Label, PriceSeries, SeriesPrice};

    const GRID: [(&str, Role, MeterKind); 1] = [("grid", Role::GridImport, MeterKind::Counter)];

    fn shown(
        (store, account): (&Store, &Account),
        terms: (&Contract, &ExtraPrices),
        now: &str,
    ) -> ContractPreview {
        let month = preview_month(store, account, (terms.0, at(now))).unwrap();
        preview(store, account, terms, (month, at(now))).unwrap()
    }

    /// One price for November 2026.
    fn november(price: i64) -> PriceSeries {
        let one = SeriesPrice {
            from: at("2026-10-31T00:00:00"),
            to: at("2026-12-02T00:00:00"),
            price: Decimal::from_millionths(price),
        };
        PriceSeries::new(Label::new("Market").unwrap(), vec![one]).unwrap()
    }

    #[test]
    fn the_last_measured_month_is_priced_by_both_contracts() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &GRID);
        // 871 kWh in October by the clock of Berlin, a kilowatt-hour on each day of November so far.
        let registers = [
            ("2026-09-30T22:00:00", 0.0),
            ("2026-10-31T23:00:00", 871_000.0),
            ("2026-11-15T00:00:00", 885_000.0),
        ];
        import(
            &store,
            "grid",
            &registers.map(|(time, register)| (at(time), register)),
        );
        let new = r#"{"energy":{"price":0.27}},{"fixed":{"name":"base","price":10,"per":"month"}}"#;
        let new = contract("2027-01-01", "New", new);
        let terms = (&new, &ExtraPrices::default());
        let found = shown((&store, &account), terms, "2026-11-15T00:00:00");
        assert_eq!(
            (found.month.to_string(), found.is_demo),
            ("2026-10-01".to_owned(), false)
        );
        // 871 x 0.27 + 10 = 245.17, for each kilowatt-hour 0.281481.
        assert_eq!(found.new.bill.total.to_string(), "245.17");
        let mean = found.new.mean_price().map(|mean| mean.to_string());
        assert_eq!(mean.as_deref(), Some("0.281481"));
        assert_eq!(found.present.unwrap().bill.total.to_string(), "435.5");
        put_contracts(&store, &account, Vec::new());
        let found = shown((&store, &account), terms, "2026-11-15T00:00:00");
        assert!(found.present.is_none());
        let old = contract("2020-01-01", "Old", r#"{"energy":{"price":0.3}}"#);
        put_contracts(&store, &account, vec![old]);
        let found = shown((&store, &account), terms, "2026-11-15T00:00:00");
        assert_eq!(found.present.unwrap().bill.total.to_string(), "261.3");
    }

    #[test]
    fn without_readings_the_demos_household_pays() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &GRID);
        let new = contract("2026-12-01", "New", r#"{"energy":{"series":"market"}}"#);
        let now = "2026-12-03T00:00:00";
        let none = shown((&store, &account), (&new, &ExtraPrices::default()), now);
        assert!(none.is_demo && none.new.whole_total().is_none());
        let extra = ExtraPrices {
            series: vec![november(100_000)],
            ..ExtraPrices::default()
        };
        let mean = |found: &ContractPreview| found.new.mean_price().unwrap();
        let found = shown((&store, &account), (&new, &extra), now);
        assert_eq!(found.month.to_string(), "2026-11-01");
        assert_eq!(mean(&found).to_string(), "0.1");
        let drawn = found.new.energy.unwrap().imported.watthours();
        assert!((300_000.0..3_000_000.0).contains(&drawn), "{drawn}");
        // Stored prices come first.
        store
            .put_prices_durably(&account.name, &november(200_000))
            .unwrap();
        let found = shown((&store, &account), (&new, &extra), now);
        assert_eq!(mean(&found).to_string(), "0.2");
    }

    #[test]
    fn a_flow_of_the_demo_is_the_sum_of_its_parts() {
        let [from, to] = ["2026-06-01T09:00:00", "2026-06-01T13:00:00"].map(at);
        let whole = demo_flow(from, to);
        let (mut sum, mut at) = (Flow::default(), from);
        while at < to {
            let next = at.saturating_add_millis(7 * MS_PER_MINUTE).min(to);
            sum = sum + demo_flow(at, next);
            at = next;
        }
        for (sum, whole) in [
            (sum.imported, whole.imported),
            (sum.exported, whole.exported),
        ] {
            assert!((sum.watthours() - whole.watthours()).abs() < 0.001);
        }
        assert!(whole.imported > MicroWh::ZERO || whole.exported > MicroWh::ZERO);
    }
}

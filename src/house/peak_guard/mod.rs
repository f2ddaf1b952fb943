//! The peak guard: the running span of each demand charge, what is left until it ends, and whether it
//! makes a new peak (docs/HOUSE.md).
//!
//! - `answer`: it as the API answers it

mod answer;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

pub use self::answer::{DemandRow, PeakAnswer};
use super::cost::HouseCosts;
use super::flows::FlowSlot;
use super::peaks::measure_until;
use super::prices::HousePrices;
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::time::{MS_PER_HOUR, MS_PER_MINUTE};
use crate::domain::{Account, AccountName, Currency, Decimal, MicroWh, Timestamp};
use crate::ledger::contract::{Contracts, DemandNow, PeakHistory, PeakPower, Pricer, SpanCourse};
use crate::locks::lock;
use crate::store::{Store, StoreError};

/// Looks at peaks again and again: earlier spans are read once an hour, and after a change.
#[derive(Default)]
pub struct PeakGuard(Mutex<BTreeMap<AccountName, KnownPeaks>>);

/// The demand charges of a house at a moment.
pub struct PeaksNow {
    /// The currency of amounts.
    pub currency: Currency,
    /// The demand charges in force, in the order of the contract.
    pub demands: Vec<PeakNow>,
}

/// A demand charge at a moment. Powers are energies of an hour.
pub struct PeakNow {
    /// The charge.
    pub demand: DemandNow,
    /// How the running span goes on; `None` if too little is known of it.
    pub course: Option<SpanCourse>,
    /// What one kilowatt more than the peak so far adds to the statement of the period.
    pub kilowatt: Decimal,
    /// What the likely end of the running span costs more than the peak that the period has or will
    /// have anyway.
    pub rise: Option<Decimal>,
}

/// The peaks of a house before the running span, and what depends on them.
struct KnownPeaks {
    contracts: Arc<Contracts>,
    edits: u64,
    looked: Timestamp,
    history: PeakHistory,
    /// The running period, priced until then.
    period: Range<Timestamp>,
    pricer: Pricer,
}

/// After this time all spans are read again, because readings may come late.
const READ_AGAIN_MS: i64 = MS_PER_HOUR;
/// The times before the newest reading from which the recent power is taken.
const RECENT_MS: [i64; 2] = [3 * MS_PER_MINUTE, MS_PER_MINUTE];
/// Older readings say nothing about the power now.
const OLDEST_MS: i64 = 5 * MS_PER_MINUTE;

impl PeakGuard {
    /// The demand charges of a house at `now`; `None` if none is in force, or nothing measures what the
    /// house draws. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn look(
        &self,
        store: &Store,
        account: &Account,
        now: Timestamp,
    ) -> Result<Option<PeaksNow>, StoreError> {
        let known = lock(&self.0).remove(&account.name);
        let prices = HousePrices::of(store, account, now..now);
        let Some(mut history) = prices.demand_history(now) else {
            return Ok(None);
        };
        let house = HouseSensors::of(store, &account.name, now)?;
        if !house.sensors.iter().any(HouseSensor::is_import) {
            return Ok(None);
        }
        let edits = store.history_edits();
        let is_fresh = |known: &KnownPeaks| {
            let age_ms = now.millis() - known.looked.millis();
            // The clock may have been set back.
            (0..READ_AGAIN_MS).contains(&age_ms)
                && known.contracts == prices.contracts
                && known.edits == edits
                && known.period.contains(&now)
                && known.history.measured() <= now
        };
        let known = known.filter(is_fresh);
        if let Some(known) = &known {
            history = known.history.clone();
        }
        let newest = newest_known(&house, now);
        // The last reading of a span may come after its end.
        let mut before = history.start_of_span(newest);
        before = history.start_of_span(before.saturating_add_millis(-1));
        measure_until(store, &house, &mut history, before)?;
        let mut whole = history.clone();
        measure_until(store, &house, &mut whole, now)?;
        let demands = prices.demands(&whole);
        let Some(currency) = prices.currency().cloned() else {
            return Ok(None);
        };
        let known = match known {
            Some(known) => KnownPeaks { history, ..known },
            None => KnownPeaks {
                contracts: Arc::clone(&prices.contracts),
                edits,
                looked: now,
                history,
                period: period_of(&demands, now),
                pricer: priced(store, account, (&house, &demands, whole), now)?,
            },
        };
        let is_recent = now.millis() - newest.millis() <= OLDEST_MS;
        let course = is_recent.then(|| course(store, &house, newest));
        let course = course.transpose()?.flatten();
        let demands = demands.into_iter().map(|it| {
            let course = course.filter(|_| it.energy().is_some());
            PeakNow::new(it, course, &known.pricer)
        });
        let found = PeaksNow {
            currency,
            demands: demands.collect(),
        };
        let mut all = lock(&self.0);
        let registry = store.registry();
        all.retain(|name, _| registry.account(name).is_some());
        all.insert(account.name.clone(), known);
        Ok(Some(found))
    }
}

/// The beginning of the earliest running period, and the end of the first that ends.
fn period_of(demands: &[DemandNow], now: Timestamp) -> Range<Timestamp> {
    let starts = demands.iter().map(|it| it.period().start).min();
    let ends = demands.iter().map(|it| it.period().end).min();
    starts.unwrap_or(now)..ends.unwrap_or(now)
}

/// The pricer of the running periods, with all energy until now. Blocks on the disk.
fn priced(
    store: &Store,
    account: &Account,
    (house, demands, peaks): (&HouseSensors, &[DemandNow], PeakHistory),
    now: Timestamp,
) -> Result<Pricer, StoreError> {
    let range = period_of(demands, now).start..now;
    let prices = HousePrices::of(store, account, range).with_peaks(Some(Arc::new(peaks)));
    let mut costs = HouseCosts::new(house.only(|it| prices.need(it)), &prices);
    costs.cut_at(vec![now]);
    while let Some((slot, flows)) = costs.next_slot(store)? {
        let (_, energy) = costs.metered(&flows);
        costs.pricer().add_known(slot, &energy);
    }
    Ok(costs.into_pricer())
}

/// Until when the energy from the grid is known: until the newest reading, or until now where the next one
/// is late, and the time since is missing.
fn newest_known(house: &HouseSensors, now: Timestamp) -> Timestamp {
    let imports = house.sensors.iter().filter(|it| it.is_import());
    let awaited = imports.filter(|it| it.sensor.authorized && it.has_readings);
    let newest = awaited.map(|it| it.expected.end).min();
    newest.map_or(now, |newest| newest.min(now))
}

/// How the running spans go on; `None` if the last minutes are not known. Blocks on the disk.
fn course(
    store: &Store,
    house: &HouseSensors,
    known_until: Timestamp,
) -> Result<Option<SpanCourse>, StoreError> {
    let at_grid = house.only(|it| it.sensor.role.is_at_grid());
    let begins = RECENT_MS.map(|ms| known_until.saturating_add_millis(-ms));
    let times: Vec<Timestamp> = begins.into_iter().chain([known_until]).collect();
    let flows = at_grid.between(store, &times)?.all(|_| {})?;
    let drawn = |from: Timestamp| {
        let within = || flows.iter().filter(|slot| from <= slot.start);
        let parts = within().map(|slot| {
            let (measured, is_whole) = at_grid.measured_at_grid(slot);
            Some(measured.flow.filter(|_| is_whole)?.imported)
        });
        let energy: Option<MicroWh> = parts.sum();
        let length_ms = known_until.millis() - from.millis();
        let known_ms: i64 = within().map(FlowSlot::length_ms).sum();
        let energy = energy.filter(|_| known_ms == length_ms);
        Some(energy?.scaled(MicroWh::new(MS_PER_HOUR), MicroWh::new(length_ms)))
    };
    // Whichever is higher: what began a minute ago may go on.
    let recent: Option<Vec<MicroWh>> = begins.into_iter().map(drawn).collect();
    let recent = recent.and_then(|both| both.into_iter().max());
    Ok(recent.map(|recent| SpanCourse {
        known_until,
        recent,
    }))
}

impl PeakNow {
    fn new(demand: DemandNow, course: Option<SpanCourse>, pricer: &Pricer) -> Self {
        let between = |[from, to]: [PeakPower; 2]| {
            let costs = |peak| pricer.costs_at_peak(&demand, peak);
            (costs(to) - costs(from)).rounded()
        };
        let likely = course.and_then(|course| demand.likely(course));
        let likely = likely.filter(|_| demand.counts());
        let rise = likely.map(|likely| between([demand.level(), demand.peak_with(likely)]));
        Self {
            kilowatt: between(demand.one_more()),
            rise: rise.map(|rise| rise.max(Decimal::ZERO)),
            course,
            demand,
        }
    }

    /// The likely mean power of the running span.
    #[must_use]
    pub fn likely(&self) -> Option<MicroWh> {
        self.demand.likely(self.course?)
    }

    /// The power that is left until its end, so that the peak stays at its level.
    #[must_use]
    pub fn left(&self) -> Option<MicroWh> {
        self.demand.left(self.course?)
    }

    /// Whether it is likely to make a new peak.
    #[must_use]
    pub fn is_new_peak(&self) -> bool {
        self.likely()
            .is_some_and(|likely| self.demand.is_new_peak(likely))
    }
}

impl PeaksNow {
    /// The demand charge to show: the first one whose running span counts, else the first one.
    #[must_use]
    pub fn shown(&self) -> Option<&PeakNow> {
        let mut counting = self.demands.iter().filter(|it| it.demand.counts());
        counting.next().or_else(|| self.demands.first())
    }
}

#[cfg(test)]
mod tests;

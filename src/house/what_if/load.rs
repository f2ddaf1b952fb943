//! The energy of a load in the quarters of an hour of a range.

use std::ops::Range;

use super::clock::{ShownQuarter, numbers, quarters, start_of};
use super::form::WhatIfError;
use super::question::{AskedLoad, DailyLoad, LoadChange, LoadSource};
use crate::domain::{Account, MicroWh, Role, SensorId, Timestamp};
use crate::house::sensors::{HouseSensor, HouseSensors};
use crate::ledger::Flow;
use crate::ledger::house::MeasuredSlot;
use crate::ledger::scenario::{HouseQuarter, PublishedPrices, in_cheapest};
use crate::store::{Store, StoreError};

/// How the use of a house changes, quarter by quarter.
#[derive(Clone, Debug)]
pub(super) struct ChangedLoad {
    /// The number of the first quarter.
    first: i64,
    /// So much more; `None` where the load is not known.
    more: Vec<Option<MicroWh>>,
    /// Whether the house uses no less than nothing: a load that nobody measured cannot be known to be
    /// there.
    is_assumed: bool,
    /// The sub-meter, and those around it.
    pub(super) sensors: Vec<SensorId>,
}

impl ChangedLoad {
    /// The change of a load in a range. `prices` has the price of each of its quarters. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// [`WhatIfError`] if there is no such sub-meter, or if the store could not be read.
    pub(super) fn of(
        store: &Store,
        (account, range): (&Account, &Range<Timestamp>),
        (asked, house): (&AskedLoad, &HouseSensors),
        prices: &PublishedPrices,
    ) -> Result<Self, WhatIfError> {
        let (energy, sensors) = match &asked.of {
            LoadSource::SubMeter(id) => {
                let own = sub_meter(house, id)?;
                let alone = house.only(|it| it.sensor.id == *id);
                (measured(store, &alone, range)?, around(house, own))
            }
            LoadSource::Daily(load) => (daily(load, account, range), Vec::new()),
        };
        let periods = match &asked.of {
            LoadSource::SubMeter(_) => days(account, range),
            LoadSource::Daily(load) => runs(load, account, range),
        };
        let cheapest = || moved(&energy, &periods, (prices, range));
        let less = |energy: &Option<MicroWh>| energy.map(|energy| -energy);
        let more = match asked.change {
            LoadChange::Add => energy,
            LoadChange::AddCheapest => cheapest(),
            LoadChange::Remove => energy.iter().map(less).collect(),
            LoadChange::Move => {
                let both = cheapest().into_iter().zip(&energy);
                both.map(|(to, from)| Some(to? - (*from)?)).collect()
            }
        };
        Ok(Self {
            first: numbers(range).start,
            more,
            is_assumed: matches!(asked.of, LoadSource::Daily(_)),
            sensors,
        })
    }

    /// How much more the house uses in a quarter, or in a part of one; `None` if that is not known.
    pub(super) fn more(&self, quarter: &HouseQuarter) -> Option<MicroWh> {
        let place = usize::try_from(quarter.number() - self.first).ok();
        let whole = place.and_then(|place| self.more.get(place).copied());
        let more = quarter.part_of(whole.unwrap_or(Some(MicroWh::ZERO))?);
        if !self.is_assumed || more >= MicroWh::ZERO {
            return Some(more);
        }
        let used = quarter.used()?.max(MicroWh::ZERO);
        Some(more.max(-used))
    }
}

fn sub_meter<'a>(house: &'a HouseSensors, id: &SensorId) -> Result<&'a HouseSensor, WhatIfError> {
    let mut all = house.sensors.iter();
    let found = all.find(|it| it.sensor.id == *id && it.sensor.role == Role::SubMeter);
    found.ok_or_else(|| WhatIfError::NoSubMeter(id.clone()))
}

/// A sub-meter and those around it.
fn around(house: &HouseSensors, own: &HouseSensor) -> Vec<SensorId> {
    let find = |id: &SensorId| house.sensors.iter().find(|it| it.sensor.id == *id);
    let outer = |it: &&HouseSensor| it.sensor.part_of.as_ref().and_then(find);
    let all = std::iter::successors(Some(own), outer);
    // A loop must not hang.
    let all = all.take(house.sensors.len());
    all.map(|it| it.sensor.id.clone()).collect()
}

/// The energy of a sensor in each quarter of a range: zero where nothing was there to measure.
fn measured(
    store: &Store,
    sensor: &HouseSensors,
    range: &Range<Timestamp>,
) -> Result<Vec<Option<MicroWh>>, StoreError> {
    /// So many quarters are read at once.
    const MOST: i64 = 4_096;
    let all = numbers(range);
    let mut energies = Vec::new();
    let mut first = all.start;
    while first < all.end {
        let last = (first + MOST).min(all.end);
        let times: Vec<Timestamp> = (first..=last).map(start_of).collect();
        let flows = sensor.between(store, &times)?.all(|_| {})?;
        let mut flows = flows.into_iter().peekable();
        for (start, end) in times.iter().zip(times.iter().skip(1)) {
            let known = flows.next_if(|slot| slot.start == *start);
            let slot = known.unwrap_or_else(|| sensor.nothing(*start, *end));
            energies.push(slot.measured.first().and_then(energy_of));
        }
        first = last;
    }
    Ok(energies)
}

/// The energy of a slot; `None` if it is not measured.
fn energy_of(slot: &MeasuredSlot) -> Option<MicroWh> {
    let energy = slot.flow.map_or(MicroWh::ZERO, Flow::net);
    slot.is_measured().then_some(energy)
}

/// The quarters of each day, by their places.
fn days(account: &Account, range: &Range<Timestamp>) -> Vec<Range<usize>> {
    let days = quarters(range, &account.zone).map(|quarter| Some(quarter.day));
    alike(days)
}

/// The quarters of each stretch between the two clock times, by their places.
fn runs(load: &DailyLoad, account: &Account, range: &Range<Timestamp>) -> Vec<Range<usize>> {
    let is_between = |quarter: &ShownQuarter| {
        let (from, to) = load.between;
        let time = quarter.time_ms;
        if from < to {
            from <= time && time < to
        } else {
            from <= time || time < to
        }
    };
    let all = quarters(range, &account.zone);
    alike(all.map(|quarter| is_between(&quarter).then_some(())))
}

/// The places of consecutive values that are the same, without `None`.
fn alike<T: PartialEq>(values: impl Iterator<Item = Option<T>>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut before: Option<T> = None;
    for (place, value) in values.enumerate() {
        match all
            .last_mut()
            .filter(|_| value.is_some() && value == before)
        {
            Some(last) => last.end = place + 1,
            None if value.is_some() => all.push(place..place + 1),
            None => {}
        }
        before = value;
    }
    all
}

/// The energy of a load that comes every day. A stretch that the range cuts has its share.
fn daily(load: &DailyLoad, account: &Account, range: &Range<Timestamp>) -> Vec<Option<MicroWh>> {
    const DAY_MS: i64 = 86_400_000;
    let count = numbers(range).count();
    let mut energies = vec![Some(MicroWh::ZERO); count];
    let whole = (load.between.1 - load.between.0).rem_euclid(DAY_MS) / HouseQuarter::LENGTH_MS;
    for run in runs(load, account, range) {
        let quarters = i64::try_from(run.len()).unwrap_or(whole);
        let is_cut = run.start == 0 || run.end == count;
        let energy = if is_cut {
            load.energy.part(quarters, whole)
        } else {
            load.energy
        };
        let until = |nth: i64| match load.most {
            // As much as it can, from the beginning on; evenly where it would not do it.
            Some(most) if most.millionths().saturating_mul(quarters) >= energy.millionths() => {
                MicroWh::new(most.millionths().saturating_mul(nth)).min(energy)
            }
            _ => energy.part(nth, quarters),
        };
        for (place, nth) in run.zip(0..) {
            if let Some(own) = energies.get_mut(place) {
                *own = Some(until(nth + 1) - until(nth));
            }
        }
    }
    energies
}

/// The energies in the cheapest quarters of each of these periods.
fn moved(
    energies: &[Option<MicroWh>],
    periods: &[Range<usize>],
    (prices, range): (&PublishedPrices, &Range<Timestamp>),
) -> Vec<Option<MicroWh>> {
    let first = numbers(range).start;
    let mut moved = energies.to_vec();
    for period in periods {
        let (Some(own), Some(to)) = (energies.get(period.clone()), moved.get_mut(period.clone()))
        else {
            continue;
        };
        let begin = first + i64::try_from(period.start).unwrap_or_default();
        let each = own.iter().copied().zip(begin..);
        let each = each.map(|(energy, number)| (energy, prices.at(number)));
        to.copy_from_slice(&in_cheapest(&each.collect::<Vec<_>>()));
    }
    moved
}

//! Energy and costs by time, as rows: the answers of the API and the commands (docs/HOUSE.md).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::task::Poll;

use thiserror::Error;

use super::cost::{CostSums, HouseCosts};
use super::flows::{FlowSlot, SensorFlows};
use super::prices::HousePrices;
use super::row::{EnergyColumn, EnergyRow};
use super::sensors::{HouseSensor, HouseSensors, sensors_of};
use super::source_walk::SourceWalk;
use super::values::put_sources;
use crate::domain::{
    Account, AccountName, Calendar, Currency, Interval, Role, SensorId, Timestamp, Zone,
};
use crate::ledger::house::UsedSources;
use crate::store::{Registry, Store, StoreError};

/// The number of slots whose costs are walked together, about; or the number of runs.
const SLOTS_A_WALK: usize = 512;
const RUNS_A_WALK: usize = 16;

/// The request.
#[derive(Clone, Debug)]
pub struct EnergyQuestion {
    /// A sensor of the account; `None` for the house.
    pub of: Option<SensorId>,
    /// From its start until before its end.
    pub range: Range<Timestamp>,
    /// A row for each bucket of the range; `None` for one row.
    pub interval: Option<Interval>,
    /// The zone of the buckets.
    pub zone: Zone,
    /// Whether rows have the sources of each sub-meter's energy, which takes more reading.
    pub with_sources: bool,
}

/// Why an answer cannot have the sources of sub-meters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SourcesError {
    /// Another sensor was asked for.
    #[error("expected a sub-meter, or the house: sources are those of a sub-meter's energy")]
    NoSubMeter,
    /// The interval is too short.
    #[error("expected an interval of at least 15m: sources are known by quarters of an hour")]
    ShortInterval,
    /// The range is too long.
    #[error("expected a range of at most {} days", HousePrices::MOST_DAYS)]
    LongRange,
    /// The house has too many sub-meters.
    #[error(
        "expected at most {most} sub-meters, but there are {0}: ask for one of them",
        most = SourcesError::MOST_SUB_METERS
    )]
    ManySubMeters(usize),
}

impl SourcesError {
    /// The most sub-meters whose sources are found at once: each is looked at in each quarter of an
    /// hour.
    pub const MOST_SUB_METERS: usize = 50;
}

impl EnergyQuestion {
    /// Checks a question for sources.
    ///
    /// # Errors
    /// [`SourcesError`].
    pub fn check_sources(
        &self,
        registry: &Registry,
        account: &AccountName,
    ) -> Result<(), SourcesError> {
        if !self.with_sources {
            return Ok(());
        }
        let sensor = self.of.as_ref().and_then(|id| registry.sensor(id));
        let own = sensor.filter(|sensor| sensor.account == *account);
        if own.is_some_and(|sensor| sensor.role != Role::SubMeter) {
            return Err(SourcesError::NoSubMeter);
        }
        let all = sensors_of(registry, account);
        let sub_meters = all.filter(|sensor| sensor.role == Role::SubMeter).count();
        if self.of.is_none() && sub_meters > SourcesError::MOST_SUB_METERS {
            return Err(SourcesError::ManySubMeters(sub_meters));
        }
        let short = [
            Interval::Minute,
            Interval::FiveMinutes,
            Interval::TenMinutes,
        ];
        if self.interval.is_some_and(|by| short.contains(&by)) {
            return Err(SourcesError::ShortInterval);
        }
        if !HousePrices::may_be_priced(&self.range) {
            return Err(SourcesError::LongRange);
        }
        Ok(())
    }
}

/// The costs of a slot, and the sources of each sub-meter.
type PricedSlot = (Option<CostSums>, Vec<UsedSources>);

/// The rows of a question: a result under way, in bounded memory.
pub struct EnergyReport {
    store: Arc<Store>,
    house: HouseSensors,
    of_house: bool,
    flows: SensorFlows,
    buckets: Option<Calendar>,
    /// Slots that are not rows yet, and whether more follow.
    ahead: VecDeque<FlowSlot>,
    is_more: bool,
    costs: Option<HouseCosts>,
    /// The beginning of the slot whose costs are under way.
    begun: Option<Timestamp>,
    /// Among the sensors of `costs`: the one that was asked for.
    place: Option<usize>,
    currency: Option<Currency>,
    /// The sources of the sub-meters, if they were asked for.
    sources: Option<SourceWalk>,
    /// The sources of the slot whose costs are under way.
    found: Option<Vec<UsedSources>>,
}

impl EnergyReport {
    /// Answers a question about `account` at `now`; `None` if the account has no such sensor.
    /// Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn open(
        store: &Arc<Store>,
        account: &Account,
        question: EnergyQuestion,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let EnergyQuestion {
            of,
            range,
            interval,
            zone,
            with_sources,
        } = question;
        let whole = HouseSensors::of(store, &account.name, now)?;
        let is_asked = |it: &HouseSensor| of.as_ref() == Some(&it.sensor.id);
        if of.is_some() && !whole.sensors.iter().any(is_asked) {
            return Ok(None);
        }
        let buckets = interval.map(|interval| Calendar::new(zone.clone(), interval));
        // Future time costs nothing yet.
        let so_far = range.start..range.end.min(now).max(range.start);
        let devices = |it: &HouseSensor| of.is_none() || is_asked(it);
        let sources = with_sources
            .then(|| SourceWalk::new(store, account, (&whole, &devices), so_far.clone()));
        let prices = HousePrices::of(store, account, so_far);
        let currency = prices.currency().cloned();
        let concerned = whole.only(|it| prices.need(it) || is_asked(it));
        let place = concerned.sensors.iter().position(is_asked);
        let costs = currency
            .as_ref()
            .map(|_| HouseCosts::new(concerned, &prices));
        let of_house = of.is_none();
        let house = if of_house {
            whole
        } else {
            whole.only(is_asked)
        };
        let flows = match interval {
            Some(by) => house.by_interval(store, range, (&zone, by))?,
            None => house.between(store, &[range.start, range.end])?,
        };
        Ok(Some(Self {
            store: Arc::clone(store),
            house,
            of_house,
            flows,
            buckets,
            ahead: VecDeque::new(),
            is_more: true,
            costs,
            begun: None,
            place,
            currency,
            sources,
            found: None,
        }))
    }

    /// The currency of the amounts; `None` without contracts.
    #[must_use]
    pub const fn currency(&self) -> Option<&Currency> {
        self.currency.as_ref()
    }

    /// The columns of a part.
    #[must_use]
    pub fn part_columns(&self) -> Vec<EnergyColumn> {
        let mut columns = vec![EnergyColumn::Energy, EnergyColumn::Other];
        if self.sources.is_some() {
            columns.extend(EnergyColumn::OF_SOURCES);
        }
        columns
    }

    /// The columns that rows may have values of.
    #[must_use]
    pub fn columns(&self) -> Vec<EnergyColumn> {
        use EnergyColumn::{
            Cost, Credit, Energy, Estimated, Exported, Imported, Partial, Unpriced,
        };
        let of_sensor = [
            Energy, Imported, Exported, Cost, Credit, Estimated, Partial, Unpriced,
        ];
        let all = EnergyColumn::ALL.into_iter();
        let columns = all.filter(|column| {
            if EnergyColumn::OF_SOURCES.contains(column) {
                !self.of_house && self.sources.is_some()
            } else if self.of_house {
                *column != Energy
            } else {
                of_sensor.contains(column)
            }
        });
        columns.collect()
    }

    /// The sensors with parts in the rows.
    pub fn parts(&self) -> impl Iterator<Item = &SensorId> {
        let all = self.house.sensors.iter();
        let parts = all.filter(|it| self.of_house && it.sensor.role == Role::SubMeter);
        parts.map(|it| &it.sensor.id)
    }

    /// Appends the next rows, if any: there may be none for a while. Returns false after the last
    /// ones. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn next_run(&mut self, rows: &mut Vec<EnergyRow>) -> Result<bool, StoreError> {
        if self.ahead.is_empty() && self.is_more {
            let mut slots = Vec::new();
            // Each walk searches for its beginning, so it prices many slots at once.
            for _ in 0..RUNS_A_WALK {
                self.is_more = self.flows.next_run(&mut slots, |_| {})?;
                if !self.is_more || slots.len() >= SLOTS_A_WALK {
                    break;
                }
            }
            let ends = slots.iter().flat_map(|slot| [slot.start, slot.end]);
            let ends: Vec<Timestamp> = ends.collect();
            if let Some(sources) = &mut self.sources {
                sources.cut_at(ends.clone());
            }
            if let Some(costs) = &mut self.costs {
                costs.cut_at(ends);
            }
            self.ahead.extend(slots);
        }
        while let Some(slot) = self.ahead.pop_front() {
            let Poll::Ready((cost, sources)) = self.priced(&slot)? else {
                self.ahead.push_front(slot);
                return Ok(true);
            };
            let mut row = self.row(&slot, cost.as_ref());
            self.put_sources(&mut row, &sources);
            rows.push(row);
        }
        Ok(self.is_more)
    }

    /// The costs of a slot, and the sources of each sub-meter; pending if that takes more steps.
    fn priced(&mut self, slot: &FlowSlot) -> Result<Poll<PricedSlot>, StoreError> {
        if self.found.is_none() {
            let found = match &mut self.sources {
                Some(walk) => walk.within(&self.store, slot.start..slot.end)?,
                None => Poll::Ready(Vec::new()),
            };
            let Poll::Ready(found) = found else {
                return Ok(Poll::Pending);
            };
            self.found = Some(found);
        }
        let cost = self.cost_of(slot)?;
        Ok(cost.map(|cost| (cost, self.found.take().unwrap_or_default())))
    }

    fn put_sources(&self, row: &mut EnergyRow, sources: &[UsedSources]) {
        let has_contract = self.currency.is_some();
        if !self.of_house {
            for sources in sources {
                put_sources(&mut row.values, sources, has_contract);
            }
            return;
        }
        for (id, sources) in self.parts().zip(sources) {
            let part = row.parts.iter_mut().find(|(part, _)| part == id);
            if let Some((_, values)) = part {
                put_sources(values, sources, has_contract);
            }
        }
    }

    /// The costs of a slot, if there are contracts; pending if that takes more steps.
    fn cost_of(&mut self, slot: &FlowSlot) -> Result<Poll<Option<CostSums>>, StoreError> {
        let Some(costs) = &mut self.costs else {
            return Ok(Poll::Ready(None));
        };
        // Buckets without known energy have no row; their costs are in none.
        if self.begun != Some(slot.start) {
            if costs.until(&self.store, slot.start)?.is_pending() {
                return Ok(Poll::Pending);
            }
            self.begun = Some(slot.start);
        }
        Ok(costs.until(&self.store, slot.end)?.map(Some))
    }

    fn row(&mut self, slot: &FlowSlot, cost: Option<&CostSums>) -> EnergyRow {
        let start = match &mut self.buckets {
            Some(buckets) => buckets.bucket(slot.start).start(),
            None => slot.start,
        };
        if self.of_house {
            return EnergyRow::of_house(start, &self.house, slot, cost.map(|cost| cost.house));
        }
        let cost = cost.zip(self.place);
        let cost = cost.and_then(|(cost, place)| cost.sensors.get(place));
        EnergyRow::of_sensor(start, &self.house, slot, cost)
    }
}

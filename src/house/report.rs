//! Energy and what it cost by time, as rows: what the API and the commands answer (docs/HOUSE.md).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::task::Poll;

use super::cost::{CostSums, HouseCosts, HousePrices, SensorCost};
use super::flows::{FlowSlot, SensorFlows};
use super::row::{ColumnValues, EnergyColumn, EnergyRow};
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::number::to_millionth;
use crate::domain::{
    Account, Calendar, Currency, Interval, MeterKind, MicroWh, Role, SensorId, Timestamp, Zone,
};
use crate::ledger::Flow;
use crate::ledger::contract::Amount;
use crate::ledger::house::{HouseSum, HouseSums, MeasuredSlot};
use crate::store::{Store, StoreError};

/// Slots whose costs are walked together: about so many, or what so many runs have.
const SLOTS_A_WALK: usize = 512;
const RUNS_A_WALK: usize = 16;

/// What is asked for.
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
}

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
}

impl EnergyReport {
    /// Answers a question about `account` at `now`; `None` if the account has no such sensor. Blocks on the disk.
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
        } = question;
        let whole = HouseSensors::of(store, &account.name, now)?;
        let is_asked = |it: &HouseSensor| of.as_ref() == Some(&it.sensor.id);
        if of.is_some() && !whole.sensors.iter().any(is_asked) {
            return Ok(None);
        }
        let buckets = interval.map(|interval| Calendar::new(zone.clone(), interval));
        // What is to come costs nothing yet.
        let so_far = range.start..range.end.min(now).max(range.start);
        let prices = HousePrices::of(store, account, so_far);
        let currency = prices.currency().cloned();
        let concerned = whole.only(|it| it.sensor.role.is_at_grid() || is_asked(it));
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
            Some(by) => SensorFlows::by_interval(store, &house.sensors, range, (&zone, by))?,
            None => SensorFlows::between(store, &house.sensors, &[range.start, range.end])?,
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
        }))
    }

    /// What the amounts are in; `None` without contracts.
    #[must_use]
    pub const fn currency(&self) -> Option<&Currency> {
        self.currency.as_ref()
    }

    /// The columns of a part.
    pub const PART_COLUMNS: [EnergyColumn; 2] = [EnergyColumn::Energy, EnergyColumn::Other];

    /// The columns that rows may have values of.
    pub fn columns(&self) -> impl Iterator<Item = EnergyColumn> {
        use EnergyColumn::{
            Cost, Credit, Energy, Estimated, Exported, Imported, Partial, Unpriced,
        };
        let of_house = self.of_house;
        let of_sensor = [
            Energy, Imported, Exported, Cost, Credit, Estimated, Partial, Unpriced,
        ];
        let all = EnergyColumn::ALL.into_iter();
        all.filter(move |column| {
            if of_house {
                *column != Energy
            } else {
                of_sensor.contains(column)
            }
        })
    }

    /// The sensors of which rows may have parts.
    pub fn parts(&self) -> impl Iterator<Item = &SensorId> {
        let all = self.house.sensors.iter();
        let parts = all.filter(|it| self.of_house && it.sensor.role == Role::SubMeter);
        parts.map(|it| &it.sensor.id)
    }

    /// Appends the next rows, if any: there may be none for a while. Returns false after the last ones. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn next_run(&mut self, rows: &mut Vec<EnergyRow>) -> Result<bool, StoreError> {
        if self.ahead.is_empty() && self.is_more {
            let mut slots = Vec::new();
            // Each walk searches for its beginning, so it prices many slots at once.
            for _ in 0..RUNS_A_WALK {
                self.is_more = self.flows.next_run(&mut slots)?;
                if !self.is_more || slots.len() >= SLOTS_A_WALK {
                    break;
                }
            }
            if let Some(costs) = &mut self.costs {
                let ends = slots.iter().flat_map(|slot| [slot.start, slot.end]);
                costs.cut_at(ends.collect());
            }
            self.ahead.extend(slots);
        }
        while let Some(slot) = self.ahead.pop_front() {
            let Poll::Ready(cost) = self.cost_of(&slot)? else {
                self.ahead.push_front(slot);
                return Ok(true);
            };
            rows.push(self.row(&slot, cost.as_ref()));
        }
        Ok(self.is_more)
    }

    /// What a slot cost, if there are contracts; pending if that takes more steps.
    fn cost_of(&mut self, slot: &FlowSlot) -> Result<Poll<Option<CostSums>>, StoreError> {
        let Some(costs) = &mut self.costs else {
            return Ok(Poll::Ready(None));
        };
        // Buckets of which nothing is known have no row; what they cost is in none.
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
        let sums = self.house.plan.sums(slot.length_ms(), &slot.measured);
        if !self.of_house {
            let sensor = self.house.sensors.first().zip(slot.measured.first());
            let cost = cost.zip(self.place);
            let cost = cost.and_then(|(cost, place)| cost.sensors.get(place));
            let values = sensor.map(|(it, measured)| sensor_values(it, measured, slot, cost));
            return EnergyRow {
                start,
                values: values.unwrap_or_default(),
                parts: Vec::new(),
            };
        }
        let sensors = self
            .house
            .sensors
            .iter()
            .zip(&sums.sensors)
            .zip(&sums.others);
        let parts = sensors.filter(|((it, _), _)| it.sensor.role == Role::SubMeter);
        let parts = parts.map(|((it, own), other)| {
            let mut values = ColumnValues::new();
            put(&mut values, EnergyColumn::Energy, own.energy());
            put(
                &mut values,
                EnergyColumn::Other,
                other.and_then(HouseSum::energy),
            );
            let (estimated_ms, missing_ms) = (own.estimated_ms, own.missing_ms);
            put_coverage(&mut values, slot, estimated_ms, missing_ms);
            (it.sensor.id.clone(), values)
        });
        EnergyRow {
            start,
            parts: parts.filter(|(_, values)| !values.is_empty()).collect(),
            values: house_values(slot, &sums, cost),
        }
    }
}

fn house_values(slot: &FlowSlot, sums: &HouseSums, cost: Option<&CostSums>) -> ColumnValues {
    let mut values = ColumnValues::new();
    for (column, sum) in [
        (EnergyColumn::Imported, sums.imported),
        (EnergyColumn::Exported, sums.exported),
        (EnergyColumn::Produced, sums.produced),
        (EnergyColumn::Charged, sums.charged),
        (EnergyColumn::Discharged, sums.discharged),
        (EnergyColumn::Used, sums.used),
        (EnergyColumn::Other, sums.other.unwrap_or_default()),
    ] {
        put(&mut values, column, sum.energy());
    }
    put(
        &mut values,
        EnergyColumn::SelfConsumed,
        sums.self_consumed(),
    );
    let shares = [
        (EnergyColumn::SelfConsumption, sums.self_consumption()),
        (EnergyColumn::SelfSufficiency, sums.self_sufficiency()),
    ];
    values.extend(
        shares
            .iter()
            .filter_map(|&(column, share)| Some((column, share?))),
    );
    if let Some(CostSums { house, .. }) = cost {
        let known = |sum: HouseSum| sum.energy().unwrap_or_default();
        let flow = Flow {
            imported: known(sums.imported),
            exported: known(sums.exported),
        };
        put_cost(
            &mut values,
            (house.cost, house.credit),
            house.unpriced,
            flow,
        );
    }
    let parts = [
        sums.imported,
        sums.exported,
        sums.produced,
        sums.charged,
        sums.discharged,
    ];
    let longest = |ms: fn(&HouseSum) -> i64| parts.iter().map(ms).max().unwrap_or(0);
    let missing_ms = longest(|sum| sum.missing_ms);
    put_coverage(
        &mut values,
        slot,
        longest(|sum| sum.estimated_ms),
        missing_ms,
    );
    values
}

fn sensor_values(
    it: &HouseSensor,
    measured: &MeasuredSlot,
    slot: &FlowSlot,
    cost: Option<&SensorCost>,
) -> ColumnValues {
    let mut values = ColumnValues::new();
    if let Some(flow) = measured.flow {
        put(&mut values, EnergyColumn::Energy, Some(flow.net()));
        if it.sensor.meter.kind != MeterKind::Counter {
            put(&mut values, EnergyColumn::Imported, Some(flow.imported));
            put(&mut values, EnergyColumn::Exported, Some(flow.exported));
        }
        if let Some(cost) = cost {
            put_cost(&mut values, (cost.cost, cost.credit), cost.unpriced, flow);
        }
    }
    put_coverage(
        &mut values,
        slot,
        measured.estimated_ms,
        measured.missing_ms,
    );
    values
}

/// Adds an energy that is known.
fn put(values: &mut ColumnValues, column: EnergyColumn, energy: Option<MicroWh>) {
    values.extend(energy.map(|energy| (column, energy.watthours())));
}

/// Adds amounts, as far as there is a price.
fn put_cost(
    values: &mut ColumnValues,
    (cost, credit): (Amount, Amount),
    unpriced: Flow,
    flow: Flow,
) {
    let size = |flow: Flow| (flow.imported + flow.exported).watthours();
    let (unpriced, all) = (size(unpriced), size(flow));
    if unpriced < all || all == 0.0 {
        let amount = |amount: Amount| amount.rounded().to_f64();
        values.push((EnergyColumn::Cost, amount(cost)));
        values.push((EnergyColumn::Credit, amount(credit)));
    }
    put_share(values, EnergyColumn::Unpriced, unpriced, all);
}

fn put_coverage(values: &mut ColumnValues, slot: &FlowSlot, estimated_ms: i64, missing_ms: i64) {
    let ms = |ms: i64| MicroWh::new(ms).watthours();
    let length = ms(slot.length_ms());
    put_share(values, EnergyColumn::Estimated, ms(estimated_ms), length);
    put_share(values, EnergyColumn::Partial, ms(missing_ms), length);
}

/// Adds a share that is not 0.
fn put_share(values: &mut ColumnValues, column: EnergyColumn, part: f64, whole: f64) {
    if part > 0.0 && whole > 0.0 {
        values.push((column, to_millionth(part / whole).clamp(0.0, 1.0)));
    }
}

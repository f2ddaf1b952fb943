//! Statements of several sub-meters, each of its own range, in one walk over the house.

use std::ops::Range;

use super::lines::SourceLines;
use super::{SensorStatement, SensorStatementError};
use crate::domain::{Account, SensorId, TimeRange, Timestamp};
use crate::house::sensors::{HouseSensor, HouseSensors};
use crate::house::source_walk::{SourceSlot, SourceWalk, from_first};
use crate::house::statement::so_far;
use crate::house::table::is_device;
use crate::ledger::contract::Contracts;
use crate::ledger::house::{MeasuredSlot, UsedSources};
use crate::ledger::{Correction, Corrections};
use crate::store::{Store, StoreError};

/// A statement under way.
struct BegunStatement {
    statement: SensorStatement,
    lines: SourceLines,
    /// Its slots. Before the first reading there is nothing to share.
    range: Range<Timestamp>,
    /// Its place among the sub-meters of the walk.
    place: usize,
}

impl SensorStatement {
    /// The statements of sub-meters, each as [`Self::of`] has it. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn each(
        store: &Store,
        account: &Account,
        asked: &[(&SensorId, Range<Timestamp>)],
        now: Timestamp,
    ) -> Result<Vec<Result<Self, SensorStatementError>>, StoreError> {
        let house = HouseSensors::of(store, &account.name, now)?;
        let registry = store.registry();
        let contracts = registry.contracts(&account.name).cloned();
        let contracts = contracts.unwrap_or_default();
        let is_asked = |it: &HouseSensor| asked.iter().any(|(id, _)| **id == it.sensor.id);
        let devices = house.sensors.iter().filter(|it| is_device(it));
        let devices: Vec<&HouseSensor> = devices.filter(|it| is_asked(it)).collect();
        let mut begun = Vec::new();
        for (id, range) in asked {
            let range = so_far(range, now);
            begun.push(
                match (0..).zip(&devices).find(|(_, it)| it.sensor.id == **id) {
                    None => Err(refused(&house, id)),
                    Some((place, device)) => {
                        let nothing = Self::without_energy(&contracts, device, &range);
                        let alone = house.only(|it| it.sensor.id == **id);
                        let own = from_first(std::iter::once(*device), range.clone());
                        Ok(BegunStatement {
                            statement: Self {
                                begins: own.start,
                                ends: end_of(device).min(range.end),
                                events: events_of(store, &alone, &range)?,
                                corrections: corrections_of(
                                    registry.corrections(&account.name),
                                    id,
                                    &range,
                                ),
                                ..nothing
                            },
                            lines: SourceLines::default(),
                            range: own,
                            place,
                        })
                    }
                },
            );
        }
        walk(
            store,
            account,
            (&house, &is_asked),
            (&mut begun, &contracts),
        )?;
        let finish = |begun: BegunStatement| begun.finish(&contracts);
        Ok(begun.into_iter().map(|it| it.map(finish)).collect())
    }

    fn without_energy(
        contracts: &Contracts,
        sensor: &HouseSensor,
        range: &Range<Timestamp>,
    ) -> Self {
        Self {
            sensor: sensor.sensor.clone(),
            range: TimeRange::new(range.start, range.end).unwrap_or(TimeRange::at(range.start)),
            currency: contracts.currency().cloned(),
            lines: Vec::new(),
            measured: MeasuredSlot::default(),
            sources: UsedSources::default(),
            gaps: (0, Vec::new()),
            gap_end: None,
            begins: range.start,
            ends: range.end,
            events: 0,
            corrections: (0, Vec::new()),
            charged: None,
        }
    }

    pub(super) fn add_gap(&mut self, gap: Range<Timestamp>) {
        let is_the_same = self.gap_end.replace(gap.end) == Some(gap.start);
        let (count, listed) = &mut self.gaps;
        if is_the_same {
            // Unless it is behind those that are listed.
            let last = listed.last_mut().filter(|last| last.end == gap.start);
            if let Some(last) = last {
                last.end = gap.end;
            }
            return;
        }
        *count += 1;
        if listed.len() < Self::MOST_LISTED {
            listed.push(gap);
        }
    }
}

/// The end of the readings of a revoked sensor; of others more may come.
fn end_of(sensor: &HouseSensor) -> Timestamp {
    if sensor.sensor.authorized {
        return Timestamp::MAX;
    }
    sensor.expected.end
}

/// Adds the slots of the house to the statements whose they are.
fn walk(
    store: &Store,
    account: &Account,
    (house, is_asked): (&HouseSensors, &dyn Fn(&HouseSensor) -> bool),
    (begun, contracts): (
        &mut [Result<BegunStatement, SensorStatementError>],
        &Contracts,
    ),
) -> Result<(), StoreError> {
    let ranges = || begun.iter().flatten().map(|it| &it.range);
    let start = ranges().map(|it| it.start).min();
    let end = ranges().map(|it| it.end).max();
    let Some((start, end)) = start.zip(end).filter(|(start, end)| start < end) else {
        return Ok(());
    };
    let mut ends: Vec<Timestamp> = ranges().flat_map(|it| [it.start, it.end]).collect();
    ends.sort_unstable();
    ends.dedup();
    let begins = contracts.all().iter();
    let begins: Vec<Timestamp> = begins.map(|it| it.from().start(&account.zone)).collect();
    let mut walk = SourceWalk::new(store, account, (house, is_asked), start..end);
    walk.cut_at(ends);
    while let Some(slot) = walk.next_slot(store, end)? {
        let contract = begins.partition_point(|begin| *begin <= slot.start);
        for one in begun.iter_mut().flatten() {
            if one.range.contains(&slot.start) {
                one.add(contract.checked_sub(1), &slot);
            }
        }
    }
    Ok(())
}

impl BegunStatement {
    fn add(&mut self, contract: Option<usize>, slot: &SourceSlot) {
        let its = (slot.sources.get(self.place)).zip(slot.measured.get(self.place));
        let Some((sources, measured)) = its else {
            return;
        };
        let statement = &mut self.statement;
        statement.sources = statement.sources + *sources;
        statement.measured = statement.measured + *measured;
        if measured.missing_ms > 0 {
            statement.add_gap(slot.start..slot.end);
        }
        self.lines.add(contract, sources, [slot.own, slot.drawn]);
    }

    fn finish(self, contracts: &Contracts) -> SensorStatement {
        let mut statement = self.statement;
        statement.lines = self.lines.finish(contracts.all());
        if statement.measured.known_ms == 0 && statement.measured.missing_ms == 0 {
            // Nothing was ever measured in it.
            let range = statement.range.start()..statement.range.end();
            let length_ms = range.end.millis() - range.start.millis();
            statement.measured = MeasuredSlot::unknown(length_ms);
            if length_ms > 0 {
                statement.add_gap(range);
            }
        }
        statement
    }
}

/// Why a sensor has no statement.
fn refused(house: &HouseSensors, id: &SensorId) -> SensorStatementError {
    let sensor = house.sensors.iter().find(|it| it.sensor.id == *id);
    sensor.map_or_else(
        || SensorStatementError::NoSensor(id.clone()),
        |it| SensorStatementError::NoSubMeter(id.clone(), it.sensor.role),
    )
}

/// The number of a sensor's events in a range.
fn events_of(
    store: &Store,
    alone: &HouseSensors,
    range: &Range<Timestamp>,
) -> Result<usize, StoreError> {
    let mut count = 0;
    if range.start >= range.end {
        return Ok(count);
    }
    let flows = alone.between(store, &[range.start, range.end])?;
    flows.all(|event| count += usize::from(range.contains(&event.time)))?;
    Ok(count)
}

/// The number of a sensor's corrections in effect in a range, and the first of them.
fn corrections_of(
    all: Option<&Corrections>,
    sensor: &SensorId,
    range: &Range<Timestamp>,
) -> (usize, Vec<Correction>) {
    let all = all.into_iter().flat_map(Corrections::iter);
    let in_effect = all.filter(|one| one.sensor() == sensor && one.revoked().is_none());
    let touching: Vec<&Correction> = in_effect.filter(|one| one.fact().touches(range)).collect();
    let listed = touching.iter().take(SensorStatement::MOST_LISTED);
    (touching.len(), listed.copied().cloned().collect())
}

//! The statement of one sub-meter, such as that of a car or a flat: its energy by source, line by
//! line, with gaps and corrections. It claims no legal validity. `lines`: its lines; `answer`: the
//! same for the API and the commands.

mod answer;
mod lines;

use std::ops::Range;

use thiserror::Error;

pub use self::answer::{
    ListedCorrection, ListedGap, SensorStatementAnswer, SourceLineAnswer, sensor_statement_csv,
};
use self::lines::SourceLines;
pub use self::lines::{EnergySource, SourceLine};
use crate::domain::{
    Account, Currency, Decimal, MicroWh, Role, Sensor, SensorId, TimeRange, Timestamp,
};
use crate::house::sensors::{HouseSensor, HouseSensors};
use crate::house::source_walk::{SourceSlot, SourceWalk};
use crate::house::statement::so_far;
use crate::house::table::is_device;
use crate::ledger::house::{MeasuredSlot, UsedSources};
use crate::ledger::{Correction, Corrections, TimeShares};
use crate::store::{Store, StoreError};

/// The statement of a sub-meter.
pub struct SensorStatement {
    /// The sub-meter.
    pub sensor: Sensor,
    /// The range until now, without its end.
    pub range: TimeRange,
    /// The currency of the amounts; `None` without contracts.
    pub currency: Option<Currency>,
    /// The energy by contract, source and price.
    pub lines: Vec<SourceLine>,
    /// The energy as the ledger has it, and for how long it is known.
    pub measured: MeasuredSlot,
    /// The same by source, in all lines.
    pub sources: UsedSources,
    /// The number of times without readings of the sub-meter, and the first ones, to the quarter of
    /// an hour.
    pub gaps: (usize, Vec<Range<Timestamp>>),
    /// The number of events of the sub-meter.
    pub events: usize,
    /// The number of its corrections in effect that touch the range, and the first ones.
    pub corrections: (usize, Vec<Correction>),
}

/// Why there is no statement of a sensor.
#[derive(Debug, Error)]
pub enum SensorStatementError {
    /// The account has no such sensor.
    #[error("the account has no sensor {0}")]
    NoSensor(SensorId),
    /// It is no sub-meter.
    #[error(
        "{0} has the role {role}: expected a sub-meter, whose energy has sources", role = .1.as_str()
    )]
    NoSubMeter(SensorId, Role),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SensorStatement {
    /// The most gaps and corrections that are listed.
    pub const MOST_LISTED: usize = 50;

    /// The statement of a sub-meter from the start of `range` until before its end, or until `now`
    /// if that is sooner. The range has at most [`super::HousePrices::MOST_DAYS`] days. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// [`SensorStatementError`].
    pub fn of(
        store: &Store,
        account: &Account,
        (id, range): (&SensorId, Range<Timestamp>),
        now: Timestamp,
    ) -> Result<Self, SensorStatementError> {
        let range = so_far(&range, now);
        let house = HouseSensors::of(store, &account.name, now)?;
        let is_asked = |it: &HouseSensor| it.sensor.id == *id;
        let found = house.sensors.iter().find(|it| is_asked(it));
        let asked = found.ok_or_else(|| SensorStatementError::NoSensor(id.clone()))?;
        if !is_device(asked) {
            let role = asked.sensor.role;
            return Err(SensorStatementError::NoSubMeter(id.clone(), role));
        }
        let registry = store.registry();
        let contracts = registry.contracts(&account.name).cloned();
        let contracts = contracts.unwrap_or_default();
        let begins = contracts.all().iter().map(|it| it.from().start(&account.zone));
        let begins: Vec<Timestamp> = begins.collect();
        let mut statement = Self {
            sensor: asked.sensor.clone(),
            range: TimeRange::new(range.start, range.end).unwrap_or(TimeRange::at(range.start)),
            currency: contracts.currency().cloned(),
            lines: Vec::new(),
            measured: MeasuredSlot::default(),
            sources: UsedSources::default(),
            gaps: (0, Vec::new()),
            events: events_of(store, &house.only(is_asked), &range)?,
            corrections: corrections_of(registry.corrections(&account.name), id, &range),
        };
        let mut walk = SourceWalk::new(store, account, (&house, &is_asked), range.clone());
        walk.cut_at(vec![range.end]);
        let mut lines = SourceLines::default();
        while let Some(slot) = walk.next_slot(store, range.end)? {
            let contract = begins.partition_point(|begin| *begin <= slot.start);
            statement.add(&slot);
            lines.add(contract.checked_sub(1), &slot);
        }
        statement.lines = lines.finish(contracts.all());
        Ok(statement)
    }

    fn add(&mut self, slot: &SourceSlot) {
        let sources = slot.sources.iter().copied();
        self.sources = self.sources + sources.sum::<UsedSources>();
        for measured in &slot.measured {
            self.measured = self.measured + *measured;
            if measured.missing_ms > 0 {
                self.add_gap(slot.start..slot.end);
            }
        }
    }

    fn add_gap(&mut self, gap: Range<Timestamp>) {
        let (count, listed) = &mut self.gaps;
        match listed.last_mut().filter(|last| last.end == gap.start) {
            // The last gap, or one behind those that are listed.
            Some(last) => last.end = gap.end,
            None => {
                *count += 1;
                if listed.len() < Self::MOST_LISTED {
                    listed.push(gap);
                }
            }
        }
    }

    /// How much of its time is known.
    #[must_use]
    pub fn coverage(&self) -> TimeShares {
        let MeasuredSlot {
            estimated_ms,
            missing_ms,
            ..
        } = self.measured;
        TimeShares::of(self.range, (estimated_ms, missing_ms))
    }

    /// The sum of the amounts; `None` if nothing is known, or nothing has a price.
    #[must_use]
    pub fn total(&self) -> Option<Decimal> {
        self.measured.flow?;
        self.currency.as_ref()?;
        self.sources.real_cost()?;
        let amounts = self.lines.iter().filter_map(|line| line.amount);
        Some(amounts.fold(Decimal::ZERO, Decimal::saturating_add))
    }

    /// Whether all energy is known, and has a source and a price. If not, the total leaves the rest
    /// out.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let is_known = self.measured.missing_ms == 0 && self.sources.left_out() == MicroWh::ZERO;
        self.total().is_some() && is_known
    }
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
    let touching: Vec<&Correction> = in_effect
        .filter(|one| one.fact().touches(range))
        .collect();
    let listed = touching.iter().take(SensorStatement::MOST_LISTED);
    (touching.len(), listed.map(|one| Correction::clone(one)).collect())
}

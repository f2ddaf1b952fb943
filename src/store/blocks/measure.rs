//! Power or register, wherever both are treated alike.

use crate::domain::{Reading, TimeRange, Timestamp};
use crate::ledger::{PowerRun, RegisterRun};
use crate::store::blocks::summary::Summary;

/// Power or register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Power, in watts.
    Watts,
    /// The meter's register, in watt-hours.
    Watthours,
}

/// A measure at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MeasuredValue {
    pub(crate) time: Timestamp,
    /// Watts or watt-hours.
    pub(crate) number: f64,
}

/// One measure of consecutive readings: two columns of the same length, only of readings that have
/// it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    /// When each was measured, strictly ascending.
    pub times: Vec<Timestamp>,
    /// Watts or watt-hours; finite.
    pub numbers: Vec<f64>,
}

/// The totals of one measure over consecutive readings, at least one of which has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The time of the first reading.
    pub first: Timestamp,
    /// The time of the last reading or a later one, but before the sensor's next reading.
    pub last: Timestamp,
    /// Over the readings that have the measure.
    pub totals: Totals,
}

/// See [`Run`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Totals {
    /// Power, in watts.
    Power {
        /// The number of readings; at least one.
        count: u32,
        /// Their sum; may be infinite if the values are near the limits of `f64`.
        sum: f64,
        /// The minimum.
        min: f64,
        /// The maximum.
        max: f64,
        /// The ledger's totals of them; `None` if registers say more.
        run: Option<PowerRun>,
    },
    /// Registers, in watt-hours.
    Registers(RegisterRun),
}

impl Values {
    /// Selects `measure` of the readings that have it.
    pub(crate) fn of(readings: &[Reading], measure: Measure) -> Self {
        let values = readings.iter().filter_map(|reading| measure.of(reading));
        let (times, numbers) = values.map(|value| (value.time, value.number)).unzip();
        Self { times, numbers }
    }

    /// Selects those in `range`.
    pub(crate) fn clipped(mut self, range: TimeRange) -> Self {
        let end = self.times.partition_point(|&time| time <= range.end());
        let start = self.times.partition_point(|&time| time < range.start());
        // The end first: removing the start moves all indices.
        self.times.truncate(end);
        self.numbers.truncate(end);
        self.times.drain(..start.min(end));
        self.numbers.drain(..start.min(end));
        self
    }

    /// Merges these with `newer` ones, which win at equal times.
    pub(crate) fn overlaid_by(mut self, newer: Self) -> Self {
        // The usual case needs no merge: hot rows come after the block.
        let ends = self.times.last().zip(newer.times.first());
        if ends.is_none_or(|(last, first)| last < first) {
            self.times.extend(newer.times);
            self.numbers.extend(newer.numbers);
            return self;
        }
        // They overlap: merge them value by value.
        let mut both = Vec::with_capacity(self.times.len() + newer.times.len());
        let mut older = self.times.into_iter().zip(self.numbers).peekable();
        for (time, number) in newer.times.into_iter().zip(newer.numbers) {
            while let Some(value) = older.next_if(|(older, _)| *older < time) {
                both.push(value);
            }
            older.next_if(|(older, _)| *older == time);
            both.push((time, number));
        }
        both.extend(older);
        let (times, numbers) = both.into_iter().unzip();
        Self { times, numbers }
    }
}

impl Measure {
    /// Its value in `reading`.
    pub(crate) fn of(self, reading: &Reading) -> Option<MeasuredValue> {
        let number = match self {
            Self::Watts => reading.measures.watts(),
            Self::Watthours => reading.measures.watthours(),
        };
        number.map(|number| MeasuredValue {
            time: reading.time,
            number,
        })
    }

    /// Its totals in `summary`; `None` if no reading has it.
    pub(crate) fn run_of(self, summary: &Summary) -> Option<Run> {
        let totals = match self {
            Self::Watts => summary.power.map(|power| Totals::Power {
                count: u32::try_from(power.run.count).unwrap_or(u32::MAX),
                sum: power.sum,
                min: power.min,
                max: power.max,
                run: Some(power.run),
            }),
            Self::Watthours => summary.registers.map(Totals::Registers),
        };
        totals.map(|totals| Run {
            first: summary.first,
            last: summary.last,
            totals,
        })
    }

    /// Its latest value in `summary`.
    pub(crate) fn last_of(self, summary: &Summary) -> Option<MeasuredValue> {
        match self {
            Self::Watts => summary.power.map(|power| MeasuredValue {
                time: power.run.last.time,
                number: power.run.last.watts,
            }),
            Self::Watthours => summary.registers.map(|registers| MeasuredValue {
                time: registers.last.time,
                number: registers.last.watthours,
            }),
        }
    }
}

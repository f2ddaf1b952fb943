//! Power readings of a slot put together: mean, least and greatest.

use std::ops::Range;

use super::walk::Fold;
use crate::domain::number::finite;
use crate::domain::{Meter, Timestamp};
use crate::ledger::Facts;
use crate::store::{Run, Totals};

/// An aggregate of the power readings of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Their mean, unweighted, to twelve digits.
    Mean,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// The power readings of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// The time of the first reading.
    pub first: Timestamp,
    /// The time of the last reading, or later, but before the next one.
    pub last: Timestamp,
    /// How many readings; at least one.
    pub count: u32,
    /// Their unweighted mean, in watts.
    pub mean: f64,
    /// The least, in watts.
    pub min: f64,
    /// The greatest, in watts.
    pub max: f64,
}

impl Column {
    /// The column of a single reading.
    pub(crate) const fn of(time: Timestamp, watts: f64) -> Self {
        Self {
            first: time,
            last: time,
            count: 1,
            mean: watts,
            min: watts,
            max: watts,
        }
    }

    /// The column with its sign inverted.
    pub(super) fn negated(&self) -> Self {
        Self {
            mean: 0.0 - self.mean,
            min: 0.0 - self.max,
            max: 0.0 - self.min,
            ..*self
        }
    }

    /// Milliseconds from its first to its last reading.
    pub(crate) const fn length_ms(&self) -> i64 {
        self.last.millis() - self.first.millis()
    }

    /// The time half-way between its first and its last reading.
    pub(crate) const fn middle(&self) -> Timestamp {
        self.first.saturating_add_millis(self.length_ms() / 2)
    }
}

/// Puts the power readings of a slot together.
pub(super) struct PowerFold {
    /// The only aggregate to compute; all of them if `None`.
    only: Option<Aggregate>,
    /// The readings that count; all of them if `None`.
    filter: Option<PowerFilter>,
    so_far: Option<PowerSoFar>,
}

/// The power readings that the ledger accepts, and their sign.
pub(super) struct PowerFilter {
    meter: Meter,
    facts: Facts,
}

impl PowerFilter {
    /// The accepted readings of a meter, without those that people marked as wrong.
    pub(super) fn new((meter, facts): (Meter, Facts)) -> Self {
        Self { meter, facts }
    }

    /// The power of a reading with its sign; `None` if the ledger rejects it.
    pub(super) fn believed(&self, time: Timestamp, watts: f64) -> Option<f64> {
        let is_believed = watts.abs() <= self.most() && !self.facts.is_wrong(time);
        is_believed.then_some(self.meter.power_sign.of(watts))
    }

    /// Whether the ledger accepts all readings between two times whose power is between a least and
    /// a greatest one.
    fn believes_all(&self, (first, last): (Timestamp, Timestamp), (min, max): (f64, f64)) -> bool {
        let is_wrong = |wrong: &Range<Timestamp>| wrong.start <= last && wrong.end > first;
        -min <= self.most() && max <= self.most() && !self.facts.wrong.iter().any(is_wrong)
    }

    const fn is_inverted(&self) -> bool {
        self.meter.power_sign.is_inverted()
    }

    /// In watts.
    fn most(&self) -> f64 {
        self.meter.limit.watts().into()
    }
}

/// The readings of a slot so far; at least one. Aggregates that were not asked for have no meaning.
#[derive(Clone, Copy)]
pub(super) struct PowerSoFar {
    first: Timestamp,
    last: Timestamp,
    count: u32,
    /// The sum times [`SCALE`].
    scaled_sum: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

/// 2^-32: the sum of fewer than 2^32 scaled numbers is always finite. Scaling by a power of two
/// changes no digit of a number above 1e-298.
const SCALE: f64 = 1.0 / 4_294_967_296.0;

impl PowerFold {
    /// A fold that computes one aggregate, or all of them.
    pub(super) const fn new(only: Option<Aggregate>) -> Self {
        Self {
            only,
            filter: None,
            so_far: None,
        }
    }

    /// A fold over accepted readings only.
    pub(super) fn of(self, filter: PowerFilter) -> Self {
        Self {
            filter: Some(filter),
            ..self
        }
    }

    fn add_all(&mut self, times: &[Timestamp], numbers: &[f64]) {
        let Some((&first, &last)) = times.first().zip(times.last()) else {
            return;
        };
        // An aggregate that is not needed is computed from an empty slice.
        let needed_for = |aggregate| match self.only {
            Some(only) if only != aggregate => &[],
            _ => numbers,
        };
        let smallest = needed_for(Aggregate::Min).iter().copied();
        let greatest = needed_for(Aggregate::Max).iter().copied();
        self.add(PowerSoFar {
            first,
            last,
            // Values of one block and some hot rows: they always fit.
            count: u32::try_from(numbers.len()).unwrap_or(u32::MAX),
            scaled_sum: scaled_sum(needed_for(Aggregate::Mean)),
            // Stays infinite if the least is not needed: nobody reads it then.
            min: smallest.fold(f64::INFINITY, f64::min),
            max: greatest.fold(f64::NEG_INFINITY, f64::max),
        });
    }

    fn add(&mut self, more: PowerSoFar) {
        self.so_far = Some(match self.so_far {
            Some(so_far) => so_far.and(more),
            None => more,
        });
    }
}

impl Fold for PowerFold {
    type Value = PowerSoFar;

    /// The sum of numbers near the limits of `f64` may be infinite.
    fn accepts(&self, run: &Run) -> bool {
        let Totals::Power { sum, min, max, .. } = run.totals else {
            return false;
        };
        let filter = self.filter.as_ref();
        sum.is_finite()
            && filter.is_none_or(|filter| filter.believes_all((run.first, run.last), (min, max)))
    }

    fn add_run(&mut self, run: &Run) {
        if let Totals::Power {
            count,
            sum,
            min,
            max,
            ..
        } = run.totals
        {
            let is_inverted = self.filter.as_ref().is_some_and(PowerFilter::is_inverted);
            let (sum, min, max) = if is_inverted {
                (-sum, -max, -min)
            } else {
                (sum, min, max)
            };
            self.add(PowerSoFar {
                first: run.first,
                last: run.last,
                count,
                scaled_sum: sum * SCALE,
                min,
                max,
            });
        }
    }

    fn add_values(&mut self, times: &[Timestamp], numbers: &[f64]) {
        let Some(filter) = &self.filter else {
            self.add_all(times, numbers);
            return;
        };
        let each = times.iter().zip(numbers);
        let believed =
            each.filter_map(|(&time, &watts)| Some((time, filter.believed(time, watts)?)));
        let (times, numbers): (Vec<_>, Vec<_>) = believed.unzip();
        self.add_all(&times, &numbers);
    }

    fn take(&mut self) -> Option<PowerSoFar> {
        self.so_far.take()
    }
}

impl PowerSoFar {
    pub(super) fn mean(&self) -> f64 {
        // Divided before it is scaled back: the sum itself may be too large for a f64.
        finite(self.scaled_sum / f64::from(self.count) / SCALE)
    }

    pub(super) fn column(&self) -> Column {
        Column {
            first: self.first,
            last: self.last,
            count: self.count,
            mean: self.mean(),
            min: self.min,
            max: self.max,
        }
    }

    pub(super) fn and(self, more: Self) -> Self {
        Self {
            first: self.first,
            last: more.last,
            count: self.count.saturating_add(more.count),
            scaled_sum: self.scaled_sum + more.scaled_sum,
            min: self.min.min(more.min),
            max: self.max.max(more.max),
        }
    }
}

/// The sum of `numbers` times [`SCALE`].
fn scaled_sum(numbers: &[f64]) -> f64 {
    // Several sums beside each other are several times as fast as one.
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for (sum, number) in sums.iter_mut().zip(eight) {
            *sum += number * SCALE;
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|number| number * SCALE).sum::<f64>()
}

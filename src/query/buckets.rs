//! `rate` and `consumption` by intervals of the calendar: one value a bucket.
//!
//! Power counts in the bucket that its time lies in, the start included. A difference of registers counts where the later
//! of them lies, the bucket's start left out and the next one's start included: so the differences add up to the net.

use super::{Aggregate, Point, after_start};
use crate::domain::calendar::Zone;
use crate::domain::interval::{Calendar, Interval};
use crate::domain::reading::register_difference;
use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::{Digest, Measure, Piece, Store, StoreError, Totals};

pub(super) struct Buckets {
    /// `None` where there is nothing in the range.
    digest: Option<Digest>,
    slots: Slots,
    fold: Fold,
    /// The bucket of the readings that are folded in.
    open: Option<TimeRange>,
}

/// Which bucket a reading belongs to.
struct Slots {
    calendar: Calendar,
    /// How long after a bucket's first and last millisecond its readings begin and end.
    late_ms: i64,
}

/// What is known so far of the readings of a bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fold {
    /// The sum of power, scaled by [`SCALE`], and how many there are of it.
    Mean { scaled_sum: f64, count: u32 },
    /// The least power.
    Min(Option<f64>),
    /// The greatest power.
    Max(Option<f64>),
    /// The register before the bucket, and the last one in it; of a sensor's registers the first is before all others.
    Difference {
        before: Option<f64>,
        last: Option<f64>,
    },
}

/// Sums of scaled numbers stay finite: 2^-32, with fewer than 2^32 numbers of 2^1024 at most. It is a power of two, so
/// scaling changes no digit of a number above 1e-298.
const SCALE: f64 = 1.0 / 4_294_967_296.0;

impl Buckets {
    pub(super) fn of_rate(
        store: &Store,
        sensor: &SensorId,
        range: TimeRange,
        (zone, interval): (Zone, Interval),
        aggregate: Aggregate,
    ) -> Self {
        Self {
            digest: Some(store.digest(sensor, Measure::Watts, range)),
            slots: Slots {
                calendar: Calendar::new(zone, interval),
                late_ms: 0,
            },
            fold: match aggregate {
                Aggregate::Mean => Fold::Mean {
                    scaled_sum: 0.0,
                    count: 0,
                },
                Aggregate::Min => Fold::Min(None),
                Aggregate::Max => Fold::Max(None),
            },
            open: None,
        }
    }

    pub(super) fn of_consumption(
        store: &Store,
        sensor: &SensorId,
        range: TimeRange,
        (zone, interval): (Zone, Interval),
    ) -> Result<Self, StoreError> {
        let before = store.register_at(sensor, range.start())?;
        Ok(Self {
            digest: after_start(range).map(|range| store.digest(sensor, Measure::Watthours, range)),
            slots: Slots {
                calendar: Calendar::new(zone, interval),
                late_ms: 1,
            },
            fold: Fold::Difference {
                before: before.map(|register| register.watthours),
                last: None,
            },
            open: None,
        })
    }

    /// Folds in the next readings, of one block at most, and appends the points of the buckets that are known whole by then.
    pub(super) fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        while self.next_piece(points)? {
            if !self.digest.as_ref().is_some_and(Digest::is_in_block) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn next_piece(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        let Some(digest) = &mut self.digest else {
            return Ok(false);
        };
        let (slots, fold) = (&mut self.slots, &self.fold);
        let piece = digest.next_piece(|run| {
            slots.of(run.first).contains(run.last) && fold.is_enough(&run.totals)
        })?;
        match piece {
            Some(Piece::Run(run)) => {
                self.enter(run.first, points);
                self.fold.add_totals(run.totals);
            }
            Some(Piece::Values(values)) => {
                let (mut times, mut numbers) = (&*values.times, &*values.numbers);
                while let Some(&first) = times.first() {
                    let last = self.enter(first, points).end();
                    let count = count_until(times, last);
                    let (of_bucket, rest) = numbers.split_at(count);
                    self.fold.add_numbers(of_bucket);
                    times = times.get(count..).unwrap_or_default();
                    numbers = rest;
                }
            }
            None => {
                self.close(points);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Goes on to the bucket of a reading, and says from when to when its readings are.
    fn enter(&mut self, time: Timestamp, points: &mut Vec<Point>) -> TimeRange {
        if let Some(open) = self.open
            && self.slots.readings_of(open).contains(time)
        {
            return self.slots.readings_of(open);
        }
        self.close(points);
        let bucket = self.slots.bucket(time);
        self.open = Some(bucket);
        self.slots.readings_of(bucket)
    }

    fn close(&mut self, points: &mut Vec<Point>) {
        if let Some((bucket, value)) = self.open.take().zip(self.fold.take()) {
            points.push(Point {
                time: bucket.start(),
                value,
            });
        }
    }
}

impl Slots {
    fn bucket(&mut self, time: Timestamp) -> TimeRange {
        self.calendar
            .bucket(time.saturating_add_millis(-self.late_ms))
    }

    fn readings_of(&self, bucket: TimeRange) -> TimeRange {
        let late = |time: Timestamp| time.saturating_add_millis(self.late_ms);
        TimeRange::new(late(bucket.start()), late(bucket.end())).unwrap_or(bucket)
    }

    /// From when to when the readings are that share a bucket with one at `time`.
    fn of(&mut self, time: Timestamp) -> TimeRange {
        let bucket = self.bucket(time);
        self.readings_of(bucket)
    }
}

impl Fold {
    /// Whether totals say what the readings would. The sum of numbers near the limits of `f64` may be infinite.
    fn is_enough(&self, totals: &Totals) -> bool {
        match (self, totals) {
            (Self::Mean { .. }, Totals::Power { sum, .. }) => sum.is_finite(),
            _ => true,
        }
    }

    fn add_totals(&mut self, totals: Totals) {
        match (self, totals) {
            (
                Self::Mean { scaled_sum, count },
                Totals::Power {
                    sum, count: more, ..
                },
            ) => {
                *scaled_sum += sum * SCALE;
                *count = count.saturating_add(more);
            }
            (fold @ Self::Min(_), Totals::Power { min, .. }) => fold.add_numbers(&[min]),
            (fold @ Self::Max(_), Totals::Power { max, .. }) => fold.add_numbers(&[max]),
            (fold @ Self::Difference { .. }, Totals::Registers { first, last, .. }) => {
                fold.add_numbers(&[first]);
                fold.add_numbers(last.as_slice());
            }
            _ => {}
        }
    }

    fn add_numbers(&mut self, numbers: &[f64]) {
        match self {
            Self::Mean { scaled_sum, count } => {
                *scaled_sum += sum(numbers);
                *count = count.saturating_add(u32::try_from(numbers.len()).unwrap_or(u32::MAX));
            }
            Self::Min(least) => *least = numbers.iter().copied().chain(*least).reduce(f64::min),
            Self::Max(greatest) => {
                *greatest = numbers.iter().copied().chain(*greatest).reduce(f64::max);
            }
            Self::Difference { before, last } => {
                let numbers = match (&before, numbers) {
                    (None, [first, later @ ..]) => {
                        *before = Some(*first);
                        later
                    }
                    _ => numbers,
                };
                *last = numbers.last().copied().or(*last);
            }
        }
    }

    /// The value of what was folded in, if it has one; it begins anew.
    fn take(&mut self) -> Option<f64> {
        match self {
            Self::Mean { scaled_sum, count } => {
                let (scaled_sum, count) = (std::mem::take(scaled_sum), std::mem::take(count));
                (count > 0).then(|| {
                    let mean = scaled_sum / f64::from(count) / SCALE;
                    rounded(mean.clamp(f64::MIN, f64::MAX))
                })
            }
            Self::Min(power) | Self::Max(power) => power.take(),
            Self::Difference { before, last } => {
                let last = last.take()?;
                let before = before.replace(last)?;
                Some(register_difference(before, last))
            }
        }
    }
}

/// The sum of `numbers` times [`SCALE`]. Several sums run beside each other: that is several times as fast as one.
fn sum(numbers: &[f64]) -> f64 {
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for (sum, number) in sums.iter_mut().zip(eight) {
            *sum += number * SCALE;
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|number| number * SCALE).sum::<f64>()
}

/// A mean to twelve digits: the rest is noise of binary fractions, and depends on the order in which was added.
fn rounded(mean: f64) -> f64 {
    /// Powers of ten up to this one are exact.
    const EXACT: i32 = 22;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no f64 has more than 324 places; that of zero saturates"
    )]
    let place = mean.abs().log10().floor() as i32;
    let digits_after = 11_i32.saturating_sub(place);
    if digits_after.abs() > EXACT {
        return mean;
    }
    let power = 10_f64.powi(digits_after.abs());
    // Adding zero turns -0.0 into 0.0.
    if digits_after < 0 {
        (mean / power).round() * power + 0.0
    } else {
        (mean * power).round() / power + 0.0
    }
}

/// How many of `times`, the first of which does not lie after `last`, do not. It takes as many steps as that number
/// has binary digits: buckets may be short.
fn count_until(times: &[Timestamp], last: Timestamp) -> usize {
    let is_in = |time: &Timestamp| *time <= last;
    let mut reach = 1;
    while times.get(reach).is_some_and(is_in) {
        reach *= 2;
    }
    let near = times.get(..reach).unwrap_or(times);
    near.partition_point(is_in).max(1)
}

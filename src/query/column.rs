//! Power readings of a slot put together: mean, least and greatest.

use super::walk::Fold;
use crate::domain::number::finite;
use crate::domain::time::Timestamp;
use crate::store::{Run, Totals};

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

    /// Milliseconds from its first to its last reading.
    pub(crate) const fn length_ms(&self) -> i64 {
        self.last.millis() - self.first.millis()
    }

    /// The time half-way between its first and its last reading.
    pub(crate) const fn middle(&self) -> Timestamp {
        self.first.saturating_add_millis(self.length_ms() / 2)
    }

    /// This column and a later one.
    pub(super) fn and(self, later: Self) -> Self {
        let count = self.count.saturating_add(later.count);
        let share = |column: Self| column.mean * (f64::from(column.count) / f64::from(count));
        Self {
            first: self.first,
            last: later.last,
            count,
            mean: finite(share(self) + share(later)),
            min: self.min.min(later.min),
            max: self.max.max(later.max),
        }
    }
}

/// The readings of a column so far.
#[derive(Default)]
pub(super) struct PowerFold {
    /// The times of the first and the last one.
    times: Option<(Timestamp, Timestamp)>,
    /// `None` before the first one.
    so_far: Option<Sums>,
}

/// Sum, least and greatest of some numbers.
#[derive(Clone, Copy)]
struct Sums {
    count: u32,
    /// The sum times [`SCALE`].
    scaled_sum: f64,
    min: f64,
    max: f64,
}

/// 2^-32: the sum of fewer than 2^32 scaled numbers is finite, whatever they are. Scaling by a power of two changes no digit of
/// a number above 1e-298.
const SCALE: f64 = 1.0 / 4_294_967_296.0;

impl Fold for PowerFold {
    type Value = Column;

    /// The sum of numbers near the limits of `f64` may be infinite.
    fn accepts(&self, run: &Run) -> bool {
        matches!(run.totals, Totals::Power { sum, .. } if sum.is_finite())
    }

    fn add_run(&mut self, run: &Run) {
        if let Totals::Power {
            count,
            sum,
            min,
            max,
        } = run.totals
        {
            let scaled_sum = sum * SCALE;
            let sums = Sums {
                count,
                scaled_sum,
                min,
                max,
            };
            self.add((run.first, run.last), sums);
        }
    }

    fn add_values(&mut self, times: &[Timestamp], numbers: &[f64]) {
        if let Some((&first, &last)) = times.first().zip(times.last()) {
            self.add((first, last), Sums::of(numbers));
        }
    }

    fn take(&mut self) -> Option<Column> {
        let ((first, last), sums) = self.times.take().zip(self.so_far.take())?;
        Some(Column {
            first,
            last,
            count: sums.count,
            mean: finite(sums.scaled_sum / f64::from(sums.count) / SCALE),
            min: sums.min,
            max: sums.max,
        })
    }
}

impl PowerFold {
    fn add(&mut self, (first, last): (Timestamp, Timestamp), sums: Sums) {
        self.times = Some((self.times.map_or(first, |(first, _)| first), last));
        self.so_far = Some(self.so_far.map_or(sums, |so_far| so_far.and(sums)));
    }
}

impl Sums {
    fn of(numbers: &[f64]) -> Self {
        // Eight lanes beside each other are several times as fast as one.
        let (eights, rest) = numbers.as_chunks::<8>();
        let mut sums = [0.0; 8];
        let (mut least, mut greatest) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
        for eight in eights {
            let lanes = sums.iter_mut().zip(&mut least).zip(&mut greatest);
            for (((sum, min), max), number) in lanes.zip(eight) {
                *sum += number * SCALE;
                *min = min.min(*number);
                *max = max.max(*number);
            }
        }
        let min = least.iter().chain(rest).copied();
        let max = greatest.iter().chain(rest).copied();
        Self {
            count: u32::try_from(numbers.len()).unwrap_or(u32::MAX),
            scaled_sum: sums.iter().sum::<f64>()
                + rest.iter().map(|number| number * SCALE).sum::<f64>(),
            min: min.fold(f64::INFINITY, f64::min),
            max: max.fold(f64::NEG_INFINITY, f64::max),
        }
    }

    fn and(self, more: Self) -> Self {
        Self {
            count: self.count.saturating_add(more.count),
            scaled_sum: self.scaled_sum + more.scaled_sum,
            min: self.min.min(more.min),
            max: self.max.max(more.max),
        }
    }
}

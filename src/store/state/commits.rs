//! How long commits of uploads took, and how many readings they had: counted by the committing thread, read by anyone without
//! keeping it waiting.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::store::handle::Store;

/// The bounds of what a commit takes, in microseconds: a fast disk syncs within one millisecond, an SD card in many.
const TOOK_MICROS: [u64; 14] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000,
];
/// The bounds of how many readings it has.
const READINGS: [u64; 12] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1_024, 4_096, 16_384];

/// The commits of uploads since the store was opened.
#[derive(Debug, Default)]
pub(crate) struct Commits {
    took_micros: Tally<{ TOOK_MICROS.len() }>,
    readings: Tally<{ READINGS.len() }>,
}

/// How often a number was up to each of some bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// Each bound, and how many were above the one before it and up to this one.
    pub within: Vec<(u64, u64)>,
    /// How many were above all bounds.
    pub above: u64,
    /// All of them added up.
    pub sum: u64,
}

impl Commits {
    /// Counts a commit of so many readings that took so long to be durable.
    pub(crate) fn count(&self, readings: usize, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.took_micros.count(&TOOK_MICROS, micros);
        let readings = u64::try_from(readings).unwrap_or(u64::MAX);
        self.readings.count(&READINGS, readings);
    }
}

impl Store {
    /// How long the commits of uploads took since the store was opened, in microseconds: until they were durable.
    #[must_use]
    pub fn commit_micros(&self) -> Distribution {
        self.shared.commits.took_micros.so_far(&TOOK_MICROS)
    }

    /// How many readings the commits of uploads had since the store was opened.
    #[must_use]
    pub fn commit_readings(&self) -> Distribution {
        self.shared.commits.readings.so_far(&READINGS)
    }
}

/// A number that comes again and again, counted by how large it is.
#[derive(Debug)]
struct Tally<const N: usize> {
    within: [AtomicU64; N],
    above: AtomicU64,
    sum: AtomicU64,
}

impl<const N: usize> Default for Tally<N> {
    fn default() -> Self {
        Self {
            within: std::array::from_fn(|_| AtomicU64::new(0)),
            above: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }
}

impl<const N: usize> Tally<N> {
    fn count(&self, bounds: &[u64; N], number: u64) {
        let place = bounds.partition_point(|&bound| bound < number);
        let counter = self.within.get(place).unwrap_or(&self.above);
        counter.fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(number, Ordering::Relaxed);
    }

    fn so_far(&self, bounds: &[u64; N]) -> Distribution {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let within = bounds.iter().copied();
        Distribution {
            within: within.zip(self.within.iter().map(load)).collect(),
            above: load(&self.above),
            sum: load(&self.sum),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{NOW, at, open_registered, upload};

    #[test]
    fn a_number_counts_with_the_first_bound_that_it_does_not_exceed() {
        let tally = Tally::<3>::default();
        let bounds = [1, 10, 100];
        for number in [0, 1, 2, 10, 11, 100, 101, 7_000] {
            tally.count(&bounds, number);
        }
        let so_far = tally.so_far(&bounds);
        assert_eq!(so_far.within, [(1, 2), (10, 2), (100, 2)]);
        assert_eq!((so_far.above, so_far.sum), (2, 7_225));
    }

    #[test]
    fn each_commit_of_an_upload_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 64);
        for n in 0..3 {
            let readings = upload(&[Some(10 * n), Some(10 * n + 1)]);
            store
                .append_durably_blocking(readings, at(NOW + n))
                .unwrap();
        }
        let readings = store.commit_readings();
        assert_eq!(readings.sum, 6);
        assert_eq!(readings.within[1], (2, 3));
        let micros = store.commit_micros();
        let all: u64 = micros.within.iter().map(|(_, count)| count).sum();
        assert_eq!(all + micros.above, 3);
        assert!(micros.sum > 0);
    }
}

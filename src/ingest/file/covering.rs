//! Sums among the values: an interval that covers others exactly and has their energy, such as the
//! row of a day among its hours.

use std::collections::{HashSet, VecDeque};

use crate::domain::Timestamp;

/// The maximum number of intervals that a sum may cover: a year of minutes.
const COVERED: usize = 530_000;
/// The maximum numbers of sums that end at one time, and of all sums.
const AT_ONCE: usize = 16;
const SUMS: usize = 100_000;
/// The part of a sum by which it may differ, as values are rounded, and the energy by which each of
/// its parts may be, in watt-hours.
const ROUNDED: f64 = 0.005;
const ROUNDED_WH: f64 = 0.6;

/// An interval with its energy.
#[derive(Clone, Copy, Debug)]
pub(super) struct EnergyInterval {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    /// In watt-hours.
    pub(super) energy: f64,
}

/// The sums among the values of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct CoveringSums(HashSet<(Timestamp, Timestamp)>);

/// Finds the sums among intervals, which come in the order of their ends, and then of their starts.
#[derive(Debug, Default)]
pub(super) struct SumFinder {
    /// The beginnings of the intervals before, each with the sum of the energy before it.
    beginnings: VecDeque<CoveredStart>,
    so_far: Covered,
    /// Intervals that may be sums, all with the same end.
    waiting: Vec<EnergyInterval>,
    sums: CoveringSums,
}

/// The time that intervals cover together.
#[derive(Clone, Copy, Debug, Default)]
struct Covered {
    count: usize,
    ms: i64,
    energy: f64,
}

#[derive(Clone, Copy, Debug)]
struct CoveredStart {
    start: Timestamp,
    before: Covered,
}

impl EnergyInterval {
    const fn ms(&self) -> i64 {
        self.end.millis() - self.start.millis()
    }
}

impl CoveringSums {
    /// Whether the interval between two times is a sum.
    pub(super) fn has(&self, start: Timestamp, end: Timestamp) -> bool {
        self.0.contains(&(start, end))
    }

    /// The number of sums.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

impl SumFinder {
    /// Sees an interval that overlaps none of those before.
    pub(super) fn see(&mut self, interval: EnergyInterval) {
        if self.beginnings.len() == COVERED {
            self.beginnings.pop_front();
        }
        self.beginnings.push_back(CoveredStart {
            start: interval.start,
            before: self.so_far,
        });
        self.so_far = Covered {
            count: self.so_far.count + 1,
            ms: self.so_far.ms + interval.ms(),
            energy: self.so_far.energy + interval.energy,
        };
    }

    /// Sees an interval that overlaps some of those before; returns whether it may be their sum.
    pub(super) fn see_overlapping(&mut self, interval: EnergyInterval) -> bool {
        let is_one = self.beginning(interval.start).is_some();
        let fits = self.waiting.len() < AT_ONCE && self.sums.count() < SUMS;
        if is_one && fits {
            self.waiting.push(interval);
        }
        is_one && fits
    }

    /// Called before an interval with a later end, and after the last one: decides on the intervals
    /// that may be sums. `last_end` is the end of the last other interval.
    ///
    /// # Errors
    /// One that is no sum.
    pub(super) fn decide(&mut self, last_end: Option<Timestamp>) -> Result<(), EnergyInterval> {
        for interval in std::mem::take(&mut self.waiting) {
            if !self.is_sum(&interval, last_end) {
                return Err(interval);
            }
            self.sums.0.insert((interval.start, interval.end));
        }
        Ok(())
    }

    /// Whether intervals with this end wait for a decision.
    pub(super) fn waits_for(&self, end: Timestamp) -> bool {
        self.waiting.first().is_some_and(|one| one.end == end)
    }

    fn is_sum(&self, interval: &EnergyInterval, last_end: Option<Timestamp>) -> bool {
        let Some(beginning) = self.beginning(interval.start) else {
            return false;
        };
        let (before, now) = (beginning.before, self.so_far);
        let parts = u32::try_from(now.count - before.count).unwrap_or(u32::MAX);
        let difference = (now.energy - before.energy - interval.energy).abs();
        let rounded = (interval.energy.abs() * ROUNDED).max(f64::from(parts) * ROUNDED_WH);
        parts > 1
            && last_end == Some(interval.end)
            && now.ms - before.ms == interval.ms()
            && difference <= rounded
    }

    fn beginning(&self, start: Timestamp) -> Option<CoveredStart> {
        let found = self.beginnings.binary_search_by_key(&start, |it| it.start);
        self.beginnings.get(found.ok()?).copied()
    }

    /// All sums, after the last decision.
    pub(super) fn into_sums(self) -> CoveringSums {
        self.sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(start: i64, end: i64, energy: f64) -> EnergyInterval {
        let at = |hour: i64| Timestamp::from_millis(hour * 3_600_000).unwrap();
        EnergyInterval {
            start: at(start),
            end: at(end),
            energy,
        }
    }

    #[test]
    fn a_sum_covers_others_exactly() {
        for (sum, is_one) in [
            (hours(1, 4, 600.0), true),
            (hours(0, 4, 1_000.4), true),
            (hours(2, 4, 500.0), true),
            (hours(2, 4, 520.0), false),
            (hours(3, 4, 300.0), false),
            (hours(1, 5, 600.0), false),
        ] {
            let mut finder = SumFinder::default();
            finder.see(hours(0, 1, 400.0));
            finder.see(hours(1, 2, 100.0));
            finder.see(hours(2, 3, 200.0));
            assert!(finder.see_overlapping(sum) || sum.start == hours(3, 4, 0.0).start);
            finder.see(hours(3, 4, 300.0));
            let decided = finder.decide(Some(hours(3, 4, 0.0).end));
            let found = decided.is_ok() && finder.into_sums().has(sum.start, sum.end);
            assert_eq!(found, is_one, "{sum:?}");
        }
    }

    #[test]
    fn an_interval_that_begins_inside_of_another_is_no_sum() {
        let mut finder = SumFinder::default();
        finder.see(hours(0, 2, 400.0));
        assert!(!finder.see_overlapping(hours(1, 3, 100.0)));
        // With a hole, what it covers is not all of it.
        finder.see(hours(4, 5, 1.0));
        assert!(finder.see_overlapping(hours(0, 5, 401.0)));
        assert!(finder.decide(Some(hours(4, 5, 0.0).end)).is_err());
    }
}

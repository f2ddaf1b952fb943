//! Energy scaled by factors that people accepted, such as those that the utility's meter suggests.
//!
//! The sum since the beginning of a window is scaled and rounded, never a single stretch: so it
//! does not matter which readings are put together, and hours add up to their day. Windows are
//! short, so that a walk need not begin long before its range.

use std::collections::BTreeMap;
use std::ops::Range;

use thiserror::Error;

use super::stretch::{Flow, Stretch};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Decimal, MicroWh, Timestamp};

/// The length of a window: within it rounding errors never add up.
const WINDOW_MS: i64 = 30 * MS_PER_DAY;

/// The factor of energy: from 0.5 to 2, to a millionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalibrationFactor(Decimal);

/// Why a number is not such a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a factor from 0.5 to 2 with up to six decimals, such as 1.020408")]
pub struct NotFactor;

/// The factors of a sensor's energy, each with its range. No two ranges overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calibrations {
    /// By their starts, with their ends.
    ranges: BTreeMap<Timestamp, (Timestamp, CalibrationFactor)>,
}

/// Scales stretches.
pub struct CalibrationWalk {
    calibrations: Calibrations,
    /// Where the window of `so_far` begins.
    window: Timestamp,
    /// The unscaled energy of the stretches in the window.
    so_far: Flow,
}

impl CalibrationFactor {
    /// This factor.
    ///
    /// # Errors
    /// [`NotFactor`] if it is less than 0.5 or more than 2.
    pub fn new(factor: Decimal) -> Result<Self, NotFactor> {
        let is_in = (500_000..=2_000_000).contains(&factor.millionths());
        is_in.then_some(Self(factor)).ok_or(NotFactor)
    }

    /// The factor as a number.
    #[must_use]
    pub const fn decimal(self) -> Decimal {
        self.0
    }

    /// The multiple of each direction, to the nearest millionth of a watt-hour.
    fn of(self, flow: Flow) -> Flow {
        let times = |energy: MicroWh| {
            let product = i128::from(energy.millionths()) * i128::from(self.0.millionths());
            let nearest = (product + 500_000).div_euclid(1_000_000);
            i64::try_from(nearest).map_or(MicroWh::MAX, MicroWh::new)
        };
        Flow {
            imported: times(flow.imported),
            exported: times(flow.exported),
        }
    }
}

impl Calibrations {
    /// Adds a factor, which holds in all of its range: also where others held so far.
    pub fn put(&mut self, Range { start, end }: Range<Timestamp>, factor: CalibrationFactor) {
        if start >= end {
            return;
        }
        let reaches_in = |(_, (to, _)): &(&Timestamp, &(Timestamp, _))| start < *to;
        let hidden = self.ranges.range(..end).rev().take_while(reaches_in);
        let hidden: Vec<_> = hidden.map(|(from, older)| (*from, *older)).collect();
        for (from, (to, older)) in hidden {
            self.ranges.remove(&from);
            if from < start {
                self.ranges.insert(from, (start, older));
            }
            if end < to {
                self.ranges.insert(end, (to, older));
            }
        }
        self.ranges.insert(start, (end, factor));
    }

    /// The factor that holds in a range from its start to its end: 1 without any. `None` if it
    /// changes within.
    #[must_use]
    pub fn factor_in(&self, range: &Range<Timestamp>) -> Option<Decimal> {
        let (held, factor) = self.at(range.start);
        let factor = factor.map_or(Decimal::ONE, CalibrationFactor::decimal);
        (range.end <= held.end).then_some(factor)
    }

    /// From where on energy is to be walked over, so that it is known from `start` on.
    #[must_use]
    pub fn walk_start(&self, start: Timestamp) -> Timestamp {
        match self.at(start) {
            (held, Some(_)) => window(&held, start).start,
            (_, None) => start,
        }
    }

    /// The next time after `time` over which readings are not put together.
    #[must_use]
    pub fn next_cut(&self, time: Timestamp) -> Timestamp {
        match self.at(time) {
            (held, Some(_)) => window(&held, time).end,
            (held, None) => held.end,
        }
    }

    /// The factor at a time, and the range around it with the same factor.
    fn at(&self, time: Timestamp) -> (Range<Timestamp>, Option<CalibrationFactor>) {
        let before = self.ranges.range(..=time).next_back();
        match before {
            Some((&start, &(end, factor))) if time < end => (start..end, Some(factor)),
            _ => {
                let start = before.map_or(Timestamp::MIN, |(_, (end, _))| *end);
                let next = self.ranges.range(time..).next();
                let end = next.map_or(Timestamp::MAX, |(start, _)| *start);
                (start..end, None)
            }
        }
    }
}

/// The window of a time with a factor.
fn window(held: &Range<Timestamp>, time: Timestamp) -> Range<Timestamp> {
    let start = time.saturating_add_millis(-time.millis().rem_euclid(WINDOW_MS));
    let end = start.saturating_add_millis(WINDOW_MS);
    start.max(held.start)..end.min(held.end)
}

impl CalibrationWalk {
    /// A walk with these factors.
    #[must_use]
    pub fn new(calibrations: Calibrations) -> Self {
        Self {
            calibrations,
            window: Timestamp::MIN,
            so_far: Flow::default(),
        }
    }

    /// Adds the next stretch, in time order. It is cut where the factor changes.
    pub fn add(&mut self, stretch: Stretch, sink: &mut impl FnMut(Stretch)) {
        if self.calibrations.ranges.is_empty() {
            sink(stretch);
            return;
        }
        let mut from = stretch.from;
        while from < stretch.to {
            let (held, factor) = self.calibrations.at(from);
            let to = stretch.to.min(held.end);
            if let Some(part) = stretch.part(from..to) {
                let flow = factor.map(|factor| self.scaled(&part, factor, &held));
                sink(Stretch {
                    flow: flow.unwrap_or(part.flow),
                    ..part
                });
            }
            from = to;
        }
    }

    fn scaled(
        &mut self,
        stretch: &Stretch,
        factor: CalibrationFactor,
        held: &Range<Timestamp>,
    ) -> Flow {
        let window = window(held, stretch.from);
        // One that reaches out of its window always lies between two neighbouring readings. It is
        // scaled by itself, as a walk that begins in the next window does not know the energy
        // before it.
        if window.end < stretch.to {
            return factor.of(stretch.flow);
        }
        if self.window != window.start {
            (self.window, self.so_far) = (window.start, Flow::default());
        }
        let before = factor.of(self.so_far);
        self.so_far = self.so_far + stretch.flow;
        let after = factor.of(self.so_far);
        Flow {
            imported: after.imported - before.imported,
            exported: after.exported - before.exported,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::time::at;

    const HOUR: i64 = 3_600_000;

    fn factor(text: &str) -> CalibrationFactor {
        CalibrationFactor::new(Decimal::parse(text).unwrap()).unwrap()
    }

    fn one(range: Range<i64>, text: &str) -> Calibrations {
        let mut all = Calibrations::default();
        all.put(at(range.start)..at(range.end), factor(text));
        all
    }

    /// Consecutive stretches from a time on, by their ends and imported energy.
    fn scaled(calibrations: &Calibrations, from: i64, ends: &[(i64, i64)]) -> Vec<(i64, i64)> {
        let mut walk = CalibrationWalk::new(calibrations.clone());
        let (mut from, mut all) = (from, Vec::new());
        for &(to, imported) in ends {
            let stretch = Stretch {
                from: at(from),
                to: at(to),
                flow: Flow {
                    imported: MicroWh::new(imported),
                    ..Flow::default()
                },
                is_estimated: false,
            };
            walk.add(stretch, &mut |part| {
                all.push((part.to.millis(), part.flow.imported.millionths()));
            });
            from = to;
        }
        all
    }

    #[test]
    fn what_lies_in_its_range_is_multiplied() {
        let kwh = 1_000_000_000;
        let hours = [9, 10, 11, 12].map(|hour| (hour * HOUR, kwh));
        // The worked examples of docs/ENERGY.md.
        let from_ten = scaled(&one(9 * HOUR..999_999 * HOUR, "1.02"), 8 * HOUR, &hours);
        let expected = [(9, 1_000), (10, 1_020), (11, 1_020), (12, 1_020)];
        assert_eq!(
            from_ten,
            expected.map(|(hour, wh)| (hour * HOUR, wh * 1_000_000))
        );
        let half = HOUR / 2;
        let within = scaled(&one(9 * HOUR + half..11 * HOUR, "1.02"), 8 * HOUR, &hours);
        assert_eq!(
            within,
            [
                (9 * HOUR, kwh),
                (9 * HOUR + half, 500_000_000),
                (10 * HOUR, 510_000_000),
                (11 * HOUR, 1_020_000_000),
                (12 * HOUR, kwh)
            ]
        );
    }

    #[test]
    fn what_is_rounded_off_is_not_lost() {
        // A third of a step each: 0.5, 1, 1.5 and 2 of the sum, to the nearest.
        let found = scaled(&one(0..HOUR, "0.5"), 0, &[(1, 1), (2, 1), (3, 1), (4, 1)]);
        assert_eq!(found, [(1, 1), (2, 0), (3, 1), (4, 0)]);
        // A new window starts again at zero, and a stretch that reaches beyond a window counts by
        // itself.
        let day = 24 * HOUR;
        let ends = [(30 * day - 1, 1), (30 * day + 1, 1), (30 * day + 2, 1)];
        let found = scaled(&one(0..60 * day, "0.5"), 0, &ends);
        assert_eq!(
            found.iter().map(|(_, it)| *it).collect::<Vec<_>>(),
            [1, 1, 1]
        );
    }

    #[test]
    fn a_walk_begins_and_is_cut_where_a_window_does() {
        let day = 24 * HOUR;
        let all = one(40 * day..100 * day, "1.1");
        let starts = [0, 40, 59, 60, 99, 100].map(|it| all.walk_start(at(it * day)).millis() / day);
        assert_eq!(starts, [0, 40, 40, 60, 90, 100]);
        let cuts = [0, 40, 60, 99].map(|it| all.next_cut(at(it * day)).millis() / day);
        assert_eq!(cuts, [40, 60, 90, 100]);
        assert_eq!(all.next_cut(at(100 * day)), Timestamp::MAX);
    }

    proptest! {
        #[test]
        fn readings_put_together_have_the_energy_of_each(
            parts in proptest::collection::vec(0_i64..1_000_000, 2..40), millionths in 500_000_i64..2_000_001, place in any::<usize>(),
        ) {
            let text = Decimal::from_millionths(millionths).to_string();
            let calibrations = one(0..HOUR, &text);
            let each: Vec<(i64, i64)> = (1..).zip(parts).collect();
            let cut = 1 + place % (each.len() - 1);
            let sum = |part: &[(i64, i64)]| (part[part.len() - 1].0, part.iter().map(|it| it.1).sum::<i64>());
            let two = [sum(&each[..cut]), sum(&each[cut..])];
            let (one_by_one, together) = (scaled(&calibrations, 0, &each), scaled(&calibrations, 0, &two));
            prop_assert_eq!(sum(&one_by_one[..cut]), together[0]);
            prop_assert_eq!(sum(&one_by_one), sum(&together));
        }
    }
}

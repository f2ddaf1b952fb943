//! Energy between two times.

use std::iter::Sum;
use std::ops::{Add, Range, Sub};

use crate::domain::time::MS_PER_MINUTE;
use crate::domain::{MicroWh, Timestamp};

/// Energy in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Imported energy, or the energy of a counter; not negative.
    pub imported: MicroWh,
    /// Exported energy; not negative, and zero for a counter.
    pub exported: MicroWh,
}

/// The energy that flowed between two times. Within them it is spread evenly: nothing better is
/// known.
///
/// The stretches of a sensor follow each other in time without overlap. A time that none of them
/// covers is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end, where the next stretch may begin; after `from`.
    pub to: Timestamp,
    /// The energy.
    pub flow: Flow,
    /// Whether the sensor was silent meanwhile, so that only the sum is measured.
    pub is_estimated: bool,
}

/// Energy that is read each quarter of an hour comes a little late at times.
const COARSE_FROM_MS: i64 = 16 * MS_PER_MINUTE;

impl Flow {
    /// Imported less exported energy.
    #[must_use]
    pub fn net(self) -> MicroWh {
        self.imported - self.exported
    }
}

impl Add for Flow {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            imported: self.imported + other.imported,
            exported: self.exported + other.exported,
        }
    }
}

impl Sub for Flow {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            imported: self.imported - other.imported,
            exported: self.exported - other.exported,
        }
    }
}

impl Sum for Flow {
    fn sum<I: Iterator<Item = Self>>(flows: I) -> Self {
        flows.fold(Self::default(), Add::add)
    }
}

impl Stretch {
    /// Whether it was read less often than each quarter of an hour, so that nobody knows in which
    /// of them its energy flowed.
    #[must_use]
    pub fn is_coarse(&self) -> bool {
        let length_ms = self.to.millis() - self.from.millis();
        length_ms >= COARSE_FROM_MS && self.flow != Flow::default()
    }

    /// Its length in milliseconds.
    #[must_use]
    pub const fn length_ms(&self) -> i64 {
        self.to.millis() - self.from.millis()
    }

    /// The energy from `from` until `to`, as far as these lie in the stretch. The flows between
    /// ascending times add up exactly to the flow between the first and the last of them, however
    /// many lie between.
    #[must_use]
    pub fn flow_between(&self, from: Timestamp, to: Timestamp) -> Flow {
        let [from_ms, to_ms] = [from, to].map(|time| time.millis() - self.from.millis());
        // Both ends are measured from the beginning of the stretch, so the part rounded off at an
        // end is the same on both of its sides.
        let part = |energy: MicroWh| {
            let until = |ms: i64| energy.part(ms, self.length_ms());
            until(to_ms.max(from_ms)) - until(from_ms)
        };
        Flow {
            imported: part(self.flow.imported),
            exported: part(self.flow.exported),
        }
    }

    /// The part that lies in a range; `None` if there is none.
    #[must_use]
    pub fn part(&self, range: Range<Timestamp>) -> Option<Self> {
        // Most are not cut, and cutting takes divisions.
        if range.start <= self.from && self.to <= range.end {
            return Some(*self);
        }
        let (from, to) = (self.from.max(range.start), self.to.min(range.end));
        (from < to).then(|| Self {
            from,
            to,
            flow: self.flow_between(from, to),
            is_estimated: self.is_estimated,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::time::at;

    fn stretch(from: i64, to: i64, imported: i64, exported: i64) -> Stretch {
        Stretch {
            from: at(from),
            to: at(to),
            flow: Flow {
                imported: MicroWh::new(imported),
                exported: MicroWh::new(exported),
            },
            is_estimated: false,
        }
    }

    #[test]
    fn energy_is_spread_evenly() {
        let whole = stretch(1_000, 4_000, 10, 1);
        let between = |from, to| {
            let flow = whole.flow_between(at(from), at(to));
            (flow.imported.millionths(), flow.exported.millionths())
        };
        assert_eq!(between(1_000, 2_000), (3, 0));
        assert_eq!(between(2_000, 4_000), (7, 1));
        assert_eq!(between(0, 9_000), (10, 1));
        for outside in [(0, 1_000), (4_000, 5_000), (3_000, 2_000)] {
            assert_eq!(between(outside.0, outside.1), (0, 0));
        }
        assert_eq!(whole.flow.net(), MicroWh::new(9));
    }

    proptest! {
        #[test]
        fn hours_add_up_to_days(
            imported in 0_i64..1_000_000, length in 1_i64..100_000, mut cuts in proptest::collection::vec(-10_i64..110_000, 2..20),
        ) {
            let whole = stretch(0, length, imported, imported / 3);
            cuts.sort_unstable();
            let flows = cuts.windows(2).map(|pair| whole.flow_between(at(pair[0]), at(pair[1])));
            let ends = (at(cuts[0]), at(cuts[cuts.len() - 1]));
            prop_assert_eq!(flows.sum::<Flow>(), whole.flow_between(ends.0, ends.1));
        }
    }
}

//! Summaries of runs of readings, by which many questions are answered without reading them one by one.

use super::reading::{Reading, Register};
use super::time::Timestamp;

/// The summary of a run of readings of one sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many readings; at least one.
    pub count: u32,
    /// The time of the first.
    pub first: Timestamp,
    /// The time of the last.
    pub last: Timestamp,
    /// The readings with power.
    pub power: Option<PowerSummary>,
    /// The readings with a register.
    pub registers: Option<RegisterSummary>,
}

/// The readings with power, in watts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerSummary {
    /// How many; at least one.
    pub count: u32,
    /// Their sum; may be infinite if values are near the limits of `f64`.
    pub sum: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// The time and watts of the last one.
    pub last: (Timestamp, f64),
}

/// The readings with a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegisterSummary {
    /// The earliest.
    pub first: Register,
    /// The latest.
    pub last: Register,
    /// Its falls on the way.
    pub falls: Falls,
}

/// The falls of a register: how often it was lower than the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Falls {
    /// How many.
    pub count: u32,
    /// The sum of the registers before each fall, in watt-hours; may be infinite if values are near the limits of `f64`.
    pub watthours_before: f64,
}

impl Summary {
    /// The summary of `readings`, which are in ascending order of time; `None` if there are none.
    #[must_use]
    pub fn of(readings: &[Reading]) -> Option<Self> {
        let each = readings.iter().map(|reading| Self::of_one(*reading));
        each.reduce(Self::merge)
    }

    /// The summary of this run and a `later` one. All readings of the later run come after those of this run.
    #[must_use]
    pub fn merge(self, later: Self) -> Self {
        Self {
            count: self.count.saturating_add(later.count),
            first: self.first,
            last: later.last,
            power: merged(self.power, later.power, PowerSummary::merge),
            registers: merged(self.registers, later.registers, RegisterSummary::merge),
        }
    }

    fn of_one(reading: Reading) -> Self {
        let power = reading.measures.watts().map(|watts| PowerSummary {
            count: 1,
            sum: watts,
            min: watts,
            max: watts,
            last: (reading.time, watts),
        });
        let registers = reading.measures.watthours().map(|watthours| {
            let register = Register {
                time: reading.time,
                watthours,
            };
            RegisterSummary {
                first: register,
                last: register,
                falls: Falls::default(),
            }
        });
        Self {
            count: 1,
            first: reading.time,
            last: reading.time,
            power,
            registers,
        }
    }
}

impl PowerSummary {
    fn merge(self, later: Self) -> Self {
        Self {
            count: self.count.saturating_add(later.count),
            sum: self.sum + later.sum,
            min: self.min.min(later.min),
            max: self.max.max(later.max),
            last: later.last,
        }
    }
}

impl RegisterSummary {
    fn merge(self, later: Self) -> Self {
        // The register may also fall from the end of one run to the start of the next.
        let between = Falls::between(self.last.watthours, later.first.watthours);
        Self {
            first: self.first,
            last: later.last,
            falls: self.falls.and(between).and(later.falls),
        }
    }
}

impl Falls {
    /// The fall from one register to the next, if there is one.
    #[must_use]
    pub fn between(before: f64, after: f64) -> Self {
        if after < before {
            Self {
                count: 1,
                watthours_before: before,
            }
        } else {
            Self::default()
        }
    }

    /// These falls and `later` ones.
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        Self {
            count: self.count.saturating_add(later.count),
            watthours_before: self.watthours_before + later.watthours_before,
        }
    }
}

fn merged<T>(a: Option<T>, b: Option<T>, merge: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(merge(a, b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::Measures;
    use super::*;

    fn reading(ms: i64, watts: Option<f64>, watthours: Option<f64>) -> Reading {
        let time = Timestamp::from_millis(ms).unwrap();
        Reading {
            time,
            measures: Measures::new(watts, watthours).unwrap(),
        }
    }

    #[test]
    fn a_summary_covers_all_its_readings() {
        let readings = [
            reading(1, Some(5.0), None),
            reading(2, None, Some(100.0)),
            reading(3, Some(-2.0), Some(101.0)),
            reading(4, None, Some(90.0)),
            reading(5, None, Some(90.0)),
            reading(6, None, Some(12.0)),
        ];
        let summary = Summary::of(&readings).unwrap();
        assert_eq!(
            (summary.count, summary.first.millis(), summary.last.millis()),
            (6, 1, 6)
        );
        let power = summary.power.unwrap();
        assert_eq!(
            (power.count, power.sum, power.min, power.max),
            (2, 3.0, -2.0, 5.0)
        );
        assert_eq!((power.last.0.millis(), power.last.1), (3, -2.0));
        let registers = summary.registers.unwrap();
        assert_eq!(
            (registers.first.time.millis(), registers.first.watthours),
            (2, 100.0)
        );
        assert_eq!(
            (registers.last.time.millis(), registers.last.watthours),
            (6, 12.0)
        );
        let falls = Falls {
            count: 2,
            watthours_before: 191.0,
        };
        assert_eq!(registers.falls, falls);
    }

    #[test]
    fn merging_is_summarizing_both() {
        let readings = [
            reading(1, Some(5.0), None),
            reading(2, Some(1.5), Some(1.0)),
            reading(3, Some(8.0), Some(2.0)),
            reading(4, None, Some(0.5)),
            reading(5, None, Some(0.25)),
            reading(9, Some(0.25), None),
        ];
        let whole = Summary::of(&readings);
        for split in 1..readings.len() {
            let (a, b) = readings.split_at(split);
            assert_eq!(
                Summary::of(a).zip(Summary::of(b)).map(|(a, b)| a.merge(b)),
                whole
            );
        }
        assert_eq!(Summary::of(&[]), None);
    }
}

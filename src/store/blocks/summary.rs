//! Summaries of runs of readings: many queries can be answered without reading single readings.

use crate::domain::{Reading, Register, Timestamp};
use crate::ledger::{PowerAt, PowerRun, RegisterRun};

/// The summary of a run of readings of one sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    /// The number of readings; at least one.
    pub(crate) count: u32,
    /// The time of the first.
    pub(crate) first: Timestamp,
    /// The time of the last.
    pub(crate) last: Timestamp,
    /// The readings with power.
    pub(crate) power: Option<PowerSummary>,
    /// The readings with a register.
    pub(crate) registers: Option<RegisterRun>,
}

/// The readings with power, in watts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PowerSummary {
    /// The ledger's totals of them.
    pub(crate) run: PowerRun,
    /// Their sum; may be infinite if values are near the limits of `f64`.
    pub(crate) sum: f64,
    /// The minimum.
    pub(crate) min: f64,
    /// The maximum.
    pub(crate) max: f64,
}

impl Summary {
    /// The summary of `readings`, which are in ascending order of time; `None` if there are none.
    #[must_use]
    pub(crate) fn of(readings: &[Reading]) -> Option<Self> {
        Some(Self {
            count: u32::try_from(readings.len()).unwrap_or(u32::MAX),
            first: readings.first()?.time,
            last: readings.last()?.time,
            power: PowerSummary::of(readings),
            registers: RegisterRun::of(registers_of(readings)),
        })
    }

    /// Whether it is the summary of these readings.
    #[must_use]
    pub(crate) fn is_of(&self, readings: &[Reading]) -> bool {
        let Some(exact) = Self::of(readings) else {
            return false;
        };
        let power = match (self.power, exact.power) {
            (Some(own), Some(exact)) => {
                let is_run = own.run.agrees_with(&exact.run);
                is_run.then_some(PowerSummary {
                    run: own.run,
                    ..exact
                })
            }
            (_, power) => power,
        };
        *self == Self { power, ..exact }
    }
}

impl PowerSummary {
    fn of(readings: &[Reading]) -> Option<Self> {
        let watts = || power_of(readings).map(|power| power.watts);
        Some(Self {
            run: PowerRun::of(power_of(readings))?,
            sum: watts().reduce(|sum, watts| sum + watts)?,
            min: watts().reduce(f64::min)?,
            max: watts().reduce(f64::max)?,
        })
    }
}

/// The power of readings that have it.
pub(crate) fn power_of(readings: &[Reading]) -> impl Iterator<Item = PowerAt> {
    let power = |reading: &Reading| {
        let watts = reading.measures.watts()?;
        Some(PowerAt {
            time: reading.time,
            watts,
        })
    };
    readings.iter().filter_map(power)
}

/// The registers of readings that have one.
pub(crate) fn registers_of(readings: &[Reading]) -> impl Iterator<Item = Register> {
    let register = |reading: &Reading| {
        let watthours = reading.measures.watthours()?;
        Some(Register {
            time: reading.time,
            watthours,
        })
    };
    readings.iter().filter_map(register)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Measures, MicroWh};

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
            (power.run.count, power.sum, power.min, power.max),
            (2, 3.0, -2.0, 5.0)
        );
        assert_eq!(
            (power.run.last.time.millis(), power.run.last.watts),
            (3, -2.0)
        );
        let run = summary.registers.unwrap();
        let shown = |register: Register| (register.time.millis(), register.watthours);
        assert_eq!((shown(run.first), shown(run.last)), ((2, 100.0), (6, 12.0)));
        assert_eq!(run.flow.imported, MicroWh::from_watthours(1.0));
        assert_eq!(run.flow.exported, MicroWh::from_watthours(89.0));
    }

    #[test]
    fn nothing_has_no_summary() {
        assert_eq!(Summary::of(&[]), None);
        let summary = Summary::of(&[reading(1, Some(5.0), None)]).unwrap();
        assert_eq!(summary.registers, None);
    }
}

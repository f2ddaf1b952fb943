//! The record of a summary: a version byte, 3, then a [`SummaryRecord`] in bincode (standard
//! configuration). docs/FORMATS.md describes its bytes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::domain::{MicroWh, Register, Timestamp};
use crate::ledger::{Flow, PowerAt, PowerRun, RegisterRun, Spacings};
use crate::store::blocks::summary::{PowerSummary, Summary};
use crate::store::error::StoreError;
use crate::store::records::record;

const VERSION: u8 = 3;

/// A [`Summary`] on disk. Times are milliseconds since 1970.
#[derive(Serialize, Deserialize)]
// bincode stores fields by position: a change of their order or number needs a new version.
struct SummaryRecord {
    count: u32,
    first_ms: i64,
    last_ms: i64,
    power: Option<PowerRecord>,
    registers: Option<RegistersRecord>,
    /// Whether a power may be the limit of an integer.
    may_have_limit: bool,
}

#[derive(Serialize, Deserialize)]
struct PowerRecord {
    run: RunRecord,
    sum: f64,
    min: f64,
    max: f64,
}

#[derive(Serialize, Deserialize)]
struct RegistersRecord {
    run: RunRecord,
    steepest_rise: u64,
    steepest_fall: u64,
    /// For how long before the last register all had the same value.
    unchanged_ms: i64,
}

/// The fields that totals of power and of registers have in common.
#[derive(Serialize, Deserialize)]
struct RunRecord {
    count: u64,
    first: (i64, f64),
    last: (i64, f64),
    /// Imported and exported, in millionths of a watt-hour.
    flow: (i64, i64),
    longest_ms: i64,
    /// The spacing before the last one, and the last one.
    spacings_ms: (Option<i64>, Option<i64>),
}

/// [`RunRecord`] with checked numbers.
struct RunParts {
    count: u64,
    first: (Timestamp, f64),
    last: (Timestamp, f64),
    flow: Flow,
    longest_ms: i64,
    spacings: Spacings,
}

/// Encodes a summary.
pub(crate) fn encode(summary: &Summary) -> Result<Vec<u8>, StoreError> {
    let power = summary.power.map(|power| PowerRecord {
        run: RunRecord::of_power(&power.run),
        sum: power.sum,
        min: power.min,
        max: power.max,
    });
    let registers = summary.registers.map(|run| {
        let unchanged_ms = run.last.time.millis() - run.unchanged_since.millis();
        RegistersRecord {
            run: RunRecord::of_registers(&run),
            steepest_rise: run.steepest_rise,
            steepest_fall: run.steepest_fall,
            unchanged_ms,
        }
    });
    let record = SummaryRecord {
        count: summary.count,
        first_ms: summary.first.millis(),
        last_ms: summary.last.millis(),
        power,
        registers,
        may_have_limit: summary.power.is_some_and(|power| power.run.may_have_limit),
    };
    record::encode(VERSION, &record)
}

/// Decodes a summary.
pub(crate) fn decode(value: &[u8]) -> Option<Summary> {
    // The second version ended before the last field. What it does not say is possible.
    let with_last = match value {
        [2, rest @ ..] => Cow::Owned([&[VERSION], rest, &[1]].concat()),
        _ => Cow::Borrowed(value),
    };
    let record: SummaryRecord = record::decode(VERSION, &with_last)?;
    let power = match &record.power {
        None => None,
        Some(power) => Some(power.summary(record.may_have_limit)?),
    };
    let registers = match &record.registers {
        None => None,
        Some(registers) => Some(registers.summary()?),
    };
    Some(Summary {
        count: record.count,
        first: Timestamp::from_millis(record.first_ms)?,
        last: Timestamp::from_millis(record.last_ms)?,
        power,
        registers,
    })
}

impl PowerRecord {
    fn summary(&self, may_have_limit: bool) -> Option<PowerSummary> {
        let RunParts {
            count,
            first,
            last,
            flow,
            longest_ms,
            spacings,
        } = self.run.parts()?;
        let power = |(time, watts)| PowerAt { time, watts };
        Some(PowerSummary {
            run: PowerRun {
                first: power(first),
                last: power(last),
                count,
                flow,
                highest_watts: self.min.abs().max(self.max.abs()),
                may_have_limit,
                longest_ms,
                spacings,
            },
            sum: self.sum,
            min: self.min,
            max: self.max,
        })
    }
}

impl RegistersRecord {
    fn summary(&self) -> Option<RegisterRun> {
        let RunParts {
            count,
            first,
            last,
            flow,
            longest_ms,
            spacings,
        } = self.run.parts()?;
        let register = |(time, watthours)| Register { time, watthours };
        let unchanged_since = last.0.millis().checked_sub(self.unchanged_ms)?;
        Some(RegisterRun {
            first: register(first),
            last: register(last),
            count,
            flow,
            steepest_rise: self.steepest_rise,
            steepest_fall: self.steepest_fall,
            longest_ms,
            spacings,
            unchanged_since: Timestamp::from_millis(unchanged_since)
                .filter(|since| (first.0..=last.0).contains(since))?,
        })
    }
}

impl RunRecord {
    fn of_power(run: &PowerRun) -> Self {
        let pair = |power: PowerAt| (power.time.millis(), power.watts);
        Self {
            count: run.count,
            first: pair(run.first),
            last: pair(run.last),
            flow: (
                run.flow.imported.millionths(),
                run.flow.exported.millionths(),
            ),
            longest_ms: run.longest_ms,
            spacings_ms: (run.spacings.before_ms, run.spacings.last_ms),
        }
    }

    fn of_registers(run: &RegisterRun) -> Self {
        let pair = |register: Register| (register.time.millis(), register.watthours);
        Self {
            count: run.count,
            first: pair(run.first),
            last: pair(run.last),
            flow: (
                run.flow.imported.millionths(),
                run.flow.exported.millionths(),
            ),
            longest_ms: run.longest_ms,
            spacings_ms: (run.spacings.before_ms, run.spacings.last_ms),
        }
    }

    /// `None` if a number is impossible.
    fn parts(&self) -> Option<RunParts> {
        let (imported, exported) = self.flow;
        let (before_ms, last_ms) = self.spacings_ms;
        let pair = |(ms, number): (i64, f64)| Some((Timestamp::from_millis(ms)?, number));
        let (first, last) = (pair(self.first)?, pair(self.last)?);
        let span_ms = last.0.millis() - first.0.millis();
        let lengths = [Some(self.longest_ms), before_ms, last_ms];
        let is_possible = self.count > 0
            && imported >= 0
            && exported >= 0
            && lengths
                .iter()
                .flatten()
                .all(|length| (0..=span_ms).contains(length));
        is_possible.then_some(RunParts {
            count: self.count,
            first,
            last,
            flow: Flow {
                imported: MicroWh::new(imported),
                exported: MicroWh::new(exported),
            },
            longest_ms: self.longest_ms,
            spacings: Spacings { before_ms, last_ms },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Measures, Reading};

    #[test]
    fn a_record_is_these_bytes() {
        let reading = |ms, watts, watthours| Reading {
            time: Timestamp::from_millis(ms).unwrap(),
            measures: Measures::new(watts, Some(watthours)).unwrap(),
        };
        let readings = [
            reading(1, Some(1.5), 7.0),
            reading(2, None, 9.0),
            reading(3, None, 3.0),
        ];
        let value = encode(&Summary::of(&readings).unwrap()).unwrap();
        let [power, seven, three] = [1.5_f64, 7.0, 3.0].map(f64::to_le_bytes);
        let expected: [&[u8]; 15] = [
            &[3, 3, 2, 6],
            // Power: a run of one reading, and its sum, minimum and maximum.
            &[1, 1, 2],
            &power,
            &[2],
            &power,
            &[0, 0, 0, 0, 0],
            &power,
            &power,
            &power,
            // Registers: a run of three, which rise by 2 Wh and fall by 6 Wh.
            &[1, 3, 2],
            &seven,
            &[6],
            &three,
            &[0xFC, 0x00, 0x09, 0x3D, 0x00, 0xFC, 0x00, 0x1B, 0xB7, 0x00],
            // The longest spacing, the last two, and within 10 s 720 W and 2,160 W. No power is a limit.
            &[2, 1, 2, 1, 2, 0xFB, 0xD0, 0x02, 0xFB, 0x70, 0x08, 0, 0],
        ];
        assert_eq!(value, expected.concat());
        // The second version did not say whether a power may be a limit.
        let mut second = value.clone();
        (second[0], _) = (2, second.pop());
        let mut read = decode(&second).unwrap();
        let run = &mut read.power.as_mut().unwrap().run;
        assert!(std::mem::take(&mut run.may_have_limit));
        assert_eq!(Some(read), decode(&value));
    }

    #[test]
    fn summaries_round_trip() {
        let reading = |ms, watts, watthours| Reading {
            time: Timestamp::from_millis(ms).unwrap(),
            measures: Measures::new(watts, watthours).unwrap(),
        };
        for readings in [
            vec![reading(-5, Some(1.5), None)],
            vec![reading(-5, None, Some(2.0))],
            vec![
                reading(1, Some(1.5), Some(7.0)),
                reading(2, None, Some(9.0)),
                reading(3, None, Some(3.0)),
            ],
        ] {
            let summary = Summary::of(&readings).unwrap();
            let value = encode(&summary).unwrap();
            assert_eq!(decode(&value), Some(summary));
            assert_eq!(decode(&value[..value.len() - 1]), None);
            assert_eq!(decode(&[&value[..], &[0]].concat()), None);
        }
        assert_eq!(decode(&[]), None);
        assert_eq!(decode(&[1, 1, 1, 1]), None);
    }
}

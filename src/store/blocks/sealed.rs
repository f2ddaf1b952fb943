//! The sealed readings in the database: the locations of blocks, and summaries under the same keys.
//!
//! A summary's value is a version byte, 1, then a [`SummaryRecord`] in bincode (standard configuration).

use std::fmt::Display;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{
    Falls, PowerSummary, Reading, Register, RegisterSummary, SensorId, Summary, TimeRange,
    Timestamp,
};
use crate::store::blocks::block;
use crate::store::blocks::measure::{Measure, MeasuredValue};
use crate::store::blocks::volumes::{Location, Volumes};
use crate::store::engine::{keys, record};
use crate::store::error::StoreError;

const VERSION: u8 = 1;

/// The blocks and their summaries.
#[derive(Clone)]
pub(crate) struct Sealed {
    /// The location of each block.
    pub(crate) blocks: sled::Tree,
    /// The blocks themselves.
    pub(crate) volumes: Arc<Volumes>,
    pub(crate) summaries: sled::Tree,
}

impl Sealed {
    /// The summary of the last block that begins at or before `time`.
    pub(crate) fn at_or_before(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Summary>, StoreError> {
        self.summaries(sensor, Timestamp::MIN, time)
            // Steps backwards: safe only because no key has a byte 0xFF (`engine/keys.rs`).
            .next_back()
            .transpose()
    }

    /// The summary of the last block.
    pub(crate) fn last(&self, sensor: &SensorId) -> Result<Option<Summary>, StoreError> {
        self.at_or_before(sensor, Timestamp::MAX)
    }

    /// The summary of the first block that begins after `time`.
    pub(crate) fn after(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Summary>, StoreError> {
        // One millisecond later would saturate, and find a block that begins at `time`.
        if time == Timestamp::MAX {
            return Ok(None);
        }
        self.summaries(sensor, time.saturating_add_millis(1), Timestamp::MAX)
            .next()
            .transpose()
    }

    /// The summary of the block that covers `time`, or else of the first one after it.
    pub(crate) fn covering_or_after(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Summary>, StoreError> {
        match self.at_or_before(sensor, time)? {
            Some(summary) if summary.last >= time => Ok(Some(summary)),
            // Blocks never overlap, so the last one that begins by `time` is the only one that can cover it.
            _ => self.after(sensor, time),
        }
    }

    /// The summaries of all blocks of `sensor` that begin from `from` to `to`, ascending.
    pub(crate) fn summaries(
        &self,
        sensor: &SensorId,
        from: Timestamp,
        to: Timestamp,
    ) -> impl DoubleEndedIterator<Item = Result<Summary, StoreError>> + use<> {
        let range =
            // sled panics on a reversed range; `TimeRange` cannot be one.
            TimeRange::new(from, to).map(|range| self.summaries.range(keys::keys(sensor, range)));
        range.into_iter().flatten().map(|row| {
            let (key, value) = row?;
            decode(&value).ok_or_else(|| {
                StoreError::Damaged(format!("invalid summary {}", key.escape_ascii()))
            })
        })
    }

    /// The summaries of all blocks of `sensor` that reach into `range`, ascending.
    pub(crate) fn reaching_into(
        &self,
        sensor: &SensorId,
        range: TimeRange,
    ) -> Result<impl DoubleEndedIterator<Item = Result<Summary, StoreError>> + use<>, StoreError>
    {
        let first = self
            .covering_or_after(sensor, range.start())?
            .map_or(range.start(), |block| block.first);
        Ok(self.summaries(sensor, first, range.end()))
    }

    /// The bytes of the block that begins at `first`.
    pub(crate) fn bytes(&self, sensor: &SensorId, first: Timestamp) -> Result<Vec<u8>, StoreError> {
        let key = keys::key(sensor, first);
        let location = self.blocks.get(&key)?.ok_or_else(|| {
            StoreError::Damaged(format!(
                "the block of sensor {sensor:?} from {first} is missing: only its summary exists"
            ))
        })?;
        self.bytes_at(&key, &location).map_err(|error| match error {
            StoreError::Damaged(why) => damaged(sensor, first, why),
            other => other,
        })
    }

    /// The bytes of the block of `key`. `location` is its value in the tree.
    pub(crate) fn bytes_at(&self, key: &[u8], location: &[u8]) -> Result<Vec<u8>, StoreError> {
        let location = Location::decode(location)
            .ok_or_else(|| StoreError::Damaged("invalid location".into()))?;
        self.volumes.read(location, key)
    }

    /// The readings of the block that begins at `first`.
    pub(crate) fn readings(
        &self,
        sensor: &SensorId,
        first: Timestamp,
    ) -> Result<Vec<Reading>, StoreError> {
        decode_block(sensor, first, &self.bytes(sensor, first)?)
    }

    /// The newest value of `measure` at or before `time` in the blocks. Decodes at most one, unless it lacks the measure.
    pub(crate) fn newest(
        &self,
        sensor: &SensorId,
        time: Timestamp,
        measure: Measure,
    ) -> Result<Option<MeasuredValue>, StoreError> {
        // Usually the first summary answers. A sensor that never had the measure makes this read all of them.
        for summary in self.summaries(sensor, Timestamp::MIN, time).rev() {
            let summary = summary?;
            let Some(last) = measure.last_of(&summary) else {
                continue;
            };
            if last.time <= time {
                return Ok(Some(last));
            }
            // The block reaches beyond `time`: look for a value before that.
            let readings = self.readings(sensor, summary.first)?;
            let values = readings.iter().filter_map(|reading| measure.of(reading));
            let found = values.take_while(|value| value.time <= time).last();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The first register in the blocks.
    pub(crate) fn first_register(&self, sensor: &SensorId) -> Result<Option<Register>, StoreError> {
        for summary in self.summaries(sensor, Timestamp::MIN, Timestamp::MAX) {
            if let Some(registers) = summary?.registers {
                return Ok(Some(registers.first));
            }
        }
        Ok(None)
    }
}

/// Finds single sealed readings. Caches the last block, since callers often ask for neighbouring times.
#[derive(Default)]
pub(crate) struct Finder(Option<(SensorId, Vec<Reading>)>);

impl Finder {
    /// The sealed reading of `sensor` at `time`.
    pub(crate) fn at(
        &mut self,
        sealed: &Sealed,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Reading>, StoreError> {
        let covers = |(of, readings): &(SensorId, Vec<Reading>)| {
            let ends = readings.first().zip(readings.last());
            of == sensor
                && ends.is_some_and(|(first, last)| first.time <= time && time <= last.time)
        };
        if !self.0.as_ref().is_some_and(covers) {
            let block = sealed
                .at_or_before(sensor, time)?
                .filter(|block| time <= block.last);
            let Some(block) = block else {
                return Ok(None);
            };
            self.0 = Some((sensor.clone(), sealed.readings(sensor, block.first)?));
        }
        Ok(self.0.as_ref().and_then(|(_, readings)| {
            let found = readings
                .binary_search_by_key(&time, |reading| reading.time)
                .ok()?;
            readings.get(found).copied()
        }))
    }
}

/// The readings in the bytes of the block of `sensor` that begins at `first`.
pub(crate) fn decode_block(
    sensor: &SensorId,
    first: Timestamp,
    bytes: &[u8],
) -> Result<Vec<Reading>, StoreError> {
    block::decode(bytes).map_err(|error| damaged(sensor, first, error))
}

/// The error for a damaged block.
pub(crate) fn damaged(sensor: &SensorId, first: Timestamp, why: impl Display) -> StoreError {
    StoreError::Damaged(format!(
        "the block of sensor {sensor:?} from {first}: {why}"
    ))
}

/// A [`Summary`] on disk.
#[derive(Serialize, Deserialize)]
// bincode stores fields by position: a change of their order or number needs a new version.
struct SummaryRecord {
    count: u32,
    first_ms: i64,
    last_ms: i64,
    power: Option<PowerRecord>,
    registers: Option<RegistersRecord>,
}

#[derive(Serialize, Deserialize)]
struct RegistersRecord {
    first: (i64, f64),
    last: (i64, f64),
    falls: u32,
    /// The sum of what the register showed before each fall.
    watthours_before_falls: f64,
}

#[derive(Serialize, Deserialize)]
struct PowerRecord {
    count: u32,
    sum: f64,
    min: f64,
    max: f64,
    last: (i64, f64),
}

/// Encodes a summary.
pub(crate) fn encode(summary: &Summary) -> Result<Vec<u8>, StoreError> {
    let power = summary.power.map(|power| PowerRecord {
        count: power.count,
        sum: power.sum,
        min: power.min,
        max: power.max,
        last: (power.last.0.millis(), power.last.1),
    });
    let pair = |register: Register| (register.time.millis(), register.watthours);
    let record = SummaryRecord {
        count: summary.count,
        first_ms: summary.first.millis(),
        last_ms: summary.last.millis(),
        power,
        registers: summary.registers.map(|registers| RegistersRecord {
            first: pair(registers.first),
            last: pair(registers.last),
            falls: registers.falls.count,
            watthours_before_falls: registers.falls.watthours_before,
        }),
    };
    record::encode(VERSION, &record)
}

/// Decodes a summary.
pub(crate) fn decode(value: &[u8]) -> Option<Summary> {
    let record: SummaryRecord = record::decode(VERSION, value)?;
    let register = |(ms, watthours)| {
        Some(Register {
            time: Timestamp::from_millis(ms)?,
            watthours,
        })
    };
    let power = match record.power {
        None => None,
        Some(power) => Some(PowerSummary {
            count: power.count,
            sum: power.sum,
            min: power.min,
            max: power.max,
            last: (Timestamp::from_millis(power.last.0)?, power.last.1),
        }),
    };
    let registers = match record.registers {
        None => None,
        Some(registers) => Some(RegisterSummary {
            first: register(registers.first)?,
            last: register(registers.last)?,
            falls: Falls {
                count: registers.falls,
                watthours_before: registers.watthours_before_falls,
            },
        }),
    };
    Some(Summary {
        count: record.count,
        first: Timestamp::from_millis(record.first_ms)?,
        last: Timestamp::from_millis(record.last_ms)?,
        power,
        registers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Measures;

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
        assert_eq!(decode(&[2, 1, 1, 1]), None);
    }
}

//! The sealed readings in the database: the locations of blocks, and summaries under the same keys.

use std::fmt::Display;
use std::sync::Arc;

use crate::domain::{Reading, Register, SensorId, TimeRange, Timestamp};
use crate::store::blocks::block;
use crate::store::blocks::measure::{Measure, MeasuredValue};
use crate::store::blocks::summary::Summary;
use crate::store::blocks::summary_record::decode;
use crate::store::blocks::volumes::{Location, Volumes};
use crate::store::error::StoreError;
use crate::store::records::keys;

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
            // Steps backwards: safe only because no key has a byte 0xFF (`records/keys.rs`).
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

    /// Whether a block has the measures of this row.
    pub(crate) fn has(
        &mut self,
        sealed: &Sealed,
        sensor: &SensorId,
        row: &Reading,
    ) -> Result<bool, StoreError> {
        let found = self.at(sealed, sensor, row.time)?;
        Ok(found.is_some_and(|it| it.measures.overlaid_by(row.measures) == it.measures))
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

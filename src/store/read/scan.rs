//! Scans: a sensor's readings in order, hot rows merged over blocks, one block at a time.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::domain::{Reading, Register, SensorId, TimeRange, Timestamp};
use crate::store::blocks::seal::overlay;
use crate::store::blocks::sealed::decode_block;
use crate::store::blocks::{Finder, Measure, MeasuredValue, Summary};
use crate::store::error::StoreError;
use crate::store::records::locks::read;
use crate::store::rows::Power;
use crate::store::state::Shared;

/// The most hot rows returned at a time.
const MOST_HOT_ROWS: usize = 8_192;
/// The most blocks read under one guard. Looking up a block takes as long as reading it; a range of several is one lookup.
const MOST_BLOCKS: usize = 8;

/// A scan under way. Holds no lock between two calls, and sees concurrent changes that lie ahead of it.
pub struct Scan {
    shared: Arc<Shared>,
    sensor: SensorId,
    /// The range still to be read.
    rest: Option<TimeRange>,
}

/// What a call reads under the guard, to be decoded after releasing it.
pub(crate) struct Window {
    pub(crate) hot: Vec<Reading>,
    /// The summary and the bytes of the block in it.
    pub(crate) block: Option<(Summary, Vec<u8>)>,
    /// The summary of all its readings, if that suffices; then there are neither rows nor a block.
    pub(crate) summary: Option<Summary>,
    pub(crate) range: TimeRange,
}

/// Consecutive readings as a scan finds them.
pub(crate) struct StoredRun {
    /// Ascending.
    pub(crate) readings: Vec<Reading>,
    /// The block of exactly these readings, if there is one.
    pub(crate) block: Option<Vec<u8>>,
}

impl Scan {
    pub(crate) fn new(shared: Arc<Shared>, sensor: SensorId, range: TimeRange) -> Self {
        Self {
            shared,
            sensor,
            rest: Some(range),
        }
    }

    /// The next readings, ascending and never empty; `None` after the last. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if something cannot be read or is damaged.
    pub fn next_run(&mut self) -> Result<Option<Vec<Reading>>, StoreError> {
        Ok(self.next_stored()?.map(|stored| stored.readings))
    }

    /// [`Self::next_run`] with the bytes of the block, if the readings are exactly those of one block.
    pub(crate) fn next_stored(&mut self) -> Result<Option<StoredRun>, StoreError> {
        while let Some(rest) = self.rest {
            let window = self.shared.window(&self.sensor, rest)?;
            self.rest = window.rest_of(rest);
            let stored = window.stored(&self.sensor)?;
            // Empty if the range lies in a gap within a block.
            if !stored.readings.is_empty() {
                return Ok(Some(stored));
            }
        }
        Ok(None)
    }
}

impl Window {
    /// The part of `range` after it; both begin at the same time.
    pub(crate) fn rest_of(&self, range: TimeRange) -> Option<TimeRange> {
        let end = self.range.end();
        (end < range.end())
            .then(|| TimeRange::new(end.saturating_add_millis(1), range.end()))
            .flatten()
    }

    fn stored(self, sensor: &SensorId) -> Result<StoredRun, StoreError> {
        let Some((block, bytes)) = self.block else {
            return Ok(StoredRun {
                readings: self.hot,
                block: None,
            });
        };
        let mut sealed = decode_block(sensor, block.first, &bytes)?;
        let count = sealed.len();
        let end = sealed.partition_point(|reading| reading.time <= self.range.end());
        sealed.truncate(end);
        let start = sealed.partition_point(|reading| reading.time < self.range.start());
        sealed.drain(..start);
        // Then a backup copies the bytes, instead of encoding the readings again.
        let is_whole = sealed.len() == count && self.hot.is_empty();
        Ok(StoredRun {
            readings: overlay(sealed, &self.hot),
            block: is_whole.then_some(bytes),
        })
    }
}

impl Shared {
    /// The hot rows and at most one block from the start of `rest` on.
    fn window(&self, sensor: &SensorId, rest: TimeRange) -> Result<Window, StoreError> {
        let _unswapped = read(&self.swap);
        self.unswapped_window(sensor, rest, |_| false)
    }

    /// [`Self::window`] and the windows of the next blocks in `rest`, up to the first hot row. A window has only the summary of
    /// its block, if `is_enough` accepts it, the block lies in `rest` and no hot row lies in the block.
    pub(crate) fn windows(
        &self,
        sensor: &SensorId,
        rest: TimeRange,
        mut is_enough: impl FnMut(&Summary) -> bool,
    ) -> Result<VecDeque<Window>, StoreError> {
        let _unswapped = read(&self.swap);
        let window = self.unswapped_window(sensor, rest, &mut is_enough)?;
        // Behind a hot row there may be more of them, which only `unswapped_window` merges.
        let mut rest = window.rest_of(rest).filter(|_| window.hot.is_empty());
        let mut windows = VecDeque::from([window]);
        let Some(behind) = rest else {
            return Ok(windows);
        };
        let sealed = &self.trees.sealed;
        let summaries: Vec<Summary> = sealed
            .summaries(sensor, behind.start(), behind.end())
            // `unswapped_window` read the first one.
            .take(MOST_BLOCKS - 1)
            .collect::<Result<_, _>>()?;
        // The first one is enough: without a row up to the end of a block, none lies in it.
        let hot = self.trees.hot.first_in(sensor, behind);
        for block in summaries {
            let is_alone = hot.is_none_or(|first| block.last < first);
            let Some(reach) = rest.filter(|_| is_alone) else {
                break;
            };
            // Reversed only if a damaged summary ends before its block begins.
            let Some(range) = TimeRange::new(reach.start(), block.last.min(reach.end())) else {
                break;
            };
            let is_whole = range.end() == block.last;
            let is_summarized = is_whole && is_enough(&block);
            // Read under the guard: a swap may have its volume removed afterwards.
            let bytes = (!is_summarized).then(|| sealed.bytes(sensor, block.first));
            let window = Window {
                hot: Vec::new(),
                block: bytes.transpose()?.map(|bytes| (block, bytes)),
                summary: is_summarized.then_some(block),
                range,
            };
            rest = window.rest_of(reach);
            windows.push_back(window);
        }
        Ok(windows)
    }

    fn unswapped_window(
        &self,
        sensor: &SensorId,
        rest: TimeRange,
        is_enough: impl FnOnce(&Summary) -> bool,
    ) -> Result<Window, StoreError> {
        let sealed = &self.trees.sealed;
        let block = sealed
            .covering_or_after(sensor, rest.start())?
            .filter(|block| block.first <= rest.end());
        let mut end = block.map_or(rest.end(), |block| block.last.min(rest.end()));
        let reach = TimeRange::new(rest.start(), end).unwrap_or(rest);
        let mut hot = self.trees.hot.range(sensor, reach);
        // End the window at the last of them.
        if hot.len() > MOST_HOT_ROWS {
            hot.truncate(MOST_HOT_ROWS);
            end = hot.last().map_or(end, |last| last.time);
        }
        let is_whole = |block: &Summary| rest.contains(block.first) && block.last <= end;
        let enough = block.filter(|block| is_whole(block) && is_enough(block));
        let summary = enough.filter(|_| hot.is_empty());
        if let Some(block) = enough {
            let ahead = hot.partition_point(|row| row.time < block.first);
            if ahead > 0 {
                // Return these alone: the next window may then have no hot rows in the block.
                hot.truncate(ahead);
                end = block.first.saturating_add_millis(-1);
            }
        }
        let unpacked = block.filter(|block| summary.is_none() && block.first <= end);
        let bytes = unpacked.map(|block| sealed.bytes(sensor, block.first));
        Ok(Window {
            hot,
            block: unpacked.zip(bytes.transpose()?),
            summary,
            range: TimeRange::new(rest.start(), end).unwrap_or(rest),
        })
    }

    /// The newest register at or before `time`.
    pub(crate) fn register_at(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Register>, StoreError> {
        let newest = self.newest(sensor, time, Measure::Watthours)?;
        Ok(newest.map(|value| Register {
            time: value.time,
            watthours: value.number,
        }))
    }

    /// The newest power at or before `time`.
    pub(crate) fn power_at(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Power>, StoreError> {
        let newest = self.newest(sensor, time, Measure::Watts)?;
        Ok(newest.map(|value| Power {
            time: value.time,
            watts: value.number,
        }))
    }

    fn newest(
        &self,
        sensor: &SensorId,
        time: Timestamp,
        measure: Measure,
    ) -> Result<Option<MeasuredValue>, StoreError> {
        let _unswapped = read(&self.swap);
        // Both under one guard: else a row could move into a block between the two, and be found in neither.
        let hot = self.trees.hot.newest(sensor, time, measure);
        let sealed = self.trees.sealed.newest(sensor, time, measure)?;
        // A hot row at the time of a sealed reading is newer than it.
        // `None` is less than any time, so this holds as well if only one of them was found.
        let is_sealed_later = sealed.map(|value| value.time) > hot.map(|value| value.time);
        Ok(if is_sealed_later { sealed } else { hot })
    }

    /// The first register.
    pub(crate) fn first_register(&self, sensor: &SensorId) -> Result<Option<Register>, StoreError> {
        let _unswapped = read(&self.swap);
        let hot = self.trees.hot.first(sensor, Measure::Watthours);
        let hot = hot.map(|value| Register {
            time: value.time,
            watthours: value.number,
        });
        let sealed = self.trees.sealed.first_register(sensor)?;
        Ok(match (hot, sealed) {
            (Some(hot), Some(sealed)) if sealed.time < hot.time => Some(sealed),
            (hot, sealed) => hot.or(sealed),
        })
    }

    /// How many readings there are in `range`, both ends included. Only blocks at its ends, and those that hot rows fall
    /// into, are decoded.
    pub(crate) fn count_readings(
        &self,
        sensor: &SensorId,
        range: TimeRange,
    ) -> Result<u64, StoreError> {
        let _unswapped = read(&self.swap);
        let sealed = &self.trees.sealed;
        let mut count = 0;
        for summary in sealed.reaching_into(sensor, range)? {
            let summary = summary?;
            count += if range.contains(summary.first) && range.contains(summary.last) {
                u64::from(summary.count)
            } else {
                let readings = sealed.readings(sensor, summary.first)?;
                let within = readings.iter().filter(|it| range.contains(it.time));
                within.count() as u64
            };
        }
        // A hot row over a sealed reading replaces it, and was counted with the block.
        // Rows come in order, so each block that they fall into is decoded once.
        let mut finder = Finder::default();
        for row in self.trees.hot.range(sensor, range) {
            let is_sealed = finder.at(sealed, sensor, row.time)?.is_some();
            count += u64::from(!is_sealed);
        }
        Ok(count)
    }
}

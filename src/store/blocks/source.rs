//! The blocks of one sensor in any backend, and searching them.

use std::fmt::Display;
use std::vec;

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::block;
use crate::store::blocks::summary::Summary;
use crate::store::error::StoreError;
use crate::store::records::Order;

/// The maximum number of summaries that [`summaries_of`] requests at a time.
const MOST_SUMMARIES: usize = 512;

/// The blocks of one sensor, which never overlap. A backend implements the first three methods; the
/// others follow from them. A backend on another machine may answer some of the others directly, in
/// one round trip instead of many.
pub(crate) trait BlockSource {
    /// The sensor of the blocks.
    fn sensor(&self) -> &SensorId;

    /// Up to `most` summaries of blocks that begin in `range`, in this order of time. Fewer than
    /// `most` means that there are no more.
    ///
    /// # Errors
    /// [`StoreError`] if one of them cannot be read or is damaged.
    fn summaries(
        &self,
        range: TimeRange,
        order: Order,
        most: usize,
    ) -> Result<Vec<Summary>, StoreError>;

    /// The bytes of the block that begins at `first`.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if there is none or it is damaged, another [`StoreError`] if it
    /// cannot be read.
    fn bytes(&self, first: Timestamp) -> Result<Vec<u8>, StoreError>;

    /// The bytes of the blocks that begin at `firsts`, which ascend; stops after the block with
    /// which they reach `most` bytes.
    ///
    /// # Errors
    /// As [`Self::bytes`].
    fn bytes_of(&self, firsts: &[Timestamp], most: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        let (mut read, mut length) = (Vec::with_capacity(firsts.len()), 0);
        for first in firsts {
            if length >= most {
                break;
            }
            let bytes = self.bytes(*first)?;
            length += bytes.len();
            read.push(bytes);
        }
        Ok(read)
    }

    /// The readings of the block that begins at `first`.
    ///
    /// # Errors
    /// As [`Self::bytes`].
    fn readings(&self, first: Timestamp) -> Result<Vec<Reading>, StoreError> {
        decode_block(self.sensor(), first, &self.bytes(first)?)
    }

    /// The summary of the last block that begins at or before `time`.
    ///
    /// # Errors
    /// As [`Self::summaries`]; the same applies to those below.
    fn at_or_before(&self, time: Timestamp) -> Result<Option<Summary>, StoreError> {
        let range = TimeRange::new(Timestamp::MIN, time).unwrap_or(TimeRange::at(time));
        Ok(self.summaries(range, Order::Descending, 1)?.pop())
    }

    /// The summary of the last block.
    fn last(&self) -> Result<Option<Summary>, StoreError> {
        self.at_or_before(Timestamp::MAX)
    }

    /// The summary of the first block that begins after `time`.
    fn after(&self, time: Timestamp) -> Result<Option<Summary>, StoreError> {
        let behind = TimeRange::new(time, Timestamp::MAX).and_then(TimeRange::after_start);
        let Some(behind) = behind else {
            return Ok(None);
        };
        Ok(self.summaries(behind, Order::Ascending, 1)?.pop())
    }

    /// The summary of the block that covers `time`, or else of the first one after it.
    fn covering_or_after(&self, time: Timestamp) -> Result<Option<Summary>, StoreError> {
        match self.at_or_before(time)? {
            Some(summary) if summary.last >= time => Ok(Some(summary)),
            // Blocks never overlap, so the last one that begins by `time` is the only one that can
            // cover it.
            _ => self.after(time),
        }
    }

    /// The summaries of up to `most` blocks that extend into `range`, ascending. Fewer than `most`
    /// means that there are no more.
    fn reaching(&self, range: TimeRange, most: usize) -> Result<Vec<Summary>, StoreError> {
        let first = self.covering_or_after(range.start())?;
        let Some(first) = first.filter(|first| first.first <= range.end()) else {
            return Ok(Vec::new());
        };
        let mut found = vec![first];
        let behind = TimeRange::new(first.first, range.end()).and_then(TimeRange::after_start);
        if let (Some(behind), more @ 1..) = (behind, most.saturating_sub(1)) {
            found.extend(self.summaries(behind, Order::Ascending, more)?);
        }
        Ok(found)
    }
}

/// The summaries of all blocks that extend into `range`, ascending.
pub(crate) fn reaching_into<S: BlockSource + ?Sized>(
    source: &S,
    range: TimeRange,
) -> Result<Summaries<'_, S>, StoreError> {
    let first = source.covering_or_after(range.start())?;
    let start = first.map_or(range.start(), |block| block.first);
    Ok(Summaries {
        // Nothing, if the first one begins after the range.
        rest: TimeRange::new(start, range.end()),
        ..summaries_of(source, range, Order::Ascending)
    })
}

/// The summaries of all blocks that begin in `range`, in this order of time.
pub(crate) const fn summaries_of<S: BlockSource + ?Sized>(
    source: &S,
    range: TimeRange,
    order: Order,
) -> Summaries<'_, S> {
    Summaries {
        source,
        rest: Some(range),
        order,
        most: 1,
        read: None,
    }
}

/// Summaries one by one. Reads few at first, because the first one often suffices, then more and
/// more.
pub(crate) struct Summaries<'a, S: ?Sized> {
    source: &'a S,
    /// The range of those not requested yet.
    rest: Option<TimeRange>,
    order: Order,
    /// The number to request next.
    most: usize,
    read: Option<vec::IntoIter<Summary>>,
}

impl<S: BlockSource + ?Sized> Summaries<'_, S> {
    fn read_more(&mut self) -> Result<Option<Summary>, StoreError> {
        let Some(range) = self.rest.take() else {
            return Ok(None);
        };
        let found = self.source.summaries(range, self.order, self.most)?;
        if let Some(last) = found.last().filter(|_| found.len() >= self.most) {
            self.rest = behind(range, self.order, last.first);
        }
        self.most = (8 * self.most).min(MOST_SUMMARIES);
        Ok(self.read.insert(found.into_iter()).next())
    }
}

impl<S: BlockSource + ?Sized> Iterator for Summaries<'_, S> {
    type Item = Result<Summary, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.read.as_mut().and_then(vec::IntoIter::next);
        read.map(Ok).or_else(|| self.read_more().transpose())
    }
}

/// The part of `range` after `time`, in this order; `time` is inside the range.
fn behind(range: TimeRange, order: Order, time: Timestamp) -> Option<TimeRange> {
    match order {
        Order::Ascending => TimeRange::new(time, range.end())?.after_start(),
        Order::Descending if time == range.start() => None,
        Order::Descending => TimeRange::new(range.start(), time.saturating_add_millis(-1)),
    }
}

/// Decodes the block of `sensor` that begins at `first`.
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

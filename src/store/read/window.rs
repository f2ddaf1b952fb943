//! Windows: parts of a sensor's readings that are read at once, and decoded afterwards.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::backend::{ReadingsBackend, ReadingsView};
use crate::store::blocks::Summary;
use crate::store::error::StoreError;
use crate::store::records::Order;

/// The maximum number of hot rows returned at a time.
const MOST_HOT_ROWS: usize = 8_192;

/// The size of a small block. Most are larger, so rather too many are requested than too few.
const BYTES_OF_A_BLOCK: usize = 2 * 1_024;

/// The approximate number of bytes of blocks that all readers together read ahead, and the minimum
/// for each: a reader with a small share requests more often.
const AHEAD_OF_ALL: usize = 2 * 1_024 * 1_024;
const AHEAD_AT_LEAST: usize = 16 * 1_024;

/// The number of concurrent readers in the whole process, which shares the memory. Affects only the
/// pace of reading.
static READERS: AtomicUsize = AtomicUsize::new(0);

/// The limit for the bytes of blocks that are read ahead; one more block may exceed it.
#[derive(Clone, Copy)]
pub(crate) enum ReadAhead {
    /// For all values: their text takes memory, too, until it is sent.
    Values,
    /// For totals, which are few.
    Totals,
}

impl ReadAhead {
    fn bytes(self) -> usize {
        let most = match self {
            Self::Values => 32 * 1_024,
            Self::Totals => 128 * 1_024,
        };
        most.min(share(READERS.load(Ordering::Relaxed)))
    }
}

/// The number of bytes that each of `readers` may read ahead.
fn share(readers: usize) -> usize {
    (AHEAD_OF_ALL / readers.max(1)).max(AHEAD_AT_LEAST)
}

/// A part of a view, to be decoded after dropping the view.
pub(crate) struct Window {
    pub(crate) hot: Vec<Reading>,
    /// The summary and the bytes of the block in it.
    pub(crate) block: Option<(Summary, Vec<u8>)>,
    /// The summary of all its readings, if that suffices; then there are neither rows nor a block.
    pub(crate) summary: Option<Summary>,
    pub(crate) range: TimeRange,
}

impl Window {
    /// The part of `range` after this window; both begin at the same time.
    fn rest_of(&self, range: TimeRange) -> Option<TimeRange> {
        let end = self.range.end();
        (end < range.end())
            .then(|| TimeRange::new(end.saturating_add_millis(1), range.end()))
            .flatten()
    }
}

/// The windows of a range, one by one.
pub(crate) struct WindowsAhead {
    pub(crate) ahead: ReadAhead,
    /// Windows that were read already: several at a time, because looking up a block takes as long
    /// as reading it.
    read: VecDeque<Window>,
    /// The range still to be read after them.
    rest: Option<TimeRange>,
}

impl Drop for WindowsAhead {
    fn drop(&mut self) {
        READERS.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WindowsAhead {
    pub(crate) fn new(range: TimeRange, ahead: ReadAhead) -> Self {
        READERS.fetch_add(1, Ordering::Relaxed);
        Self {
            ahead,
            read: VecDeque::new(),
            rest: Some(range),
        }
    }

    /// The next window; `None` after the last. See [`windows`] for `is_enough`. The view is dropped
    /// before decoding.
    pub(crate) fn next(
        &mut self,
        backend: &dyn ReadingsBackend,
        sensor: &SensorId,
        is_enough: impl FnMut(&Summary) -> bool,
    ) -> Result<Option<Window>, StoreError> {
        if let (true, Some(rest)) = (self.read.is_empty(), self.rest) {
            self.read = windows(&*backend.view(sensor)?, rest, self.ahead, is_enough)?;
            self.rest = self.read.back().and_then(|last| last.rest_of(rest));
        }
        Ok(self.read.pop_front())
    }
}

/// The windows of the next blocks in `rest`, up to the first hot row; or one window that has rows
/// or ends `rest`. A window has only the summary of its block if `is_enough` accepts it, the block
/// is inside `rest`, and no hot row is inside the block.
fn windows(
    view: &dyn ReadingsView,
    rest: TimeRange,
    ahead: ReadAhead,
    mut is_enough: impl FnMut(&Summary) -> bool,
) -> Result<VecDeque<Window>, StoreError> {
    let most = view.blocks_ahead().min(ahead.bytes() / BYTES_OF_A_BLOCK);
    let blocks = view.reaching(rest, most)?;
    // The first row suffices: if it comes after the end of a block, the block contains none.
    let hot = view.rows(rest, None, Order::Ascending, 1)?;
    let (mut windows, mut unpacked) = (VecDeque::new(), Vec::new());
    let mut behind = Some(rest);
    for block in &blocks {
        let is_alone = hot.first().is_none_or(|first| block.last < first.time);
        let Some(reach) = behind.filter(|_| is_alone) else {
            break;
        };
        // Reversed only if a damaged summary ends before its block begins.
        let Some(range) = TimeRange::new(reach.start(), block.last.min(reach.end())) else {
            break;
        };
        let is_whole = rest.contains(block.first) && range.end() == block.last;
        let is_summarized = is_whole && is_enough(block);
        if !is_summarized {
            unpacked.push(block.first);
        }
        let window = Window {
            hot: Vec::new(),
            block: (!is_summarized).then(|| (*block, Vec::new())),
            summary: is_summarized.then_some(*block),
            range,
        };
        behind = window.rest_of(reach);
        windows.push_back(window);
    }
    if windows.is_empty() {
        return Ok(VecDeque::from([merged(
            view,
            rest,
            blocks.first(),
            is_enough,
        )?]));
    }
    if unpacked.is_empty() {
        return Ok(windows);
    }
    // All at once, which may be a single request to another machine; and while the view exists:
    // later a block may be replaced.
    let mut read = view.bytes_of(&unpacked, ahead.bytes())?.into_iter();
    let mut count = 0;
    for window in &mut windows {
        if let Some((_, bytes)) = &mut window.block {
            let Some(read) = read.next() else {
                break;
            };
            *bytes = read;
        }
        count += 1;
    }
    windows.truncate(count);
    // The spare capacity would take as much memory as the bytes of some blocks.
    windows.shrink_to_fit();
    Ok(windows)
}

/// The hot rows from the start of `rest` on, merged with `block` if it extends that far: it is the
/// first one that extends into `rest`.
fn merged(
    view: &dyn ReadingsView,
    rest: TimeRange,
    block: Option<&Summary>,
    is_enough: impl FnOnce(&Summary) -> bool,
) -> Result<Window, StoreError> {
    let mut end = block.map_or(rest.end(), |block| block.last.min(rest.end()));
    let reach = TimeRange::new(rest.start(), end).unwrap_or(rest);
    let mut hot = view.rows(reach, None, Order::Ascending, MOST_HOT_ROWS + 1)?;
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
            // Return these alone: the next window may then have no hot rows inside the block.
            hot.truncate(ahead);
            end = block.first.saturating_add_millis(-1);
        }
    }
    let unpacked = block.filter(|block| summary.is_none() && block.first <= end);
    let bytes = unpacked.map(|block| view.bytes(block.first));
    Ok(Window {
        hot,
        block: unpacked.copied().zip(bytes.transpose()?),
        summary: summary.copied(),
        range: TimeRange::new(rest.start(), end).unwrap_or(rest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_readers_share_the_bytes_read_ahead() {
        assert!(share(0) >= 128 * 1_024 && share(16) >= 128 * 1_024);
        for readers in [17, 64, 128] {
            assert!(share(readers) * readers <= AHEAD_OF_ALL);
        }
        assert_eq!(share(100_000), AHEAD_AT_LEAST);
    }
}

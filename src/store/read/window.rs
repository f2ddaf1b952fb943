//! Windows: what one look at a sensor's readings takes, to be decoded afterwards.

use std::collections::VecDeque;

use crate::domain::{Reading, TimeRange};
use crate::store::blocks::Summary;
use crate::store::error::StoreError;
use crate::store::home::ReadingsView;
use crate::store::records::Order;

/// The most hot rows returned at a time.
const MOST_HOT_ROWS: usize = 8_192;

/// The most readings in blocks that are read ahead. Many may read at once, and each keeps the bytes of its blocks.
const MOST_READINGS_AHEAD: u32 = 32_768;

/// What is read of a view, to be decoded after dropping it.
pub(crate) struct Window {
    pub(crate) hot: Vec<Reading>,
    /// The summary and the bytes of the block in it.
    pub(crate) block: Option<(Summary, Vec<u8>)>,
    /// The summary of all its readings, if that suffices; then there are neither rows nor a block.
    pub(crate) summary: Option<Summary>,
    pub(crate) range: TimeRange,
}

impl Window {
    /// The part of `range` after it; both begin at the same time.
    pub(crate) fn rest_of(&self, range: TimeRange) -> Option<TimeRange> {
        let end = self.range.end();
        (end < range.end())
            .then(|| TimeRange::new(end.saturating_add_millis(1), range.end()))
            .flatten()
    }
}

/// The hot rows and at most one block from the start of `rest` on.
pub(crate) fn window(view: &dyn ReadingsView, rest: TimeRange) -> Result<Window, StoreError> {
    first_window(view, rest, |_| false)
}

/// [`window`] and the windows of the next blocks in `rest`, up to the first hot row. A window has only the summary of
/// its block, if `is_enough` accepts it, the block lies in `rest` and no hot row lies in the block.
pub(crate) fn windows(
    view: &dyn ReadingsView,
    rest: TimeRange,
    mut is_enough: impl FnMut(&Summary) -> bool,
) -> Result<VecDeque<Window>, StoreError> {
    let window = first_window(view, rest, &mut is_enough)?;
    // Behind a hot row there may be more of them, which only `first_window` merges.
    let mut rest = window.rest_of(rest).filter(|_| window.hot.is_empty());
    let mut windows = VecDeque::from([window]);
    let Some(behind) = rest else {
        return Ok(windows);
    };
    // `first_window` read the first one.
    let more = view.blocks_ahead().saturating_sub(1);
    let summaries = view.summaries(behind, Order::Ascending, more)?;
    // The first one is enough: without a row up to the end of a block, none lies in it.
    let hot = view.rows(behind, None, Order::Ascending, 1)?;
    let (mut unpacked, mut ahead) = (Vec::new(), 0);
    for block in summaries {
        let is_alone = hot.first().is_none_or(|first| block.last < first.time);
        let Some(reach) = rest.filter(|_| is_alone) else {
            break;
        };
        // Reversed only if a damaged summary ends before its block begins.
        let Some(range) = TimeRange::new(reach.start(), block.last.min(reach.end())) else {
            break;
        };
        let is_whole = range.end() == block.last;
        let is_summarized = is_whole && is_enough(&block);
        if !is_summarized {
            ahead += block.count;
            if ahead > MOST_READINGS_AHEAD {
                break;
            }
            unpacked.push(block.first);
        }
        let window = Window {
            hot: Vec::new(),
            block: (!is_summarized).then(|| (block, Vec::new())),
            summary: is_summarized.then_some(block),
            range,
        };
        rest = window.rest_of(reach);
        windows.push_back(window);
    }
    // At once, which may be one question to another machine; and while the view holds: later a block may be replaced.
    let read = view.bytes_of(&unpacked)?;
    let blocks = windows.iter_mut().skip(1);
    let blocks = blocks.filter_map(|window| window.block.as_mut());
    for ((_, bytes), read) in blocks.zip(read) {
        *bytes = read;
    }
    Ok(windows)
}

fn first_window(
    view: &dyn ReadingsView,
    rest: TimeRange,
    is_enough: impl FnOnce(&Summary) -> bool,
) -> Result<Window, StoreError> {
    let block = view
        .covering_or_after(rest.start())?
        .filter(|block| block.first <= rest.end());
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
            // Return these alone: the next window may then have no hot rows in the block.
            hot.truncate(ahead);
            end = block.first.saturating_add_millis(-1);
        }
    }
    let unpacked = block.filter(|block| summary.is_none() && block.first <= end);
    let bytes = unpacked.map(|block| view.bytes(block.first));
    Ok(Window {
        hot,
        block: unpacked.zip(bytes.transpose()?),
        summary,
        range: TimeRange::new(rest.start(), end).unwrap_or(rest),
    })
}

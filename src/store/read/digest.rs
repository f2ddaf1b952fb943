//! Digests: one measure of a sensor in order, as totals from summaries and directories if these
//! suffice, else as values.

use std::sync::Arc;

use crate::domain::{SensorId, TimeRange};
use crate::store::backend::ReadingsBackend;
use crate::store::blocks::block::Pages;
use crate::store::blocks::source::damaged;
use crate::store::blocks::{Measure, Run, Summary, Values, block};
use crate::store::error::StoreError;
use crate::store::read::asker;
use crate::store::read::window::{ReadAhead, Window, WindowsAhead};

/// A digest under way. Holds no lock between two calls, and sees concurrent changes after the
/// blocks it has read.
pub struct Digest {
    backend: Arc<dyn ReadingsBackend>,
    sensor: SensorId,
    measure: Measure,
    /// The current block.
    walk: Option<Walk>,
    /// The windows after it.
    ahead: WindowsAhead,
}

/// A block without hot rows. Its pages are unpacked one by one.
struct Walk {
    pages: Pages,
    next: usize,
    block: Summary,
    /// The part of it to return.
    range: TimeRange,
}

/// Consecutive readings.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Their totals.
    Run(Run),
    /// Their values one by one, at least one, and the totals of the page that they belong to, if
    /// they belong to one.
    Values(Values, Option<Run>),
}

impl Digest {
    pub(crate) fn new(
        backend: Arc<dyn ReadingsBackend>,
        sensor: SensorId,
        measure: Measure,
        range: TimeRange,
        ahead: ReadAhead,
    ) -> Self {
        Self {
            backend,
            sensor,
            measure,
            walk: None,
            ahead: WindowsAhead::new(range, ahead),
        }
    }

    /// The next readings; `None` after the last. `is_enough` decides whether totals suffice for
    /// readings in the range. It is called several blocks ahead, so it must not depend on earlier
    /// pieces. Unpacks only pages for which totals do not suffice, and whole blocks with corrected
    /// or late readings. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if something cannot be read or is damaged, or nobody waits for the result any
    /// more.
    pub fn next_piece(
        &mut self,
        mut is_enough: impl FnMut(&Run) -> bool,
    ) -> Result<Option<Piece>, StoreError> {
        let measure = self.measure;
        asker::is_awaited()?;
        loop {
            if let Some(walk) = &mut self.walk {
                let piece = walk
                    .next_piece(measure, &mut is_enough)
                    .map_err(|error| damaged(&self.sensor, walk.block.first, error))?;
                if piece.is_some() {
                    return Ok(piece);
                }
                self.walk = None;
            }
            let is_enough = |summary: &Summary| {
                // Without the measure, the summary is enough to skip the block.
                measure.run_of(summary).is_none_or(|run| is_enough(&run))
            };
            let window = self.ahead.next(&*self.backend, &self.sensor, is_enough)?;
            let Some(window) = window else {
                return Ok(None);
            };
            // A block without the measure is skipped.
            if let Some(summary) = &window.summary {
                if let Some(run) = measure.run_of(summary) {
                    return Ok(Some(Piece::Run(run)));
                }
                continue;
            }
            let values = self.values(window)?;
            if !values.times.is_empty() {
                return Ok(Some(Piece::Values(values, None)));
            }
        }
    }

    /// The same measure of the same sensor in another range.
    #[must_use]
    pub fn within(&self, range: TimeRange) -> Self {
        Self::new(
            Arc::clone(&self.backend),
            self.sensor.clone(),
            self.measure,
            range,
            self.ahead.ahead,
        )
    }

    /// Whether the block of the last piece continues.
    #[must_use]
    pub fn is_in_block(&self) -> bool {
        let has_more = |walk: &Walk| walk.next < walk.pages.len();
        self.walk.as_ref().is_some_and(has_more)
    }

    /// The values in a window. A block without hot rows is walked page by page instead.
    fn values(&mut self, window: Window) -> Result<Values, StoreError> {
        let hot = Values::of(&window.hot, self.measure);
        let Some((block, bytes)) = window.block else {
            return Ok(hot);
        };
        let damaged = |error| damaged(&self.sensor, block.first, error);
        // Late and corrected readings can change any total of the block, so no part of its
        // directory can be used.
        if !window.hot.is_empty() {
            let sealed = block::decode_measure(&bytes, self.measure, window.range);
            return Ok(sealed.map_err(damaged)?.overlaid_by(hot));
        }
        let pages = Pages::open(bytes, Some(self.measure)).map_err(damaged)?;
        self.walk = Some(Walk {
            pages,
            next: 0,
            block,
            range: window.range,
        });
        Ok(hot)
    }
}

impl Walk {
    fn next_piece(
        &mut self,
        measure: Measure,
        is_enough: &mut impl FnMut(&Run) -> bool,
    ) -> Result<Option<Piece>, block::DecodeError> {
        while let Some(reach) = self.pages.reach(self.next, self.block.last) {
            let page = self.next;
            if self.range.end() < reach.start() {
                break;
            }
            // Totals cannot be cut, so those of a page at an end of the range cannot be used.
            let is_whole = self.range.contains(reach.start()) && self.range.contains(reach.end());
            let run = self.pages.run(page, measure, reach);
            self.next += 1;
            if let Some(run) = run.filter(|run| is_whole && is_enough(run)) {
                return Ok(Some(Piece::Run(run)));
            }
            // The block may begin before the range.
            if reach.end() >= self.range.start() {
                let values = self.pages.values(page, measure)?.clipped(self.range);
                if !values.times.is_empty() {
                    return Ok(Some(Piece::Values(values, run)));
                }
            }
        }
        Ok(None)
    }
}

//! One measure of a sensor in order, no longer than it must be: what a block's summary or its directory says of a run of
//! readings where that is enough, their values where it is not.

use std::sync::Arc;

use super::Shared;
use super::block::{self, Opened, Pages};
use super::error::StoreError;
use super::measure::{Measure, Run, Values};
use super::scan::Window;
use super::sealed::damaged;
use crate::domain::sensor::SensorId;
use crate::domain::summary::Summary;
use crate::domain::time::TimeRange;

/// A digest under way. It holds no lock between two calls, and sees what is stored meanwhile if that lies ahead of it and of
/// the block that it is in.
pub struct Digest {
    shared: Arc<Shared>,
    sensor: SensorId,
    measure: Measure,
    /// The block that it is in.
    walk: Option<Walk>,
    /// What is still to be read behind that.
    rest: Option<TimeRange>,
}

/// A block without rows over it. Its pages are unpacked one by one, and come together as far as they lie side by side.
struct Walk {
    pages: Pages<Vec<u8>>,
    next: usize,
    block: Summary,
    /// What is asked for of it.
    range: TimeRange,
}

/// A run of readings.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// All that is asked of them.
    Run(Run),
    /// Their values one by one; at least one.
    Values(Values),
}

impl Digest {
    pub(super) fn new(
        shared: Arc<Shared>,
        sensor: SensorId,
        measure: Measure,
        range: TimeRange,
    ) -> Self {
        Self {
            shared,
            sensor,
            measure,
            walk: None,
            rest: Some(range),
        }
    }

    /// The next readings; `None` after the last. `is_enough` says whether its totals will do for a run of readings that lies
    /// in the range. Only pages of which they will not are unpacked, and whole blocks where some readings are corrected or
    /// late. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read, or is damaged.
    pub fn next_piece(
        &mut self,
        mut is_enough: impl FnMut(&Run) -> bool,
    ) -> Result<Option<Piece>, StoreError> {
        let measure = self.measure;
        loop {
            if let Some(walk) = &mut self.walk {
                let piece = walk.next_piece(measure, &mut is_enough);
                let piece =
                    piece.map_err(|error| damaged(&self.sensor, walk.block.first, &error))?;
                if piece.is_some() {
                    return Ok(piece);
                }
                self.walk = None;
            }
            let Some(rest) = self.rest else {
                return Ok(None);
            };
            let window = self.shared.window(&self.sensor, rest, |summary| {
                measure.run_of(summary).is_none_or(|run| is_enough(&run))
            })?;
            self.rest = window.rest_of(rest);
            if let Some(summary) = &window.summary {
                if let Some(run) = measure.run_of(summary) {
                    return Ok(Some(Piece::Run(run)));
                }
                continue;
            }
            let values = self.values(window)?;
            if !values.times.is_empty() {
                return Ok(Some(Piece::Values(values)));
            }
        }
    }

    /// What there is of the measure in a window; a block with nothing over it is walked through instead.
    fn values(&mut self, window: Window) -> Result<Values, StoreError> {
        let hot = Values::of(&window.hot, self.measure);
        let Some((block, bytes)) = window.block else {
            return Ok(hot);
        };
        let damaged = |error| damaged(&self.sensor, block.first, &error);
        if !window.hot.is_empty() {
            let sealed = block::decode_measure(&bytes, self.measure).map_err(damaged)?;
            return Ok(sealed.clipped(window.range).overlaid_by(hot));
        }
        match block::open(bytes, self.measure).map_err(damaged)? {
            Opened::Whole(values) => Ok(values.clipped(window.range)),
            Opened::Pages(pages) => {
                self.walk = Some(Walk {
                    pages,
                    next: 0,
                    block,
                    range: window.range,
                });
                Ok(hot)
            }
        }
    }
}

impl Walk {
    fn next_piece(
        &mut self,
        measure: Measure,
        is_enough: &mut impl FnMut(&Run) -> bool,
    ) -> Result<Option<Piece>, block::DecodeError> {
        let mut values = Values::default();
        while let Some(reach) = self.pages.reach(self.next, self.block.last) {
            let page = self.next;
            if self.range.end() < reach.start() {
                break;
            }
            let is_whole = self.range.contains(reach.start()) && self.range.contains(reach.end());
            let run = self.pages.run(page, measure, reach).filter(|_| is_whole);
            let run = run.map(|run| run.as_part_of(&self.block));
            if let Some(run) = run.filter(|run| is_enough(run)) {
                if !values.times.is_empty() {
                    break;
                }
                self.next += 1;
                return Ok(Some(Piece::Run(run)));
            }
            self.next += 1;
            if reach.end() >= self.range.start() {
                let more = self.pages.values(page, measure)?;
                values = values.overlaid_by(more.clipped(self.range));
            }
        }
        Ok((!values.times.is_empty()).then_some(Piece::Values(values)))
    }
}

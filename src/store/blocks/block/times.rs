//! Decoding of times: computed from their spacing, or unpacked.

use crate::store::blocks::block::directory::PageEntry;
use crate::store::blocks::block::format::DecodeError;
use crate::store::blocks::block::packed::Chunk;
use crate::store::blocks::block::steps::{Predictor, Scale};

/// The column of times.
pub(crate) struct TimeColumn {
    pub(crate) scale: Scale,
    pub(crate) predictor: Predictor,
    /// `None` if no page has packed times.
    pub(crate) chunk: Option<Chunk<i64>>,
}

impl TimeColumn {
    /// Replaces `times` by those of a page, in milliseconds since 1970.
    pub(crate) fn unpack(
        &mut self,
        rest: &mut &[u8],
        entry: &PageEntry,
        count: usize,
        times: &mut Vec<i64>,
    ) -> Result<(), DecodeError> {
        times.clear();
        if let [false, ..] = entry.packed {
            let spacing = self.scale.distance(entry.spacing);
            let first = self.scale.whole(entry.time);
            let indices = 0_i64..i64::try_from(count).unwrap_or(i64::MAX);
            // Wrapping: a forged spacing must not panic. `timestamps` checks the order afterwards.
            let time = |index: i64| first.wrapping_add(spacing.wrapping_mul(index));
            times.extend(indices.map(time));
            return Ok(());
        }
        // A page of a single time packs nothing: its first time is in the directory.
        let differences = match &mut self.chunk {
            Some(chunk) if count > 1 => chunk.take_page(rest, count - 1)?,
            _ => &[],
        };
        self.predictor.steps(entry.time, differences, [], times);
        for time in times {
            *time = self.scale.whole(*time);
        }
        Ok(())
    }
}

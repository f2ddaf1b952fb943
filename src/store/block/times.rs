//! The times of a block: all as far from each other as its directory says, or unpacked.

use super::DecodeError;
use super::directory::Entry;
use super::packed::Chunk;
use super::steps::{Foretold, Scale};

pub(super) struct Times {
    pub(super) scale: Scale,
    pub(super) by: Foretold,
    /// `None` where none are packed.
    pub(super) chunk: Option<Chunk<i64>>,
}

impl Times {
    /// A page's, in milliseconds since 1970.
    pub(super) fn unpack(
        &mut self,
        rest: &mut &[u8],
        entry: &Entry,
        count: usize,
    ) -> Result<Vec<i64>, DecodeError> {
        if let [false, ..] = entry.packed {
            let every = self.scale.distance(entry.every);
            let first = self.scale.whole(entry.time);
            let indices = 0_i64..i64::try_from(count).unwrap_or(i64::MAX);
            let time = |index: i64| first.wrapping_add(every.wrapping_mul(index));
            return Ok(indices.map(time).collect());
        }
        let differences = match &mut self.chunk {
            Some(chunk) if count > 1 => chunk.take_page(rest, count - 1)?,
            _ => &[],
        };
        let mut times = Vec::with_capacity(count);
        self.by.steps(entry.time, differences, &[], &mut times);
        for time in &mut times {
            *time = self.scale.whole(*time);
        }
        Ok(times)
    }
}

//! The times of a block: all as far from each other as its directory says, or unpacked.

use crate::store::blocks::block::DecodeError;
use crate::store::blocks::block::directory::Entry;
use crate::store::blocks::block::packed::Chunk;
use crate::store::blocks::block::steps::{Foretold, Scale};

pub(crate) struct Times {
    pub(crate) scale: Scale,
    pub(crate) by: Foretold,
    /// `None` where none are packed.
    pub(crate) chunk: Option<Chunk<i64>>,
}

impl Times {
    /// A page's, in milliseconds since 1970, into `times`.
    pub(crate) fn unpack(
        &mut self,
        rest: &mut &[u8],
        entry: &Entry,
        count: usize,
        times: &mut Vec<i64>,
    ) -> Result<(), DecodeError> {
        times.clear();
        if let [false, ..] = entry.packed {
            let every = self.scale.distance(entry.every);
            let first = self.scale.whole(entry.time);
            let indices = 0_i64..i64::try_from(count).unwrap_or(i64::MAX);
            let time = |index: i64| first.wrapping_add(every.wrapping_mul(index));
            times.extend(indices.map(time));
            return Ok(());
        }
        let differences = match &mut self.chunk {
            Some(chunk) if count > 1 => chunk.take_page(rest, count - 1)?,
            _ => &[],
        };
        self.by.steps(entry.time, differences, [], times);
        for time in times {
            *time = self.scale.whole(*time);
        }
        Ok(())
    }
}

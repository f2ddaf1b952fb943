//! Price series, in chunks of a size that a range or an upload can handle one by one. The owner and
//! the name of a series are in the registry.
//!
//! - `chunk`: the format of a chunk
//! - `chunks`: the chunks of a series: reading and rewriting

pub(crate) mod chunk;
pub(crate) mod chunks;
#[cfg(test)]
mod tests;

pub(crate) use self::chunks::{PriceChunk, SeriesSlot, chunks_of, rewrite};

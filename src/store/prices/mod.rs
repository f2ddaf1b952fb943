//! Price series, in chunks that a range or an upload can take one by one. Who has a series, and its name, is the registry's.
//!
//! - `chunk`: the format of a chunk
//! - `chunks`: the chunks of a series, read and rewritten

pub(crate) mod chunk;
pub(crate) mod chunks;
#[cfg(test)]
mod tests;

pub(crate) use self::chunks::{PriceChunk, SeriesSlot, chunks_of, rewrite};

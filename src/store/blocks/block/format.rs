//! Limits, header fields and errors that the files of this folder share.

use thiserror::Error;

/// The longest block, in bytes. A query that covers part of a block reads all of it; a late reading
/// rewrites all of it.
pub(crate) const MAX_BYTES: usize = 6_000;
/// The maximum number of readings in a block.
pub(crate) const MAX_READINGS: usize = 16_384;

/// The block format.
pub(crate) const VERSION: u8 = 2;
/// The checksum covers everything from here on.
pub(crate) const CHECKED_FROM: usize = 5;
/// The fixed fields: version, checksum, count, presence, codings.
pub(crate) const HEADER_BYTES: usize = 11;
/// Readings per page; the last page of a block has the rest.
// Measured (docs/STORE-INTERNALS.md): 128 cost 0.07 bytes more per reading. 512 save 0.04, but take
// nearly twice as long to unpack, because pco unpacks 256 numbers at once.
pub(crate) const PAGE: usize = 256;
/// The coding of a column that stores its numbers unchanged.
pub(crate) const RAW: u8 = 0xFF;

/// Reasons why readings could not be encoded as a block.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The block would be this long, which exceeds the 6,000 bytes allowed. Fewer readings may fit.
    #[error("{0} bytes are too many for a block")]
    TooLong(usize),
    /// There are no readings, too many, or the compressor failed.
    #[error("cannot encode a block: {0}")]
    Refused(String),
}

/// Reasons why bytes could not be decoded as a block.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// An unknown version.
    #[error("unknown block version {0}")]
    Version(u8),
    /// The checksum does not match the bytes.
    #[error("checksum mismatch")]
    Checksum,
    /// The checksum matches, but the content is invalid.
    #[error("{0}")]
    Malformed(&'static str),
}

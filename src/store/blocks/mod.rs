//! Sealed readings: their columns as checksummed bytes, where these lie on the disk, and where readings go among them.

pub mod block;
pub(crate) mod measure;
pub(crate) mod seal;
pub(crate) mod sealed;
pub(crate) mod space;
pub(crate) mod tally;
pub(crate) mod volumes;

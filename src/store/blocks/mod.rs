//! Sealed readings: their format, the files that hold them, and which readings go into which block. It knows neither rows
//! nor the journal; the writer decides when to seal.
//!
//! | file | content |
//! | --- | --- |
//! | `measure.rs` | power or register, wherever both are treated alike |
//! | `block/` | a block as bytes |
//! | `volumes.rs` | the files that hold blocks |
//! | `sealed.rs` | blocks and their summaries in the database |
//! | `seal.rs` | how readings get into blocks |
//! | `tally.rs` | number and checksums of the blocks, so that a missing one is noticed |
//! | `space.rs` | appending to volumes, and collecting garbage |

pub mod block;
pub(crate) mod measure;
pub(crate) mod seal;
pub(crate) mod sealed;
pub(crate) mod space;
pub(crate) mod tally;
pub(crate) mod volumes;

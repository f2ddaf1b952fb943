//! Where blocks are kept: the files that hold them, and what the database knows of them.
//!
//! | file | content |
//! | --- | --- |
//! | `volumes` | the files that hold blocks |
//! | `sealed` | blocks and their summaries in the database |
//! | `tally` | number and checksums of the blocks, so that a missing one is noticed |
//! | `space` | appending to volumes, and collecting garbage |

pub(crate) mod sealed;
pub(crate) mod space;
pub(crate) mod tally;
pub(crate) mod volumes;

pub(crate) use self::sealed::{Sealed, SealedOf};
pub(crate) use self::space::{AppendError, Space};
pub(crate) use self::tally::{BlockTally, Turnover};
pub(crate) use self::volumes::{Location, VolumeRecord, VolumeRecords, Volumes};

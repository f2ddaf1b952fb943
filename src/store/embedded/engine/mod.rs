//! Everything that contains sled or works around it. It knows no reading and no block.
//!
//! | file | content |
//! | --- | --- |
//! | `sync` | real syncs |
//! | `open` | opening a store |
//! | `modes` | the modes of its files |
//! | `reserve` | room on a full disk |
//! | `format` | the version of the layout, and the check of syncs at start |
//! | `write_batch` | changes of several trees in one transaction |
//! | `mark` | the number of stored commits, to detect a truncated log |
//! | `failure`, `panics`, `watch` | failures of sled: its errors, the first one, its panics, its lost wake-ups |

pub(crate) mod failure;
pub(crate) mod format;
pub(crate) mod mark;
pub(crate) mod modes;
pub(crate) mod open;
pub(crate) mod panics;
pub(crate) mod reserve;
pub(crate) mod sync;
pub(crate) mod watch;
pub(crate) mod write_batch;

pub(crate) use self::failure::Failure;
pub(crate) use self::mark::CommitMark;
pub(crate) use self::open::Closing;
pub use self::open::DataDirHold;
pub(crate) use self::watch::FailureWatch;
pub(crate) use self::write_batch::WriteBatch;

//! The index: sled, used as an ordered map of blocks by sensor and time. It is not persistent: each
//! start builds it from the log, in a folder of its own. Only this room uses sled.
//!
//! | file | content |
//! | --- | --- |
//! | `entry` | the entry of a block |
//! | `tree` | a tree of sled, and how its failures are handled |
//! | `current` | the index in use, and its replacement |
//! | `sealed` | access to sealed readings through the index |

pub(crate) mod current;
pub(crate) mod entry;
pub(crate) mod sealed;
mod tree;

pub(crate) use self::current::Index;
pub(crate) use self::entry::{IndexEntry, PlacedBlock};
pub(crate) use self::sealed::{Sealed, SealedOf};

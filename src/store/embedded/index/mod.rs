//! The index: sled, as the ordered map of blocks by sensor and time. It keeps nothing: each start builds it in a folder of its
//! own, from the log. This is the only room that knows sled.
//!
//! | file | content |
//! | --- | --- |
//! | `entry` | what it has of a block |
//! | `tree` | a tree of sled, and what becomes of its failures |
//! | `current` | the index in use, and its replacement |
//! | `sealed` | the sealed readings, by means of it |

pub(crate) mod current;
pub(crate) mod entry;
pub(crate) mod sealed;
mod tree;

pub(crate) use self::current::Index;
pub(crate) use self::entry::{IndexEntry, PlacedBlock};
pub(crate) use self::sealed::{Sealed, SealedOf};

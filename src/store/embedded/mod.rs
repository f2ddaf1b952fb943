//! The backend of one household: a store in a folder of this machine (docs/STORAGE.md). Its files
//! keep everything; sled is the index, which each start builds from them (docs/STORE-INTERNALS.md).
//!
//! Readers access it directly. Every change goes through the one committing thread (`writer`). Each
//! room imports only from those above it:
//!
//! | room | job |
//! | --- | --- |
//! | `disk` | access to the disk: records, syncs, the lock, the reserve |
//! | `blocks` | the files that hold sealed readings |
//! | `rows` | the newest readings, in memory |
//! | `journal` | uploads that are not in the log yet |
//! | `facts` | data that people enter, in two files |
//! | `log` | settled rows, and the locations of blocks |
//! | `index` | sled, and access to sealed readings through it |
//! | `state` | state shared by the committing thread and the readers |
//! | `from_volumes` | recovers blocks from the volumes alone, if the log is damaged |
//! | `load` | reads all of it at a start |
//! | `writer` | the committing thread |
//! | `backend` | `Embedded`: the store, as the rest of the crate knows it |
//! | `open` | opens it |
//! | `care` | checks, builds, salvages, measures the size |

pub(crate) mod backend;
pub(crate) mod blocks;
pub(crate) mod care;
pub(crate) mod disk;
pub(crate) mod facts;
mod from_volumes;
pub(crate) mod index;
pub(crate) mod journal;
pub(crate) mod load;
pub(crate) mod log;
pub(crate) mod open;
pub(crate) mod rows;
pub(crate) mod state;
#[cfg(test)]
mod tests;
pub(crate) mod writer;

//! The home of one household: a store in a folder of this machine (docs/STORAGE.md). Its files keep everything; sled is the
//! index that each start builds of them (docs/STORE-INTERNALS.md).
//!
//! Reading goes on directly. Every change goes through the one committing thread (`writer`). Each room imports only from those
//! above it:
//!
//! | room | job |
//! | --- | --- |
//! | `engine` | what the store needs of the disk: records, syncs, the lock, the reserve |
//! | `blocks` | the files that hold sealed readings |
//! | `rows` | the newest readings, in memory |
//! | `journal` | uploads that the log does not have yet |
//! | `facts` | what people enter, in two files |
//! | `log` | settled rows, and where blocks are |
//! | `index` | sled, and the sealed readings by means of it |
//! | `state` | what the committing thread and the readers share |
//! | `from_volumes` | blocks from the volumes alone, where the log is damaged |
//! | `load` | reading all of it at a start |
//! | `writer` | the committing thread |
//! | `home` | `Embedded`: the store, as what stands above knows it |
//! | `open` | opening it |
//! | `care` | check, build, salvage, measure the size |

pub(crate) mod blocks;
pub(crate) mod care;
pub(crate) mod engine;
pub(crate) mod facts;
mod from_volumes;
pub(crate) mod home;
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

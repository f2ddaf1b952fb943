//! The home of one household: a store in a folder of this machine (docs/STORAGE.md), and the only code that knows sled.
//!
//! Reading goes on directly. Every change goes through the one committing thread (`writer`). Each room imports only from those
//! above it:
//!
//! | room | job |
//! | --- | --- |
//! | `engine` | contains sled, and works around it |
//! | `blocks` | where sealed readings are kept: the files that hold them, and what the database knows of them |
//! | `rows` | where the newest readings are kept: in memory, and in a log for the next start |
//! | `state` | what the committing thread and the readers share |
//! | `writer` | the committing thread |
//! | `care` | check, build, salvage, measure the size |
//! | `home` | `Embedded`: the store, as what stands above knows it |
//! | `open` | opening it |

pub(crate) mod blocks;
pub(crate) mod care;
pub(crate) mod engine;
pub(crate) mod home;
mod open;
pub(crate) mod rows;
pub(crate) mod state;
pub(crate) mod writer;

//! The log: settled rows, activities, and where blocks are, with their summaries. Each start reads it; nothing else does but
//! cleaning, checks and a rebuild of the index.
//!
//! | file | content |
//! | --- | --- |
//! | `content` | the bytes of a record |
//! | `packer` | filling records |
//! | `files` | writing its files |
//! | `load` | finding the records that count |
//! | `fuzz` | what a fuzzer calls |
//! | `live` | what counts of each sensor, and what is to be appended |

pub(crate) mod content;
pub(crate) mod files;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
pub(crate) mod live;
pub(crate) mod load;
pub(crate) mod packer;
#[cfg(test)]
mod tests;

pub(crate) use self::content::{LogHead, LogItem, PutBlock};
pub(crate) use self::files::LogFiles;
pub(crate) use self::live::{LiveRows, LogChange};
pub(crate) use self::load::LoadedLog;

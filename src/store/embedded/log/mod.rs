//! The log: settled rows, activities, and the locations and summaries of blocks. Each start reads
//! it; otherwise only cleaning, checks and a rebuild of the index do.
//!
//! | file | content |
//! | --- | --- |
//! | `content` | the bytes of a record |
//! | `packer` | fills records |
//! | `files` | writes its files |
//! | `load` | finds the live records |
//! | `fuzz` | entry points for the fuzzer |
//! | `live` | the live part of each sensor, and changes to append |

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

//! Backups: the whole content of a store in one file, independent of sled and of its version.
//!
//! | file | content |
//! | --- | --- |
//! | `error` | [`BackupError`] |
//! | `frame` | the head and the frames |
//! | `record`, `account_record`, `days_record`, `entry_record`, `people_record`, `settings_record`, `item` | contents of frames: as JSON, as domain types |
//! | `source` | reading and verifying |
//! | `take` | producing a backup page by page |
//! | `file` | a backup as a file: written, read back, renamed |
//! | `restore` | a new store from a backup |
//! | `fuzz` | the fuzz target |
//!
//! # Format
//!
//! docs/FORMATS.md describes it for readers without this code, with each record: change it together
//! with this.
//!
//! | bytes | content |
//! | --- | --- |
//! | 34 | the head, below |
//! | | frames, in the order of `FrameKind::NAMED`; the last one is of kind 8 |
//! | 32 | SHA-256 of all bytes before it |
//!
//! Nothing follows. Numbers are little-endian. The head is the same in every format:
//!
//! | offset | bytes | content |
//! | --- | --- | --- |
//! | 0 | 18 | `wattkeeper backup` and a line feed |
//! | 18 | 4 | format: 1; a newer one is refused by name |
//! | 22 | 8 | when it was begun, i64 milliseconds since 1970 |
//! | 30 | 4 | CRC-32 (IEEE) of the 30 bytes before |
//!
//! A frame:
//!
//! | offset | bytes | content |
//! | --- | --- | --- |
//! | 0 | 1 | kind |
//! | 1 | 1 | packing: 0 none, 1 deflate (RFC 1951) |
//! | 2 | 4 | length of the content as stored; at most 65,536, also unpacked |
//! | 6 | 4 | CRC-32 of the six bytes before and of the content as stored |
//! | 10 | | the content |
//!
//! | kind | content |
//! | --- | --- |
//! | 1 | settings of the service that the pages set, at most one: a JSON object of the `values`, by key, and of the keys of the `secrets`, which stay behind |
//! | 2 | the administrator, at most one |
//! | 3 | an account; 4 a credential; 5 a sensor; 6 a sensor's arrivals: like 2 a JSON object, see `record.rs` |
//! | 7 | readings: length of the sensor's ID (1 byte), the ID, a block as in `blocks/block`, which begins with its own version |
//! | 14 | a person; 15 a wall tablet: JSON objects, after credentials |
//! | 9 | a correction; 10 a contract; 12 a bill; 13 a notice; 16 days of a list in a year; 17 a format of files; 18 an offer; 19 a purchase; 21 a tenancy: JSON objects, too |
//! | 11 | prices: the account's name and the series' name, each after its length (1 byte); if the currency is known, 0 and the currency after its length; and a chunk as in `prices/chunk.rs` |
//! | 8 | the end: a JSON object with the number of each |
//!
//! A frame refers only to frames before it. Frames of readings are ordered by sensor, then time.
//! Those of a sensor do not overlap, so each reading occurs once: unsealed rows are merged into the
//! blocks. A block is compressed already and is not packed again. Reading a file never needs memory
//! for more than one frame, even if the file is forged.

mod account_record;
mod days_record;
mod entry_record;
mod error;
mod file;
mod frame;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod item;
mod people_record;
mod record;
mod restore;
mod settings_record;
mod source;
mod take;
#[cfg(test)]
pub(in crate::store::care) mod tests;

pub use error::BackupError;
pub use file::write_backup;
pub use restore::{restore, restore_in_place, restore_into_postgres};
pub use take::{BackupCursor, BackupPage};

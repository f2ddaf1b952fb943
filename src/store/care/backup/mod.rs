//! Backups: everything a store holds as one file that stands on its own, independent of sled and of its version.
//!
//! | bytes | what |
//! | --- | --- |
//! | 34 | the head: see below |
//! | | frames, in ascending order of their kinds; the last one is of kind 8 |
//! | 32 | SHA-256 of all bytes before it |
//!
//! Nothing follows. Numbers are little-endian. The head, which every format has in common:
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 18 | `wattkeeper backup` and a line feed |
//! | 18 | 4 | format: 1; a newer one is refused by name |
//! | 22 | 8 | when it was begun, i64 milliseconds since 1970 |
//! | 30 | 4 | CRC-32 (IEEE) of the 30 bytes before |
//!
//! A frame:
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 1 | kind |
//! | 1 | 1 | packing: 0 none, 1 deflate (RFC 1951) |
//! | 2 | 4 | length of the content as it stands here, at most 65,536, as unpacked too |
//! | 6 | 4 | CRC-32 of the six bytes before and of the content as it stands here |
//! | 10 | | the content |
//!
//! | kind | content |
//! | --- | --- |
//! | 1 | reserved for settings |
//! | 2 | the administrator, one at most |
//! | 3 | an account, 4 a credential, 5 a sensor, 6 a sensor's arrivals: like 2 a JSON object, see `record.rs` |
//! | 7 | readings: length of the sensor's id (1 byte), the id, a block as in `store/block.rs`, whose first byte is its own version |
//! | 8 | the end: a JSON object with the number of each |
//!
//! What a frame refers to stands before it. Frames of readings go by sensor, then time; no two of a sensor overlap, so each
//! reading is there once: the rows that are not sealed yet are merged into the blocks. A block is compressed already
//! and is not packed again. A frame is the most that is held in memory of a file, whatever it says.

mod error;
mod file;
mod frame;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod record;
mod restore;
mod source;
mod take;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use error::BackupError;
pub use file::{Written, write_backup};
pub use restore::{Restored, restore};
pub use take::{Cursor, Page};

/// How many there are of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Administrators: one, or none if no password was ever set.
    pub administrators: u64,
    /// Accounts.
    pub accounts: u64,
    /// Credentials.
    pub credentials: u64,
    /// Sensors.
    pub sensors: u64,
    /// Sensors whose arrivals are known.
    pub arrivals: u64,
    /// Readings.
    pub readings: u64,
}

impl Counts {
    /// Adds those of another part.
    fn add(&mut self, other: &Self) {
        self.administrators = self.administrators.saturating_add(other.administrators);
        self.accounts = self.accounts.saturating_add(other.accounts);
        self.credentials = self.credentials.saturating_add(other.credentials);
        self.sensors = self.sensors.saturating_add(other.sensors);
        self.arrivals = self.arrivals.saturating_add(other.arrivals);
        self.readings = self.readings.saturating_add(other.readings);
    }
}

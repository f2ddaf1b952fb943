//! The store: keeps all persistent data, in a folder of this machine (docs/STORAGE.md) or in
//! PostgreSQL (docs/FLEET.md).
//!
//! [`Store`] is the entry point, with every storage backend. Every change returns once it is
//! durable: the names of such calls say so. [`Store::edit`] changes the registry.
//!
//! Each room imports only from those above it:
//!
//! | room | job |
//! | --- | --- |
//! | `error`, `settings` | errors; how a store runs |
//! | `records` | records, independent of the backend: kinds, keys, values, reading and changing |
//! | `blocks` | sealed readings: their format, and how readings get into blocks |
//! | `rows` | the newest readings, as rows, and the activity of sensors |
//! | `prices` | price series, in chunks |
//! | `registry` | accounts, credentials, sensors and their additions, notices, the administrator, people, wall tablets, sessions, settings of the service |
//! | `backend` | the traits of a storage backend |
//! | `read` | rows merged over blocks, in order |
//! | `change` | changes of a sensor's history |
//! | `handle` | [`Store`] |
//! | `embedded` | the backend of one household: files in a folder of this machine |
//! | `postgres` | the other backend: PostgreSQL, for more than one machine |
//! | `care` | backup and restore |

mod backend;
mod blocks;
mod care;
mod change;
mod embedded;
mod error;
mod handle;
mod postgres;
mod prices;
mod read;
mod records;
mod registry;
mod rows;
mod settings;

pub use backend::findings::{Findings, StoreProblem};
pub use backend::life::DiskUse;
pub use blocks::block;
pub use blocks::measure::{Measure, Run, Totals, Values};
pub use care::backup::{
    BackupCursor, BackupError, BackupPage, restore, restore_in_place, restore_into_postgres,
    write_backup,
};
pub use embedded::care::salvage::{Lost, Salvaged, salvage, salvage_in_place};
pub use embedded::disk::replace::{ReplacedStore, remove_replaced, replaced_stores};
pub use embedded::disk::reserve::{KEPT_FREE, free_bytes};
pub use embedded::disk::{DataDirHold, explain_denied, user_name};
pub use error::StoreError;
pub use handle::{SeriesSummary, Store};
pub use postgres::{PostgresSettings, PostgresUrl, PostgresUrlError};
pub(crate) use read::Asker;
pub use read::digest::{Digest, Piece};
pub use registry::registered::{Grant, Registry};
pub(crate) use registry::{AccountEntry, EntryName};
pub use registry::{LONGEST_FORMAT, check_format_length};
pub use rows::activity::Activity;
pub use settings::{Durability, OpenMode, StoreSettings};

/// Entry points for the fuzzer.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::blocks::block;
    use super::records::keys;

    pub use super::care::backup::fuzz::backup;
    pub use super::embedded::journal::record::fuzz::journal;
    pub use super::embedded::log::fuzz::rows;
    pub use super::registry::fuzz::records;

    /// Checks that a block that can be decoded round-trips.
    ///
    /// # Panics
    /// If it does not round-trip.
    pub fn block(bytes: &[u8]) {
        if let Ok(readings) = block::decode(bytes)
            && let Ok(anew) = block::encode(&readings)
        {
            assert_eq!(block::decode(&anew).ok(), Some(readings));
        }
    }

    /// Checks that a key that can be parsed is the only one for its sensor and time.
    ///
    /// # Panics
    /// If there is another one.
    pub fn key(bytes: &[u8]) {
        if let Ok((sensor, time)) = keys::parse(bytes) {
            assert_eq!(keys::key(&sensor, time), bytes);
        }
    }
}

#[cfg(test)]
mod tests;

//! The store: keeps everything that lasts, in a folder of this machine (docs/STORAGE.md) or in an engine for many.
//!
//! [`Store`] is the way in, whatever home the store lives in. Every change returns once it is durable: the names of such calls
//! say so, and [`Store::edit`] changes what is registered.
//!
//! Each room imports only from those above it:
//!
//! | room | job |
//! | --- | --- |
//! | `error`, `settings` | what can go wrong; how a store runs |
//! | `records` | records, whatever keeps them: kinds, keys, values, how they are read and changed |
//! | `blocks` | sealed readings: their format, and how readings get into blocks |
//! | `rows` | the newest readings, as rows, and what is known of uploads |
//! | `prices` | price series, in chunks |
//! | `registry` | accounts, credentials, sensors, what is added to them, notices, the administrator, people, wall tablets, sessions, settings of the service |
//! | `home` | what a home of the store must do |
//! | `read` | rows laid over blocks, in order |
//! | `change` | changes of a sensor's history |
//! | `handle` | [`Store`] |
//! | `embedded` | the home of one household: a folder of this machine |
//! | `postgres` | the other home: an engine that keeps the readings of more than one machine |
//! | `care` | back up, restore |

mod blocks;
mod care;
mod change;
mod embedded;
mod error;
mod handle;
mod home;
mod postgres;
mod prices;
mod read;
mod records;
mod registry;
mod rows;
mod settings;

pub use blocks::block;
pub use blocks::measure::{Measure, Run, Totals, Values};
pub use care::backup::{
    BackupCursor, BackupError, BackupPage, restore, restore_at_engine, write_backup,
};
pub use embedded::care::salvage::{Lost, Salvaged, salvage};
pub use embedded::engine::reserve::{KEPT_FREE, free_bytes};
pub use embedded::engine::{DataDirHold, explain_denied, user_name};
pub use error::StoreError;
pub use handle::{SeriesSummary, Store};
pub use home::findings::{Findings, StoreProblem};
pub use home::life::DiskUse;
pub use postgres::{EngineSettings, EngineUrl, EngineUrlError};
pub(crate) use read::Asker;
pub use read::digest::{Digest, Piece};
pub use registry::registered::{Grant, Registry};
pub use rows::activity::Activity;
pub use settings::{Durability, OpenMode, StoreSettings};

/// Entry points of the fuzzer.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::blocks::block;
    use super::records::keys;

    pub use super::care::backup::fuzz::backup;
    pub use super::embedded::journal::record::fuzz::journal;
    pub use super::embedded::log::fuzz::rows;
    pub use super::registry::fuzz::records;

    /// A block that can be decoded round-trips.
    ///
    /// # Panics
    /// If it does not.
    pub fn block(bytes: &[u8]) {
        if let Ok(readings) = block::decode(bytes)
            && let Ok(anew) = block::encode(&readings)
        {
            assert_eq!(block::decode(&anew).ok(), Some(readings));
        }
    }

    /// A key that can be parsed is the only one for its sensor and time.
    ///
    /// # Panics
    /// If it is not.
    pub fn key(bytes: &[u8]) {
        if let Ok((sensor, time)) = keys::parse(bytes) {
            assert_eq!(keys::key(&sensor, time), bytes);
        }
    }
}

#[cfg(test)]
mod tests;

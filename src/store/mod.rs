//! The store: owns everything on disk (docs/STORAGE.md), and is the only code that knows sled.
//!
//! Reading goes through [`Store`] directly. Every change goes through the one committing thread (`writer`), and returns once
//! it is durable; the names of such calls say so.
//!
//! Each room imports only from those above it:
//!
//! | room | job |
//! | --- | --- |
//! | `error`, `settings` | what can go wrong; how a store runs |
//! | `records` | records, whatever keeps them: kinds, keys, values, how they are read and changed |
//! | `engine` | contains sled, and works around it |
//! | `blocks` | sealed readings: their format, how readings get into blocks, and the files that hold them |
//! | `rows` | the newest readings, as rows in memory and in the database, and what is known of uploads |
//! | `home` | what a home of the store must do: the readings of a sensor, to be read or changed |
//! | `read` | rows laid over blocks, in order |
//! | `change` | changes of a sensor's history |
//! | `prices` | price series, in chunks |
//! | `registry` | accounts, credentials, sensors, what is added to them, notices, the administrator, people, wall tablets, sessions, settings of the service |
//! | `state` | what the committing thread and the readers share |
//! | `writer` | the committing thread |
//! | `postgres` | the other home: an engine that keeps the readings of more than one machine |
//! | `handle` | [`Store`] |
//! | `care` | check, build, back up, salvage, measure the size |

mod blocks;
mod care;
mod change;
mod engine;
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
mod state;
mod writer;

pub use blocks::block;
pub use blocks::measure::{Measure, Run, Totals, Values};
pub use care::backup::{
    BackupCursor, BackupError, BackupPage, RestoredBackup, WrittenBackup, restore, write_backup,
};
pub use care::check::{Findings, StoreProblem};
pub use care::counts::StoreCounts;
pub use care::salvage::{Lost, Salvaged, salvage};
pub use care::size::DiskUse;
pub use engine::reserve::free_bytes;
pub use error::StoreError;
pub use handle::{PricePage, SeriesSummary, Store};
pub use postgres::{Engine, EngineRefusal, EngineSettings, EngineUrl, EngineUrlError};
pub use read::digest::{Digest, Piece};
pub use read::scan::Scan;
pub use registry::registered::{Grant, Registry};
pub use registry::setting_edit::SettingChanges;
pub use rows::activity::{Activity, Power};
pub use settings::{Durability, OpenMode, StoreSettings};

/// Entry points of the fuzzer.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::blocks::block;
    use super::records::keys;

    pub use super::care::backup::fuzz::backup;
    pub use super::registry::fuzz::records;
    pub use super::rows::chunk::fuzz::rows;
    pub use super::writer::commit_record::fuzz::journal;

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

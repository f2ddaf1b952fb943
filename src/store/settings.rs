//! How a store is opened and run.

use std::time::Duration;

/// When a change counts as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Once it is on the medium.
    Always,
    /// Once it is held in memory. Changes become durable at least this often, and at stop: a power cut, a crash or a kill of
    /// the process may lose the uploads of one interval.
    Interval(Duration),
}

/// How a store runs.
#[derive(Clone, Copy, Debug)]
pub struct StoreSettings {
    /// When a change counts as stored.
    pub durability: Durability,
    /// Memory for pages of the database, in bytes.
    pub cache_bytes: u64,
    /// The most readings in a sealed block; clamped to 16 to 16,384.
    pub block_readings: usize,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            durability: Durability::Always,
            cache_bytes: 8 * 1024 * 1024,
            block_readings: 4_096,
        }
    }
}

/// Whether a folder without a store is an error or becomes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// There must be a store.
    Existing,
    /// A missing store is created.
    CreateIfMissing,
}

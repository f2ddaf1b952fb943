//! Settings of a store.

use std::time::Duration;

/// The moment at which a change counts as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Once it is on the medium.
    Always,
    /// Once it is in memory. Changes become durable at least this often, and at stop: a power cut,
    /// a crash or a kill of the process may lose the uploads of one interval.
    Interval(Duration),
}

/// Settings of a store.
#[derive(Clone, Copy, Debug)]
pub struct StoreSettings {
    /// The moment at which a change counts as stored.
    pub durability: Durability,
    /// Memory for sled's page cache, in bytes.
    pub cache_bytes: u64,
    /// The maximum number of readings in a sealed block; clamped to 16 to 16,384.
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

/// Whether a missing store is an error, or is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// There must be a store.
    Existing,
    /// A missing store is created.
    CreateIfMissing,
}

//! A storage backend as a whole: the operations besides readings, uploads and records.

use std::any::Any;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use prometheus::proto::MetricFamily;

use crate::store::backend::findings::Findings;
use crate::store::backend::readings::{ReadingsBackend, ReadingsWriter};
use crate::store::backend::registry::RegistryBackend;
use crate::store::backend::uploads::UploadsBackend;
use crate::store::error::StoreError;

/// Disk space used by a store, and disk space free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskUse {
    /// The lengths of its files or tables, in bytes.
    pub bytes: u64,
    /// Bytes free for this user on its disk; `None` if that is on another machine.
    pub free: Option<u64>,
}

/// An open store. It closes once this is dropped and no [`Self::reader`] is left.
// `Any`, so that a test can find out which backend it has.
pub(crate) trait Backend:
    ReadingsBackend + ReadingsWriter + UploadsBackend + RegistryBackend + Any
{
    /// Returns a reader of readings that may outlive this backend without keeping its writers
    /// alive.
    fn reader(&self) -> Arc<dyn ReadingsBackend>;

    /// The number of imports and deletions since the start. From memory.
    fn history_edits(&self) -> u64;

    /// Waits for a sign of life from the part that stores changes.
    ///
    /// # Errors
    /// The [`StoreError`] that stops the store from accepting changes.
    fn ping(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Why the store accepts no changes; `None` while it does. From memory.
    fn unavailable(&self) -> Option<StoreError>;

    /// As [`Self::unavailable`], and also why a change would probably not be stored in time. From
    /// memory.
    fn unready(&self) -> Option<StoreError> {
        self.unavailable()
    }

    /// Finishes the changes under way, makes all of them durable, and accepts no more. Reading
    /// stays possible. Blocks.
    ///
    /// # Errors
    /// The [`StoreError`] that prevented something from being stored.
    fn close(&self) -> Result<(), StoreError>;

    /// Reads everything and lists the problems. Changes may go on meanwhile. Blocks until done.
    fn check(&self) -> Findings;

    /// Measures the disk use. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Io`] if it cannot be measured.
    fn disk_use(&self) -> Result<DiskUse, StoreError>;

    /// Metrics of commits of uploads since the store was opened: the time until they were durable,
    /// and their number of readings.
    fn commit_metrics(&self) -> Vec<MetricFamily>;

    /// Reserves space for a full disk, if this backend has a disk. Blocks.
    fn keep_reserve(&self);

    /// The data lost by damage, a sentence each, until somebody confirms having read it.
    fn damage(&self) -> Vec<String> {
        Vec::new()
    }

    /// Deletes the notes about damage, and admits the clients that were refused because of it.
    /// Returns the number of notes.
    ///
    /// # Errors
    /// As [`RegistryBackend::edit`].
    fn confirm_damage(&self) -> Result<usize, StoreError> {
        Ok(0)
    }
}

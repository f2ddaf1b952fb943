//! A home as a whole: what is left of a store's life beside its readings, uploads and records.

use std::any::Any;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use prometheus::proto::MetricFamily;

use crate::store::error::StoreError;
use crate::store::home::findings::Findings;
use crate::store::home::readings::{ReadingsHome, ReadingsWriter};
use crate::store::home::registry::RegistryHome;
use crate::store::home::uploads::UploadsHome;

/// How much room a store takes, and how much there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskUse {
    /// The lengths of its files or tables, in bytes.
    pub bytes: u64,
    /// Bytes free for this user on its disk; `None` if that is on another machine.
    pub free: Option<u64>,
}

/// An open store. It is closed once this is dropped and no [`Self::reader`] is left.
// `Any`, so that a test finds out which home it has.
pub(crate) trait Home:
    ReadingsHome + ReadingsWriter + UploadsHome + RegistryHome + Any
{
    /// What reads readings, for readers that may outlive this: it does not keep alive what writes.
    fn reader(&self) -> Arc<dyn ReadingsHome>;

    /// How often history was imported or deleted since the start. From memory.
    fn history_edits(&self) -> u64;

    /// Waits until what stores changes answers, as a sign of life.
    ///
    /// # Errors
    /// The [`StoreError`] that keeps the store from taking changes.
    fn ping(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Why the store takes no changes; `None` while it does. From memory.
    fn unavailable(&self) -> Option<StoreError>;

    /// The same, and why a change would probably not be stored in time. From memory.
    fn unready(&self) -> Option<StoreError> {
        self.unavailable()
    }

    /// Finishes the changes that are under way, makes all durable, and takes no more. Reading stays possible. Blocks.
    ///
    /// # Errors
    /// The [`StoreError`] that prevented something from being stored.
    fn close(&self) -> Result<(), StoreError>;

    /// Reads everything and lists what is wrong. Changes may go on meanwhile. Blocks for as long as that takes.
    fn check(&self) -> Findings;

    /// The disk use. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Io`] if it cannot be measured.
    fn disk_use(&self) -> Result<DiskUse, StoreError>;

    /// How long commits of uploads took to be durable, and how many readings they had, since the store was opened.
    fn commit_metrics(&self) -> Vec<MetricFamily>;

    /// Keeps room for a disk that gets full, where there is a disk. Blocks.
    fn keep_reserve(&self);

    /// What was lost by damage, a sentence each, until somebody confirms that it was read.
    fn damage(&self) -> Vec<String> {
        Vec::new()
    }

    /// Forgets what was lost by damage, and lets those in again who were refused because of it. Returns how many notes there were.
    ///
    /// # Errors
    /// As [`RegistryHome::edit`].
    fn confirm_damage(&self) -> Result<usize, StoreError> {
        Ok(0)
    }
}

//! The index in use. If sled fails, panics, hangs or loses a key, another index replaces it.

use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use crate::locks::{read, write};
use crate::store::embedded::disk::{open, says_full};
use crate::store::embedded::index::entry::IndexEntry;
use crate::store::embedded::index::tree::{self, Cause, Tree, TreeChange};
use crate::store::error::StoreError;
use crate::store::records::Order;

/// The number of changes that a build makes at once.
const CHANGED_AT_ONCE: usize = 1_000;

/// The number of entries that are read at once.
const READ_AT_ONCE: usize = 1_000;

/// A block's key and its entry.
pub(crate) type KeyedEntry = (Vec<u8>, IndexEntry);

/// The index of an open store.
pub(crate) struct Index {
    dir: PathBuf,
    cache_bytes: u64,
    tree: RwLock<Arc<Tree>>,
    is_failed: AtomicBool,
    /// Whether another one must wait for disk space.
    lacks_room: AtomicBool,
}

/// An index that is being built.
pub(crate) struct IndexBuild {
    tree: Tree,
    pending: Vec<TreeChange>,
}

impl Index {
    /// Begins the index of the data dir `dir`. Removes an index that an earlier process left there.
    pub(crate) fn begin(dir: &Path, cache_bytes: u64) -> Result<IndexBuild, StoreError> {
        tree::remove_left(dir)?;
        let folder = tree::folder(dir);
        let made = open::folder(&folder);
        made.map_err(|error| StoreError::io(format!("creating {}", folder.display()), &error))?;
        IndexBuild::in_folder(&tree::next_folder(dir), cache_bytes)
    }

    /// Creates the index of the data dir `dir` from a complete build.
    pub(crate) fn of(dir: &Path, cache_bytes: u64, build: IndexBuild) -> Self {
        Self {
            dir: dir.to_owned(),
            cache_bytes,
            tree: RwLock::new(Arc::new(build.tree)),
            is_failed: AtomicBool::new(false),
            lacks_room: AtomicBool::new(false),
        }
    }

    /// Whether sled failed: the index must be rebuilt.
    pub(crate) fn is_failed(&self) -> bool {
        self.is_failed.load(Ordering::Acquire)
    }

    /// Whether it failed, and another one must wait for disk space: until then nobody may use it.
    pub(crate) fn lacks_room(&self) -> bool {
        self.lacks_room.load(Ordering::Acquire)
    }

    /// Notes that there is no disk space for another one.
    pub(crate) fn set_lacks_room(&self) {
        self.lacks_room.store(true, Ordering::Release);
    }

    /// Begins another index that will replace this one.
    pub(crate) fn build(&self) -> Result<IndexBuild, StoreError> {
        IndexBuild::in_folder(&tree::next_folder(&self.dir), self.cache_bytes)
    }

    /// Replaces this index by a complete build.
    pub(crate) fn replace(&self, build: IndexBuild) {
        *write(&self.tree) = Arc::new(build.tree);
        self.is_failed.store(false, Ordering::Release);
        self.lacks_room.store(false, Ordering::Release);
    }

    fn tree(&self) -> Arc<Tree> {
        Arc::clone(&read(&self.tree))
    }

    /// Notes that sled failed. The caller has to retry: the committing thread builds another index.
    pub(crate) fn failed(&self, cause: &str) -> StoreError {
        if !self.is_failed.swap(true, Ordering::AcqRel) {
            if says_full(cause) {
                self.set_lacks_room();
            }
            log::error!("the index of the store failed and is being rebuilt: {cause}");
        }
        StoreError::NotForNow(format!("the index failed and is being rebuilt: {cause}"))
    }

    fn checked<T>(&self, outcome: Result<T, Cause>) -> Result<T, StoreError> {
        // It may lack changes that the log has by now.
        if self.lacks_room() {
            return Err(self.failed("it waits for disk space"));
        }
        outcome.map_err(|cause| self.failed(&cause))
    }

    /// Applies changes; an entry of `None` removes the key.
    pub(crate) fn change(
        &self,
        changes: impl Iterator<Item = (Vec<u8>, Option<IndexEntry>)>,
    ) -> Result<(), StoreError> {
        let changes = changes.map(|(key, entry)| (key, entry.map(|entry| entry.encode())));
        let changes: Vec<TreeChange> = changes.collect();
        if changes.is_empty() {
            return Ok(());
        }
        self.checked(self.tree().change(changes))
    }

    /// Returns the entry of the block with this key.
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<IndexEntry>, StoreError> {
        let found = self.checked(self.tree().read(|tree| tree.get(key)))?;
        found.map(|value| self.decoded(&value)).transpose()
    }

    fn decoded(&self, value: &[u8]) -> Result<IndexEntry, StoreError> {
        IndexEntry::decode(value).ok_or_else(|| self.failed("an entry is damaged"))
    }

    /// Returns the first `most` existing blocks with keys in a range, in this order.
    pub(crate) fn range(
        &self,
        range: (Bound<Vec<u8>>, Bound<Vec<u8>>),
        order: Order,
        most: usize,
    ) -> Result<Vec<KeyedEntry>, StoreError> {
        let tree = self.tree();
        let values = tree.read(|tree| {
            let mut rows = tree.range::<Vec<u8>, _>(range);
            // Most calls ask for few: allocate no more than they need.
            let mut found = Vec::with_capacity(most.min(8));
            while found.len() < most {
                let row = match order {
                    Order::Ascending => rows.next(),
                    // Steps backwards: safe only because no key has a byte 0xFF
                    // (`records/keys.rs`).
                    Order::Descending => rows.next_back(),
                };
                let Some((key, value)) = row.transpose()? else {
                    break;
                };
                // The entry of a removed block is only a number.
                if value.len() > size_of::<u64>() {
                    found.push((key, value));
                }
            }
            Ok(found)
        });
        let values = self.checked(values)?.into_iter();
        values
            .map(|(key, value)| Ok((key.to_vec(), self.decoded(&value)?)))
            .collect()
    }

    /// Calls `each` for all existing blocks, in the order of their keys.
    pub(crate) fn each(
        &self,
        mut each: impl FnMut(Vec<u8>, IndexEntry) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut from = Bound::Unbounded;
        loop {
            let range = (from, Bound::Unbounded);
            let found = self.range(range, Order::Ascending, READ_AT_ONCE)?;
            let Some((last, _)) = found.last() else {
                return Ok(());
            };
            from = Bound::Excluded(last.clone());
            for (key, entry) in found {
                each(key, entry)?;
            }
        }
    }

    /// Damages the tree, for a test.
    #[cfg(test)]
    pub(crate) fn forget(&self, key: &[u8]) {
        self.tree().change(vec![(key.to_vec(), None)]).unwrap();
    }
}

impl IndexBuild {
    fn in_folder(folder: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        Ok(Self {
            tree: Tree::create(folder, cache_bytes)?,
            pending: Vec::new(),
        })
    }

    /// Puts a block's entry.
    pub(crate) fn put(&mut self, key: Vec<u8>, entry: &IndexEntry) -> Result<(), StoreError> {
        self.pending.push((key, Some(entry.encode())));
        if self.pending.len() >= CHANGED_AT_ONCE {
            self.finish()?;
        }
        Ok(())
    }

    /// Puts all remaining entries.
    pub(crate) fn finish(&mut self) -> Result<(), StoreError> {
        let pending = std::mem::take(&mut self.pending);
        let changed = self.tree.change(pending);
        changed.map_err(|cause| StoreError::io("building the index", &cause))
    }
}

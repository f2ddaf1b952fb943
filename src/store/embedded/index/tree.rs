//! A tree of sled, in a folder that is deleted with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::store::embedded::disk::panics::caught;
use crate::store::error::StoreError;

/// How long a change may take. sled waits forever if one of its threads has failed.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long the thread may take to end.
const END_WITHIN: Duration = Duration::from_secs(2);
const POLL_END_EVERY: Duration = Duration::from_micros(100);
/// The segment size of sled.
const SEGMENT_BYTES: usize = 64 * 1024;
/// A build yields to other threads after this many changes.
const YIELD_EVERY: usize = 1_000;

/// A key, and its value; `None` removes the key.
pub(super) type TreeChange = (Vec<u8>, Option<Vec<u8>>);

/// Why sled did not do its work.
pub(super) type Cause = String;

/// Changes to apply, and the channel for the answer.
type TreeTask = (Vec<TreeChange>, mpsc::Sender<Result<(), Cause>>);

/// An open tree. A thread of its own makes the changes, so that a caller can stop waiting for one.
pub(super) struct Tree {
    blocks: sled::Tree,
    changes: Option<mpsc::Sender<TreeTask>>,
    thread: Option<JoinHandle<()>>,
}

impl Tree {
    /// Creates an empty tree in this folder, which must not exist.
    pub(super) fn create(folder: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        let failed = |cause: &str| StoreError::io("building the index", cause);
        let config = sled::Config::new()
            .path(folder)
            .temporary(true)
            .cache_capacity(cache_bytes)
            // sled's buffers have this size; a page stays far below it.
            .segment_size(SEGMENT_BYTES)
            // The index need not be durable.
            .flush_every_ms(None);
        let opened = caught(|| config.open().and_then(|db| db.open_tree("blocks")));
        let tree = match opened {
            Ok(Ok(tree)) => tree,
            Ok(Err(error)) => return Err(failed(&error.to_string())),
            Err(panic) => return Err(failed(&panic)),
        };
        let (changes, tasks) = mpsc::channel::<TreeTask>();
        let own = tree.clone();
        let thread = thread::Builder::new()
            .name("index".into())
            .spawn(move || {
                for (changes, answer) in tasks {
                    // The caller may have stopped waiting.
                    let _ = answer.send(change(&own, changes));
                }
            })
            .map_err(|error| failed(&error.to_string()))?;
        Ok(Self {
            blocks: tree,
            changes: Some(changes),
            thread: Some(thread),
        })
    }

    /// Applies changes one after the other.
    pub(super) fn change(&self, changes: Vec<TreeChange>) -> Result<(), Cause> {
        let (answer, answered) = mpsc::channel();
        let task = (changes, answer);
        let sent = self.changes.as_ref().map(|to| to.send(task).is_ok());
        if sent != Some(true) {
            return Err("its thread has ended".to_owned());
        }
        match answered.recv_timeout(PATIENCE) {
            Ok(outcome) => outcome,
            Err(error) => Err(format!("no answer from sled: {error}")),
        }
    }

    /// Runs a job that reads the tree.
    pub(super) fn read<T>(
        &self,
        job: impl FnOnce(&sled::Tree) -> sled::Result<T>,
    ) -> Result<T, Cause> {
        match caught(|| job(&self.blocks)) {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(error)) => Err(error.to_string()),
            Err(panic) => Err(panic),
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        drop(self.changes.take());
        // The folder is deleted with the last handle, which should be this one: the next process
        // that opens the store creates another folder. A hanging thread is abandoned.
        let Some(thread) = self.thread.take() else {
            return;
        };
        let since = Instant::now();
        while !thread.is_finished() && since.elapsed() < END_WITHIN {
            thread::sleep(POLL_END_EVERY);
        }
        if thread.is_finished() {
            // Its panics were caught.
            let _ = thread.join();
        }
    }
}

fn change(tree: &sled::Tree, changes: Vec<TreeChange>) -> Result<(), Cause> {
    for (number, (key, value)) in (1..).zip(changes) {
        // Neither a batch nor a transaction: with either, sled writes without bounds and holds a
        // lock that all readers need.
        let outcome = caught(|| match value {
            Some(value) => tree.insert(key, value).map(drop),
            None => tree.remove(key).map(drop),
        });
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(error.to_string()),
            Err(panic) => return Err(panic),
        }
        if number % YIELD_EVERY == 0 {
            thread::yield_now();
        }
    }
    Ok(())
}

/// The number of trees that this process has made.
static MADE: AtomicU32 = AtomicU32::new(0);

/// The folder of the index in the data dir `dir`.
pub(super) fn folder(dir: &Path) -> PathBuf {
    dir.join("index")
}

/// A folder for another tree, with a name never used before: an earlier folder may still be being
/// removed.
pub(super) fn next_folder(dir: &Path) -> PathBuf {
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    folder(dir).join(number.to_string())
}

/// Removes the folders of an earlier process. They hold no persistent data. The targets of links
/// stay.
pub(super) fn remove_left(dir: &Path) -> Result<(), StoreError> {
    let folder = folder(dir);
    let removed = match fs::symlink_metadata(&folder) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(&folder),
        Ok(_) => fs::remove_file(&folder),
        Err(_) => Ok(()),
    };
    removed.map_err(|error| StoreError::io(format!("removing {}", folder.display()), &error))
}

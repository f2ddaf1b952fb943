//! A tree of sled, in a folder that is deleted with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::store::embedded::disk::panics::caught;
use crate::store::error::StoreError;

/// A change is given up after this many waits without any progress: sled waits forever if one of
/// its threads has failed. Counted, because a pause of the whole process ends only one of them.
const MOST_WAITS: u32 = 20;
const WAIT: Duration = Duration::from_secs(1);
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
    /// The number of changes made.
    made: Arc<AtomicU64>,
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
        let (own, made) = (tree.clone(), Arc::new(AtomicU64::new(0)));
        let progress = Arc::clone(&made);
        let thread = thread::Builder::new()
            .name("index".into())
            .spawn(move || {
                for (changes, answer) in tasks {
                    // The caller may have stopped waiting.
                    let _ = answer.send(change(&own, changes, &progress));
                }
            })
            .map_err(|error| failed(&error.to_string()))?;
        Ok(Self {
            blocks: tree,
            changes: Some(changes),
            made,
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
        wait(
            || answered.recv_timeout(WAIT),
            || self.made.load(Ordering::Relaxed),
        )?
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

/// Waits for an answer, in short waits, until too many of them in a row have seen no progress.
fn wait<T>(
    answered: impl Fn() -> Result<T, RecvTimeoutError>,
    progress: impl Fn() -> u64,
) -> Result<T, Cause> {
    let (mut waits, mut seen) = (0, progress());
    loop {
        match answered() {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) if waits < MOST_WAITS => {
                let now = progress();
                waits = if now == seen { waits + 1 } else { 0 };
                seen = now;
            }
            Err(error) => return Err(format!("no answer from sled: {error}")),
        }
    }
}

fn change(tree: &sled::Tree, changes: Vec<TreeChange>, made: &AtomicU64) -> Result<(), Cause> {
    for (number, (key, value)) in (1..).zip(changes) {
        // Neither a batch nor a transaction: with either, sled writes without bounds and holds a
        // lock that all readers need.
        let outcome = caught(|| match value {
            Some(value) => tree.insert(key, value).map(drop),
            None => tree.remove(key).map(drop),
        });
        match outcome {
            Ok(Ok(())) => drop(made.fetch_add(1, Ordering::Relaxed)),
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The answer, which comes after this many waits, and the number of waits.
    fn answer_after(most: u32, is_working: bool) -> (Result<(), Cause>, u32) {
        let waits = Cell::new(0);
        let answered = || {
            waits.set(waits.get() + 1);
            let is_there = waits.get() > most;
            is_there.then_some(()).ok_or(RecvTimeoutError::Timeout)
        };
        let made = || if is_working { waits.get().into() } else { 7 };
        (wait(answered, made), waits.get())
    }

    /// However long each wait takes, as when the process is stopped meanwhile.
    #[test]
    fn only_waits_without_progress_are_counted() {
        assert_eq!(answer_after(MOST_WAITS, false), (Ok(()), MOST_WAITS + 1));
        let most = 10 * MOST_WAITS;
        assert_eq!(answer_after(most, true), (Ok(()), most + 1));
        let (hangs, waits) = answer_after(most, false);
        assert!(hangs.is_err());
        assert_eq!(waits, MOST_WAITS + 1);
        let ended = wait(|| Err::<(), _>(RecvTimeoutError::Disconnected), || 7);
        assert!(ended.is_err());
    }
}

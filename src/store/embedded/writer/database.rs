//! What the committing thread writes: the database, the volumes of blocks, the log of rows, and the count of commits.
//!
//! After a failed write or sync, nothing is written any more: what the medium holds is unknown until it is read anew.

use std::io;
use std::sync::Arc;

use crate::store::embedded::blocks::{AppendError, BlockTally, Space, Turnover, tally};
use crate::store::embedded::engine::mark::{self, CommitCounts};
use crate::store::embedded::engine::{CommitMark, WriteBatch};
use crate::store::embedded::rows::{HotEdit, HotLog, HotSensors, LogChange, LogFiles, log_files};
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::records::locks::write;

/// A database that is written by one thread, until a write fails.
pub(crate) struct Database {
    shared: Arc<Shared>,
    /// The count of all commits: one that is durable is counted here.
    pub(crate) mark: CommitMark,
    /// How many changes the database made durable by itself.
    changes: u64,
    tally: BlockTally,
    space: Space,
    /// The settled rows and the activities, for the next start.
    log: HotLog,
    log_files: LogFiles,
    /// Whether something is written that is not synced.
    is_unsynced: bool,
}

impl Database {
    /// `last` is the number of the last commit that the journal has or had.
    pub(crate) fn open(shared: Arc<Shared>, last: u64) -> Result<Self, StoreError> {
        let (dir, meta, sealed) = (&shared.dir, &shared.trees.meta, &shared.trees.sealed);
        let counted = CommitCounts::of(meta)?;
        let hot = &shared.trees.hot;
        let chunks = log_files::numbers(meta)?;
        let (log, loaded) = HotLog::load(&hot.files, &chunks)?;
        *hot.change() = loaded;
        Ok(Self {
            mark: CommitMark::open(dir, counted.with_journal(last))?,
            changes: counted.changes,
            tally: BlockTally::checked(dir, meta, &sealed.blocks, &sealed.summaries)?,
            space: Space::open(dir, sealed)?,
            log,
            log_files: LogFiles::open(dir, &chunks)?,
            is_unsynced: false,
            shared,
        })
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    pub(crate) fn check_writable(&self) -> Result<(), StoreError> {
        self.shared.failure.check()
    }

    /// Writes, unless an earlier write failed; a failure is final.
    pub(crate) fn write(
        &mut self,
        doing: &str,
        write: impl FnOnce(&Shared) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.check_writable()?;
        // Before the write, because a part of it may succeed.
        self.is_unsynced = true;
        write(&self.shared).map_err(|error| self.shared.failure.set(doing, &error))
    }

    /// Applies `batch`, unless an earlier write failed; a failure is final.
    pub(crate) fn apply(&mut self, doing: &str, batch: &WriteBatch) -> Result<(), StoreError> {
        self.write(doing, |_| batch.apply())
    }

    /// Stores and removes blocks, changes settled rows and activities, and applies `batch`, in one transaction.
    pub(crate) fn turn_over(
        &mut self,
        turnover: Turnover,
        edits: Vec<HotEdit>,
        mut batch: WriteBatch,
    ) -> Result<(), StoreError> {
        let shared = self.shared();
        let doing = "changing blocks";
        self.check_writable()?;
        let locations = self
            .space
            .append(&turnover.blocks())
            .map_err(|error| match error {
                AppendError::NoVolume(error) => StoreError::io(doing, &error),
                AppendError::Failed(error) => {
                    shared.failure.set(doing, &StoreError::io(doing, &error))
                }
            })?;
        let sealed = &shared.trees.sealed;
        let batches = turnover.onto(sealed, self.tally, locations)?;
        *batch.of(&sealed.blocks) = batches.blocks;
        *batch.of(&sealed.summaries) = batches.summaries;
        let meta = batch.of(&shared.trees.meta);
        meta.insert(tally::KEY, batches.tally.encode());
        let change = {
            let mut hot = shared.trees.hot.change();
            for edit in &edits {
                hot.place(&edit.sensor);
            }
            self.log.editing(&hot, &edits)
        };
        self.change_rows(doing, batch, change, |hot| hot.apply(edits))?;
        self.tally = batches.tally;
        self.space.count(&batches.added, &batches.freed);
        Ok(())
    }

    /// Writes the frozen rows and the activities of up to `most` sensors. With `landed`, which is for the last of them, the database
    /// durably has the commits up to that number. Returns the places of these sensors.
    pub(crate) fn settle(
        &mut self,
        most: usize,
        landed: Option<u64>,
    ) -> Result<Vec<usize>, StoreError> {
        let trees = &self.shared.trees;
        let mut batch = WriteBatch::default();
        if let Some(landed) = landed {
            let meta = batch.of(&trees.meta);
            meta.insert(mark::LANDED, &landed.to_le_bytes());
        }
        let change = self.log.settling(&trees.hot.held(), most);
        let mut places = Vec::new();
        self.change_rows("storing readings", batch, change, |hot| {
            places = hot.settle(most);
        })?;
        if landed.is_some() {
            self.flush()?;
        }
        Ok(places)
    }

    /// Changes rows in the log, in memory, and in the database together. Without anything for the database, what the log gets is not
    /// durable, and lost if the process ends before the database names it. The journal has it until then.
    fn change_rows(
        &mut self,
        doing: &str,
        mut batch: WriteBatch,
        change: LogChange,
        in_memory: impl FnOnce(&mut HotSensors),
    ) -> Result<(), StoreError> {
        self.check_writable()?;
        let shared = self.shared();
        self.append_to_log(&change, &mut batch)
            .map_err(|error| shared.failure.set(doing, &StoreError::io(doing, &error)))?;
        // Nobody may look at rows and blocks while a reading is in both or in neither.
        let _swapping = write(&shared.swap);
        if !batch.is_empty() {
            self.apply(doing, &batch)?;
        }
        let mut hot = shared.trees.hot.change();
        in_memory(&mut hot);
        self.log.note(change, &mut hot);
        Ok(())
    }

    /// Appends a change to the log. If there is a transaction, the database names it there.
    fn append_to_log(&mut self, change: &LogChange, batch: &mut WriteBatch) -> io::Result<()> {
        self.log_files.append(change.number, &change.chunks)?;
        if self.log_files.is_ahead() && !batch.is_empty() {
            let meta = &self.shared.trees.meta;
            self.log_files.name(&change.numbers(), meta, batch)?;
        }
        Ok(())
    }

    /// Counts all that is written as one commit, and makes it durable; a failure is final.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        let changes = self.changes.wrapping_add(1);
        self.write("counting a commit", |shared| {
            let meta = &shared.trees.meta;
            meta.insert(mark::CHANGES, &changes.to_le_bytes())?;
            Ok(())
        })?;
        self.flush()?;
        self.changes = changes;
        self.mark.count();
        Ok(())
    }

    /// Makes all that is written durable without counting it; a failure is final.
    pub(crate) fn flush(&mut self) -> Result<(), StoreError> {
        let flushed = self.shared.trees.db.flush();
        flushed.map_err(|error| self.shared.failure.set("syncing", &error.into()))?;
        self.is_unsynced = false;
        // Now nothing durable refers to them.
        self.space.remove_empty();
        self.log_files.free_outdated();
        Ok(())
    }

    /// [`Self::sync`], unless all is durable already.
    pub(crate) fn sync_if_needed(&mut self) -> Result<(), StoreError> {
        self.check_writable()?;
        if self.is_unsynced {
            self.sync()?;
        }
        Ok(())
    }

    /// Whether the volumes hold so much garbage that blocks should be moved.
    pub(crate) fn is_move_due(&self) -> bool {
        self.space.is_move_due()
    }

    /// Moves some blocks out of the volume with the most garbage. An error that is not final is logged: the volume then
    /// stays as it is.
    pub(crate) fn move_blocks(&mut self) {
        if let Err(error) = self.try_move_blocks()
            && self.shared.failure.get().is_none()
        {
            self.space.abandon_move();
            log::error!(
                "a file of blocks can't be emptied, it stays as it is until the next start: {error}"
            );
        }
    }

    fn try_move_blocks(&mut self) -> Result<(), StoreError> {
        self.check_writable()?;
        let shared = self.shared();
        let (turnover, is_last) = self.space.next_moved(&shared.trees.sealed.blocks)?;
        if !turnover.is_empty() {
            self.turn_over(turnover, Vec::new(), WriteBatch::default())?;
        }
        if is_last {
            // This removes the volume, if no block was left in it.
            self.flush()?;
            self.space.finish_move();
        }
        Ok(())
    }
}

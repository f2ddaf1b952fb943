//! The files that the committing thread writes: the facts, the volumes of blocks and the log; and
//! the index.
//!
//! After a failed write or sync, nothing more is written: the content of the medium is unknown
//! until it is read again. If only the disk is full, a change that the log does not have yet is
//! refused, and its writes are taken back. A sync is tried again, with its bytes.

use std::ops::Bound::Included;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::domain::{SensorId, TimeRange};
use crate::locks::{lock, write};
use crate::store::embedded::blocks::{AppendError, Location, Space, Turnover, VolumeRecord};
use crate::store::embedded::disk::is_full;
use crate::store::embedded::facts::FactFiles;
use crate::store::embedded::facts::deletion::UnsettledNote;
use crate::store::embedded::index::{IndexEntry, PlacedBlock};
use crate::store::embedded::load::LoadedLive;
use crate::store::embedded::log::{LiveRows, LogChange, LogFiles, LogHead};
use crate::store::embedded::rows::{HotEdit, HotSensors};
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::records::{Order, keys};

/// The files of a store, written by one thread, until a write fails.
pub(crate) struct Database {
    pub(super) shared: Arc<Shared>,
    pub(super) facts: FactFiles,
    pub(super) log: LogFiles,
    /// The live rows and activities in the log.
    pub(super) live: LiveRows,
    /// The number of blocks.
    pub(super) blocks: u64,
    pub(super) space: Space,
    /// Whether the journal must note how far the log and the facts are durable.
    pub(super) is_unnoted: bool,
    /// Notes of deletions that a full disk left undone.
    pub(super) unsettled: Vec<UnsettledNote>,
    /// The times at which the index was rebuilt.
    pub(super) rebuilds: Vec<Instant>,
}

/// A change of the index.
type IndexChange = (Vec<u8>, Option<IndexEntry>);

impl Database {
    pub(crate) fn open(
        shared: Arc<Shared>,
        facts: FactFiles,
        log: LogFiles,
        live: LoadedLive,
    ) -> Result<Self, StoreError> {
        let volumes = Arc::clone(&shared.sealed.volumes);
        Ok(Self {
            facts,
            log,
            live: live.rows,
            blocks: live.blocks,
            space: Space::open(
                &shared.dir,
                volumes,
                shared.sealed.mark,
                &live.uses,
                live.committed,
                live.is_damaged,
            )?,
            is_unnoted: false,
            unsettled: Vec::new(),
            rebuilds: Vec::new(),
            shared,
        })
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    pub(crate) fn check_writable(&self) -> Result<(), StoreError> {
        self.shared.failure.check()
    }

    /// Records a failed write, which is final, unless the disk is full.
    pub(super) fn failed(&self, doing: &str, error: &std::io::Error) -> StoreError {
        self.shared.failure.of_write(doing, error)
    }

    /// Whether something failed on a full disk, and is to be finished.
    pub(super) fn is_unfinished(&self) -> bool {
        self.space.is_refused() || self.log.must_rewrite() || !self.unsettled.is_empty()
    }

    /// Finishes what failed on a full disk. It may fail again for the same reason.
    pub(super) fn go_on(&mut self) -> Result<(), StoreError> {
        self.settle_notes()?;
        self.cut_refused()?;
        self.flush()
    }

    fn cut_refused(&mut self) -> Result<(), StoreError> {
        let cut = self.space.cut_refused();
        cut.map_err(|error| self.failed("changing blocks", &error))
    }

    /// The position of the last record that may be in the log by now.
    pub(crate) const fn log_end(&self) -> u64 {
        self.log.next() - 1
    }

    /// Stores and removes blocks, and changes settled rows and activities, in one commit. After an
    /// error that is not final, nothing has changed.
    pub(crate) fn turn_over(
        &mut self,
        turnover: &Turnover,
        edits: Vec<HotEdit>,
    ) -> Result<(), StoreError> {
        self.check_writable()?;
        // The records of the next commit would follow those of a refused one.
        self.cut_refused()?;
        let turned = self.try_turn_over(turnover, edits);
        if turned.is_err() && self.check_writable().is_ok() {
            let cut = self.space.refuse();
            cut.map_err(|error| self.failed("changing blocks", &error))?;
        }
        turned
    }

    fn try_turn_over(
        &mut self,
        turnover: &Turnover,
        edits: Vec<HotEdit>,
    ) -> Result<(), StoreError> {
        let (shared, doing) = (self.shared(), "changing blocks");
        let (number, durable) = (self.log.next(), lock(&shared.durable).log);
        let (index, volumes) = (&shared.sealed.index, turnover.0.iter());
        let records = volumes.filter_map(|(key, new)| {
            let new = new.as_ref()?;
            Some(VolumeRecord {
                key,
                number,
                durable,
                summary: &new.summary,
                block: Some(&new.bytes),
            })
        });
        let records: Vec<VolumeRecord<'_>> = records.collect();
        let appended = self.space.append(&records, shared.sealed.mark);
        let added = appended.map_err(|error| match error {
            AppendError::NoVolume(error) if !is_full(&error) => StoreError::io(doing, &error),
            AppendError::NoVolume(error) | AppendError::Failed(error) => self.failed(doing, &error),
        })?;
        let mut change = {
            let mut hot = shared.hot.change();
            for edit in &edits {
                hot.place(&edit.sensor);
            }
            LiveRows::editing(&hot, &edits, number)
        };
        let (mut entries, mut freed) = (Vec::new(), Vec::<Location>::new());
        // In the order of the keys, as the records were.
        let mut locations = added.iter();
        for (key, new) in &turnover.0 {
            let known = index.get(key)?.and_then(|entry| entry.placed);
            freed.extend(known.map(|placed| placed.location));
            // One location for each block to write; a removal needs none.
            let entry = match new
                .as_ref()
                .zip(new.as_ref().and_then(|_| locations.next()))
            {
                Some((new, location)) => IndexEntry {
                    number,
                    placed: Some(PlacedBlock {
                        location: *location,
                        summary: new.summary.clone(),
                    }),
                },
                None => IndexEntry::removed(number),
            };
            entries.push((key.clone(), Some(entry)));
        }
        for (key, entry) in &entries {
            match entry.clone().and_then(|entry| entry.put(key)) {
                Some(put) => change.packer.put(&put),
                None => change.packer.remove(key),
            }
        }
        self.commit(doing, change, |_| {}, entries, |hot| hot.apply(edits))?;
        self.space.count(&added, &freed);
        self.blocks = (self.blocks + added.len() as u64).saturating_sub(freed.len() as u64);
        Ok(())
    }

    /// Writes the frozen rows and the activities of up to `most` sensors. `landed` is given with
    /// the last of them: then the log durably contains the commits of the journal up to that
    /// number. Returns the places of these sensors.
    pub(crate) fn settle(
        &mut self,
        most: usize,
        landed: Option<u64>,
    ) -> Result<Vec<usize>, StoreError> {
        let change = LiveRows::settling(&self.shared.hot.held(), most, self.log.next());
        let mut places = Vec::new();
        let landing = |head: &mut LogHead| head.landed = landed.unwrap_or(head.landed);
        self.commit("storing readings", change, landing, Vec::new(), |hot| {
            places = hot.settle(most);
        })?;
        if landed.is_some() {
            self.flush()?;
        }
        Ok(places)
    }

    /// Writes a commit to the log, then changes the index and the memory, so that readers see both
    /// at once. It is durable with the next [`Self::flush`].
    pub(super) fn commit(
        &mut self,
        doing: &str,
        mut change: LogChange,
        of_head: impl FnOnce(&mut LogHead),
        entries: Vec<IndexChange>,
        in_memory: impl FnOnce(&mut HotSensors),
    ) -> Result<(), StoreError> {
        self.check_writable()?;
        self.cut_refused()?;
        let shared = self.shared();
        let index = &shared.sealed.index;
        let facts = self.facts.last();
        let written = self.log.append(change.packer.finish(), |head| {
            head.facts = facts;
            of_head(head);
        });
        written.map_err(|error| self.failed(doing, &error))?;
        // Keeps readers out while a reading is both in rows and in blocks, or in neither.
        let _swapping = write(&shared.swap);
        // The change is in the log already, so it will be in the next index, and must get into the
        // memory. Until there is space for another index, readers of this one get an error.
        if !index.lacks_room()
            && index.change(entries.into_iter()).is_err()
            && let Err(error) = self.rebuild_index()
            && self.check_writable().is_err()
        {
            return Err(error);
        }
        let applied = self.log.last().position;
        shared.log_applied.store(applied, Ordering::Release);
        let mut hot = shared.hot.change();
        in_memory(&mut hot);
        self.live.note(change, &mut hot);
        Ok(())
    }

    /// Makes all writes durable, and has the journal note it; a failure is final.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.flush()?;
        self.is_unnoted = true;
        Ok(())
    }

    /// Whether the journal must note how far the log and the facts are durable. Resets the flag.
    pub(crate) const fn take_unnoted(&mut self) -> bool {
        std::mem::replace(&mut self.is_unnoted, false)
    }

    /// Makes all writes durable; a failure is final.
    pub(crate) fn flush(&mut self) -> Result<(), StoreError> {
        self.check_writable()?;
        if let Err(error) = self.log.sync() {
            return Err(self.failed("syncing", &error));
        }
        lock(&self.shared.durable).log = self.log.last().position;
        // Now nothing durable refers to them.
        self.space.remove_empty();
        self.log.free_outdated();
        self.note_positions()
    }

    /// Writes a record to the log which says that the store is open or closed, and that the log
    /// contains all commits of the journal up to the number `landed`.
    pub(crate) fn mark_closed(&mut self, is_closed: bool, landed: u64) -> Result<(), StoreError> {
        self.check_writable()?;
        let synced = self.facts.sync();
        synced.map_err(|error| self.fact_failed("syncing", error))?;
        let change = LogChange::new(self.log.next());
        let of_head = |head: &mut LogHead| {
            head.is_closed = is_closed;
            head.landed = landed;
        };
        self.commit("writing the log", change, of_head, Vec::new(), |_| {})?;
        self.flush()
    }

    /// Moves some blocks out of the volume with the most garbage. An error that is not final is
    /// logged: the volume then stays as it is.
    pub(super) fn move_blocks(&mut self) {
        if let Err(error) = self.try_move_blocks()
            && self.shared.failure.get().is_none()
        {
            let is_for_now = matches!(error, StoreError::NotForNow(_));
            self.space.abandon_move(is_for_now);
            if !is_for_now {
                log::error!("cannot compact a file of blocks before the next start: {error}");
            }
        }
    }

    fn try_move_blocks(&mut self) -> Result<(), StoreError> {
        self.check_writable()?;
        let shared = self.shared();
        let index = &shared.sealed.index;
        let is_live = |key: &[u8], location| {
            let placed = index.get(key)?.and_then(|entry| entry.placed);
            Ok(placed.is_some_and(|placed| placed.location == location))
        };
        let (turnover, is_last) = self.space.next_moved(shared.sealed.mark, is_live)?;
        if !turnover.is_empty() {
            self.turn_over(&turnover, Vec::new())?;
        }
        if is_last {
            // This removes the volume, if no block was left in it.
            self.flush()?;
            self.space.finish_move();
        }
        Ok(())
    }

    /// The keys of some blocks of a sensor.
    pub(crate) fn some_blocks(
        &self,
        sensor: &SensorId,
        most: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let (from, to) = keys::keys(sensor, TimeRange::ALL).into_inner();
        let range = (Included(from), Included(to));
        let found = self
            .shared
            .sealed
            .index
            .range(range, Order::Ascending, most)?;
        Ok(found.into_iter().map(|(key, _)| key).collect())
    }
}

#[cfg(test)]
impl Database {
    /// Has the first file of facts written to another file. Returns the one before.
    pub(crate) fn swap_facts(&mut self, file: std::fs::File) -> std::fs::File {
        self.facts.swap_first(file)
    }

    /// Durably appends a group to the log, which the memory does not contain.
    pub(crate) fn append_group(&mut self, group: &crate::store::embedded::rows::RowGroup<'_>) {
        let mut change = LogChange::new(self.log.next());
        change.packer.add(group);
        self.log.append(change.packer.finish(), |_| {}).unwrap();
        self.flush().unwrap();
        let applied = self.log.last().position;
        self.shared.log_applied.store(applied, Ordering::Release);
    }
}

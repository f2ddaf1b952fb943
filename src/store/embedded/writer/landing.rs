//! Landing: uploads go into memory and the journal at once. Later they go into the log, many
//! together and in slices, so that other uploads continue meanwhile.
//!
//! A commit is *young* first. Once the journal is rather full, all young commits are *frozen*:
//! their rows are sealed into blocks, or written into the log, while new commits stay young. In the
//! end all of them are durably in the log, and their space in the journal is free.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::domain::{Reading, SensorId};
use crate::locks::lock;
use crate::store::embedded::journal::{
    BehindRing, FoundJournal, Journal, JournalError, JournalUse,
};
use crate::store::embedded::rows::Commit;
use crate::store::embedded::rows::commit::CommittedSensor;
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::database::Database;
use crate::store::embedded::writer::queue::Concern;
use crate::store::embedded::writer::sealed_rows;
use crate::store::embedded::writer::sealing::{FrozenSensors, Sealing};
use crate::store::error::StoreError;
use crate::store::settings::Durability;

/// The number of young rows at which they are frozen.
const MAX_YOUNG_ROWS: usize = 4_096;
/// The number of sensors with young rows at which these are frozen, too: each sensor needs a group
/// in the log, even with few rows.
const MAX_YOUNG_SENSORS: usize = 2_048;
/// The number of sensors whose rows settle in one slice; uploads wait for a slice. Few in tests, so
/// that these have several slices.
pub(crate) const SETTLED_AT_ONCE: usize = if cfg!(test) { 4 } else { 512 };

/// The pause after a failed attempt on a full disk.
pub(super) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The commits that are not in the log yet. Their rows are in memory (`rows/hot_sensors.rs`), where
/// readers see them.
pub(crate) struct Landing {
    shared: Arc<Shared>,
    journal: Journal,
    /// Whether the last commit could not be written to the journal, but later ones may.
    is_refusing: bool,
    /// The number of the last commit in the journal.
    last: u64,
    frozen: Option<Frozen>,
    /// The uploads acknowledged in interval mode that are not in the journal yet.
    pending: Option<Pending>,
}

/// Commits on their way into the log.
struct Frozen {
    /// The number of the last one.
    last: u64,
    /// Their space in the journal.
    space: JournalUse,
    /// Sensors with so many rows that these go into blocks.
    sensors: FrozenSensors,
}

struct Pending {
    commit: Commit,
    /// When it must be in the journal.
    due: Instant,
    /// Why it is not in the journal although it was due.
    failure: Option<StoreError>,
}

impl Landing {
    /// Continues after the journal in `found`; `last` is the number of the last commit that it
    /// contains or contained.
    pub(crate) fn open(
        shared: Arc<Shared>,
        found: &FoundJournal,
        last: u64,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            journal: Journal::open(&shared.dir, found)?,
            is_refusing: false,
            shared,
            last,
            frozen: None,
            pending: None,
        })
    }

    /// At start: writes the commits of the journal that are missing in the log to the log, oldest
    /// first.
    pub(crate) fn replay(
        &mut self,
        db: &mut Database,
        sealing: &mut Sealing,
        commits: Vec<Commit>,
    ) -> Result<(), StoreError> {
        for commit in commits {
            self.hold(commit);
        }
        self.freeze(sealing);
        // All of them are merged by now: if a reading was uploaded twice, the last one counts. Rows
        // that were sealed before the start are in blocks.
        let hot = &self.shared.hot;
        let frozen: Vec<(SensorId, Vec<Reading>)> = hot
            .held()
            .settling(usize::MAX)
            .map(|it| (it.sensor.clone(), it.rows.to_vec()))
            .collect();
        for (sensor, rows) in &frozen {
            let sealed = sealed_rows::of(db, sensor, rows)?;
            hot.change().drop_sealed(sensor, &sealed);
        }
        while self.step(db, sealing)? {}
        self.note_durable()?;
        // A kill may have left a record after the ring.
        self.shorten()
    }

    /// Notes in the journal how far the log and the facts are durable, so that older or truncated
    /// ones are noticed. If
    /// there is no space for the note, a later commit contains it.
    pub(crate) fn note_durable(&mut self) -> Result<(), StoreError> {
        self.log(&Commit::default()).map(drop)
    }

    /// Whether a record of `bytes` fits into the journal.
    pub(crate) fn fits(&self, bytes: usize) -> bool {
        self.journal.fits(bytes, self.behind_ring())
    }

    /// A record after the ring is frozen next, to free its place soon. So no other one may be
    /// frozen.
    const fn behind_ring(&self) -> BehindRing {
        match self.frozen {
            None => BehindRing::Allowed,
            Some(_) => BehindRing::Refused,
        }
    }

    /// Writes a commit to the journal, durably. Returns false if there is no space until the frozen
    /// commits have landed.
    pub(crate) fn log(&mut self, commit: &Commit) -> Result<bool, StoreError> {
        let number = self.last.wrapping_add(1);
        let behind_ring = self.behind_ring();
        let durable = *lock(&self.shared.durable);
        let is_logged = self.journal.append(number, durable, commit, behind_ring);
        let is_logged = is_logged.map_err(|error| match error {
            JournalError::NotGrown(error) => {
                // Logged once until it succeeds: clients repeat their uploads.
                if !mem::replace(&mut self.is_refusing, true) {
                    log::error!("cannot store readings for now, retrying: {error}");
                }
                StoreError::NotForNow(error.to_string())
            }
            JournalError::Failed(error) => self.shared.failure.set("writing the journal", &error),
        })?;
        self.is_refusing = false;
        if is_logged {
            self.last = number;
            // A note may be missing without a loss.
            if commit.count_rows() > 0 {
                lock(&self.shared.durable).journal = number;
            }
        }
        Ok(is_logged)
    }

    /// Keeps a commit for [`Self::log_pending`].
    pub(crate) fn defer(&mut self, commit: &Commit) {
        let interval = match self.shared.settings.durability {
            Durability::Interval(interval) => interval,
            Durability::Always => Duration::ZERO,
        };
        let pending = self.pending.get_or_insert_with(|| Pending {
            commit: Commit::default(),
            due: Instant::now() + interval,
            failure: None,
        });
        for (sensor, CommittedSensor { rows, activity }) in commit.iter() {
            let commit = &mut pending.commit;
            commit.add(sensor.clone(), rows.clone(), *activity);
        }
    }

    /// The number of deferred readings.
    pub(crate) fn pending_rows(&self) -> usize {
        let pending = self.pending.as_ref();
        pending.map_or(0, |pending| pending.commit.count_rows())
    }

    /// Why the deferred commits could not be written when they were due: until that succeeds, no
    /// upload is acknowledged.
    pub(crate) fn pending_failure(&self) -> Option<StoreError> {
        self.pending
            .as_ref()
            .and_then(|pending| pending.failure.clone())
    }

    /// When the deferred commits must be written.
    pub(crate) fn pending_due(&self) -> Option<Instant> {
        self.pending.as_ref().map(|pending| pending.due)
    }

    /// Makes all deferred commits durable. Those that cannot be written are kept for the next
    /// attempt.
    pub(crate) fn log_pending(
        &mut self,
        db: &mut Database,
        sealing: &mut Sealing,
    ) -> Result<(), StoreError> {
        let Some(mut pending) = self.pending.take() else {
            return Ok(());
        };
        let begun = Instant::now();
        let logged = loop {
            match self.log(&pending.commit) {
                // There is space once the frozen commits have landed: without any, there is space
                // after the ring, because a record there is frozen at once.
                Ok(false) => match self.step(db, sealing) {
                    Ok(true) => {}
                    Ok(false) => {
                        break Err(StoreError::io("writing the journal", "there is no space"));
                    }
                    Err(error) => break Err(error),
                },
                Ok(true) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        if let Err(error) = logged {
            pending.due = Instant::now() + RETRY_AFTER;
            pending.failure = Some(error.clone());
            self.pending = Some(pending);
            return Err(error);
        }
        let metrics = &self.shared.commit_metrics;
        metrics.observe(pending.commit.count_rows(), begun.elapsed());
        Ok(())
    }

    /// Adds a commit in memory, where readers see it.
    pub(crate) fn hold(&mut self, commit: Commit) {
        self.shared.hot.change().hold(commit);
    }

    /// Whether commits of this concern are not in the log yet.
    pub(crate) fn has(&self, concern: &Concern) -> bool {
        let held = self.shared.hot.held();
        match concern {
            Concern::Nothing => false,
            Concern::Sensor(sensor) => held.is_landing(sensor),
            Concern::Everything => held.counts().young > 0 || self.frozen.is_some(),
        }
    }

    /// Whether the young commits should be frozen.
    pub(crate) fn is_full(&self) -> bool {
        if self.frozen.is_some() {
            return false;
        }
        let held = self.shared.hot.held();
        self.journal.used().is_much()
            || held.counts().young >= MAX_YOUNG_ROWS
            || held.count_young_sensors() >= MAX_YOUNG_SENSORS
    }

    /// The number of the last commit in the journal.
    pub(crate) const fn last(&self) -> u64 {
        self.last
    }

    pub(crate) const fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Whether more slices are left than groups of uploads fit into the journal: then uploads would
    /// have to wait for all slices at once.
    pub(crate) fn is_behind(&self) -> bool {
        self.frozen.as_ref().is_some_and(|frozen| {
            let unsettled = self.shared.hot.held().count_unsettled_sensors();
            let slices = frozen.sensors.len() + unsettled.div_ceil(SETTLED_AT_ONCE);
            slices >= self.journal.free_pages()
        })
    }

    /// Freezes the young commits, if there are any. All of them must be in the journal, and none
    /// may be frozen.
    pub(crate) fn freeze(&mut self, sealing: &mut Sealing) {
        let hot = &self.shared.hot;
        // Notes need space in the journal, too.
        if hot.held().counts().young == 0 && !self.journal.used().is_much() {
            return;
        }
        hot.change().freeze();
        self.frozen = Some(Frozen {
            last: self.last,
            space: self.journal.used(),
            sensors: sealing.worth_sealing(&hot.held()),
        });
    }

    /// Frees the journal space of commits that are in the log. After an error, the record after the
    /// ring keeps its place, so it is tried again.
    fn release(&mut self, space: JournalUse) -> Result<(), StoreError> {
        self.journal.release(space);
        if space.is_behind_ring() {
            // First a newer record: the newest one must stay.
            self.note_durable()?;
            self.shorten()?;
        }
        Ok(())
    }

    fn shorten(&mut self) -> Result<(), StoreError> {
        let shortened = self.journal.shorten();
        shortened.map_err(|error| {
            self.shared
                .failure
                .of_write("shortening the journal", &error)
        })
    }

    /// Does a slice of the work that brings frozen commits into the log. Returns false if there are
    /// none.
    ///
    /// After an interruption, a start replays the journal, which writes the same again, except rows
    /// that are already sealed.
    pub(crate) fn step(
        &mut self,
        db: &mut Database,
        sealing: &mut Sealing,
    ) -> Result<bool, StoreError> {
        let Some(frozen) = &mut self.frozen else {
            return Ok(false);
        };
        db.check_writable()?;
        if sealing.seal_frozen(db, &mut frozen.sensors) {
            return Ok(true);
        }
        let hot = &self.shared.hot;
        let is_last = hot.held().count_unsettled_sensors() <= SETTLED_AT_ONCE;
        let settled = db.settle(SETTLED_AT_ONCE, is_last.then_some(frozen.last))?;
        let held = hot.held();
        sealing.review_counts(held.count_all_sealable(), held.sealable_at(&settled));
        drop(held);
        if !is_last {
            return Ok(true);
        }
        let space = frozen.space;
        self.frozen = None;
        hot.change().end_generation();
        self.release(space)?;
        sealing.retry(&self.shared.hot.held());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::*;
    use crate::domain::TimeRange;
    use crate::store::backend::wait;
    use crate::store::embedded::disk::sync;
    use crate::store::tests::{NOW, at, house, open_registered, upload};

    #[test]
    fn queries_are_answered_while_a_slice_of_landing_waits_for_the_disk() {
        let rows = i64::try_from(MAX_YOUNG_ROWS).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 256);
        let held = sync::fault::hold_next(&dir.path().join("blocks"));
        for first in (0..rows).step_by(512) {
            let times: Vec<Option<i64>> = (first..first + 512).map(Some).collect();
            let stored = store.append_durably_blocking(upload(&times), at(NOW));
            assert_eq!(stored.unwrap(), 512);
        }
        let release = held.recv_timeout(Duration::from_mins(1)).unwrap();
        // The committing thread does not answer.
        let mut ping = Box::pin(store.ping());
        let mut answer = || ping.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(answer().is_pending());
        let mut scan = store.scan(&house(), TimeRange::ALL);
        let mut times = Vec::new();
        while let Some(run) = scan.next_run().unwrap() {
            times.extend(run.iter().map(|reading| reading.time.millis()));
        }
        assert!(times.into_iter().eq(0..rows));
        let newest = store.activity(&house()).unwrap().unwrap().newest_power;
        assert_eq!(newest.unwrap().time, at(rows - 1));
        assert!(answer().is_pending());
        release.send(()).unwrap();
        wait(ping).unwrap();
        assert_eq!(store.check().problems, []);
    }
}

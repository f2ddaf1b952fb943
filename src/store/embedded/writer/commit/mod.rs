//! The single writer. It takes the queued tasks, writes them as one group, syncs, and answers all;
//! the next group forms meanwhile. Between two groups it does a slice of the work that is due.
//!
//! | file | content |
//! | --- | --- |
//! | `uploads` | committing a group of uploads |

mod uploads;

use std::collections::{BTreeMap, VecDeque};
use std::iter;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crate::domain::SensorId;
use crate::store::embedded::disk::panics::caught;
use crate::store::embedded::facts::Deletion;
use crate::store::embedded::load::LoadedJournal;
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::database::Database;
use crate::store::embedded::writer::deletions;
use crate::store::embedded::writer::landing::{Landing, RETRY_AFTER};
use crate::store::embedded::writer::queue::{Change, Next, Queue, Task};
use crate::store::embedded::writer::register;
use crate::store::embedded::writer::sealed_rows;
use crate::store::embedded::writer::sealing::Sealing;
use crate::store::embedded::writer::upkeep::Upkeep;
use crate::store::error::StoreError;

/// The maximum number of tasks that are taken from the queue together.
const MAX_TASKS: usize = 1_024;
/// After more tasks than this, the thread yields to the workers first: they are about to bring as
/// many again, and larger groups need fewer syncs. After fewer tasks it does not, because it would
/// wait for unrelated programs that keep the processors busy.
const CROWD: usize = 8;
/// The number of readings at which a group is full: larger records would crowd the journal.
const MAX_GROUP_READINGS: usize = 2_048;

/// Work that was interrupted when the store was last open.
pub(crate) struct UnfinishedWork {
    /// Sensors to remove.
    pub(crate) removed: Vec<SensorId>,
    /// Deletions to complete.
    pub(crate) deletions: BTreeMap<SensorId, Vec<Deletion>>,
    /// Whether the log must be rewritten.
    pub(crate) is_log_damaged: bool,
}

/// The work of the committing thread.
pub(crate) struct Committer {
    shared: Arc<Shared>,
    db: Database,
    landing: Landing,
    sealing: Sealing,
    upkeep: Upkeep,
    /// Changes that wait until earlier uploads land, and tasks that follow them; a change first.
    parked: VecDeque<Task>,
    /// The number of tasks that were last taken from the queue together.
    taken: usize,
    /// When work that failed on a full disk is tried again.
    retry_at: Option<Instant>,
    /// Why uploads could not be brought into the log the last time.
    landing_failure: Option<StoreError>,
}

impl Committer {
    /// Replays the journal, finishes interrupted work, and rewrites a damaged log.
    pub(crate) fn open(
        shared: Arc<Shared>,
        mut db: Database,
        journal: LoadedJournal,
        unfinished: UnfinishedWork,
    ) -> Result<Self, StoreError> {
        let mut landing = Landing::open(Arc::clone(&shared), &journal.found, journal.last)?;
        let mut sealing = Sealing::new(shared.settings.block_readings);
        let is_damaged = unfinished.is_log_damaged;
        let commits = sealed_rows::commits_to_replay(&db, journal.commits, is_damaged)?;
        // First of all: the journal must not bring back rows that are removed below.
        landing.replay(&mut db, &mut sealing, commits)?;
        for sensor in unfinished.removed {
            register::delete_readings_and_record(&mut db, &mut sealing, &sensor)?;
        }
        for (sensor, deletions) in unfinished.deletions {
            deletions::carry_out(&mut db, &sensor, &deletions)?;
        }
        if is_damaged {
            sealed_rows::drop_sealed(&db)?;
            register::mend_newest_powers(&mut db)?;
            db.rewrite_log()?;
            landing.note_durable()?;
        }
        let sensors = shared.hot.held().with_rows();
        sealing.review(&shared.hot.held(), &sensors);
        db.mark_closed(false, landing.last())?;
        Ok(Self {
            shared,
            db,
            landing,
            sealing,
            upkeep: Upkeep::default(),
            parked: VecDeque::new(),
            taken: 0,
            retry_at: None,
            landing_failure: None,
        })
    }

    /// Works until the queue is closed and all is done.
    pub(crate) fn run(mut self, mut queue: Queue) {
        loop {
            // A panic must leave neither callers without an answer nor an unfinished change.
            match caught(|| self.round(&mut queue)) {
                Ok(true) => {}
                Ok(false) => return,
                Err(panic) => {
                    let why = StoreError::Damaged(format!("it panicked: {panic}"));
                    self.shared.failure.set("committing", &why);
                }
            }
        }
    }

    /// Commits the queued tasks, and does a slice of due work. Returns false at the end.
    fn round(&mut self, queue: &mut Queue) -> bool {
        // Callers after the parked ones wait in the queue, so there are never too many.
        let next = if self.parked.len() < MAX_TASKS {
            queue.next(self.due())
        } else {
            Next::Idle
        };
        match next {
            Next::Task(first) => {
                if self.taken > CROWD {
                    thread::yield_now();
                }
                let queued = iter::once(first).chain(iter::from_fn(|| queue.try_next()));
                let mut taken = 0;
                self.commit(queued.take(MAX_TASKS).inspect(|_| taken += 1));
                self.taken = taken;
            }
            Next::Idle => {}
            Next::Closed => {
                self.finish();
                return false;
            }
        }
        self.work();
        self.unpark();
        true
    }

    /// The time of the next work that no task requests.
    fn due(&self) -> Option<Instant> {
        if self.db.check_writable().is_err() {
            // The parked tasks have to be answered.
            return (!self.parked.is_empty()).then(Instant::now);
        }
        let must_freeze = self.landing.is_full() || !self.parked.is_empty();
        if self.landing.is_frozen()
            // Freezing needs the pending readings in the journal.
            || (must_freeze && self.landing.pending_failure().is_none())
            || self.sealing.is_due()
            || self.upkeep.is_due(&self.db)
        {
            let due = self.retry_at.unwrap_or_else(Instant::now);
            return Some(self.landing.pending_due().map_or(due, |it| it.min(due)));
        }
        self.landing.pending_due()
    }

    /// Does a slice of the work that is due. A failure that is not final is tried again later.
    fn work(&mut self) {
        if self.db.check_writable().is_err() {
            return;
        }
        let shortages = self.shared.failure.shortages();
        self.work_now();
        if self.shared.failure.shortages() > shortages {
            self.retry_at = Some(Instant::now() + RETRY_AFTER);
        }
    }

    fn work_now(&mut self) {
        let due = self.landing.pending_due();
        // Failures are recorded where they happen, or the readings are still pending.
        if due.is_some_and(|due| due <= Instant::now()) {
            drop(self.log_pending());
        }
        if self.db.take_unnoted() {
            // If there is no space for it, a later commit contains the note.
            drop(self.landing.note_durable());
        }
        if self.retry_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        self.retry_at = None;
        if self.landing.is_frozen() {
            drop(self.land_some());
            if self.landing.is_behind() {
                drop(self.land_some());
            }
            return;
        }
        // Before freezing: under a load that never ends, something is frozen again at once.
        if self.sealing.is_due() {
            self.sealing.seal_next(&mut self.db);
        } else if self.upkeep.is_due(&self.db) {
            self.upkeep.work(&mut self.db);
        }
        if self.landing.is_full() || !self.parked.is_empty() {
            drop(self.freeze());
        }
    }

    fn log_pending(&mut self) -> Result<(), StoreError> {
        let logged = self.landing.log_pending(&mut self.db, &mut self.sealing);
        // A record after the ring must be frozen before there is another one.
        if logged.is_ok() && self.landing.is_full() {
            self.landing.freeze(&mut self.sealing);
        }
        logged
    }

    /// Freezes all young commits.
    fn freeze(&mut self) -> Result<(), StoreError> {
        self.log_pending()?;
        if !self.landing.is_frozen() {
            self.landing.freeze(&mut self.sealing);
        }
        Ok(())
    }

    fn land_some(&mut self) -> Result<(), StoreError> {
        let step = self.landing.step(&mut self.db, &mut self.sealing);
        let landed = step.map(drop).map_err(|error| match error {
            // The disk is full.
            StoreError::NotForNow(_) => error,
            other => self.shared.failure.set("storing readings", &other),
        });
        self.landing_failure = landed.clone().err();
        landed
    }

    /// Brings all uploads in memory into the log.
    fn land_all(&mut self) -> Result<(), StoreError> {
        while self.landing.is_frozen() {
            self.land_some()?;
        }
        self.freeze()?;
        while self.landing.is_frozen() {
            self.land_some()?;
        }
        Ok(())
    }

    /// Brings everything from memory and the journal into the log, and answers all callers. A
    /// failure is final, since there is no later attempt:
    /// [`Store::close`](crate::store::Store::close) returns it.
    fn finish(&mut self) {
        loop {
            if let Err(error) = self.land_all() {
                self.shared.failure.set("storing the last readings", &error);
            }
            if self.parked.is_empty() {
                break;
            }
            self.unpark();
        }
        // The next start would carry it out.
        if let Err(error) = self.db.settle_notes() {
            self.shared.failure.set("settling a deletion", &error);
        }
        // Their failures are recorded where they happen. The journal notes where the log ends, so
        // that a truncated log is noticed.
        if self.db.mark_closed(true, self.landing.last()).is_ok() {
            drop(self.landing.note_durable());
        }
    }

    /// Does tasks in order. Consecutive uploads form one group.
    fn commit(&mut self, tasks: impl Iterator<Item = Task>) {
        let mut uploads = Vec::new();
        let mut readings = 0;
        for task in tasks {
            if self.parked.iter().any(|earlier| task.must_follow(earlier)) {
                self.parked.push_back(task);
                continue;
            }
            match task {
                Task::Append(append, answer) => {
                    readings += append.upload.readings().len();
                    uploads.push((append, answer));
                    if readings >= MAX_GROUP_READINGS {
                        self.append(std::mem::take(&mut uploads));
                        readings = 0;
                    }
                }
                Task::Change(change) => {
                    self.append(std::mem::take(&mut uploads));
                    readings = 0;
                    self.change(change);
                }
                // The caller may be gone.
                Task::Ping(answer) => drop(answer.send(self.db.check_writable())),
            }
        }
        self.append(uploads);
    }

    /// Makes a change, or parks it while uploads that it must follow are not in the log.
    fn change(&mut self, change: Change) {
        let must_wait = self.landing.has(&change.concern);
        if must_wait && self.landing_failure.is_some() {
            // There may be space by now. Else the failure is renewed.
            drop(self.land_some());
        }
        if let Some(error) = self.failure(must_wait) {
            (change.job)(Err(error));
        } else if must_wait {
            self.parked.push_back(Task::Change(change));
        } else {
            (change.job)(Ok((&mut self.db, &mut self.sealing)));
        }
    }

    /// Why a change cannot be made: by itself, or after readings that cannot be stored for now.
    fn failure(&self, must_wait: bool) -> Option<StoreError> {
        let of_landing = || self.landing_failure.clone();
        let pending = || self.landing.pending_failure().or_else(of_landing);
        let pending = must_wait.then(pending).flatten();
        self.db.check_writable().err().or(pending)
    }

    /// Does the parked tasks, once the first of them need not wait any more.
    fn unpark(&mut self) {
        while let Some(Task::Change(first)) = self.parked.front() {
            let must_wait = self.landing.has(&first.concern);
            if must_wait && self.failure(must_wait).is_none() {
                return;
            }
            let parked = std::mem::take(&mut self.parked);
            self.commit(parked.into_iter());
        }
    }
}

#[cfg(test)]
mod tests;

//! The single writer. It takes what has queued up, writes it as one group, syncs, and answers all; the next group forms
//! meanwhile.

use std::iter;
use std::sync::Arc;
use std::time::Instant;

use crate::domain::SensorId;
use crate::store::engine::panics::caught;
use crate::store::error::StoreError;
use crate::store::settings::Durability;
use crate::store::state::Shared;
use crate::store::writer::database::Database;
use crate::store::writer::group::Group;
use crate::store::writer::journal::Commit;
use crate::store::writer::landing::Landing;
use crate::store::writer::queue::{Answer, Append, Next, Queue, Task};
use crate::store::writer::sealing::Sealing;
use crate::store::writer::{group, register};

/// The most changes that are committed together.
const MAX_GROUP_CHANGES: usize = 1_024;
/// No further upload joins a group with so many readings.
const MAX_GROUP_READINGS: usize = 65_536;

/// The work of the committing thread.
pub(crate) struct Committer {
    shared: Arc<Shared>,
    db: Database,
    landing: Landing,
    sealing: Sealing,
}

impl Committer {
    /// Takes over the `commits` of the journal, finishes the removal of the sensors in `removed`, and puts the hot rows in
    /// order.
    pub(crate) fn open(
        shared: Arc<Shared>,
        commits: Vec<Commit>,
        removed: Vec<SensorId>,
    ) -> Result<Self, StoreError> {
        let mut db = Database::open(Arc::clone(&shared))?;
        let mut landing = Landing::open(Arc::clone(&shared))?;
        let mut sealing = Sealing::new(shared.settings.block_readings);
        // First of all: the journal must not bring back rows that the following removes.
        landing.replay(&mut db, commits)?;
        for sensor in removed {
            register::delete_readings_and_record(&mut db, &mut sealing, &sensor)?;
        }
        sealing.recover(&mut db)?;
        Ok(Self {
            shared,
            db,
            landing,
            sealing,
        })
    }

    /// Works until the queue is closed and all is done.
    pub(crate) fn run(mut self, mut queue: Queue) {
        loop {
            // A panic in sled must not leave callers without an answer, nor the thread half way through a change.
            match caught(|| self.round(&mut queue)) {
                Ok(true) => {}
                Ok(false) => return,
                Err(panic) => {
                    let why = StoreError::Damaged(format!("sled gave up: {panic}"));
                    self.shared.failure.set("committing", &why);
                }
            }
        }
    }

    /// Commits one group, and does what has become due. Returns false once all is done and the queue closed.
    fn round(&mut self, queue: &mut Queue) -> bool {
        match queue.next(self.due()) {
            Next::Task(first) => self.commit(first, queue),
            Next::Idle => {}
            Next::Closed => {
                // Callers were answered long ago. `Store::close` returns a failure.
                drop(self.finish());
                return false;
            }
        }
        if self.db.check_writable().is_ok()
            && let Err(error) = self.work()
        {
            self.shared.failure.set("storing readings", &error);
        }
        true
    }

    /// When there is something to do that no task asks for.
    fn due(&self) -> Option<Instant> {
        if self.db.check_writable().is_err() {
            return None;
        }
        if self.sealing.is_due() || self.db.is_move_due() {
            return Some(Instant::now());
        }
        self.landing.pending_due()
    }

    /// Does what is due.
    fn work(&mut self) -> Result<(), StoreError> {
        let due = self.landing.pending_due();
        if due.is_some_and(|due| due <= Instant::now()) {
            self.log_pending()?;
        }
        if self.landing.is_full() {
            self.land()?;
        }
        if self.sealing.is_due() {
            // Else a crash could leave a part of an upload: the part that is in blocks by then.
            self.log_pending()?;
            self.sealing.seal_next(&mut self.db);
        }
        if self.db.is_move_due() {
            self.db.move_blocks();
        }
        Ok(())
    }

    /// Leaves nothing in memory or in the journal that the database does not have.
    fn finish(&mut self) -> Result<(), StoreError> {
        self.db.check_writable()?;
        self.land()?;
        self.db.sync_if_needed()
    }

    /// Commits `first` and what has queued up behind it. Uploads that follow each other are one group.
    fn commit(&mut self, first: Task, queue: &mut Queue) {
        let queued = iter::once(first).chain(iter::from_fn(|| queue.try_next()));
        let mut uploads = Vec::new();
        let mut readings = 0;
        for task in queued.take(MAX_GROUP_CHANGES) {
            match task {
                Task::Append(append, answer) => {
                    readings += append.upload.readings().len();
                    uploads.push((append, answer));
                    if readings >= MAX_GROUP_READINGS {
                        break;
                    }
                }
                Task::Change(job) => {
                    self.append(std::mem::take(&mut uploads));
                    let landed = self.land();
                    job(landed.map(|()| (&mut self.db, &mut self.sealing)));
                }
                // The caller may be gone.
                Task::Ping(answer) => drop(answer.send(self.db.check_writable())),
            }
        }
        self.append(uploads);
    }

    /// Commits uploads together: all of them with one sync.
    fn append(&mut self, uploads: Vec<(Append, Answer<usize>)>) {
        let shared = Arc::clone(&self.shared);
        let mut group = Group::new(&shared);
        let mut added = Vec::with_capacity(uploads.len());
        for (append, answer) in uploads {
            added.push((answer, group.add(&append)));
        }
        let committed = if group.commit.rows.is_empty() {
            Ok(())
        } else {
            self.hold(group)
        };
        for (answer, outcome) in added {
            // The caller may be gone. What is stored stays stored.
            drop(answer.send(committed.clone().and(outcome)));
        }
    }

    /// Holds a group in memory, where readers see it: once it is durable or, in interval mode, before.
    fn hold(&mut self, group: Group<'_>) -> Result<(), StoreError> {
        self.db.check_writable()?;
        let (commit, mut new_rows) = (group.commit, group.new_rows);
        let (begun, readings) = (Instant::now(), commit.rows.len());
        let is_interval = self.shared.settings.durability != Durability::Always;
        let has_room = if is_interval {
            self.landing.defer(&commit);
            true
        } else {
            self.landing.log(&mut self.db, &commit)? || {
                // The journal is full: all it has goes into blocks and into the database.
                self.sealing.seal_newest(&mut self.db);
                self.land()?;
                // Rows that the commit replaces may be sealed by now. Then its own rows are new.
                new_rows = group::new_rows(&self.shared, &commit)?;
                self.landing.log(&mut self.db, &commit)?
            }
        };
        self.landing.hold(commit);
        self.sealing.add_rows(new_rows);
        if !has_room {
            // It is longer than the journal.
            self.land()?;
        }
        if !is_interval {
            let metrics = &self.shared.commit_metrics;
            metrics.observe(readings, begun.elapsed());
        }
        Ok(())
    }

    /// Makes durable what interval mode has deferred.
    fn log_pending(&mut self) -> Result<(), StoreError> {
        self.db.check_writable()?;
        let Some(pending) = self.landing.take_pending() else {
            return Ok(());
        };
        let begun = Instant::now();
        if !self.landing.log(&mut self.db, &pending)? {
            self.land()?;
        }
        let metrics = &self.shared.commit_metrics;
        metrics.observe(pending.rows.len(), begun.elapsed());
        Ok(())
    }

    /// Writes all that is held in memory into the database, durably.
    fn land(&mut self) -> Result<(), StoreError> {
        if self.landing.land(&mut self.db)? {
            self.sealing.retry();
        }
        Ok(())
    }
}

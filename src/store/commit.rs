//! The single writer. All changes go through its thread: it takes what has queued up, writes it in one transaction, syncs,
//! and answers all; the next group forms meanwhile. Nothing else makes anything durable.
//!
//! After a failed write or sync nothing is written any more: what the medium holds is unknown until it is read anew.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use sled::Transactional;
use sled::transaction::TransactionError;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, mpsc, oneshot};

use super::activity::{self, Activity};
use super::append::{Changes, Group};
use super::error::StoreError;
use super::hot::{self, Rows};
use super::mark::Mark;
use super::{Durability, Shared, open, write};
use crate::domain::account::{Account, AccountName, ApiId, Credential};
use crate::domain::reading::{Reading, Upload};
use crate::domain::sensor::{Arrivals, Sensor, SensorId};
use crate::domain::time::{TimeRange, Timestamp};

/// The most changes that are committed together.
const GROUP_CHANGES: usize = 1_024;
/// No further upload joins a group that has so many readings.
const GROUP_READINGS: usize = 65_536;
/// No more rows than this are held back in interval mode: some megabytes.
const MOST_HELD_ROWS: usize = 16_384;

/// What the committing thread is asked to do. It is answered with the number of readings stored or deleted.
pub(super) enum Task {
    /// Those that follow each other are committed together.
    Append {
        upload: Upload,
        arrival: Timestamp,
    },
    Change(Change),
}

/// A change other than an upload: durable on return whatever the setting.
pub(super) enum Change {
    Import {
        sensor: SensorId,
        readings: Vec<Reading>,
    },
    Delete {
        sensor: SensorId,
        range: TimeRange,
    },
    PutAccount(Account),
    RemoveAccount(AccountName),
    PutCredential(Credential),
    RemoveCredential(ApiId),
    PutSensor(Sensor),
    RemoveSensor(SensorId),
    PutArrivals {
        sensor: SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    },
    ForgetArrivalsAfter(Timestamp),
}

/// Where a change is answered.
pub(super) type Answer = oneshot::Sender<Result<usize, StoreError>>;

/// A task that waits to be done.
pub(super) struct Queued {
    pub(super) task: Task,
    pub(super) answer: Answer,
}

impl Shared {
    /// Takes note that nothing may be written any more, and says so once. Returns what callers are told.
    pub(super) fn fail(&self, doing: &str, error: &StoreError) -> StoreError {
        let failure = self.failure.get_or_init(|| {
            log::error!("{doing} failed, so the store takes no more changes until wattkeeper is restarted: {error}");
            StoreError::Poisoned(error.to_string())
        });
        failure.clone()
    }
}

/// The committing thread's own state.
pub(super) struct Committer {
    pub(super) shared: Arc<Shared>,
    runtime: Runtime,
    stopping: Arc<Notify>,
    /// Whether it was told to stop: it finishes what is queued.
    is_stopping: bool,
    /// How many hot rows each sensor has.
    pub(super) hot_rows: HashMap<SensorId, usize>,
    /// Whose rows were sealed last: then it is the next one's turn.
    pub(super) last_sealed: Option<SensorId>,
    /// Where sealing goes on, for sensors whose rows were not all looked at the last time.
    pub(super) seal_from: HashMap<SensorId, Timestamp>,
    /// Sensors whose rows could not be sealed: they stay hot until the next start.
    pub(super) not_sealed: HashSet<SensorId>,
    /// The activities that belong to the rows held back.
    held_activity: HashMap<SensorId, Activity>,
    mark: Mark,
    /// Since when something is not synced.
    unsynced_since: Option<Instant>,
}

enum Next {
    Task(Queued),
    /// It is time to sync or to go on sealing.
    Idle,
    Closed,
}

impl Committer {
    pub(super) fn new(shared: Arc<Shared>, stopping: Arc<Notify>) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| StoreError::io("starting the committing thread", &error))?;
        let mark = Mark::open(&shared.dir, shared.trees.meta.clone())?;
        Ok(Self {
            shared,
            runtime,
            mark,
            stopping,
            is_stopping: false,
            hot_rows: HashMap::new(),
            seal_from: HashMap::new(),
            last_sealed: None,
            not_sealed: HashSet::new(),
            held_activity: HashMap::new(),
            unsynced_since: None,
        })
    }

    pub(super) fn run(mut self, mut queue: mpsc::Receiver<Queued>) {
        loop {
            // A panic in sled must not leave callers without an answer, nor the thread half way through a change.
            let round = catch_unwind(AssertUnwindSafe(|| self.round(&mut queue)));
            match round {
                Ok(true) => {}
                Ok(false) => return,
                Err(panic) => {
                    let why = format!("sled gave up: {}", open::said(&*panic));
                    drop(self.shared.fail("committing", &StoreError::Damaged(why)));
                }
            }
        }
    }

    /// Commits one group and does what has become due; false once all is done and the queue closed.
    fn round(&mut self, queue: &mut mpsc::Receiver<Queued>) -> bool {
        match self.next(queue) {
            Next::Task(first) => self.commit(first, queue),
            Next::Idle => {}
            Next::Closed => {
                if self.shared.failure.get().is_none() && self.unsynced_since.is_some() {
                    // Callers were answered long ago; the failure is noted and told by `Store::close`.
                    drop(self.sync());
                }
                return false;
            }
        }
        if self.shared.failure.get().is_none() {
            if self.sync_due().is_some_and(|due| due <= Instant::now()) {
                drop(self.sync());
            }
            self.seal_when_due();
        }
        true
    }

    fn next(&mut self, queue: &mut mpsc::Receiver<Queued>) -> Next {
        let is_sealing = self.shared.failure.get().is_none() && self.is_seal_due();
        let idle_at = if is_sealing {
            Some(Instant::now())
        } else {
            self.sync_due()
        };
        if !self.is_stopping {
            let received = self.runtime.block_on(async {
                tokio::select! {
                    biased;
                    () = self.stopping.notified() => None,
                    received = receive(queue, idle_at) => Some(received),
                }
            });
            match received {
                Some(Ok(Some(queued))) => return Next::Task(queued),
                Some(Ok(None)) => return Next::Closed,
                Some(Err(_)) => return Next::Idle,
                None => self.is_stopping = true,
            }
        }
        // What is queued is finished. Callers that are let in but not polled may never send: they are not waited for.
        queue.close();
        queue.try_recv().map_or(Next::Closed, Next::Task)
    }

    /// When what is written must be synced at the latest.
    fn sync_due(&self) -> Option<Instant> {
        match self.shared.settings.durability {
            Durability::Interval(interval) if self.shared.failure.get().is_none() => self
                .unsynced_since
                .and_then(|since| since.checked_add(interval)),
            _ => None,
        }
    }

    /// Commits `first` and what has queued up behind it. Uploads that follow each other are one group.
    fn commit(&mut self, first: Queued, queue: &mut mpsc::Receiver<Queued>) {
        let mut waiting = Some(first);
        let mut uploads = Vec::new();
        let mut readings = 0;
        for _ in 0..GROUP_CHANGES {
            let Some(queued) = waiting.take().or_else(|| queue.try_recv().ok()) else {
                break;
            };
            match queued.task {
                Task::Append { upload, arrival } => {
                    readings += upload.readings().len();
                    uploads.push((upload, arrival, queued.answer));
                    if readings >= GROUP_READINGS {
                        break;
                    }
                }
                Task::Change(change) => {
                    self.append(std::mem::take(&mut uploads));
                    let outcome = self.change(change);
                    // Who asked may be gone; the change stands all the same.
                    let _ = queued.answer.send(outcome);
                }
            }
        }
        self.append(uploads);
    }

    /// Commits uploads in one transaction and one sync.
    fn append(&mut self, uploads: Vec<(Upload, Timestamp, Answer)>) {
        if uploads.is_empty() {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let mut group = Group::new(&shared);
        let added: Vec<(Answer, Result<usize, StoreError>)> = uploads
            .into_iter()
            .map(|(upload, arrival, answer)| (answer, group.add(&upload, arrival)))
            .collect();
        let committed = if group.is_empty() {
            Ok(())
        } else {
            self.write_group(group)
        };
        for (answer, outcome) in added {
            // Who asked may be gone; what is stored stays stored.
            let _ = answer.send(committed.clone().and(outcome));
        }
    }

    fn write_group(&mut self, group: Group<'_>) -> Result<(), StoreError> {
        let Changes {
            rows,
            activity,
            new_rows,
        } = group.into_changes();
        let mut is_much = false;
        match self.shared.settings.durability {
            Durability::Always => {
                self.write_rows(&rows, &activity)?;
                self.sync()?;
            }
            // Not even handed to sled, which syncs around each transaction.
            Durability::Interval(_) => {
                self.check_writable()?;
                self.unsynced_since.get_or_insert_with(Instant::now);
                self.held_activity.extend(activity.clone());
                self.shared.trees.hot.hold(rows);
                is_much = self.shared.trees.hot.held().len() >= MOST_HELD_ROWS;
            }
        }
        write(&self.shared.activity).extend(activity);
        for (sensor, count) in new_rows {
            *self.hot_rows.entry(sensor).or_default() += count;
        }
        if is_much { self.write_held() } else { Ok(()) }
    }

    /// Writes rows and activities in one transaction.
    fn write_rows(
        &mut self,
        rows: &Rows,
        activity: &HashMap<SensorId, Activity>,
    ) -> Result<(), StoreError> {
        let (mut row_batch, mut activity_batch) = (sled::Batch::default(), sled::Batch::default());
        for (key, measures) in rows {
            row_batch.insert(key.as_slice(), hot::encode(*measures));
        }
        for (sensor, activity) in activity {
            activity_batch.insert(sensor.as_str(), activity::encode(activity)?);
        }
        self.write("storing readings", |shared| {
            let trees = (&shared.trees.hot.tree, &shared.trees.activity);
            transaction(trees.transaction(|(hot_tree, activity_tree)| {
                hot_tree.apply_batch(&row_batch)?;
                activity_tree.apply_batch(&activity_batch)?;
                Ok(())
            }))
        })
    }

    /// Writes the rows that are held back.
    pub(super) fn write_held(&mut self) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        if shared.trees.hot.held().is_empty() {
            return Ok(());
        }
        let activity = std::mem::take(&mut self.held_activity);
        let rows = shared.trees.hot.held().clone();
        self.write_rows(&rows, &activity)?;
        shared.trees.hot.let_go();
        Ok(())
    }

    /// Any other change, durable on return whatever the setting.
    fn change(&mut self, change: Change) -> Result<usize, StoreError> {
        self.write_held()?;
        match change {
            Change::Import { sensor, readings } => self.import(&sensor, readings),
            Change::Delete { sensor, range } => self.delete(&sensor, range),
            Change::PutAccount(account) => self.put_account(&account),
            Change::RemoveAccount(name) => self.remove_account(&name),
            Change::PutCredential(credential) => self.put_credential(&credential),
            Change::RemoveCredential(api_id) => self.remove_credential(&api_id),
            Change::PutSensor(sensor) => self.put_sensor(&sensor),
            Change::PutArrivals {
                sensor,
                arrivals,
                last_assigned,
            } => self.put_arrivals(&sensor, arrivals, last_assigned),
            Change::RemoveSensor(id) => self.remove_sensor(&id),
            Change::ForgetArrivalsAfter(time) => self.forget_arrivals_after(time),
        }
    }

    /// Writes, unless an earlier write failed; a failure is final.
    pub(super) fn write(
        &mut self,
        doing: &str,
        write: impl FnOnce(&Shared) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.check_writable()?;
        self.unsynced_since.get_or_insert_with(Instant::now);
        write(&self.shared).map_err(|error| self.shared.fail(doing, &error))
    }

    fn check_writable(&self) -> Result<(), StoreError> {
        self.shared
            .failure
            .get()
            .map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// Makes all that is written or held back durable; a failure is final.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        self.write_held()?;
        self.check_writable()?;
        let synced = self.mark.count().and_then(|()| {
            self.shared.trees.db.flush()?;
            Ok(())
        });
        synced.map_err(|error| self.shared.fail("syncing", &error))?;
        self.mark.stored();
        self.unsynced_since = None;
        Ok(())
    }
}

/// The next change; an error where none came until `idle_at`.
async fn receive(
    queue: &mut mpsc::Receiver<Queued>,
    idle_at: Option<Instant>,
) -> Result<Option<Queued>, tokio::time::error::Elapsed> {
    match idle_at {
        None => Ok(queue.recv().await),
        Some(idle_at) => tokio::time::timeout_at(idle_at.into(), queue.recv()).await,
    }
}

/// The outcome of a transaction.
pub(super) fn transaction(
    outcome: Result<(), TransactionError<StoreError>>,
) -> Result<(), StoreError> {
    outcome.map_err(|error| match error {
        TransactionError::Storage(error) => error.into(),
        TransactionError::Abort(error) => error,
    })
}

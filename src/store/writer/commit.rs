//! The single writer. All changes go through its thread: it takes what has queued up, writes it as one, syncs,
//! and answers all; the next group forms meanwhile. Nothing else makes anything durable.
//!
//! After a failed write or sync nothing is written any more: what the medium holds is unknown until it is read anew.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use sled::transaction::TransactionError;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::domain::account::{Account, AccountName, ApiId, Credential};
use crate::domain::password::PasswordHash;
use crate::domain::reading::{Reading, Upload};
use crate::domain::sensor::{Arrivals, Sensor, SensorId};
use crate::domain::session::{Session, SessionId};
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::blocks::space::Space;
use crate::store::blocks::tally::Tally;
use crate::store::engine::mark;
use crate::store::engine::mark::Mark;
use crate::store::engine::panics::caught;
use crate::store::error::StoreError;
use crate::store::rows::activity::Activities;
use crate::store::settings::Durability;
use crate::store::state::Shared;
use crate::store::writer::journal::{Commit, Journal};

/// The most changes that are committed together.
const GROUP_CHANGES: usize = 1_024;
/// No further upload joins a group that has so many readings.
const GROUP_READINGS: usize = 65_536;

/// What the committing thread is asked to do. It is answered with the number of readings stored or deleted.
pub(crate) enum Task {
    /// Those that follow each other are committed together.
    Append {
        /// Who must have the sensor, authorized; anybody may where there is none.
        account: Option<AccountName>,
        upload: Upload,
        arrival: Timestamp,
    },
    Change(Change),
    /// Nothing but an answer, as a sign of life.
    Answer,
}

/// A change other than an upload: durable on return whatever the setting.
pub(crate) enum Change {
    Import {
        sensor: SensorId,
        readings: Vec<Reading>,
    },
    Delete {
        sensor: SensorId,
        range: TimeRange,
    },
    PutAdministrator {
        password: PasswordHash,
        /// Whether there must be no administrator yet.
        is_first: bool,
        /// The session that does not end.
        keeping: Option<SessionId>,
    },
    BeginSession {
        session: Session,
        /// What was proved to begin it.
        password: PasswordHash,
    },
    UseSession(Session),
    EndSession(SessionId),
    WriteUses,
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
pub(crate) type Answer = oneshot::Sender<Result<usize, StoreError>>;

/// A task that waits to be done.
pub(crate) struct Queued {
    pub(crate) task: Task,
    pub(crate) answer: Answer,
}

impl Shared {
    /// Takes note that nothing may be written any more, and says so once. Returns what callers are told.
    pub(crate) fn fail(&self, doing: &str, error: &StoreError) -> StoreError {
        let failure = self.failure.get_or_init(|| {
            log::error!("{doing} failed, so the store takes no more changes until wattkeeper is restarted: {error}");
            StoreError::Poisoned(error.to_string())
        });
        failure.clone()
    }
}

/// The committing thread's own state.
pub(crate) struct Committer {
    pub(crate) shared: Arc<Shared>,
    runtime: Runtime,
    stopping: Arc<Notify>,
    /// Whether it was told to stop: it finishes what is queued.
    is_stopping: bool,
    /// How many hot rows each sensor has.
    pub(crate) hot_rows: HashMap<SensorId, usize>,
    /// Whose rows were sealed last: then it is the next one's turn.
    pub(crate) last_sealed: Option<SensorId>,
    /// Where sealing goes on, for sensors whose rows were not all looked at the last time.
    pub(crate) seal_from: HashMap<SensorId, Timestamp>,
    /// Sensors whose rows could not be sealed: they stay hot until more rows come into the database.
    pub(crate) not_sealed: HashSet<SensorId>,
    /// The activities that belong to the rows held in memory.
    pub(crate) held_activities: Activities,
    /// What interval mode has acknowledged and the journal has not.
    pub(crate) pending: Commit,
    /// Since when there is any of that.
    pub(crate) pending_since: Option<Instant>,
    pub(crate) journal: Journal,
    pub(crate) mark: Mark,
    pub(crate) tally: Tally,
    pub(crate) space: Space,
    /// Whether something is written to the database that is not synced.
    is_unsynced: bool,
}

enum Next {
    Task(Queued),
    /// It is time to sync, or to go on sealing or moving blocks.
    Idle,
    Closed,
}

impl Committer {
    pub(crate) fn new(shared: Arc<Shared>, stopping: Arc<Notify>) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| StoreError::io("starting the committing thread", &error))?;
        let mark = Mark::open(&shared.dir, mark::counted(&shared.trees.meta)?)?;
        let journal = Journal::open(&shared.dir)?;
        let trees = &shared.trees;
        let sealed = &trees.sealed;
        let tally = Tally::checked(&shared.dir, &trees.meta, &sealed.blocks, &sealed.summaries)?;
        let space = Space::open(&shared.dir, sealed)?;
        Ok(Self {
            shared,
            runtime,
            mark,
            journal,
            tally,
            space,
            stopping,
            is_stopping: false,
            hot_rows: HashMap::new(),
            seal_from: HashMap::new(),
            last_sealed: None,
            not_sealed: HashSet::new(),
            held_activities: Activities::new(),
            pending: Commit::default(),
            pending_since: None,
            is_unsynced: false,
        })
    }

    pub(crate) fn run(mut self, mut queue: mpsc::Receiver<Queued>) {
        loop {
            // A panic in sled must not leave callers without an answer, nor the thread half way through a change.
            match caught(|| self.round(&mut queue)) {
                Ok(true) => {}
                Ok(false) => return,
                Err(panic) => {
                    let why = format!("sled gave up: {panic}");
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
                // Callers were answered long ago; a failure is noted and told by `Store::close`.
                drop(self.finish());
                return false;
            }
        }
        if self.shared.failure.get().is_none() {
            if self.sync_due().is_some_and(|due| due <= Instant::now()) {
                drop(self.log_pending());
            }
            self.land_when_due();
            self.seal_when_due();
            self.move_when_due();
        }
        true
    }

    fn next(&mut self, queue: &mut mpsc::Receiver<Queued>) -> Next {
        let is_due = self.is_seal_due() || self.space.is_move_due();
        let idle_at = if is_due && self.shared.failure.get().is_none() {
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

    /// Leaves nothing but the database behind.
    fn finish(&mut self) -> Result<(), StoreError> {
        self.check_writable()?;
        self.land()?;
        if self.is_unsynced {
            self.sync()
        } else {
            Ok(())
        }
    }

    /// When what waits must be durable at the latest.
    fn sync_due(&self) -> Option<Instant> {
        match self.shared.settings.durability {
            Durability::Interval(interval) if self.shared.failure.get().is_none() => self
                .pending_since
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
                Task::Append {
                    account,
                    upload,
                    arrival,
                } => {
                    readings += upload.readings().len();
                    uploads.push((account, upload, arrival, queued.answer));
                    if readings >= GROUP_READINGS {
                        break;
                    }
                }
                Task::Answer => {
                    let _ = queued.answer.send(self.check_writable().map(|()| 0));
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

    /// Any other change, durable on return whatever the setting.
    fn change(&mut self, change: Change) -> Result<usize, StoreError> {
        self.land()?;
        match change {
            Change::Import { sensor, readings } => self.import(&sensor, readings),
            Change::Delete { sensor, range } => self.delete(&sensor, range),
            Change::PutAdministrator {
                password,
                is_first,
                keeping,
            } => self.put_administrator(&password, is_first, keeping),
            Change::BeginSession { session, password } => self.begin_session(session, &password),
            Change::UseSession(session) => self.use_session(session),
            Change::EndSession(id) => self.end_session(&id),
            Change::WriteUses => self.write_uses(),
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
    pub(crate) fn write(
        &mut self,
        doing: &str,
        write: impl FnOnce(&Shared) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.check_writable()?;
        self.is_unsynced = true;
        write(&self.shared).map_err(|error| self.shared.fail(doing, &error))
    }

    pub(crate) fn check_writable(&self) -> Result<(), StoreError> {
        self.shared
            .failure
            .get()
            .map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// Counts all that is written to the database as a commit, and makes it durable; a failure is final.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.land()?;
        let number = self.mark.next();
        self.write("counting a commit", |shared| {
            shared.trees.meta.insert(mark::KEY, &number.to_le_bytes())?;
            Ok(())
        })?;
        self.flush()?;
        self.mark.stored(number);
        Ok(())
    }

    /// Makes all that is written to the database durable, without counting it; a failure is final.
    pub(crate) fn flush(&mut self) -> Result<(), StoreError> {
        self.shared
            .trees
            .db
            .flush()
            .map_err(|error| self.shared.fail("syncing", &error.into()))?;
        self.is_unsynced = false;
        self.space.remove_empty();
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
pub(crate) fn transaction(
    outcome: Result<(), TransactionError<StoreError>>,
) -> Result<(), StoreError> {
    outcome.map_err(|error| match error {
        TransactionError::Storage(error) => error.into(),
        TransactionError::Abort(error) => error,
    })
}

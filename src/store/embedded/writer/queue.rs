//! The queue of tasks for the committing thread, and how the thread receives them.

use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::domain::SensorId;
use crate::store::backend::Append;
use crate::store::embedded::writer::database::Database;
use crate::store::embedded::writer::sealing::Sealing;
use crate::store::error::StoreError;

/// A task of the committing thread.
pub(crate) enum Task {
    /// Stores an upload, and answers with the upload: its memory is best freed by the thread that
    /// allocated it. Consecutive uploads are committed together.
    Append(Append, Answer<Append>),
    Change(Change),
    /// Answers only, as a sign of life.
    Ping(Answer<()>),
}

/// Any other change, durable once it is answered, in every mode.
pub(crate) struct Change {
    /// Earlier uploads of this concern must be in the log first: otherwise a replay of the journal
    /// would undo the change.
    pub(crate) concern: Concern,
    /// Makes the change and answers, or answers with the error that kept earlier uploads from the
    /// log.
    pub(crate) job: Job,
}

/// Makes a change.
pub(crate) type Job = Box<dyn FnOnce(Result<(&mut Database, &mut Sealing), StoreError>) + Send>;

/// The sensors whose readings or arrivals a task reads or changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Concern<S = SensorId> {
    Nothing,
    Sensor(S),
    Everything,
}

impl Concern {
    const fn as_ref(&self) -> Concern<&SensorId> {
        match self {
            Self::Nothing => Concern::Nothing,
            Self::Sensor(sensor) => Concern::Sensor(sensor),
            Self::Everything => Concern::Everything,
        }
    }
}

impl Concern<&SensorId> {
    fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) => false,
            (Self::Everything, _) | (_, Self::Everything) => true,
            (Self::Sensor(one), Self::Sensor(other)) => one == other,
        }
    }
}

/// The channel for a task's answer.
pub(crate) type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

impl Task {
    pub(crate) fn change<T: Send + 'static>(
        concern: Concern,
        run: impl FnOnce(&mut Database, &mut Sealing) -> Result<T, StoreError> + Send + 'static,
        answer: Answer<T>,
    ) -> Self {
        let job: Job = Box::new(move |parts| {
            let outcome = parts.and_then(|(db, sealing)| run(db, sealing));
            // The caller may be gone. The change is made nevertheless.
            drop(answer.send(outcome));
        });
        Self::Change(Change { concern, job })
    }

    const fn concern(&self) -> Concern<&SensorId> {
        match self {
            Self::Append(append, _) => Concern::Sensor(append.upload.sensor()),
            Self::Change(change) => change.concern.as_ref(),
            Self::Ping(_) => Concern::Nothing,
        }
    }

    /// Whether it must wait for `earlier`, so that tasks of one sensor are done in the order of
    /// their requests.
    pub(crate) fn must_follow(&self, earlier: &Self) -> bool {
        self.concern().overlaps(earlier.concern())
    }
}

/// The thread's next step.
pub(crate) enum Next {
    Task(Task),
    /// Other work is due.
    Idle,
    Closed,
}

/// The receiving end.
pub(crate) struct Queue {
    tasks: mpsc::Receiver<Task>,
    runtime: Runtime,
    stop: Arc<Notify>,
    /// Whether the thread was asked to stop. It finishes the queued tasks.
    is_stopping: bool,
}

impl Queue {
    pub(crate) fn new(tasks: mpsc::Receiver<Task>, stop: Arc<Notify>) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| StoreError::io("starting the committing thread", &error))?;
        Ok(Self {
            tasks,
            runtime,
            stop,
            is_stopping: false,
        })
    }

    /// Waits for the next task, until `due`.
    pub(crate) fn next(&mut self, due: Option<Instant>) -> Next {
        if !self.is_stopping {
            let next = self.runtime.block_on(async {
                // In this order: a task precedes other work that is due.
                tokio::select! {
                    biased;
                    () = self.stop.notified() => None,
                    task = self.tasks.recv() => Some(task.map_or(Next::Closed, Next::Task)),
                    () = sleep_until(due) => Some(Next::Idle),
                }
            });
            if let Some(next) = next {
                return next;
            }
            self.is_stopping = true;
        }
        // Callers that were admitted but are not polled may never send, so only sent tasks are
        // waited for.
        self.tasks.close();
        self.try_next().map_or(Next::Closed, Next::Task)
    }

    /// The next task, if one is queued.
    pub(crate) fn try_next(&mut self) -> Option<Task> {
        self.tasks.try_recv().ok()
    }
}

/// Without a time, sleeps forever.
async fn sleep_until(due: Option<Instant>) {
    match due {
        None => std::future::pending().await,
        // The timer would take a millisecond.
        Some(due) if due <= Instant::now() => {}
        Some(due) => tokio::time::sleep_until(due.into()).await,
    }
}

//! The queue before the committing thread: what callers send, and how the thread receives it.

use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::error::Elapsed;

use crate::domain::account::AccountName;
use crate::domain::reading::Upload;
use crate::domain::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::writer::database::Database;
use crate::store::writer::sealing::Sealing;

/// What the committing thread is asked to do. The answer is the number of readings stored or deleted, if any.
pub(crate) enum Task {
    /// Stores an upload. Uploads that follow each other are committed together.
    Append(Append),
    Change(Change),
    /// Nothing but an answer, as a sign of life.
    Ping,
}

/// An upload to be stored.
pub(crate) struct Append {
    /// Whose sensor it must be, authorized; `None` for any account's.
    pub(crate) account: Option<AccountName>,
    pub(crate) upload: Upload,
    pub(crate) arrival: Timestamp,
}

/// Any other change: durable on return in every mode. It runs once all earlier uploads are in the database.
pub(crate) type Change =
    Box<dyn FnOnce(&mut Database, &mut Sealing) -> Result<usize, StoreError> + Send>;

/// Where a task is answered.
pub(crate) type Answer = oneshot::Sender<Result<usize, StoreError>>;

/// A task that waits to be done.
pub(crate) struct Queued {
    pub(crate) task: Task,
    pub(crate) answer: Answer,
}

/// What the thread does next.
pub(crate) enum Next {
    Task(Queued),
    /// Something else is due.
    Idle,
    Closed,
}

/// The receiving end.
pub(crate) struct Queue {
    tasks: mpsc::Receiver<Queued>,
    runtime: Runtime,
    stop: Arc<Notify>,
    /// Whether the thread was asked to stop. It finishes what is queued.
    is_stopping: bool,
}

impl Queue {
    pub(crate) fn new(
        tasks: mpsc::Receiver<Queued>,
        stop: Arc<Notify>,
    ) -> Result<Self, StoreError> {
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
            let received = self.runtime.block_on(async {
                tokio::select! {
                    biased;
                    () = self.stop.notified() => None,
                    received = receive(&mut self.tasks, due) => Some(received),
                }
            });
            match received {
                Some(Ok(Some(queued))) => return Next::Task(queued),
                Some(Ok(None)) => return Next::Closed,
                Some(Err(_)) => return Next::Idle,
                None => self.is_stopping = true,
            }
        }
        // Callers that were let in but are not polled may never send, so only what has been sent is waited for.
        self.tasks.close();
        self.try_next().map_or(Next::Closed, Next::Task)
    }

    /// The next task, if one is queued.
    pub(crate) fn try_next(&mut self) -> Option<Queued> {
        self.tasks.try_recv().ok()
    }
}

async fn receive(
    tasks: &mut mpsc::Receiver<Queued>,
    due: Option<Instant>,
) -> Result<Option<Queued>, Elapsed> {
    match due {
        None => Ok(tasks.recv().await),
        Some(due) => tokio::time::timeout_at(due.into(), tasks.recv()).await,
    }
}

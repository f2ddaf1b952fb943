//! The way to the committing thread (`commit.rs`): a bounded queue of changes, each answered once it is done.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot};

use crate::domain::sensor::SensorId;
use crate::store::engine::locks::{read, write};
use crate::store::error::StoreError;
use crate::store::state::Shared;
use crate::store::state::watch::Watch;
use crate::store::writer::commit::{Committer, Queued, Task};
use crate::store::writer::journal::Commit;

/// The most changes that wait; a caller beyond waits to be let in.
const QUEUE_LENGTH: usize = 1_024;
/// How often a stop looks whether the thread has ended.
const LOOK_FOR_END_EVERY: Duration = Duration::from_millis(1);

/// The way to the committing thread.
pub(crate) struct Writer {
    /// Taken at stop.
    queue: RwLock<Option<mpsc::Sender<Queued>>>,
    /// Tells the thread to stop: callers that wait to be let in hold senders too, so it can't wait for the last one.
    stopping: Arc<Notify>,
    thread: Mutex<Option<(JoinHandle<()>, Watch)>>,
    shared: Arc<Shared>,
}

impl Writer {
    /// Takes over the journal's `commits`, puts the hot rows in order, finishes the removal of the sensors in `removed`, and starts the thread.
    pub(crate) fn start(
        shared: Arc<Shared>,
        commits: Vec<Commit>,
        removed: Vec<SensorId>,
    ) -> Result<Self, StoreError> {
        let starting =
            |error: &std::io::Error| StoreError::io("starting the committing thread", error);
        let stopping = Arc::new(Notify::new());
        let mut committer = Committer::new(Arc::clone(&shared), Arc::clone(&stopping))?;
        committer.replay(commits)?;
        for sensor in removed {
            committer.delete_readings_and_record(&sensor)?;
        }
        committer.drop_sealed_rows()?;
        let (sender, receiver) = mpsc::channel(QUEUE_LENGTH);
        let thread = thread::Builder::new()
            .name("commit".into())
            .spawn(move || committer.run(receiver))
            .map_err(|error| starting(&error))?;
        let watch = Watch::start(Arc::clone(&shared)).map_err(|error| starting(&error))?;
        Ok(Self {
            queue: RwLock::new(Some(sender)),
            stopping,
            thread: Mutex::new(Some((thread, watch))),
            shared,
        })
    }

    /// Hands a task over and waits until it is done.
    pub(crate) async fn submit(&self, task: Task) -> Result<usize, StoreError> {
        let queue = read(&self.queue).clone().ok_or(StoreError::Closed)?;
        let mut stuck = self.shared.stuck.subscribe();
        let done = async {
            let (answer, answered) = oneshot::channel();
            queue
                .send(Queued { task, answer })
                .await
                .map_err(|_| self.gone())?;
            drop(queue);
            answered.await.unwrap_or_else(|_| Err(self.gone()))
        };
        tokio::select! {
            biased;
            outcome = done => outcome,
            // Never closed: it lives as long as this does.
            _ = stuck.wait_for(|stuck| *stuck) => Err(self.gone()),
        }
    }

    /// [`Self::submit`] for a caller that may block.
    pub(crate) fn submit_blocking(&self, task: Task) -> Result<usize, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime =
            runtime.map_err(|error| StoreError::io("waiting for the committing thread", &error))?;
        runtime.block_on(self.submit(task))
    }

    /// Lets the thread finish what is queued, sync and end.
    pub(crate) fn stop(&self) {
        drop(write(&self.queue).take());
        self.stopping.notify_one();
        let threads = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some((committing, watch)) = threads else {
            return;
        };
        while !committing.is_finished() {
            if *self.shared.stuck.borrow() {
                // It ends with the process.
                return;
            }
            thread::sleep(LOOK_FOR_END_EVERY);
        }
        watch.stop();
        if committing.join().is_err() {
            self.shared
                .fail("the committing thread", &StoreError::Closed);
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        read(&self.queue).is_none()
    }

    fn gone(&self) -> StoreError {
        self.shared
            .failure
            .get()
            .cloned()
            .unwrap_or(StoreError::Closed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

//! The committing thread, as others see it: started, fed and stopped.

use std::sync::{Arc, RwLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot};

use crate::domain::SensorId;
use crate::store::embedded::engine::FailureWatch;
use crate::store::embedded::rows::Commit;
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::commit::Committer;
use crate::store::embedded::writer::queue::{Answer, Queue, Task};
use crate::store::error::StoreError;
use crate::store::records::locks::{read, write};

/// The most tasks that wait; a further caller waits to be let in.
const QUEUE_LENGTH: usize = 1_024;
/// How often a stop checks whether the thread has ended.
const POLL_END_EVERY: Duration = Duration::from_millis(1);

/// The committing thread.
pub(crate) struct Writer {
    /// Taken at stop.
    queue: RwLock<Option<mpsc::Sender<Task>>>,
    /// Asks the thread to stop. Callers that wait to be let in hold senders too, so it can't wait for the last sender.
    stop: Arc<Notify>,
    threads: RwLock<Option<(JoinHandle<()>, FailureWatch)>>,
    shared: Arc<Shared>,
}

impl Writer {
    /// Recovers what a crash left, and starts the thread. `commits` are those of the journal, which end with that of the
    /// number `last`; `removed` are sensors with a removal that was cut short.
    pub(crate) fn start(
        shared: Arc<Shared>,
        commits: Vec<Commit>,
        last: u64,
        removed: Vec<SensorId>,
    ) -> Result<Self, StoreError> {
        let starting =
            |error: std::io::Error| StoreError::io("starting the committing thread", &error);
        let committer = Committer::open(Arc::clone(&shared), commits, last, removed)?;
        let (sender, receiver) = mpsc::channel(QUEUE_LENGTH);
        let stop = Arc::new(Notify::new());
        let queue = Queue::new(receiver, Arc::clone(&stop))?;
        let thread = thread::Builder::new()
            .name("commit".into())
            .spawn(move || committer.run(queue))
            .map_err(starting)?;
        let db = shared.trees.db.clone();
        let watch = FailureWatch::start(&shared.config, db, Arc::clone(&shared.failure))
            .map_err(starting)?;
        Ok(Self {
            queue: RwLock::new(Some(sender)),
            stop,
            threads: RwLock::new(Some((thread, watch))),
            shared,
        })
    }

    /// Hands a task over, and waits until it is answered.
    pub(crate) async fn submit<T>(
        &self,
        task: impl FnOnce(Answer<T>) -> Task,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let queue = read(&self.queue).clone().ok_or(StoreError::Closed)?;
        let done = async {
            queue.send(task(answer)).await.map_err(|_| self.gone())?;
            // The thread sees a closed queue once nobody holds a sender.
            drop(queue);
            answered.await.unwrap_or_else(|_| Err(self.gone()))
        };
        tokio::select! {
            biased;
            outcome = done => outcome,
            () = self.shared.failure.stuck() => Err(self.gone()),
        }
    }

    /// Lets the thread finish what is queued, sync and end.
    pub(crate) fn stop(&self) {
        drop(write(&self.queue).take());
        self.stop.notify_one();
        let Some((committing, watch)) = write(&self.threads).take() else {
            return;
        };
        while !committing.is_finished() {
            if self.shared.failure.is_stuck() {
                // The thread is abandoned; it ends with the process.
                return;
            }
            thread::sleep(POLL_END_EVERY);
        }
        watch.stop();
        if committing.join().is_err() {
            let failure = &self.shared.failure;
            failure.set("the committing thread", &StoreError::Closed);
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        read(&self.queue).is_none()
    }

    /// Why the thread does not answer.
    fn gone(&self) -> StoreError {
        self.shared.failure.get().unwrap_or(StoreError::Closed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

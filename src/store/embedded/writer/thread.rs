//! The committing thread, as seen by others: starting, feeding and stopping it.

use std::sync::{Arc, RwLock};
use std::thread::{self, JoinHandle};

use tokio::sync::{Notify, mpsc, oneshot};

use crate::locks::{read, write};
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::commit::Committer;
use crate::store::embedded::writer::queue::{Answer, Queue, Task};
use crate::store::error::StoreError;

/// The maximum number of waiting tasks; further callers wait.
const QUEUE_LENGTH: usize = 1_024;

/// The committing thread.
pub(crate) struct Writer {
    /// Taken at stop.
    queue: RwLock<Option<mpsc::Sender<Task>>>,
    /// Asks the thread to stop. Callers that wait for a place in the queue hold senders too, so the
    /// thread cannot wait for the last sender to be dropped.
    stop: Arc<Notify>,
    thread: RwLock<Option<JoinHandle<()>>>,
    shared: Arc<Shared>,
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(shared: Arc<Shared>, committer: Committer) -> Result<Self, StoreError> {
        let (sender, receiver) = mpsc::channel(QUEUE_LENGTH);
        let stop = Arc::new(Notify::new());
        let queue = Queue::new(receiver, Arc::clone(&stop))?;
        let thread = thread::Builder::new()
            .name("commit".into())
            .spawn(move || committer.run(queue))
            .map_err(|error| StoreError::io("starting the committing thread", &error))?;
        Ok(Self {
            queue: RwLock::new(Some(sender)),
            stop,
            thread: RwLock::new(Some(thread)),
            shared,
        })
    }

    /// Queues a task, and waits for the answer.
    pub(crate) async fn submit<T>(
        &self,
        task: impl FnOnce(Answer<T>) -> Task,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let queue = read(&self.queue).clone().ok_or(StoreError::Closed)?;
        queue.send(task(answer)).await.map_err(|_| self.gone())?;
        // The thread sees a closed queue once there are no senders.
        drop(queue);
        answered.await.unwrap_or_else(|_| Err(self.gone()))
    }

    /// Lets the thread finish the queued tasks, sync and end.
    pub(crate) fn stop(&self) {
        drop(write(&self.queue).take());
        self.stop.notify_one();
        let Some(committing) = write(&self.thread).take() else {
            return;
        };
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

//! Lanes: queues of uploads, each committed in groups, one after the other. A sensor always has the
//! same lane, so its uploads keep their order.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::append::{CommittedGroup, GroupWriter};
use crate::domain::SensorId;
use crate::store::backend::Append;
use crate::store::error::StoreError;
use crate::store::postgres::copy::RegistrySnapshot;
use crate::store::postgres::database::Postgres;

/// Several, so that some gather uploads while PostgreSQL syncs for others; each uses a connection
/// meanwhile. Measured with 1,024 clients: two lanes store a fifth less, and eight hardly more.
const LANES: usize = 4;
/// The maximum length of a queue; further callers wait.
const QUEUE_LENGTH: usize = 1_024;
/// The maximum number of uploads in a group.
const MOST_UPLOADS: usize = 1_024;
/// A group with this many readings accepts no further upload.
const MOST_READINGS: usize = 2_048;

/// The longest time that a lane gathers uploads.
const GATHER_AT_MOST: Duration = Duration::from_millis(5);

/// An upload, and the channel for its answer.
type QueuedUpload = (Append, oneshot::Sender<Result<usize, StoreError>>);

/// The lanes of all sensors.
pub(crate) struct Lanes {
    queues: Vec<mpsc::Sender<QueuedUpload>>,
    threads: Vec<JoinHandle<()>>,
}

impl Lanes {
    /// Starts the lanes. `done` is called with each committed group, before its uploads are
    /// answered.
    pub(crate) fn start(
        postgres: &Arc<Postgres>,
        registry: &RegistrySnapshot,
        done: &Arc<dyn Fn(&CommittedGroup) + Send + Sync>,
    ) -> Result<Self, StoreError> {
        let mut lanes = Self {
            queues: Vec::new(),
            threads: Vec::new(),
        };
        for number in 0..LANES {
            let writer = GroupWriter::new(Arc::clone(postgres), Arc::clone(registry));
            let (sender, queue) = mpsc::channel(QUEUE_LENGTH);
            let done = Arc::clone(done);
            let thread = thread::Builder::new()
                .name(format!("lane {number}"))
                .spawn(move || run(writer, queue, &*done))
                .map_err(|error| StoreError::io("starting a thread for uploads", &error))?;
            lanes.queues.push(sender);
            lanes.threads.push(thread);
        }
        Ok(lanes)
    }

    /// Queues an upload, and waits until it is stored.
    pub(crate) async fn append(&self, append: Append) -> Result<usize, StoreError> {
        let queue = self.queue_of(append.upload.sensor())?;
        let (answer, answered) = oneshot::channel();
        let sent = queue.send((append, answer)).await;
        sent.map_err(|_| StoreError::Closed)?;
        answered.await.unwrap_or(Err(StoreError::Closed))
    }

    fn queue_of(&self, sensor: &SensorId) -> Result<&mpsc::Sender<QueuedUpload>, StoreError> {
        let mut hasher = DefaultHasher::new();
        sensor.hash(&mut hasher);
        let lane = hasher.finish() % LANES as u64;
        let queue = usize::try_from(lane).ok();
        let queue = queue.and_then(|lane| self.queues.get(lane));
        queue.ok_or(StoreError::Closed)
    }
}

impl Drop for Lanes {
    /// Finishes the queued uploads.
    fn drop(&mut self) {
        self.queues.clear();
        for thread in self.threads.drain(..) {
            // It does not panic, and there is nobody to report to.
            let _ = thread.join();
        }
    }
}

/// Commits queued uploads, until there are no more senders.
fn run(
    mut writer: GroupWriter,
    mut queue: mpsc::Receiver<QueuedUpload>,
    done: &dyn Fn(&CommittedGroup),
) {
    while let Some(first) = queue.blocking_recv() {
        let mut readings = first.0.upload.readings().len();
        let mut group = vec![first];
        while group.len() < MOST_UPLOADS && readings < MOST_READINGS {
            let Ok(next) = queue.try_recv() else {
                break;
            };
            readings += next.0.upload.readings().len();
            group.push(next);
        }
        let appends: Vec<&Append> = group.iter().map(|(append, _)| append).collect();
        let is_alone = appends.len() == 1;
        let begun = Instant::now();
        let outcome = writer.commit(&appends);
        let took = begun.elapsed();
        match outcome {
            Ok(mut committed) => {
                (committed.readings, committed.took) = (readings, took);
                done(&committed);
                for ((_, answer), outcome) in group.into_iter().zip(committed.outcomes) {
                    // The caller may be gone. Its readings stay stored.
                    drop(answer.send(outcome));
                }
            }
            Err(error) => {
                for (_, answer) in group {
                    drop(answer.send(Err(error.clone())));
                }
            }
        }
        if !is_alone {
            // The clients just answered send their next uploads about now. A group of only the
            // first of them would make the others wait as long as for a large group.
            thread::sleep((took / 4).min(GATHER_AT_MOST));
        }
    }
}

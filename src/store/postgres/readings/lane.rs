//! Lanes: uploads queue up in one, and go as groups, one after the other. A sensor always has the same lane, so its uploads keep
//! their order.

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

/// Several, so that some gather what they will send while PostgreSQL syncs for others; each takes a connection meanwhile. With 1,024
/// clients, two store a fifth less, and eight hardly more.
const LANES: usize = 4;
/// The most uploads that wait in a lane; a further caller waits to be let in.
const QUEUE_LENGTH: usize = 1_024;
/// The most uploads in a group.
const MOST_UPLOADS: usize = 1_024;
/// No further upload joins a group with so many readings.
const MOST_READINGS: usize = 2_048;

/// The longest time that a lane gathers uploads.
const GATHER_AT_MOST: Duration = Duration::from_millis(5);

/// An upload, and where it is answered.
type QueuedUpload = (Append, oneshot::Sender<Result<usize, StoreError>>);

/// Where uploads go.
pub(crate) struct Lanes {
    queues: Vec<mpsc::Sender<QueuedUpload>>,
    threads: Vec<JoinHandle<()>>,
}

impl Lanes {
    /// Starts the lanes. `done` hears of each group that is committed, before its uploads are answered.
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

    /// Hands an upload over, and waits until it is stored.
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
    /// Finishes what is queued.
    fn drop(&mut self) {
        self.queues.clear();
        for thread in self.threads.drain(..) {
            // It does not panic, and there is nobody to tell.
            let _ = thread.join();
        }
    }
}

/// Commits what queues up, until nobody can send more.
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
                    // The caller may be gone. What is stored stays stored.
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
            // Those who are answered send the next ones about now. A group of the first of them alone would keep the others waiting
            // for as long as a large one.
            thread::sleep((took / 4).min(GATHER_AT_MOST));
        }
    }
}

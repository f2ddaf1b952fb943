//! Sealing: moves rows into blocks once a sensor has enough of them. The front-end that holds the
//! sensor seals it in one transaction, so if it dies half way, nothing has changed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio_postgres::types::Type;

use super::activity_row::value;
use super::change::PostgresChange;
use crate::domain::{Reading, SensorId, TimeRange};
use crate::locks::lock;
use crate::store::backend::ReadingsChange as _;
use crate::store::blocks::{Tail, seal};
use crate::store::error::StoreError;
use crate::store::postgres::database::Postgres;
use crate::store::postgres::error::PostgresError;
use crate::store::records::Order;

/// The minimum number of rows for sealing a sensor.
pub(crate) const ENOUGH_ROWS: usize = 1_024;
/// The maximum number of rows in memory.
const MOST_ROWS: usize = 32_768;
/// The maximum number of steps in a transaction: uploads of the sensor wait for it.
const MOST_STEPS: usize = 64;
/// How often to look for sensors that could not be sealed, or that a vanished front-end left.
const LOOK_EVERY: Duration = Duration::from_mins(1);
/// The maximum number of sensors that one look finds.
const MOST_FOUND: i64 = 4_096;

/// An index would have to change with each upload.
const FIND: &str = "select s.name from activity a join sensors s on s.id = a.sensor where a.unsealed >= $1 limit $2";

/// Seals in the background.
pub(crate) struct Sealer {
    queue: Option<mpsc::Sender<SensorId>>,
    waiting: Arc<WaitingSensors>,
    thread: Option<JoinHandle<()>>,
}

/// Sensors that wait to be sealed, so that none waits twice.
#[derive(Default)]
struct WaitingSensors {
    sensors: Mutex<BTreeSet<SensorId>>,
    is_stopping: AtomicBool,
}

/// Requests to a [`Sealer`].
#[derive(Clone)]
pub(crate) struct SealRequests {
    queue: mpsc::Sender<SensorId>,
    waiting: Arc<WaitingSensors>,
}

impl SealRequests {
    /// Requests that a sensor be sealed soon.
    pub(crate) fn send(&self, sensor: &SensorId) {
        if lock(&self.waiting.sensors).insert(sensor.clone()) {
            // Fails if the service is stopping.
            let _ = self.queue.send(sensor.clone());
        }
    }
}

impl Sealer {
    /// Starts sealing. Each periodic look calls `looked`.
    pub(crate) fn start(
        postgres: Arc<Postgres>,
        block_readings: usize,
        looked: impl Fn() + Send + 'static,
    ) -> Result<Self, StoreError> {
        let waiting = Arc::<WaitingSensors>::default();
        let (sender, receiver) = mpsc::channel();
        let work = SealWork {
            postgres,
            block_readings,
            waiting: Arc::clone(&waiting),
        };
        let thread = thread::Builder::new()
            .name("seal".into())
            .spawn(move || work.run(&receiver, &looked))
            .map_err(|error| StoreError::io("starting the thread that seals", &error))?;
        Ok(Self {
            queue: Some(sender),
            waiting,
            thread: Some(thread),
        })
    }

    /// A handle for requests; `None` once the sealer stops. Must be dropped before the sealer.
    pub(crate) fn requests(&self) -> Option<SealRequests> {
        let queue = self.queue.clone()?;
        let waiting = Arc::clone(&self.waiting);
        Some(SealRequests { queue, waiting })
    }
}

impl Drop for Sealer {
    fn drop(&mut self) {
        self.waiting.is_stopping.store(true, Ordering::Release);
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // It does not panic, and there is nobody to report to.
            let _ = thread.join();
        }
    }
}

/// The work of the thread.
struct SealWork {
    postgres: Arc<Postgres>,
    block_readings: usize,
    waiting: Arc<WaitingSensors>,
}

impl SealWork {
    fn run(&self, queue: &mpsc::Receiver<SensorId>, looked: &dyn Fn()) {
        let mut look_at = Instant::now();
        loop {
            let next = queue.recv_timeout(look_at.saturating_duration_since(Instant::now()));
            if self.waiting.is_stopping.load(Ordering::Acquire) {
                return;
            }
            match next {
                Ok(sensor) => self.seal(&sensor),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if look_at <= Instant::now() {
                looked();
                self.look();
                look_at = Instant::now() + LOOK_EVERY;
            }
        }
    }

    /// Seals sensors that others left.
    fn look(&self) {
        // Failed ones are tried again.
        lock(&self.waiting.sensors).clear();
        let found = match find_full(&self.postgres) {
            Ok(found) => found,
            // PostgreSQL cannot be reached, which others report.
            Err(error) => return log::debug!("looking for rows to seal: {error}"),
        };
        for sensor in found {
            if self.waiting.is_stopping.load(Ordering::Acquire) {
                return;
            }
            self.seal(&sensor);
        }
    }

    fn seal(&self, sensor: &SensorId) {
        loop {
            match seal_some(&self.postgres, sensor, self.block_readings, ENOUGH_ROWS) {
                Ok(true) if !self.waiting.is_stopping.load(Ordering::Acquire) => {}
                Ok(_) => {
                    lock(&self.waiting.sensors).remove(sensor);
                    return;
                }
                Err(StoreError::NotForNow(why)) => {
                    return log::debug!("sealing {sensor:?} later: {why}");
                }
                // It waits until the next look: uploads must not make it fail again and again.
                Err(error) => {
                    return log::warn!("cannot seal the rows of sensor {sensor:?}: {error}");
                }
            }
        }
    }
}

/// Finds sensors with enough rows.
fn find_full(postgres: &Postgres) -> Result<Vec<SensorId>, StoreError> {
    let enough = i32::try_from(ENOUGH_ROWS).unwrap_or(i32::MAX);
    let values = [(&enough as _, Type::INT4), (&MOST_FOUND as _, Type::INT8)];
    let rows = postgres.wait(postgres.query(FIND, &values))?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let name: String = value(&row, 0)?;
        let refused = |error| PostgresError::Failed(format!("the sensor {name:?}: {error}"));
        found.push(SensorId::new(&name).map_err(refused)?);
    }
    Ok(found)
}

/// Seals rows of a sensor while it has `enough`, unless somebody else holds it. Returns whether
/// there are more.
pub(crate) fn seal_some(
    postgres: &Postgres,
    sensor: &SensorId,
    block_readings: usize,
    enough: usize,
) -> Result<bool, StoreError> {
    let Some(mut held) = PostgresChange::hold_if_free(postgres, sensor, block_readings)? else {
        return Ok(false);
    };
    let mut steps = 0;
    let mut has_more = true;
    while steps < MOST_STEPS && has_more {
        let rows = held
            .view()
            .rows(TimeRange::ALL, None, Order::Ascending, MOST_ROWS)?;
        let mut rest = rows.as_slice();
        while steps < MOST_STEPS && rest.len() >= enough {
            let used = seal_step(&mut held, rest)?;
            rest = rest.get(used..).unwrap_or_default();
            steps += 1;
            if used == 0 {
                // Nothing can be sealed, which should not happen.
                held.commit()?;
                return Ok(false);
            }
        }
        has_more = rest.len() >= enough || rows.len() == MOST_ROWS;
    }
    // Also if there was nothing: the count of rows may have been too high.
    held.commit()?;
    Ok(has_more)
}

/// Moves the first of `rows` into blocks, and returns their number.
fn seal_step(held: &mut PostgresChange<'_>, rows: &[Reading]) -> Result<usize, StoreError> {
    let step = seal::step(&*held.view(), rows, Tail::Leave, held.block_readings())?;
    let count = step.used;
    let used = rows.get(..count).unwrap_or(rows);
    let ends = used.first().zip(used.last());
    if let Some(range) = ends.and_then(|(first, last)| TimeRange::new(first.time, last.time)) {
        held.seal(step, range)?;
    }
    Ok(used.len())
}

//! The readings of all sensors in PostgreSQL.

use std::sync::{Arc, Mutex};

use prometheus::proto::MetricFamily;

use super::activity_row::time;
use super::append::CommittedGroup;
use super::change::PostgresChange;
use super::lane::Lanes;
use super::seal::{ENOUGH_ROWS, Sealer};
use super::view::PostgresSensor;
use crate::domain::{SensorId, Timestamp};
use crate::locks::lock;
use crate::store::backend::{
    CommitMetrics, ReadingsBackend, ReadingsView, ReadingsWriter, SensorJob,
};
use crate::store::blocks::block;
use crate::store::error::StoreError;
use crate::store::postgres::copy::RegistrySnapshot;
use crate::store::postgres::database::Postgres;
use crate::store::postgres::error::PostgresError;

/// Readings in PostgreSQL, shared with other front-ends.
pub(crate) struct PostgresReadings {
    pub(crate) postgres: Arc<Postgres>,
    pub(crate) newest_arrival: Arc<NewestArrival>,
    registry: RegistrySnapshot,
    block_readings: usize,
    commit_metrics: Arc<CommitMetrics>,
    // Dropped in this order: queued uploads are stored before sealing ends.
    pub(crate) lanes: Lanes,
    _sealer: Sealer,
}

impl PostgresReadings {
    /// Opens the readings, with blocks of at most `block_readings`, clamped to 16 to 16,384.
    /// `registry` says who may upload to each sensor. While it fails because that is not known for
    /// sure, nothing is read or stored. Blocks.
    ///
    /// # Errors
    /// [`StoreError::NotForNow`] if PostgreSQL cannot be reached.
    pub(crate) fn open(
        postgres: Arc<Postgres>,
        block_readings: usize,
        registry: RegistrySnapshot,
    ) -> Result<Self, StoreError> {
        let block_readings = block_readings.clamp(16, block::MAX_READINGS);
        let newest_arrival = Arc::<NewestArrival>::default();
        postgres.wait(newest_arrival.look(&postgres))?;
        let looked = {
            let (postgres, newest_arrival) = (Arc::clone(&postgres), Arc::clone(&newest_arrival));
            // Other callers report that PostgreSQL cannot be reached.
            move || drop(postgres.wait(newest_arrival.look(&postgres)))
        };
        let sealer = Sealer::start(Arc::clone(&postgres), block_readings, looked)?;
        let commit_metrics = Arc::new(CommitMetrics::new()?);
        let lanes = {
            let metrics = Arc::clone(&commit_metrics);
            let (requests, newest_arrival) = (sealer.requests(), Arc::clone(&newest_arrival));
            let done = move |group: &CommittedGroup| {
                metrics.observe(group.readings, group.took);
                newest_arrival.saw(group.newest_arrival);
                let full = group.unsealed.iter();
                for (sensor, _) in full.filter(|(_, count)| *count >= ENOUGH_ROWS) {
                    if let Some(requests) = &requests {
                        requests.send(sensor);
                    }
                }
            };
            let done: Arc<dyn Fn(&CommittedGroup) + Send + Sync> = Arc::new(done);
            Lanes::start(&postgres, &registry, &done)?
        };
        Ok(Self {
            postgres,
            newest_arrival,
            registry,
            block_readings,
            commit_metrics,
            lanes,
            _sealer: sealer,
        })
    }

    /// Metrics of commits of uploads.
    pub(crate) fn commit_metrics(&self) -> Vec<MetricFamily> {
        self.commit_metrics.gather()
    }

    /// Locks a sensor, waiting for its current holder.
    pub(crate) fn hold<'a>(
        &'a self,
        sensor: &'a SensorId,
    ) -> Result<PostgresChange<'a>, StoreError> {
        PostgresChange::hold(&self.postgres, sensor, self.block_readings)
    }
}

/// The newest arrival of any sensor, as far as this front-end knows: it sees those of other
/// front-ends at its next look.
#[derive(Default)]
pub(crate) struct NewestArrival(Mutex<Option<Timestamp>>);

impl NewestArrival {
    pub(crate) fn get(&self) -> Option<Timestamp> {
        *lock(&self.0)
    }

    /// Takes note of uploads.
    fn saw(&self, arrival: Option<Timestamp>) {
        let mut newest = lock(&self.0);
        *newest = newest.max(arrival);
    }

    /// Asks PostgreSQL, as arrivals may have been forgotten.
    pub(crate) async fn look(&self, postgres: &Postgres) -> Result<(), PostgresError> {
        let before = self.get();
        let statement = "select max(last_upload) from activity";
        let rows = postgres.query(statement, &[]).await?;
        let newest = rows.first().map(|row| time(row, 0)).transpose()?;
        let mut known = lock(&self.0);
        // Ignore the answer if an upload was committed meanwhile, which it may lack.
        if *known == before {
            *known = newest.flatten();
        }
        Ok(())
    }
}

impl ReadingsBackend for PostgresReadings {
    fn view<'a>(&'a self, sensor: &'a SensorId) -> Result<Box<dyn ReadingsView + 'a>, StoreError> {
        // The caller's right may have ended since.
        (self.registry)()?;
        Ok(Box::new(PostgresSensor::view(&self.postgres, sensor)?))
    }
}

impl ReadingsWriter for PostgresReadings {
    fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError> {
        let mut held = self.hold(sensor)?;
        let count = job(&mut held)?;
        held.commit()?;
        Ok(count)
    }
}

//! PostgreSQL as a storage backend: readings, records, and the other operations of a store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use prometheus::proto::MetricFamily;

use super::database::Postgres;
use super::error::PostgresError;
use super::front_end::RegistryPace;
use super::migrate::{self, PostgresPurpose};
use super::readings::PostgresReadings;
use super::refusal::PostgresRefusal;
use super::registry::PostgresRegistry;
use super::settings::PostgresSettings;
use crate::domain::{ApiId, Arrivals, Sensor, SensorId, TimeRange, Timestamp};
use crate::store::backend::findings::check_block;
use crate::store::backend::{
    Append, Backend, DiskUse, EditJob, Findings, ReadingsBackend, ReadingsView, ReadingsWriter,
    RegistryBackend, SensorEdit, SensorJob, UploadsBackend,
};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::read::count_readings;
use crate::store::records::{Order, RecordsView};
use crate::store::registry::Registry;
use crate::store::rows::Activity;
use crate::store::settings::{Durability, OpenMode, StoreSettings};

/// The number of a sensor's blocks that a check reads in one moment.
const CHECKED_AT_ONCE: usize = 64;

/// A store whose readings and records are in PostgreSQL, shared with other front-ends.
pub(crate) struct PostgresBackend {
    postgres: Arc<Postgres>,
    readings: Arc<PostgresReadings>,
    registry: PostgresRegistry,
    history_edits: AtomicU64,
    is_closed: AtomicBool,
}

impl PostgresBackend {
    /// Connects to PostgreSQL. Blocks.
    pub(crate) fn open(
        postgres: PostgresSettings,
        settings: StoreSettings,
        purpose: PostgresPurpose,
    ) -> Result<Self, StoreError> {
        if settings.durability != Durability::Always {
            return Err(PostgresError::from(PostgresRefusal::Interval).into());
        }
        let postgres = Arc::new(Postgres::open(postgres, purpose)?);
        let pace = RegistryPace::default();
        // Only commands need a store that is there.
        let seeks_leadership = purpose != PostgresPurpose::Use(OpenMode::Existing);
        let registry = PostgresRegistry::open(Arc::clone(&postgres), pace, seeks_leadership)?;
        let snapshot = registry.snapshot();
        let readings =
            PostgresReadings::open(Arc::clone(&postgres), settings.block_readings, snapshot)?;
        Ok(Self {
            postgres,
            readings: Arc::new(readings),
            registry,
            history_edits: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
        })
    }

    /// Ends a restore: the store may be used from now on. Unless `is_whole`, deletes the restored
    /// data. Blocks.
    pub(crate) fn end_restore(&self, is_whole: bool) -> Result<(), StoreError> {
        let work = async {
            let mut client = self.postgres.connection().await?;
            migrate::end_restore(&mut client, is_whole).await?;
            client.give_back();
            Ok(())
        };
        self.postgres.wait(work)
    }

    /// Returns an error if no change may be made now.
    fn check_open(&self) -> Result<(), StoreError> {
        self.unready().map_or(Ok(()), Err)
    }

    /// Checks the blocks of a sensor.
    fn check_sensor(&self, sensor: &SensorId, findings: &mut Findings) -> Result<(), StoreError> {
        let mut next = Some(TimeRange::ALL);
        let mut before = None;
        while let Some(range) = next {
            let view = self.readings.view(sensor)?;
            let summaries = view.summaries(range, Order::Ascending, CHECKED_AT_ONCE)?;
            let firsts: Vec<_> = summaries.iter().map(|summary| summary.first).collect();
            for (summary, bytes) in summaries.iter().zip(view.bytes_of(&firsts, usize::MAX)?) {
                check_block(
                    sensor,
                    summary.first,
                    Ok(bytes),
                    Some(summary),
                    before.as_ref(),
                    findings,
                );
                before = Some(*summary);
            }
            let is_more = summaries.len() == CHECKED_AT_ONCE;
            let behind = before.filter(|_| is_more).map(|block| block.first);
            next = behind
                .and_then(|first| TimeRange::new(first.saturating_add_millis(1), Timestamp::MAX));
        }
        Ok(())
    }
}

impl ReadingsBackend for PostgresBackend {
    fn view<'a>(&'a self, sensor: &'a SensorId) -> Result<Box<dyn ReadingsView + 'a>, StoreError> {
        self.readings.view(sensor)
    }
}

impl ReadingsWriter for PostgresBackend {
    fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError> {
        self.check_open()?;
        let count = self.readings.change(sensor, job)?;
        self.history_edits.fetch_add(1, Ordering::Release);
        Ok(count)
    }
}

impl UploadsBackend for PostgresBackend {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<usize, StoreError>> {
        if let Some(why) = self.unready() {
            return async { Err(why) }.boxed();
        }
        self.readings.append(append)
    }

    fn activity(&self, sensor: &SensorId) -> Result<Option<Activity>, StoreError> {
        self.readings.activity(sensor)
    }

    fn activities(&self, sensors: &[&SensorId]) -> Result<Vec<Option<Activity>>, StoreError> {
        self.readings.activities(sensors)
    }

    fn newest_arrival(&self) -> Option<Timestamp> {
        self.readings.newest_arrival()
    }

    fn count_arrivals_after(&self, time: Timestamp) -> Result<usize, StoreError> {
        self.readings.count_arrivals_after(time)
    }

    fn forget_arrivals_after(&self, time: Timestamp) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.readings.forget_arrivals_after(time)
    }

    fn put_arrivals(
        &self,
        sensor: &SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.check_open()?;
        self.readings.put_arrivals(sensor, arrivals, last_assigned)
    }
}

impl RegistryBackend for PostgresBackend {
    fn registry(&self) -> Arc<Registry> {
        self.registry.registry()
    }

    fn edit(&self, job: EditJob) -> Result<(), StoreError> {
        self.check_open()?;
        self.registry.edit(job)
    }

    fn edit_async(&self, job: EditJob) -> BoxFuture<'_, Result<(), StoreError>> {
        if let Some(why) = self.unready() {
            return async { Err(why) }.boxed();
        }
        self.registry.edit_async(job)
    }

    fn put_sensor(&self, id: &SensorId, job: SensorEdit) -> Result<Sensor, StoreError> {
        self.check_open()?;
        self.registry.put_sensor(id, job)
    }

    fn remove_sensor(&self, id: &SensorId) -> Result<(), StoreError> {
        self.check_open()?;
        self.registry.remove_sensor(id)
    }

    fn read_records(
        &self,
        job: &mut dyn FnMut(&dyn RecordsView) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.registry.read_records(job)
    }

    fn record_use(&self, api_id: &ApiId, now: Timestamp) -> bool {
        self.registry.record_use(api_id, now)
    }

    fn last_use(&self, api_id: &ApiId) -> Option<Timestamp> {
        self.registry.last_use(api_id)
    }

    fn write_last_uses(&self) -> Result<(), StoreError> {
        self.check_open()?;
        self.registry.write_last_uses()
    }

    fn is_leader(&self) -> bool {
        self.registry.is_leader()
    }
}

impl Backend for PostgresBackend {
    fn reader(&self) -> Arc<dyn ReadingsBackend> {
        Arc::<PostgresReadings>::clone(&self.readings)
    }

    fn history_edits(&self) -> u64 {
        self.history_edits.load(Ordering::Acquire)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        async { Ok(self.postgres.check().await?) }.boxed()
    }

    fn unavailable(&self) -> Option<StoreError> {
        let is_closed = self.is_closed.load(Ordering::Acquire);
        let closed = is_closed.then_some(StoreError::Closed);
        closed.or_else(|| self.registry.unavailable())
    }

    fn unready(&self) -> Option<StoreError> {
        let silence = || Some(self.postgres.silence()?.into());
        self.unavailable().or_else(silence)
    }

    fn close(&self) -> Result<(), StoreError> {
        if self.unavailable().is_none() {
            // A failure loses only the times of keys' uses in the last hour.
            let _ = self.write_last_uses();
        }
        // Acknowledged changes are durable already. Uploads in the queues are still stored and
        // answered.
        self.is_closed.store(true, Ordering::Release);
        Ok(())
    }

    fn check(&self) -> Findings {
        let mut findings = Findings::default();
        for sensor in self.registry().sensors() {
            if let Err(error) = self.check_sensor(&sensor.id, &mut findings) {
                findings.add_of(&sensor.id, None, error.to_string());
            }
        }
        if findings.is_clean() {
            // Counted together with the unsealed rows, each sensor at one moment.
            let registry = self.registry();
            let counts = registry.sensors().map(|sensor| {
                let view = self.readings.view(&sensor.id)?;
                count_readings(&*view, TimeRange::ALL)
            });
            match counts.sum() {
                Ok(count) => findings.readings = count,
                Err(error) => findings.add(error.to_string()),
            }
        }
        findings
    }

    fn disk_use(&self) -> Result<DiskUse, StoreError> {
        let statement = if self.postgres.is_spread() {
            "select pg_database_size(current_database()) + coalesce(sum(result::bigint), 0)::bigint \
            from run_command_on_workers('select pg_database_size(current_database())') where success"
        } else {
            "select pg_database_size(current_database())"
        };
        let rows = self.postgres.wait(self.postgres.query(statement, &[]))?;
        let bytes: Option<i64> = rows.first().and_then(|row| row.try_get(0).ok());
        Ok(DiskUse {
            bytes: bytes.map_or(0, i64::unsigned_abs),
            // The disk is on another machine.
            free: None,
        })
    }

    fn commit_metrics(&self) -> Vec<MetricFamily> {
        self.readings.commit_metrics()
    }

    fn keep_reserve(&self) {}
}

impl Store {
    /// Opens the store in PostgreSQL. If there is none, `mode` decides. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Postgres`] if PostgreSQL is unfit, with what to do; [`StoreError::NotForNow`]
    /// if it is busy.
    pub fn open_in_postgres(
        postgres: PostgresSettings,
        settings: StoreSettings,
        mode: OpenMode,
    ) -> Result<Self, StoreError> {
        let backend = PostgresBackend::open(postgres, settings, PostgresPurpose::Use(mode))?;
        Ok(Self::over(Arc::new(backend)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::postgres::test_server::PostgresServer;
    use crate::store::tests::{NOW, at, house, register_house, upload};

    #[test]
    #[ignore = "needs postgres"]
    fn postgres_store_keeps_its_readings_for_the_next_front_end() {
        let server = PostgresServer::shared();
        let database = server.create_database();
        let url = server.url(&database);
        let open = |mode| {
            let postgres = PostgresSettings {
                url: url.parse().unwrap(),
                password_file: None,
                allow_async: true,
                allow_clear_text_password: false,
                connections: 4,
            };
            Store::open_in_postgres(postgres, StoreSettings::default(), mode).unwrap()
        };
        // A command leads nobody, not even alone.
        drop(open(OpenMode::CreateIfMissing));
        let locks = "select count(*) from pg_locks where locktype = 'advisory' \
            and database = (select oid from pg_database where datname = current_database())";
        while server.sql(&database, locks) != "0" {}
        assert!(!open(OpenMode::Existing).is_leader());
        let store = open(OpenMode::CreateIfMissing);
        register_house(&store);
        let readings = upload(&[Some(NOW), Some(NOW + 1)]);
        let stored = store.append_durably_blocking(readings.clone(), at(NOW + 2));
        assert_eq!(stored.unwrap(), 2);
        store.close().unwrap();
        let late = store.append_durably_blocking(readings, at(NOW + 3));
        assert!(matches!(late, Err(StoreError::Closed)), "{late:?}");
        let next = open(OpenMode::CreateIfMissing);
        assert_eq!(next.count_readings(&house(), TimeRange::ALL).unwrap(), 2);
        let found = next.check();
        assert_eq!((found.problems.len(), found.readings), (0, 2));
        assert!(next.disk_use().unwrap().bytes > 0);
        next.remove_sensor_durably(&house()).unwrap();
        assert_eq!(next.count_readings(&house(), TimeRange::ALL).unwrap(), 0);
    }
}

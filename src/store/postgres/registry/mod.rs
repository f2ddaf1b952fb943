//! The registry for one of several front-ends: read from its copy, changed in PostgreSQL.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::Notify;
use tokio_postgres::{Client, Transaction};

use crate::domain::{ApiId, Sensor, SensorId, Timestamp};
use crate::locks::lock;
use crate::store::backend::{EditJob, RegistryBackend, SensorEdit};
use crate::store::error::StoreError;
use crate::store::postgres::copy::{HeldRegistry, MovedRecords, RegistryCopy, RegistrySnapshot};
use crate::store::postgres::database::Postgres;
use crate::store::postgres::error::PostgresError;
use crate::store::postgres::front_end::{RegistryCore, RegistryPace};
use crate::store::postgres::leader::Leadership;
use crate::store::postgres::records::{
    PostgresRecords, RecordColumns, Versions, begin, make_versions, snapshot,
};
use crate::store::postgres::sensors;
use crate::store::postgres::watch::RegistryWatch;
use crate::store::records::{RecordChanges, RecordKind, RecordsView};
use crate::store::registry::records::sensor_of;
use crate::store::registry::{LastUses, Registry, RegistryEdit};

/// The registry in PostgreSQL. Each front-end has one.
pub(crate) struct PostgresRegistry {
    core: Arc<RegistryCore>,
    _watch: RegistryWatch,
}

impl PostgresRegistry {
    /// Loads the registry, and keeps it up to date. Uses one connection besides those of the pool.
    /// Becomes the leader only if it `seeks_leadership`. Blocks.
    ///
    /// # Errors
    /// [`StoreError::NotForNow`] if PostgreSQL does not answer; [`StoreError::Damaged`].
    pub(crate) fn open(
        postgres: Arc<Postgres>,
        pace: RegistryPace,
        seeks_leadership: bool,
    ) -> Result<Self, StoreError> {
        let core = Arc::new(RegistryCore {
            postgres,
            pace,
            held: HeldRegistry::default(),
            last_uses: LastUses::default(),
            leadership: Leadership::default(),
            seeks_leadership,
            wake: Arc::new(Notify::new()),
            removals: Notify::new(),
            turn: Mutex::new(()),
        });
        let watch = RegistryWatch::start(&core)?;
        Ok(Self {
            core,
            _watch: watch,
        })
    }

    /// Returns a function that gives the current registry, or the error of [`Self::unavailable`].
    pub(crate) fn snapshot(&self) -> RegistrySnapshot {
        let core = Arc::clone(&self.core);
        Arc::new(move || match core.unavailable() {
            Some(why) => Err(why),
            None => Ok(core.held.registry()),
        })
    }

    /// Why no request may be accepted now: the registry was last known to be up to date too long
    /// ago, and a key may have been revoked since. From memory.
    #[must_use]
    pub(crate) fn unavailable(&self) -> Option<StoreError> {
        self.core.unavailable()
    }
}

impl RegistryBackend for PostgresRegistry {
    fn registry(&self) -> Arc<Registry> {
        self.core.held.registry()
    }

    fn edit(&self, job: EditJob) -> Result<(), StoreError> {
        self.core.change(job)
    }

    fn edit_async(&self, job: EditJob) -> BoxFuture<'_, Result<(), StoreError>> {
        let core = Arc::clone(&self.core);
        let work = async move {
            let done = tokio::task::spawn_blocking(move || core.change(job)).await;
            let ended = |error| StoreError::NotForNow(format!("the change ended: {error}"));
            done.unwrap_or_else(|error| Err(ended(error)))
        };
        work.boxed()
    }

    fn put_sensor(&self, id: &SensorId, job: SensorEdit) -> Result<Sensor, StoreError> {
        self.core.change(|edit| {
            let sensor = job(edit.registry.sensor(id).cloned())?;
            edit.put_sensor(sensor.clone())?;
            Ok(sensor)
        })
    }

    fn remove_sensor(&self, id: &SensorId) -> Result<(), StoreError> {
        let core = &self.core;
        core.change(|edit| edit.remove_sensor(id))?;
        while !core
            .postgres
            .wait(sensors::go_on_removing(&core.postgres, id))?
        {}
        Ok(())
    }

    fn read_records(
        &self,
        job: &mut dyn FnMut(&dyn RecordsView) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let postgres = &*self.core.postgres;
        let mut client = postgres.wait(postgres.connection())?;
        let transaction = postgres.wait(snapshot(&mut client))?;
        let view = PostgresRecords {
            postgres,
            transaction: &transaction,
        };
        let done = job(&view);
        postgres.wait(async { Ok(transaction.rollback().await?) })?;
        client.give_back();
        done
    }

    fn record_use(&self, id: &ApiId, now: Timestamp) -> bool {
        self.core.last_uses.record(id, now)
    }

    fn last_use(&self, id: &ApiId) -> Option<Timestamp> {
        self.core.last_uses.last(id)
    }

    fn write_last_uses(&self) -> Result<(), StoreError> {
        let uses = &self.core.last_uses;
        self.core.change(|edit| {
            // Other front-ends know of later uses.
            uses.merge(edit.view)?;
            let written = edit.view.all(RecordKind::LastUses)?;
            let written: BTreeMap<_, _> = written.into_iter().collect();
            for (kind, records) in uses.changes(&edit.registry)?.into_kinds() {
                for (key, value) in records.into_records() {
                    if let Some(value) = value.filter(|new| written.get(&key) != Some(new)) {
                        edit.changes.of(kind).insert(key, value);
                    }
                }
            }
            Ok(())
        })
    }

    fn is_leader(&self) -> bool {
        self.core.leads()
    }
}

impl RegistryCore {
    fn unavailable(&self) -> Option<StoreError> {
        let stale = self.pace.stale_after;
        let why = || {
            StoreError::NotForNow(format!(
                "no answer from PostgreSQL for {} s: credentials cannot be checked",
                stale.as_secs()
            ))
        };
        (!self.held.is_within(stale)).then(why)
    }

    /// Runs `job` while no front-end changes the registry. On return the changes are durable and
    /// published.
    fn change<T>(
        &self,
        job: impl FnOnce(&mut RegistryEdit<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let _turn = lock(&self.turn);
        let mut client = self.postgres.wait(self.postgres.connection())?;
        let done = self.change_by(&mut client, job)?;
        client.give_back();
        done
    }

    /// Returns the result of `job`; the outer error is PostgreSQL's, after which the connection is
    /// useless.
    fn change_by<T>(
        &self,
        client: &mut Client,
        job: impl FnOnce(&mut RegistryEdit<'_>) -> Result<T, StoreError>,
    ) -> Result<Result<T, StoreError>, StoreError> {
        let postgres = &*self.postgres;
        let change = postgres.wait(begin(client))?;
        let asked = Instant::now();
        let (known, edition) = self.held.copy();
        let moved = postgres.wait(MovedRecords::since(&known.versions, &change))?;
        let known = self.learn(&known, &moved)?;
        let view = PostgresRecords {
            postgres,
            transaction: &change,
        };
        let mut edit = RegistryEdit::new(&view, Registry::clone(&known.registry));
        let done = job(&mut edit);
        let RegistryEdit {
            registry,
            changes,
            removed,
            ..
        } = edit;
        let columns = RecordColumns::of(match &done {
            Ok(_) => changes,
            Err(_) => RecordChanges::default(),
        });
        if columns.is_empty() {
            postgres.wait(async { Ok(change.rollback().await?) })?;
            self.held.publish(known, edition, asked);
            return Ok(done);
        }
        let sensors = columns.put(RecordKind::Sensors);
        let sensors: Vec<_> = sensors.filter_map(|(k, v)| sensor_of(k, v)).collect();
        let made = postgres.wait(write(change, &columns, (&sensors, &known.removed)))?;
        for api_id in &removed {
            self.last_uses.forget(api_id);
        }
        let copy = RegistryCopy {
            registry: Arc::new(registry),
            removed: removed_after(&sensors, known.removed),
            versions: known.versions.into_iter().chain(made).collect(),
        };
        self.held.publish(copy, edition, asked);
        Ok(done)
    }
}

/// Writes changed records and commits. A new sensor gets a number; one whose id is still being
/// removed starts without readings. Returns the new versions.
async fn write(
    change: Transaction<'_>,
    columns: &RecordColumns,
    (changed, removed): (&[(Sensor, bool)], &BTreeSet<SensorId>),
) -> Result<Versions, PostgresError> {
    columns.write(&change).await?;
    let registered = changed.iter().filter(|(_, is_removed)| !is_removed);
    let registered: Vec<&SensorId> = registered.map(|(sensor, _)| &sensor.id).collect();
    for id in registered.iter().filter(|id| removed.contains(**id)) {
        sensors::delete(&change, id.as_str()).await?;
    }
    if !registered.is_empty() {
        let names: Vec<&str> = registered.iter().map(|id| id.as_str()).collect();
        sensors::register(&change, &names).await?;
    }
    let (kinds, keys) = columns.keys();
    let versions = make_versions(&change, (&kinds, &keys)).await?;
    change.commit().await?;
    Ok(versions)
}

/// The sensors that are being removed, after these changes.
fn removed_after(
    changed: &[(Sensor, bool)],
    mut removed: Arc<BTreeSet<SensorId>>,
) -> Arc<BTreeSet<SensorId>> {
    for (sensor, is_removed) in changed {
        if *is_removed {
            Arc::make_mut(&mut removed).insert(sensor.id.clone());
        } else if removed.contains(&sensor.id) {
            Arc::make_mut(&mut removed).remove(&sensor.id);
        }
    }
    removed
}

#[cfg(test)]
mod tests;

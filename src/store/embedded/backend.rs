//! The embedded store as a storage backend. Readers use the state shared with the committing
//! thread; every change goes to that thread.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::future::BoxFuture;
use prometheus::proto::MetricFamily;

use crate::domain::{ApiId, Arrivals, Sensor, SensorId, Timestamp};
use crate::locks::read;
use crate::store::backend::{
    Append, Backend, DiskUse, EditJob, Findings, ReadingsBackend, ReadingsView, ReadingsWriter,
    RegistryBackend, SensorEdit, SensorJob, UploadsBackend, wait,
};
use crate::store::embedded::disk::reserve;
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::{Concern, Database, Sealing, Task, Writer, register};
use crate::store::error::StoreError;
use crate::store::records::RecordsView;
use crate::store::registry::Registry;
use crate::store::rows::Activity;

/// An open store in a folder.
///
/// Readers hold only [`Shared`], so the committing thread ends when this is dropped.
pub(crate) struct Embedded {
    pub(crate) shared: Arc<Shared>,
    pub(crate) writer: Writer,
    /// Whether opening it took the space of the reserve.
    pub(crate) has_used_reserve: bool,
}

impl Embedded {
    async fn change<T: Send + 'static>(
        &self,
        concern: Concern,
        run: impl FnOnce(&mut Database, &mut Sealing) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let task = |answer| Task::change(concern, run, answer);
        self.writer.submit(task).await
    }

    /// Recomputes the newest power of each sensor after damage.
    pub(crate) fn mend_newest_powers(&self) -> Result<(), StoreError> {
        let run = |db: &mut Database, _: &mut Sealing| register::mend_newest_powers(db);
        wait(self.change(Concern::Everything, run))
    }

    async fn submit_edit(&self, job: EditJob) -> Result<(), StoreError> {
        let run = |db: &mut Database, _: &mut Sealing| register::register(db, |_, edit| job(edit));
        self.change(Concern::Nothing, run).await
    }
}

impl ReadingsBackend for Embedded {
    fn view<'a>(&'a self, sensor: &'a SensorId) -> Result<Box<dyn ReadingsView + 'a>, StoreError> {
        self.shared.view(sensor)
    }
}

impl ReadingsWriter for Embedded {
    fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError> {
        self.writer.change(sensor, job)
    }
}

impl UploadsBackend for Embedded {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async {
            let stored = self.writer.submit(|answer| Task::Append(append, answer));
            Ok(stored.await?.upload.readings().len())
        })
    }

    fn activity(&self, sensor: &SensorId) -> Result<Option<Activity>, StoreError> {
        Ok(self.shared.hot.held().activity(sensor))
    }

    fn newest_arrival(&self) -> Option<Timestamp> {
        self.shared.hot.newest_arrival()
    }

    fn count_arrivals_after(&self, time: Timestamp) -> Result<usize, StoreError> {
        let held = self.shared.hot.held();
        let known = held.activities();
        let changed = known.filter(|(_, known)| known.forgetting_after(time) != *known);
        Ok(changed.count())
    }

    fn forget_arrivals_after(&self, time: Timestamp) -> BoxFuture<'_, Result<usize, StoreError>> {
        let run =
            move |db: &mut Database, _: &mut Sealing| register::forget_arrivals_after(db, time);
        Box::pin(self.change(Concern::Everything, run))
    }

    fn put_arrivals(
        &self,
        sensor: &SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let sensor = sensor.clone();
        let concern = Concern::Sensor(sensor.clone());
        wait(self.change(concern, move |db, _| {
            register::put_arrivals(db, sensor, arrivals, last_assigned)
        }))
    }
}

impl RegistryBackend for Embedded {
    fn registry(&self) -> Arc<Registry> {
        // A snapshot: the lock is held only to clone the `Arc`, however long a caller uses the
        // registry.
        Arc::clone(&read(&self.shared.registry))
    }

    fn edit(&self, job: EditJob) -> Result<(), StoreError> {
        wait(self.submit_edit(job))
    }

    fn edit_async(&self, job: EditJob) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.submit_edit(job))
    }

    fn put_sensor(&self, id: &SensorId, job: SensorEdit) -> Result<Sensor, StoreError> {
        let id = id.clone();
        let concern = Concern::Sensor(id.clone());
        wait(self.change(concern, move |db, sealing| {
            register::put_sensor(db, sealing, &id, job)
        }))
    }

    fn remove_sensor(&self, id: &SensorId) -> Result<(), StoreError> {
        let id = id.clone();
        let concern = Concern::Sensor(id.clone());
        wait(self.change(concern, move |db, sealing| {
            register::remove_sensor(db, sealing, &id)
        }))
    }

    fn read_records(
        &self,
        job: &mut dyn FnMut(&dyn RecordsView) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // Keeps records from changing meanwhile.
        let _placed = read(&self.shared.swap);
        job(&self.shared.facts)
    }

    fn record_use(&self, api_id: &ApiId, now: Timestamp) -> bool {
        self.shared.last_uses.record(api_id, now)
    }

    fn last_use(&self, api_id: &ApiId) -> Option<Timestamp> {
        self.shared.last_uses.last(api_id)
    }

    fn write_last_uses(&self) -> Result<(), StoreError> {
        let run = |db: &mut Database, _: &mut Sealing| register::write_last_uses(db);
        wait(self.change(Concern::Nothing, run))
    }

    fn is_leader(&self) -> bool {
        // Its folder is locked: no other process has it open.
        true
    }
}

impl Backend for Embedded {
    fn reader(&self) -> Arc<dyn ReadingsBackend> {
        Arc::<Shared>::clone(&self.shared)
    }

    fn history_edits(&self) -> u64 {
        self.shared.history_edits.load(Ordering::Acquire)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.writer.submit(Task::Ping))
    }

    fn unavailable(&self) -> Option<StoreError> {
        let closed = || self.writer.is_stopped().then_some(StoreError::Closed);
        self.shared.failure.get().or_else(closed)
    }

    fn close(&self) -> Result<(), StoreError> {
        if self.shared.last_uses.any() && self.unavailable().is_none() {
            // A failure is returned below.
            let _ = self.write_last_uses();
        }
        self.writer.stop();
        self.shared.failure.check()
    }

    fn check(&self) -> Findings {
        self.shared.check()
    }

    fn disk_use(&self) -> Result<DiskUse, StoreError> {
        self.shared.disk_use()
    }

    fn commit_metrics(&self) -> Vec<MetricFamily> {
        self.shared.commit_metrics.gather()
    }

    fn damage(&self) -> Vec<String> {
        self.shared.facts.damage()
    }

    fn confirm_damage(&self) -> Result<usize, StoreError> {
        let run = |db: &mut Database, _: &mut Sealing| register::confirm_damage(db);
        wait(self.change(Concern::Nothing, run))
    }

    fn keep_reserve(&self) {
        // The space that was needed to open the store must not be taken again.
        if !self.has_used_reserve {
            reserve::keep(&self.shared.dir);
        }
    }
}

#[cfg(test)]
impl crate::store::handle::Store {
    /// The state shared by an embedded store and its committing thread.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        let backend: &dyn std::any::Any = &*self.backend;
        &backend.downcast_ref::<Embedded>().unwrap().shared
    }

    /// Changes facts as an earlier process might have left them.
    pub(crate) fn change_facts(&self, changes: crate::store::embedded::facts::FactChanges) {
        self.on_committing_thread(move |db| db.change_facts("changing facts", &changes).unwrap());
    }

    /// Appends a group to the log as an earlier process might have.
    pub(crate) fn append_group(&self, group: crate::store::embedded::rows::RowGroup<'static>) {
        self.on_committing_thread(move |db| db.append_group(&group));
    }

    /// Runs a job on the committing thread.
    pub(crate) fn on_committing_thread(&self, job: impl FnOnce(&mut Database) + Send + 'static) {
        let backend: &dyn std::any::Any = &*self.backend;
        let embedded = backend.downcast_ref::<Embedded>().unwrap();
        let run = |db: &mut Database, _: &mut Sealing| {
            job(db);
            Ok(())
        };
        wait(embedded.change(Concern::Nothing, run)).unwrap();
    }
}

//! Changing the history of a sensor on the committing thread.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::domain::SensorId;
use crate::store::backend::{
    ReadingsChange, ReadingsView, ReadingsWriter, RowsTurn, SensorJob, SensorTurn, wait,
};
use crate::store::embedded::blocks::Turnover;
use crate::store::embedded::disk::reserve;
use crate::store::embedded::facts::Deletion;
use crate::store::embedded::rows::{HotEdit, RowsEdit};
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::database::Database;
use crate::store::embedded::writer::queue::{Answer, Concern, Task};
use crate::store::embedded::writer::register;
use crate::store::embedded::writer::sealing::Sealing;
use crate::store::embedded::writer::thread::Writer;
use crate::store::error::StoreError;
use crate::store::rows::Activity;

/// The readings of a sensor between two tasks. None of its rows is young or frozen: all its uploads
/// are in the log by then.
struct SensorHistory<'a> {
    db: &'a mut Database,
    shared: Arc<Shared>,
    sensor: SensorId,
}

impl ReadingsWriter for Writer {
    fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError> {
        wait(self.submit(|answer| task(sensor, job, answer)))
    }
}

/// Creates the task that makes a change.
pub(super) fn task(sensor: &SensorId, job: SensorJob, answer: Answer<usize>) -> Task {
    let sensor = sensor.clone();
    let concern = Concern::Sensor(sensor.clone());
    let run = move |db: &mut Database, sealing: &mut Sealing| change(db, sealing, sensor, job);
    Task::change(concern, run, answer)
}

fn change(
    db: &mut Database,
    sealing: &mut Sealing,
    sensor: SensorId,
    job: SensorJob,
) -> Result<usize, StoreError> {
    let shared = db.shared();
    register::check_sensor(&shared, &sensor)?;
    let mut history = SensorHistory { db, shared, sensor };
    let count = job(&mut history)?;
    let SensorHistory { db, shared, sensor } = history;
    db.sync()?;
    sealing.review(&shared.hot.held(), [&sensor]);
    shared.history_edits.fetch_add(1, Ordering::Release);
    Ok(count)
}

impl SensorHistory<'_> {
    /// A step of a deletion, which may take the reserve of a full disk: it makes space.
    fn giving_reserve<T>(
        &mut self,
        step: impl Fn(&mut Database, &SensorId) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match step(self.db, &self.sensor) {
            Err(error) if reserve::release(&self.shared.dir, &error) => step(self.db, &self.sensor),
            done => done,
        }
    }
}

impl ReadingsChange for SensorHistory<'_> {
    fn view(&self) -> Box<dyn ReadingsView + '_> {
        Box::new(self.shared.stored(&self.sensor))
    }

    fn block_readings(&self) -> usize {
        self.shared.settings.block_readings
    }

    fn activity(&self) -> Result<Option<Activity>, StoreError> {
        Ok(self.shared.hot.held().activity(&self.sensor))
    }

    /// Makes one commit, which is durable with the next sync.
    fn turn_over(&mut self, turn: SensorTurn) -> Result<(), StoreError> {
        let after = self.db.log_end();
        let deletion = |range, is_done| Deletion {
            range,
            after,
            is_done,
        };
        let gone = match &turn.rows {
            RowsTurn::Deleted { gone, .. } => gone.as_slice(),
            _ => &[],
        };
        let noted: Vec<Deletion> = gone.iter().map(|range| deletion(*range, false)).collect();
        let mut revocation = None;
        if !noted.is_empty() {
            let note = |db: &mut Database, sensor: &_| db.note_deletions(sensor, &noted);
            revocation = Some(self.giving_reserve(note)?);
        }
        let turnover = Turnover::of(&self.sensor, turn.removed, turn.packs)?;
        let mut done = None;
        let edit = HotEdit {
            sensor: self.sensor.clone(),
            rows: match turn.rows {
                RowsTurn::Kept => RowsEdit::Kept,
                RowsTurn::Corrected(rows) => RowsEdit::Corrected(rows),
                RowsTurn::Deleted { range, .. } => {
                    done = Some(range);
                    RowsEdit::Gone(range)
                }
            },
            activity: turn.activity,
        };
        let turned = match done {
            Some(_) => self.giving_reserve(|db, _| db.turn_over(&turnover, vec![edit.clone()])),
            None => self.db.turn_over(&turnover, vec![edit]),
        };
        if let Err(error) = turned {
            // After a final failure the outcome is unknown, so the next start completes the
            // deletion. Otherwise nothing was deleted.
            if self.db.check_writable().is_ok()
                && let Some(revocation) = revocation
            {
                self.db.revoke_deletions(revocation)?;
            }
            return Err(error);
        }
        if let Some(range) = done {
            // One instead of many: the remaining readings of the range are part of a later commit.
            let done = deletion(range, true);
            self.db.end_deletion(&self.sensor, done)?;
        }
        Ok(())
    }
}

//! Noting deletions, and completing those that a start finds.

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::blocks::source::reaching_into;
use crate::store::blocks::{BlockSource as _, seal};
use crate::store::embedded::blocks::Turnover;
use crate::store::embedded::facts::deletion::UnsettledNote;
use crate::store::embedded::facts::{Deletion, FactChanges, deletion};
use crate::store::embedded::rows::{HotEdit, RowsEdit};
use crate::store::embedded::writer::database::Database;
use crate::store::error::StoreError;
use crate::store::read::power_at;
use crate::store::records::keys;
use crate::store::rows::Activity;

impl Database {
    /// Notes deletions durably, before anything is deleted: so no deleted reading ever comes back.
    /// Returns the change that revokes it: the files have room for that.
    pub(crate) fn note_deletions(
        &mut self,
        sensor: &SensorId,
        deletions: &[Deletion],
    ) -> Result<FactChanges, StoreError> {
        // First: a revocation would revoke these, too.
        self.settle_notes()?;
        let shared = self.shared();
        let [changes, revocation] = shared.facts.read(|facts| {
            let changes = deletion::noting(facts, sensor, deletions);
            let revocation = deletion::before(facts, &changes);
            [changes, revocation]
        });
        self.change_facts_leaving("noting a deletion", &changes, 1)?;
        Ok(revocation)
    }

    /// Revokes the notes of deletions that could not be carried out; later, if there is no space.
    pub(crate) fn revoke_deletions(&mut self, revocation: FactChanges) -> Result<(), StoreError> {
        self.unsettled.push(UnsettledNote::Revoked(revocation));
        self.settle_notes()
    }

    /// Notes that a deletion was carried out, once that is durable; later, if there is no space.
    pub(crate) fn end_deletion(
        &mut self,
        sensor: &SensorId,
        deletion: Deletion,
    ) -> Result<(), StoreError> {
        let carried_out = UnsettledNote::CarriedOut(sensor.clone(), deletion);
        self.unsettled.push(carried_out);
        self.settle_notes()
    }

    /// Settles the notes of deletions that are undone.
    pub(super) fn settle_notes(&mut self) -> Result<(), StoreError> {
        while let Some(note) = self.unsettled.pop() {
            let settled = self.settle_note(&note);
            if settled.is_err() {
                self.unsettled.push(note);
                return settled;
            }
        }
        Ok(())
    }

    fn settle_note(&mut self, note: &UnsettledNote) -> Result<(), StoreError> {
        match note {
            UnsettledNote::Revoked(revocation) => {
                self.change_facts("revoking a deletion", revocation)
            }
            UnsettledNote::CarriedOut(sensor, deletion) => {
                self.flush()?;
                let shared = self.shared();
                let changes = shared
                    .facts
                    .read(|facts| deletion::noting(facts, sensor, &[*deletion]));
                self.change_facts("noting a deletion", &changes)
            }
        }
    }
}

/// Completes deletions that a start found: they were interrupted, or blocks were recovered from the
/// volumes, which contain old ones. Readings of later commits stay. Deletes everything of a sensor
/// at once, because the rest of a block becomes part of a later commit.
pub(super) fn carry_out(
    db: &mut Database,
    sensor: &SensorId,
    deletions: &[Deletion],
) -> Result<(), StoreError> {
    let shared = db.shared();
    let stored = shared.stored(sensor);
    let mut turnover = Turnover::default();
    for summary in reaching_into(&stored, TimeRange::ALL)? {
        let first = summary?.first;
        let entry = shared.sealed.index.get(&keys::key(sensor, first))?;
        let number = entry.map_or(u64::MAX, |entry| entry.number);
        let is_deleted = |time| {
            let mut later = deletions.iter().filter(|it| it.after >= number);
            later.any(|it| it.range.contains(time))
        };
        if !deletions.iter().any(|it| it.after >= number) {
            continue;
        }
        // An unreadable block stays: its deleted readings cannot be read either.
        let Ok(readings) = stored.readings(first) else {
            continue;
        };
        let count = readings.len();
        let mut left = readings;
        left.retain(|reading| !is_deleted(reading.time));
        if left.len() < count {
            let packs = seal::pack(&left, shared.settings.block_readings)?;
            turnover.append(Turnover::of(sensor, vec![first], packs)?);
        }
    }
    if !turnover.is_empty() {
        db.turn_over(&turnover, Vec::new())?;
    }
    let known = shared.hot.held().activity(sensor);
    if let Some(known) = known {
        let edit = HotEdit {
            sensor: sensor.clone(),
            rows: RowsEdit::Kept,
            activity: Some(Activity {
                newest_power: power_at(&shared.stored(sensor), Timestamp::MAX)?,
                ..known
            }),
        };
        db.turn_over(&Turnover::default(), vec![edit])?;
    }
    db.flush()?;
    let done = deletions.iter().filter(|it| !it.is_done);
    let done = done.map(|deletion| Deletion {
        is_done: true,
        ..*deletion
    });
    db.note_deletions(sensor, &done.collect::<Vec<_>>())?;
    Ok(())
}

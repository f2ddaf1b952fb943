//! Changes of the registry, and of activities.

use std::sync::Arc;

use crate::domain::{Arrivals, Sensor, SensorId, TimeRange, Timestamp};
use crate::locks::{read, write};
use crate::store::embedded::blocks::Turnover;
use crate::store::embedded::facts::change::kind_of;
use crate::store::embedded::facts::{Deletion, FactChanges, stored};
use crate::store::embedded::rows::{HotEdit, RowsEdit};
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::database::Database;
use crate::store::embedded::writer::sealing::Sealing;
use crate::store::error::StoreError;
use crate::store::read::power_at;
use crate::store::records::RecordKind;
use crate::store::registry::{Registry, RegistryEdit};
use crate::store::rows::Activity;

/// The maximum number of rows deleted at once.
const DELETED_AT_ONCE: usize = 1_000;

/// Changes the registry durably, then publishes it. Returns the result of `change`.
pub(crate) fn register<T>(
    db: &mut Database,
    change: impl FnOnce(&mut Database, &mut RegistryEdit<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let shared = db.shared();
    let registry = Registry::clone(&read(&shared.registry));
    let mut edit = RegistryEdit::new(&shared.facts, registry);
    let result = change(db, &mut edit)?;
    db.check_writable()?;
    // For example the end of a session that has ended already: not worth a sync.
    if edit.changes.is_empty() {
        return Ok(result);
    }
    db.change_facts("writing the registry", &edit.changes.into())?;
    // Readers see the change only now that it is durable.
    for api_id in &edit.removed {
        shared.last_uses.forget(api_id);
    }
    *write(&shared.registry) = Arc::new(edit.registry);
    Ok(result)
}

/// Puts the sensor that `sensor` makes from the one with this id, if there is one.
pub(crate) fn put_sensor(
    db: &mut Database,
    sealing: &mut Sealing,
    id: &SensorId,
    sensor: impl FnOnce(Option<Sensor>) -> Result<Sensor, StoreError>,
) -> Result<Sensor, StoreError> {
    register(db, |db, edit| {
        let known = edit.registry.sensor(id).cloned();
        let is_new = known.is_none();
        let sensor = sensor(known)?;
        edit.put_sensor(sensor.clone())?;
        let record = || edit.view.get(RecordKind::Sensors, id.as_str().as_bytes());
        if is_new && record()?.is_some() {
            // An earlier removal failed half way. Its readings must not come back.
            delete_readings_and_record(db, sealing, id)?;
        }
        Ok(sensor)
    })
}

/// Marks the sensor as removed, deletes its readings, then its record. The next start finishes an
/// interrupted removal.
pub(crate) fn remove_sensor(
    db: &mut Database,
    sealing: &mut Sealing,
    id: &SensorId,
) -> Result<(), StoreError> {
    register(db, |_, edit| edit.remove_sensor(id))?;
    delete_readings_and_record(db, sealing, id)
}

pub(crate) fn delete_readings_and_record(
    db: &mut Database,
    sealing: &mut Sealing,
    id: &SensorId,
) -> Result<(), StoreError> {
    let deletion = Deletion {
        range: TimeRange::ALL,
        after: db.log_end(),
        is_done: true,
    };
    db.note_deletions(id, &[deletion])?;
    let edit = HotEdit {
        sensor: id.clone(),
        rows: RowsEdit::Removed,
        activity: None,
    };
    db.turn_over(&Turnover::default(), vec![edit])?;
    loop {
        let keys = db.some_blocks(id, DELETED_AT_ONCE)?;
        if keys.is_empty() {
            break;
        }
        let mut turnover = Turnover::default();
        for key in keys {
            turnover.remove(key);
        }
        db.turn_over(&turnover, Vec::new())?;
    }
    db.sync()?;
    // Last: without its record, nothing shows that the rest must be removed.
    let mut changes = FactChanges::default();
    changes.remove(kind_of(RecordKind::Sensors), id.as_str());
    db.change_facts("deleting a sensor", &changes)?;
    sealing.forget(id);
    db.shared()
        .hot
        .change()
        .set_activities([(id.clone(), None)]);
    Ok(())
}

/// Returns an error if the sensor is not registered.
pub(crate) fn check_sensor(shared: &Shared, id: &SensorId) -> Result<(), StoreError> {
    match read(&shared.registry).sensor(id) {
        Some(_) => Ok(()),
        None => Err(StoreError::UnknownSensor(id.as_str().to_owned())),
    }
}

/// Replaces a sensor's arrivals. Its newest power stays that of its readings.
pub(crate) fn put_arrivals(
    db: &mut Database,
    sensor: SensorId,
    arrivals: Option<Arrivals>,
    last_assigned: Option<Timestamp>,
) -> Result<(), StoreError> {
    let shared = db.shared();
    check_sensor(&shared, &sensor)?;
    let known = shared.hot.held().activity(&sensor);
    let activity = Activity {
        arrivals,
        last_assigned,
        ..known.unwrap_or_default()
    };
    put_activities(db, vec![(sensor, activity)])
}

/// Forgets the arrivals after `time` and the times assigned after it, of all sensors in one commit.
/// Returns the number of affected sensors.
pub(crate) fn forget_arrivals_after(
    db: &mut Database,
    time: Timestamp,
) -> Result<usize, StoreError> {
    let shared = db.shared();
    let changed: Vec<(SensorId, Activity)> = shared
        .hot
        .held()
        .activities()
        .map(|(sensor, activity)| (sensor, activity, activity.forgetting_after(time)))
        .filter(|(_, known, left)| left != known)
        .map(|(sensor, _, left)| (sensor.clone(), left))
        .collect();
    let count = changed.len();
    put_activities(db, changed)?;
    Ok(count)
}

fn put_activities(
    db: &mut Database,
    activities: Vec<(SensorId, Activity)>,
) -> Result<(), StoreError> {
    let edits = activities.into_iter().map(|(sensor, activity)| HotEdit {
        sensor,
        rows: RowsEdit::Kept,
        activity: Some(activity),
    });
    db.turn_over(&Turnover::default(), edits.collect())?;
    db.sync()
}

/// Recomputes the newest power of each sensor from its readings, after damage.
pub(crate) fn mend_newest_powers(db: &mut Database) -> Result<(), StoreError> {
    let shared = db.shared();
    let registry = Arc::clone(&read(&shared.registry));
    let mut activities = Vec::new();
    for sensor in registry.sensors() {
        let known = shared.hot.held().activity(&sensor.id);
        let newest_power = match power_at(&shared.stored(&sensor.id), Timestamp::MAX) {
            // Readers of the block get the error.
            Err(error) if error.is_unreadable() => continue,
            newest_power => newest_power?,
        };
        let known = known.unwrap_or_default();
        if newest_power != known.newest_power {
            let activity = Activity {
                newest_power,
                ..known
            };
            activities.push((sensor.id.clone(), activity));
        }
    }
    put_activities(db, activities)
}

/// Writes the times of the credentials' last uses.
pub(crate) fn write_last_uses(db: &mut Database) -> Result<(), StoreError> {
    let shared = db.shared();
    let registry = Arc::clone(&read(&shared.registry));
    let changes = shared.last_uses.changes(&registry)?;
    db.change_facts("writing the last uses of credentials", &changes.into())
}

/// Deletes the notes about damage, which somebody has read, and admits those that were refused
/// because of it. Returns the number of notes.
pub(crate) fn confirm_damage(db: &mut Database) -> Result<usize, StoreError> {
    let shared = db.shared();
    let changes = shared.facts.read(stored::confirming);
    let count = changes.0.len();
    db.change_facts("confirming damage", &changes)?;
    Arc::make_mut(&mut write(&shared.registry)).is_access_suspended = false;
    Ok(count)
}

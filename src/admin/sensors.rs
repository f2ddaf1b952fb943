//! Sensors.

use super::error::AdminError;
use super::message::SensorTerms;
use super::names::{account_name, check_label, sensor_id};
use super::rows::SensorRow;
use crate::domain::{RegisterKind, Role, Sensor, TimeRange, Timestamp};
use crate::store::{Store, StoreError};

pub(super) fn list(store: &Store, now: Timestamp) -> Result<Vec<SensorRow>, AdminError> {
    let registry = store.registry();
    registry
        .sensors()
        .map(|sensor| row(store, sensor, now))
        .collect()
}

pub(super) fn find(store: &Store, id: &str, now: Timestamp) -> Result<SensorRow, AdminError> {
    row(store, &registered(store, id)?, now)
}

/// Adding a sensor that the account has already authorizes it again: a set-up script may run twice.
/// A sensor of another account is never taken over.
pub(super) fn add(
    store: &Store,
    id: &str,
    account: &str,
    terms: SensorTerms,
    now: Timestamp,
) -> Result<SensorRow, AdminError> {
    let id = sensor_id(id)?;
    let account = account_name(account)?;
    let registered = store.registry().sensor(&id).cloned();
    let sensor = registered.unwrap_or_else(|| Sensor {
        name: id.to_string(),
        account: account.clone(),
        authorized: true,
        role: Role::default(),
        register: RegisterKind::default(),
        created: now,
        id,
    });
    if sensor.account != account {
        return Err(StoreError::SensorTaken(sensor.id.to_string()).into());
    }
    let sensor = Sensor {
        authorized: true,
        ..apply(terms, sensor)?
    };
    put(store, sensor, now)
}

pub(super) fn set(
    store: &Store,
    id: &str,
    terms: SensorTerms,
    now: Timestamp,
) -> Result<SensorRow, AdminError> {
    put(store, apply(terms, registered(store, id)?)?, now)
}

pub(super) fn authorize(
    store: &Store,
    id: &str,
    authorized: bool,
    now: Timestamp,
) -> Result<SensorRow, AdminError> {
    let sensor = Sensor {
        authorized,
        ..registered(store, id)?
    };
    put(store, sensor, now)
}

pub(super) fn remove(store: &Store, id: &str) -> Result<(), AdminError> {
    Ok(store.remove_sensor_durably(&sensor_id(id)?)?)
}

pub(super) fn registered(store: &Store, id: &str) -> Result<Sensor, AdminError> {
    let known = store.registry().sensor(&sensor_id(id)?).cloned();
    known.ok_or_else(|| StoreError::UnknownSensor(id.to_owned()).into())
}

fn apply(terms: SensorTerms, sensor: Sensor) -> Result<Sensor, AdminError> {
    check_label("name", terms.name.as_deref().unwrap_or_default())?;
    let name = match terms.name {
        // An empty name resets it to the default, the id.
        Some(name) if name.is_empty() => sensor.id.to_string(),
        Some(name) => name,
        None => sensor.name,
    };
    Ok(Sensor {
        name,
        role: terms.role.unwrap_or(sensor.role),
        register: terms.register.unwrap_or(sensor.register),
        ..sensor
    })
}

fn put(store: &Store, sensor: Sensor, now: Timestamp) -> Result<SensorRow, AdminError> {
    let id = sensor.id.clone();
    store.put_sensor_durably(sensor)?;
    find(store, id.as_str(), now)
}

fn row(store: &Store, sensor: &Sensor, now: Timestamp) -> Result<SensorRow, AdminError> {
    let arrivals = store
        .activity(&sensor.id)
        .and_then(|activity| activity.arrivals);
    let last_upload = arrivals.and_then(|arrivals| arrivals.last_upload(now));
    Ok(SensorRow {
        sensor_id: sensor.id.to_string(),
        account: sensor.account.as_str().to_owned(),
        name: sensor.name.clone(),
        authorized: sensor.authorized,
        role: sensor.role,
        register: sensor.register,
        active: arrivals.is_some_and(|arrivals| arrivals.active(now)),
        last_upload: last_upload.map(|time| time.to_string()),
        readings: store.count_readings(&sensor.id, TimeRange::ALL)?,
    })
}

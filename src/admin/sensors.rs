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
    check(&terms)?;
    let mut sensor = Sensor {
        name: id.to_string(),
        account: account_name(account)?,
        authorized: true,
        role: Role::default(),
        register: RegisterKind::default(),
        created: now,
        id,
    };
    apply(terms.clone(), &mut sensor);
    let sensor = store.add_sensor_durably(sensor, move |known| {
        apply(terms, known);
        known.authorized = true;
    })?;
    row(store, &sensor, now)
}

pub(super) fn set(
    store: &Store,
    id: &str,
    terms: SensorTerms,
    now: Timestamp,
) -> Result<SensorRow, AdminError> {
    check(&terms)?;
    update(store, id, now, move |sensor| apply(terms, sensor))
}

pub(super) fn authorize(
    store: &Store,
    id: &str,
    authorized: bool,
    now: Timestamp,
) -> Result<SensorRow, AdminError> {
    update(store, id, now, move |sensor| sensor.authorized = authorized)
}

pub(super) fn remove(store: &Store, id: &str) -> Result<(), AdminError> {
    Ok(store.remove_sensor_durably(&sensor_id(id)?)?)
}

pub(super) fn registered(store: &Store, id: &str) -> Result<Sensor, AdminError> {
    let known = store.registry().sensor(&sensor_id(id)?).cloned();
    known.ok_or_else(|| StoreError::UnknownSensor(id.to_owned()).into())
}

fn check(terms: &SensorTerms) -> Result<(), AdminError> {
    check_label("name", terms.name.as_deref().unwrap_or_default())
}

/// Changes what the terms, which were checked, say.
fn apply(terms: SensorTerms, sensor: &mut Sensor) {
    sensor.name = match terms.name {
        // An empty name resets it to the default, the id.
        Some(name) if name.is_empty() => sensor.id.to_string(),
        Some(name) => name,
        None => std::mem::take(&mut sensor.name),
    };
    sensor.role = terms.role.unwrap_or(sensor.role);
    sensor.register = terms.register.unwrap_or(sensor.register);
}

fn update(
    store: &Store,
    id: &str,
    now: Timestamp,
    update: impl FnOnce(&mut Sensor) + Send + 'static,
) -> Result<SensorRow, AdminError> {
    let sensor = store.update_sensor_durably(&sensor_id(id)?, update)?;
    row(store, &sensor, now)
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

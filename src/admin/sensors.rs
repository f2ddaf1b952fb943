//! Sensors.

use super::at_grid::{balance, role_at_grid};
use super::error::AdminError;
use super::names::{account_name, sensor_id};
use super::rows::SensorRow;
use super::terms::SensorTerms;
use crate::domain::{MeterKind, Sensor, SilentAfter, TimeRange, Timestamp};
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

/// Adds a sensor. If the account already has it, it is authorized again, because a set-up script
/// may run twice. A sensor of another account is never taken over.
pub(super) fn add(
    store: &Store,
    id: &str,
    account: &str,
    terms: SensorTerms,
    now: Timestamp,
) -> Result<SensorRow, AdminError> {
    let id = sensor_id(id)?;
    let account = account_name(account)?;
    let registry = store.registry();
    // A known one keeps its role without one.
    let terms = if let Some(known) = registry.sensor(&id) {
        answered(store, known, terms)?
    } else {
        let new = Sensor::new(id.clone(), account.clone(), now);
        answered(store, &new, terms)?
    };
    let mut sensor = Sensor::new(id, account, now);
    // An existing sensor keeps its register.
    sensor.meter.kind = MeterKind::usual(terms.role.unwrap_or(sensor.role));
    terms.clone().into_change()?(&mut sensor);
    let change = terms.into_change()?;
    let sensor = store.add_sensor_durably(sensor, move |known| {
        change(known);
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
    let known = registered(store, id)?;
    let terms = answered(store, &known, terms)?;
    update(store, id, now, terms.into_change()?)
}

/// The terms with the role that a person's answer gives to a further sensor at the grid.
fn answered(store: &Store, known: &Sensor, terms: SensorTerms) -> Result<SensorTerms, AdminError> {
    let Some(role) = terms.role.filter(|role| *role != known.role) else {
        return Ok(terms);
    };
    let at_grid = (known.id.clone(), role);
    let answer = terms.at_grid;
    let answered = role_at_grid(&store.registry(), &known.account, &at_grid, answer)?;
    balance(store, &known.account, (answered, answer))?;
    Ok(SensorTerms {
        role: Some(answered),
        ..terms
    })
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
        .activity(&sensor.id)?
        .and_then(|activity| activity.arrivals);
    let last_upload = arrivals.and_then(|arrivals| arrivals.last_upload(now));
    Ok(SensorRow {
        sensor_id: sensor.id.to_string(),
        account: sensor.account.as_str().to_owned(),
        name: sensor.name.clone(),
        authorized: sensor.authorized,
        role: sensor.role,
        register: sensor.meter.kind,
        rollover: sensor
            .meter
            .rollover
            .map(|rollover| rollover.register().watthours()),
        plausible: sensor.meter.limit.watts(),
        sign: sensor.meter.sign(),
        power_sign: sensor.meter.power_sign,
        register_sign: sensor.meter.register_sign,
        between: sensor.meter.between,
        part_of: sensor.part_of.as_ref().map(ToString::to_string),
        silent_after: sensor.silent_after.map(SilentAfter::as_minutes),
        home_assistant: sensor.is_announced,
        active: arrivals.is_some_and(|arrivals| arrivals.active(now)),
        last_upload: last_upload.map(|time| time.to_string()),
        readings: store.count_readings(&sensor.id, TimeRange::ALL)?,
    })
}

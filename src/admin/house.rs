//! The sensors that a Home Assistant feeds: those that the account has, and their addition.

use super::at_grid::{balance, further_at_grid, role_at_grid};
use super::error::{AdminError, wrong};
use crate::domain::{
    AccountName, Between, FedSensor, GridAnswer, HomeAssistantEntry, Meter, MeterKind, Role,
    Secret, Sensor, SensorId, Timestamp,
};
use crate::home_assistant::{GridPrices, HomeSensor, KnownSensors};
use crate::ledger::contract::{FlatContract, FlatTerms};
use crate::store::{Registry, Store, StoreError};

/// The sensors of an account: those that its Home Assistant feeds, and others.
pub(crate) fn known_sensors(registry: &Registry, account: &AccountName) -> KnownSensors {
    let home = registry.home_assistant(account);
    let fed: Vec<FedSensor> = home.map(|it| it.sensors.clone()).unwrap_or_default();
    let own = registry.sensors().filter(|it| it.account == *account);
    let others = own.filter(|it| fed.iter().all(|fed| fed.sensor != it.id));
    let roles = others.flat_map(|it| match it.role {
        Role::Grid => vec![Role::GridImport, Role::GridExport],
        Role::Battery => vec![Role::BatteryCharge, Role::BatteryDischarge],
        role => vec![role],
    });
    KnownSensors {
        roles: roles.map(Role::as_str).collect(),
        ids: registry.sensors().map(|it| it.id.clone()).collect(),
        fed,
    }
}

/// Puts the Home Assistant of an account that feeds these sensors, and adds those that are missing.
/// A sensor that the account has keeps its settings. Blocks.
///
/// # Errors
/// [`AdminError::Field`] if they cannot be fed together; [`AdminError::Unfit`] for a sensor of
/// another account; [`AdminError::Store`].
pub(crate) fn put_house(
    store: &Store,
    account: &AccountName,
    (home, token): (HomeAssistantEntry, Secret),
    (sensors, at_grid): (&[HomeSensor], Option<GridAnswer>),
    now: Timestamp,
) -> Result<(), AdminError> {
    let home = HomeAssistantEntry {
        sensors: sensors.iter().map(|it| it.feeds.clone()).collect(),
        ..home
    };
    home.check()
        .map_err(|error| wrong("sensors", error, None))?;
    let registry = store.registry();
    for one in sensors {
        let known = registry.sensor(&one.feeds.sensor);
        if known.is_some_and(|known| known.account != *account) {
            let id = one.feeds.sensor.to_string();
            return Err(StoreError::SensorTaken(id).into());
        }
    }
    let is_new = |one: &&HomeSensor| registry.sensor(&one.feeds.sensor).is_none();
    let new: Vec<&HomeSensor> = sensors.iter().filter(is_new).collect();
    // Before the first one is added.
    let at = |one: &HomeSensor| (one.feeds.sensor.clone(), one.role);
    let roles: Vec<(SensorId, Role)> = new.iter().map(|one| at(one)).collect();
    let further = further_at_grid(&registry, account, &roles);
    if let Some(further) = further.filter(|_| at_grid.is_none()) {
        return Err(further.unanswered());
    }
    for one in &new {
        let role = role_at_grid(&store.registry(), account, &at(one), at_grid)?;
        balance(store, account, (role, at_grid))?;
        let added = Sensor {
            role,
            ..sensor(one, account, now)
        };
        store.add_sensor_durably(added, |_| {})?;
    }
    // Once all are there: one may come before the one that contains it.
    for one in new {
        let Some(whole) = one.inside.clone() else {
            continue;
        };
        if store.registry().sensor(&whole).is_some() {
            store.update_sensor_durably(&one.feeds.sensor, move |sensor| {
                sensor.part_of = Some(whole);
            })?;
        }
    }
    super::home_assistant::put_home_assistant(store, account, home, token)
}

/// The flat contract of prices that are numbers, for an account without a contract; `None` without
/// such a price.
///
/// # Errors
/// [`AdminError::Field`] if the account has contracts, or if the currency is not known.
pub(crate) fn flat_contract(
    registry: &Registry,
    account: &AccountName,
    prices: &GridPrices,
) -> Result<Option<FlatContract>, AdminError> {
    let Some((price, feed_in)) = prices.flat() else {
        return Ok(None);
    };
    if registry
        .contracts(account)
        .is_some_and(|it| !it.all().is_empty())
    {
        let problem =
            "the account has a contract already, and it stays; add sensors without prices";
        return Err(wrong("prices", problem, None));
    }
    let currency = prices.currency.as_deref();
    let currency = currency.ok_or_else(|| {
        let problem = "Home Assistant names no currency; set one there (Settings, System, General)";
        wrong("prices", problem, None)
    })?;
    let terms = FlatTerms {
        currency,
        price,
        feed_in,
        name: Some("Home Assistant"),
        ..FlatTerms::default()
    };
    Ok(Some(FlatContract::new(terms)?))
}

fn sensor(one: &HomeSensor, account: &AccountName, now: Timestamp) -> Sensor {
    let new = Sensor::new(one.feeds.sensor.clone(), account.clone(), now);
    Sensor {
        name: one.name.clone(),
        role: one.role,
        meter: Meter {
            // A power stays until the next one comes.
            between: Between::Hold,
            ..Meter::new(MeterKind::usual(one.role))
        },
        // Home Assistant has it.
        is_announced: false,
        ..new
    }
}

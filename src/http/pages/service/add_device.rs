//! The form that adds a device of the broker: its subscription, kept in the store, and its sensors.

use std::str::FromStr;
use std::sync::Arc;

use super::devices::{can_feed_any, missing_sensors, without_unit};
use crate::admin::{Request, SensorTerms};
use crate::config::{NewSubscription, SettingsError};
use crate::domain::{AccountName, GridAnswer, MeterKind, Role, SensorId};
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::at_grid::grid_answer;
use crate::http::pages::frame::response::{leads_to, see_other};
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::pages::settings::parts::add_first_account;
use crate::http::wire::body::in_background;
use crate::ingest::devices::SensorTemplate;
use crate::mqtt::devices::{HeardDevice, SubscribedAs};
use crate::store::Registry;

/// The highest number that is appended to find an id that is not taken.
const MAX_NUMBER: u32 = 1_000;

/// A sensor to add.
struct NewSensor {
    /// The part of its name after the device's name.
    suffix: String,
    name: String,
    role: Role,
    register: MeterKind,
}

/// `POST /settings/devices`
pub(crate) async fn add(visit: Visit) -> PageResult {
    let app = &visit.app;
    let (topic, device) = (visit.field("topic")?, visit.field("device")?);
    let done = || see_other("settings/devices?done=device-added");
    let heard = app.broker.heard().find(&topic, &device).cloned();
    let Some(heard) = heard else {
        let in_force = app.settings.in_force();
        let kept = in_force.subscriptions.iter();
        let mut topics = kept.filter_map(|it| it.parsed.topic.as_ref());
        // The form was sent twice.
        let is_added = topics.any(|known| known.as_str() == topic);
        return is_added
            .then(done)
            .ok_or(PageError::mistake("found-gone", "main"));
    };
    add_first_account(&visit).await?;
    let registry = app.store.registry();
    let is_subscribed = heard.subscribed != SubscribedAs::Nothing;
    if is_subscribed && missing_sensors(&heard, &registry).next().is_none() {
        // The same case, and the device has been heard since.
        return Ok(done());
    }
    let account = account_of(&visit, &heard, &registry)?;
    let sensors = typed_sensors(&visit, &heard, &registry)?;
    let chosen = visit.field("sensor")?;
    let base = base_id(&visit, &heard, &chosen, &sensors, &registry)?;
    let new = sensors.iter().filter_map(|sensor| {
        let id = SensorId::new(&format!("{base}{}", sensor.suffix)).ok()?;
        registry.sensor(&id).is_none().then_some((id, sensor.role))
    });
    // What a device of a known sensor counts besides belongs to the same meter.
    let at_grid = if chosen.is_empty() {
        grid_answer(&visit, &account, new)?
    } else {
        Some(GridAnswer::Connection)
    };
    if !is_subscribed {
        // First, because if anything fails after this, the device is offered again, with the ids
        // that the subscription now has.
        subscribe(&visit, &heard, &base, &account).await?;
    }
    let first = sensors.first().map(|it| format!("{base}{}", it.suffix));
    add_sensors(&visit, (&base, &account, at_grid), sensors, &registry).await?;
    app.broker.heard().forget(&heard.topic, &heard.device);
    // Whoever came for one device sees its first reading.
    let is_one = !visit.field("of")?.is_empty();
    let checked = Some(chosen).filter(|it| !it.is_empty());
    Ok(match checked.or(first.filter(|_| is_one)) {
        Some(id) => leads_to("settings/sensor/check", &[("id", &id)]),
        None => done(),
    })
}

/// Adds the sensors that are not there yet.
async fn add_sensors(
    visit: &Visit,
    (base, account, at_grid): (&str, &AccountName, Option<GridAnswer>),
    sensors: Vec<NewSensor>,
    registry: &Registry,
) -> Result<(), PageError> {
    for sensor in sensors {
        let id = format!("{base}{}", sensor.suffix);
        let is_there = SensorId::new(&id).is_ok_and(|id| registry.sensor(&id).is_some());
        if is_there {
            continue;
        }
        let request = Request::AddSensor {
            id,
            account: account.to_string(),
            terms: SensorTerms {
                name: Some(sensor.name).filter(|name| !name.is_empty()),
                role: Some(sensor.role),
                register: Some(sensor.register),
                // Home Assistant already has the values from the broker.
                home_assistant: Some(false),
                at_grid,
                ..SensorTerms::default()
            },
        };
        admin_call(&visit.app, request, |_| "main").await?;
    }
    Ok(())
}

fn no_id(visit: &Visit, heard: &HeardDevice) -> PageError {
    let values = [("device", heard.device.as_str().into())];
    PageError::form("main", visit.language().fill("found-no-id", values))
}

/// The account of the sensors: that of the existing sensor, of the subscription, or of the form.
fn account_of(
    visit: &Visit,
    heard: &HeardDevice,
    registry: &Registry,
) -> Result<AccountName, PageError> {
    let known = |name: &AccountName| registry.account(name).is_some();
    if let Ok(id) = SensorId::new(&visit.field("sensor")?)
        && let Some(sensor) = registry.sensor(&id)
    {
        return Ok(sensor.account.clone());
    }
    let named = match &heard.subscribed {
        SubscribedAs::Sensors { account } => account.clone(),
        SubscribedAs::Nothing => AccountName::new(&visit.field("account")?).ok(),
    };
    let mut all = registry.accounts().map(|account| account.name.clone());
    let only = all.next().filter(|_| all.next().is_none());
    let account = named.or(only).filter(known);
    account.ok_or(PageError::mistake("found-no-account", "main"))
}

/// The sensors that the form selects among those that the device would feed.
fn typed_sensors(
    visit: &Visit,
    heard: &HeardDevice,
    registry: &Registry,
) -> Result<Vec<NewSensor>, PageError> {
    let name = visit.field("name")?;
    let (name, stem) = (name.trim(), stem(heard));
    let ids = visit.fields("id");
    let (roles, registers) = (visit.fields("role"), visit.fields("register"));
    let mut sensors = Vec::new();
    for suggested in missing_sensors(heard, registry) {
        let at = ids
            .iter()
            .position(|id| id.as_str() == suggested.id.as_str());
        let typed = at.and_then(|at| roles.get(at).zip(registers.get(at)));
        // A sensor without a role is left out, and so is one that was first heard after the page
        // was made.
        let Some((role, register)) = typed.filter(|(role, _)| !role.is_empty()) else {
            continue;
        };
        let (Ok(role), Ok(register)) = (role.parse(), register.parse()) else {
            return Err(PageError::mistake("found-wrong", "main"));
        };
        let suffix = suggested.id.as_str().strip_prefix(&*stem);
        let suffix = suffix.unwrap_or_default();
        sensors.push(NewSensor {
            name: format!("{name}{}", suffix.replace(['-', '_'], " ")),
            suffix: suffix.to_owned(),
            role,
            register,
        });
    }
    if sensors.is_empty() {
        return Err(PageError::mistake("found-none-chosen", "main"));
    }
    Ok(sensors)
}

/// The common start of the sensors' ids: the id of the existing sensor, the one from the
/// subscription or the messages, or a free one like the device's name.
fn base_id(
    visit: &Visit,
    heard: &HeardDevice,
    chosen: &str,
    sensors: &[NewSensor],
    registry: &Registry,
) -> Result<String, PageError> {
    if !can_feed_any(heard) {
        return Ok(stem(heard));
    }
    if SensorId::new(chosen).is_ok_and(|id| registry.sensor(&id).is_some()) {
        return Ok(chosen.to_owned());
    }
    let is_free = |base: &String| {
        sensors.iter().all(|sensor| {
            let id = SensorId::new(&format!("{base}{}", sensor.suffix));
            id.is_ok_and(|id| registry.sensor(&id).is_none())
        })
    };
    let device = &heard.device;
    let numbered = (2..MAX_NUMBER).map(|number| format!("{device}-{number}"));
    let mut all = std::iter::once(device.clone()).chain(numbered);
    all.find(is_free).ok_or_else(|| no_id(visit, heard))
}

/// The common start of the ids of all its sensors.
fn stem(heard: &HeardDevice) -> String {
    if can_feed_any(heard) {
        return heard.device.clone();
    }
    let ids = heard.sensors.iter().map(|sensor| sensor.id.as_str());
    let shortest = ids.min_by_key(|id| id.len());
    shortest.unwrap_or_default().to_owned()
}

/// The unit in this field of the form, if the form asks for it.
fn unit<U: FromStr>(visit: &Visit, field: &str, is_asked: bool) -> Result<Option<U>, PageError> {
    if !is_asked {
        return Ok(None);
    }
    let unit = visit.field(field)?.parse().ok();
    unit.map(Some)
        .ok_or(PageError::mistake("found-no-unit", "main"))
}

/// Stores a subscription to the device.
async fn subscribe(
    visit: &Visit,
    heard: &HeardDevice,
    base: &str,
    account: &AccountName,
) -> Result<(), PageError> {
    let own_ids = heard.has_own_ids();
    let [power, energy] = without_unit(heard);
    if !own_ids && !is_plain(base) {
        return Err(no_id(visit, heard));
    }
    let new = NewSubscription {
        preset: heard.preset,
        topic: heard.topic.clone(),
        sensor: if own_ids {
            heard.preset.terms.sensor.clone()
        } else {
            base.to_owned()
        },
        account: account.clone(),
        watts_unit: unit(visit, "watts_unit", power.is_some())?,
        watthours_unit: unit(visit, "watthours_unit", energy.is_some())?,
    };
    keep(visit, new).await
}

/// Whether the setting `sensor` of a subscription can be this id: with braces it would be a template.
pub(in crate::http::pages) fn is_plain(id: &str) -> bool {
    let template: Result<SensorTemplate, _> = id.parse();
    template.is_ok_and(|it| it.highest() == 0 && !it.has_fields())
}

/// Stores a subscription.
pub(in crate::http::pages) async fn keep(
    visit: &Visit,
    new: NewSubscription,
) -> Result<(), PageError> {
    let app = &visit.app;
    let (store, settings) = (Arc::clone(&app.store), Arc::clone(&app.settings));
    let kept = in_background(move || settings.subscribe(&store, &new)).await?;
    kept.map_err(|error| match error {
        SettingsError::Store(error) => error.into(),
        _ => PageError::mistake("found-too-many", "main"),
    })
}

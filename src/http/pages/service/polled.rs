//! `/settings/polled`: the devices that are polled, with the answer of each, and the form that adds
//! one. The form polls the device first, so that a wrong address is noticed at once.

use std::sync::Arc;

use actix_web::web::Data;
use askama::Template;

use super::connection::ServiceClock;
use super::poll_problem::poll_problem_text;
use super::trials::Trials;
use crate::admin::{Request, SensorTerms};
use crate::config::{ConfigError, NewPolledDevice, SettingsError};
use crate::domain::{GridAnswer, MeterKind, Role, Secret, Sensor, SensorId};
use crate::http::gate::AppState;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::settings::parts::layout;
use crate::http::wire::body::in_background;
use crate::ingest::devices::PollPreset;
use crate::ingest::{BACK_SUFFIX, DeviceReading, Way};
use crate::poll::{DeviceTally, LastPoll, PollSettings, try_device};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "service/polled.html")]
struct PolledPage {
    layout: Layout,
    devices: Vec<PolledView>,
    /// The sensors that a device can feed: id and name of each.
    sensors: Vec<(String, String)>,
    sensor: String,
    preset: String,
    /// The first answer of the device that was added just now.
    answer: Option<String>,
}

/// A device that is polled.
pub(in crate::http::pages) struct PolledView {
    pub(in crate::http::pages) name: String,
    pub(in crate::http::pages) kind: String,
    pub(in crate::http::pages) address: String,
    pub(in crate::http::pages) is_bad: bool,
    /// Its last answer, or why there is none.
    pub(in crate::http::pages) state: String,
    /// The section to remove it by; `None` for one from the file.
    pub(in crate::http::pages) section: Option<String>,
}

impl PolledPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let registry = visit.app.store.registry();
        let sensor = |it: &Sensor| (it.id.to_string(), it.name.clone());
        Ok(Self {
            layout: layout(visit)?,
            devices: views(&visit.app, visit.language()),
            sensors: registry.sensors().map(sensor).collect(),
            sensor: visit.param("sensor")?,
            preset: visit.param("preset")?,
            answer: None,
        })
    }
}

/// The field of the address.
const ADDRESS: &str = "address";

/// The devices that are polled, those of the file first.
pub(in crate::http::pages) fn views(
    app: &AppState,
    language: &'static Language,
) -> Vec<PolledView> {
    let in_force = app.settings.in_force();
    let registry = app.store.registry();
    let clocks = ServiceClock::of(app, language);
    let is_leader = app.store.is_leader();
    let view = |tally: &Arc<DeviceTally>| {
        let device = tally.settings();
        let mut kept = in_force.polled.iter();
        let kept = kept.find(|one| one.parsed.sensor == device.sensor);
        let name = registry.sensor(&device.sensor).map(|it| it.name.clone());
        let (is_bad, state) = match tally.last() {
            None if !is_leader => (false, language.say("polled-elsewhere")),
            None => (false, language.say("polled-not-yet")),
            Some(last) => state_text(&last, device, &clocks),
        };
        PolledView {
            name: name.unwrap_or_else(|| device.sensor.to_string()),
            kind: device.preset.name_in(language.tag()).to_owned(),
            address: device.address.to_string(),
            is_bad,
            state,
            section: kept.map(|one| one.section.clone()),
        }
    };
    app.polled.list().iter().map(view).collect()
}

/// Whether a poll failed, and its outcome in words.
fn state_text(last: &LastPoll, device: &PollSettings, clocks: &ServiceClock) -> (bool, String) {
    let language = clocks.language;
    let when = clocks.when(last.time);
    match &last.answer {
        Ok(readings) => {
            let values = answer_text(readings, &device.sensor, language);
            let values = [("time", when.into()), ("values", values.into())];
            (false, language.fill("polled-answered", values))
        }
        Err(error) => {
            let why = poll_problem_text(error, language);
            let text = language.fill(
                "polled-failed",
                [("time", when.into()), ("why", why.into())],
            );
            // An inverter sleeps at night.
            let is_asleep = error.is_absence() && device.preset.terms.sleeps;
            (!is_asleep, text)
        }
    }
}

/// The values of an answer, with the sensor of each after the first one.
fn answer_text(readings: &[DeviceReading], first: &SensorId, language: &Language) -> String {
    // Most devices never feed energy back.
    let shown = readings
        .iter()
        .filter(|it| it.way != Way::Back || !it.reading.measures.is_zero());
    let texts = shown.map(|it| {
        let measures = it.reading.measures;
        let power = measures.watts().map(|it| figures::power(it, language));
        let register = measures.watthours();
        let register = register.map(|it| figures::energy(it, language));
        let values: Vec<String> = power.into_iter().chain(register).collect();
        let values = values.join(" · ");
        if it.sensor == *first {
            values
        } else {
            format!("{}: {values}", it.sensor)
        }
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// `GET /settings/polled`; with `sensor` and `preset`, those are chosen in the form.
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&PolledPage::new(&visit)?))
}

/// `POST /settings/polled`: polls the device, and adds it if it answers, or if the form says
/// `anyway`.
pub(crate) async fn add(visit: Visit, trials: Data<Trials>) -> PageResult {
    let answer = add_typed(&visit, &trials).await?;
    if answer.is_none() {
        return Ok(see_other("settings/polled?done=polled"));
    }
    Ok(ok(&PolledPage {
        sensor: visit.field("sensor")?,
        answer,
        ..PolledPage::new(&visit)?
    }))
}

/// Adds the device of the form, and returns its first answer in words; `None` if it was not asked,
/// because the form says `anyway`.
pub(in crate::http::pages) async fn add_typed(
    visit: &Visit,
    trials: &Trials,
) -> Result<Option<String>, PageError> {
    let new = typed(visit)?;
    let language = visit.language();
    let device = new.settings().map_err(|error| wrong(&error))?;
    let (mut answer, mut exported) = (None, None);
    if visit.field("anyway")?.is_empty() {
        let tried = trials.run(move || try_device(&device)).await?;
        let tried = tried.ok_or(PageError::mistake("trial-busy", "main"))?;
        let tried =
            tried.map_err(|error| PageError::form(ADDRESS, poll_problem_text(&error, language)))?;
        answer = Some(answer_text(&tried, &new.sensor, language));
        exported = back_sensor(&tried, &new.sensor);
    }
    let app = &visit.app;
    let (store, settings) = (Arc::clone(&app.store), Arc::clone(&app.settings));
    let sensor = new.sensor.to_string();
    let kept = in_background(move || settings.poll(&store, &new)).await?;
    kept.map_err(|error| match error {
        SettingsError::Store(error) => error.into(),
        _ => PageError::mistake("polled-not-free", "sensor"),
    })?;
    if let Some(id) = exported {
        add_back_sensor(visit, &sensor, id).await?;
    }
    Ok(answer)
}

/// The sensor of the energy that has flowed back through the first channel, if any has.
fn back_sensor(readings: &[DeviceReading], first: &SensorId) -> Option<SensorId> {
    let id = format!("{first}{BACK_SUFFIX}");
    let mut back = readings.iter().filter(|it| it.sensor.as_str() == id);
    let back = back.find(|it| !it.reading.measures.is_zero());
    back.map(|it| it.sensor.clone())
}

/// Adds the sensor `id` of the energy that flows back, if it is missing and the role of the first
/// sensor says what it measures. Others are added by a person.
async fn add_back_sensor(visit: &Visit, first: &str, id: SensorId) -> Result<(), PageError> {
    let registry = visit.app.store.registry();
    let first = SensorId::new(first).ok();
    let Some(first) = first.and_then(|first| registry.sensor(&first).cloned()) else {
        return Ok(());
    };
    let role = match first.role {
        Role::Grid | Role::GridImport => Role::GridExport,
        Role::Battery | Role::BatteryCharge => Role::BatteryDischarge,
        _ => return Ok(()),
    };
    if registry.sensor(&id).is_some() {
        return Ok(());
    }
    let request = Request::AddSensor {
        id: id.to_string(),
        account: first.account.to_string(),
        terms: SensorTerms {
            name: Some(format!("{}{}", first.name, BACK_SUFFIX.replace('-', " "))),
            role: Some(role),
            register: Some(MeterKind::Counter),
            home_assistant: Some(first.is_announced),
            // It is at the same place as the first one.
            at_grid: Some(GridAnswer::Connection),
            ..SensorTerms::default()
        },
    };
    admin_call(&visit.app, request, |_| "main").await?;
    Ok(())
}

/// The device of the form.
fn typed(visit: &Visit) -> Result<NewPolledDevice, PageError> {
    let registry = visit.app.store.registry();
    let chosen = SensorId::new(&visit.field("sensor")?).ok();
    let sensor = chosen.and_then(|id| registry.sensor(&id));
    let sensor = sensor.ok_or(PageError::mistake("polled-no-sensor", "sensor"))?;
    let preset = PollPreset::with_id(&visit.field("preset")?);
    let unit = visit.trimmed("unit")?;
    let unit = (!unit.is_empty()).then(|| unit.parse()).transpose();
    Ok(NewPolledDevice {
        preset: preset.ok_or(PageError::mistake("polled-no-preset", "preset"))?,
        address: visit.trimmed(ADDRESS)?,
        sensor: sensor.id.clone(),
        account: sensor.account.clone(),
        unit: unit.map_err(|_| PageError::mistake("polled-wrong-unit", "unit"))?,
        password: Secret::new(visit.trimmed("password")?),
    })
}

/// The reason why a device of the form cannot be one, at its field.
fn wrong(error: &ConfigError) -> PageError {
    let name = match error {
        ConfigError::Invalid { key, .. } => key.rsplit('.').next(),
        _ => None,
    };
    match name {
        Some("sensor") => PageError::mistake("polled-long-sensor", "sensor"),
        Some("unit") => PageError::mistake("polled-no-unit", "unit"),
        _ => PageError::mistake("polled-wrong-address", ADDRESS),
    }
}

/// `POST /settings/polled/remove`: removes a device; the sensors and their readings stay.
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let section = visit.field("section")?;
    // A browser sends its own line ends.
    let section = section.replace("\r\n", "\n");
    let app = &visit.app;
    let (store, settings) = (Arc::clone(&app.store), Arc::clone(&app.settings));
    let removed = in_background(move || settings.stop_polling(&store, &section)).await?;
    match removed {
        Ok(()) => Ok(see_other("settings/polled?done=unsubscribed")),
        Err(error) => {
            log::error!("cannot stop polling a device: {error}");
            Err(PageError::mistake("polled-stays", "main"))
        }
    }
}

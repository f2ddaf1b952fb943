//! `/settings/sensor/connect`: the lines to copy to a device, with a fresh key if it needs one. The
//! api_key is in no address, and only its hash is stored: the answer to the form shows it once.

use actix_web::web::Data;
use askama::Template;

use super::device::Device;
use super::devices::{ChoicesPage, device_name, devices};
use super::on_broker::OnBroker;
use super::recipe::{Ingredients, RecipeStep, recipe};
use crate::admin::{NewKey, Request, SensorRow, new_api_id, new_api_key};
use crate::config::NewSubscription;
use crate::domain::{AccountName, ApiId, ApiKey, Scope};
use crate::http::gate::AppState;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::{self, admin_call};
use crate::http::pages::frame::own_address::OwnAddress;
use crate::http::pages::frame::response::{leads_to, ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::pages::service::add_device::{is_plain, keep};
use crate::http::pages::service::{Trials, polled};
use crate::http::pages::settings::parts::layout;
use crate::http::wire::ApiError;
use crate::ingest::devices::PollPreset;

/// Placeholders for the key.
const NO_KEY: (&str, &str) = ("API_ID", "API_KEY");
/// The longest topic of a device, in bytes.
const LONGEST_TOPIC: usize = 64;
/// The length of keys that emonHub accepts.
const EMONCMS_DIGITS: usize = 32;

#[derive(Template)]
#[template(path = "wizard/connect.html")]
struct ConnectPage {
    layout: Layout,
    sensor: SensorRow,
    device: Device,
    device_name: String,
    steps: Vec<RecipeStep>,
    /// The api_id and the api_key, shown only once.
    key: Option<(String, String)>,
    /// The api_id of the key that the form will make.
    fresh: String,
    /// Whether only this machine can reach the address in the lines.
    is_local: bool,
    /// The port to listen on so that others can reach it.
    port: u16,
    /// The address that a script polls for the first reading.
    state: String,
    /// The address of the page with the first readings.
    check: String,
    /// The address of the choice of another device.
    devices: String,
    broker: Option<OnBroker>,
    /// Whether such a device was heard on the broker: then that is the nearest of its ways.
    is_heard: bool,
    /// The usual topic of the device, if it was not heard and can be named by its topic.
    topic: Option<String>,
    /// The address of the broker's devices, to choose one for this sensor.
    found: String,
    /// The presets to poll the device with; empty if it answers no requests.
    polled: Vec<&'static PollPreset>,
}

/// The address of the page for this sensor and device.
pub(super) fn address_of(id: &str, device: Device) -> String {
    let parameters = [("id", id), ("device", device.as_str())];
    address("settings/sensor/connect", &parameters)
}

/// A new api_id for a form, so that the same form sent twice makes only one key.
pub(super) fn fresh_api_id() -> Result<String, ApiError> {
    let api_id = new_api_id().map_err(|_| ApiError::Internal("the system has no randomness"))?;
    Ok(api_id.to_string())
}

/// Whether there is a key with this api_id.
pub(super) fn has_key(app: &AppState, api_id: &str) -> bool {
    let registry = app.store.registry();
    ApiId::new(api_id).is_ok_and(|id| registry.credential(&id).is_some())
}

/// `GET /settings/sensor/connect?id=…`: the devices; with `device`, the lines for it, without a
/// key.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let sensor = admin_call::sensor(&visit.app, &visit.param("id")?).await?;
    let Ok(device) = visit.param("device")?.parse() else {
        let of = |device| {
            let parameters = [("id", sensor.sensor_id.as_str()), ("device", device)];
            address("settings/sensor/connect", &parameters)
        };
        let language = visit.language();
        return Ok(ok(&ChoicesPage {
            layout: layout(&visit)?,
            title: language.fill("wizard-title-of", [("name", sensor.name.as_str().into())]),
            question: language.say("wizard-which-device"),
            choices: devices(language, Device::ALL, of),
            back: "settings".to_owned(),
        }));
    };
    page(&visit, sensor, device, None)
}

/// `POST /settings/sensor/connect`: makes a key, and shows the lines with it.
pub(crate) async fn make_key(visit: Visit) -> PageResult {
    let id = visit.field("id")?;
    let device = visit.field("device")?;
    let device = device.parse().map_err(|_| PageError::NotFound)?;
    let api_id = visit.field("key_id")?;
    if has_key(&visit.app, &api_id) {
        // The answer to this form was reloaded.
        return Ok(see_other(&address_of(&id, device)));
    }
    lines_with_key(&visit, &id, device, &api_id).await
}

/// The lines for a sensor's device, with a new key that has this api_id, or without a key if the
/// device needs none.
pub(super) async fn lines_with_key(
    visit: &Visit,
    id: &str,
    device: Device,
    api_id: &str,
) -> PageResult {
    let sensor = admin_call::sensor(&visit.app, id).await?;
    if !device.has_key() {
        return Ok(see_other(&address_of(id, device)));
    }
    let key = add_key(visit, &sensor, device, api_id).await?;
    let shown = (api_id.to_owned(), key.reveal().to_owned());
    page(visit, sensor, device, Some(shown))
}

/// `POST /settings/sensor/connect/poll`: polls the device at the typed address from now on.
pub(crate) async fn poll(visit: Visit, trials: Data<Trials>) -> PageResult {
    polled::add_typed(&visit, &trials).await?;
    let sensor = visit.field("sensor")?;
    Ok(leads_to("settings/sensor/check", &[("id", &sensor)]))
}

/// `POST /settings/sensor/connect/topic`: listens to the device with the typed topic from now on.
pub(crate) async fn listen(visit: Visit) -> PageResult {
    let sensor = admin_call::sensor(&visit.app, &visit.field("id")?).await?;
    let device: Option<Device> = visit.field("device")?.parse().ok();
    let preset = device.and_then(Device::by_topic);
    let preset = preset.ok_or(PageError::NotFound)?;
    let account = AccountName::new(&sensor.account).map_err(|_| PageError::NotFound)?;
    let topic = visit.trimmed("topic")?;
    // One level of a topic, without what means several.
    let is_of_level = |c: char| !c.is_control() && !c.is_whitespace() && !"+#/".contains(c);
    let is_level = (1..=LONGEST_TOPIC).contains(&topic.len()) && topic.chars().all(is_of_level);
    let usual = preset.terms.topics.first().filter(|_| is_level);
    let usual = usual.ok_or(PageError::mistake("wizard-topic-wrong", "topic"))?;
    if !is_plain(&sensor.sensor_id) {
        let device = [("device", sensor.sensor_id.as_str().into())];
        let text = visit.language().fill("found-no-id", device);
        return Err(PageError::form("topic", text));
    }
    let new = NewSubscription {
        preset,
        topic: usual.replacen('+', &topic, 1),
        sensor: sensor.sensor_id.clone(),
        account,
        watts_unit: None,
        watthours_unit: None,
    };
    keep(&visit, new).await?;
    let id = [("id", sensor.sensor_id.as_str())];
    Ok(leads_to("settings/sensor/check", &id))
}

async fn add_key(
    visit: &Visit,
    sensor: &SensorRow,
    device: Device,
    api_id: &str,
) -> Result<ApiKey, PageError> {
    let failed = |_| ApiError::Internal("the system has no randomness");
    let mut key = new_api_key().map_err(failed)?;
    if device == Device::Emonpi
        && let Some(Ok(short)) = key.reveal().get(..EMONCMS_DIGITS).map(ApiKey::new)
    {
        key = short;
    }
    let request = Request::AddKey(NewKey {
        account: sensor.account.clone(),
        api_id: api_id.to_owned(),
        key_hash: key.hash(),
        // A device only uploads, so its key must not allow reading.
        scope: Scope::Write,
        label: sensor.name.clone(),
    });
    admin_call(&visit.app, request, |_| "main").await?;
    Ok(key)
}

fn page(
    visit: &Visit,
    sensor: SensorRow,
    device: Device,
    key: Option<(String, String)>,
) -> PageResult {
    let own = OwnAddress::of(visit);
    let (api_id, api_key) = key
        .as_ref()
        .map_or(NO_KEY, |(api_id, api_key)| (api_id, api_key));
    let of = Ingredients {
        own: &own,
        base_path: &visit.app.base_path,
        sensor: &sensor.sensor_id,
        api_id,
        api_key,
    };
    let id = [("id", sensor.sensor_id.as_str())];
    let broker = OnBroker::of(&visit.app, device);
    Ok(ok(&ConnectPage {
        layout: layout(visit)?,
        device,
        device_name: device_name(device, visit.language()),
        steps: recipe(device, &of, visit.language()),
        fresh: fresh_api_id()?,
        is_local: own.is_local,
        port: own.port,
        state: address("settings/sensor/state", &id),
        check: address("settings/sensor/check", &id),
        devices: address("settings/sensor/connect", &id),
        topic: (device.by_topic())
            .filter(|_| matches!(broker, Some(OnBroker::NotHeard)))
            .map(|_| of.topic().to_owned()),
        is_heard: matches!(broker, Some(OnBroker::Heard(_))),
        broker,
        found: address("settings/devices", &[("sensor", &sensor.sensor_id)]),
        polled: device.polled_as(sensor.role),
        key,
        sensor,
    }))
}

//! `/settings/sensor/new`: the choice of the device, and the form that adds its sensor.

use actix_web::HttpResponse;
use askama::Template;

use super::connect;
use super::device::Device;
use super::devices::device_name;
use super::on_broker::OnBroker;
use super::questions::{Thing, back_of, question};
use crate::admin::{OrNone, Request, SensorTerms};
use crate::domain::{AccountName, Role, Sensor, SensorId};
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::at_grid::grid_answer;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::pages::settings::parts::{account_names, add_first_account, layout, zones};

#[derive(Template)]
#[template(path = "wizard/sensor.html")]
struct SensorFormPage {
    layout: Layout,
    device: Device,
    device_name: String,
    /// If empty, the form also adds the first account.
    accounts: Vec<String>,
    zones: Vec<String>,
    /// The sensors that it can be part of: id and name of each.
    sensors: Vec<(String, String)>,
    /// The api_id of the key that the form will make, if the device has one.
    api_id: String,
    broker: Option<OnBroker>,
    /// The part of the home that the sensor measures, if it was asked before.
    thing: Option<Thing>,
    /// Its usual name and role; empty for none.
    thing_name: String,
    thing_role: &'static str,
    /// The address of the question before.
    back: String,
}

impl SensorFormPage {
    fn new(visit: &Visit, device: Device) -> Result<Self, PageError> {
        let thing: Option<Thing> = visit.param("what")?.parse().ok();
        let accounts = account_names(&visit.app);
        let is_first = accounts.is_empty();
        let registry = visit.app.store.registry();
        let sensor = |it: &Sensor| (it.id.to_string(), it.name.clone());
        Ok(Self {
            layout: layout(visit)?,
            device,
            device_name: device_name(device, visit.language()),
            zones: if is_first { zones("") } else { Vec::new() },
            accounts,
            sensors: registry.sensors().map(sensor).collect(),
            api_id: connect::fresh_api_id()?,
            broker: OnBroker::of(&visit.app, device),
            back: back_of(thing),
            thing_name: thing.map_or_else(String::new, |it| it.name(visit.language())),
            thing_role: thing.and_then(Thing::role).map_or("", Role::as_str),
            thing,
        })
    }
}

/// `GET /settings/sensor/new`: the questions that lead to a device; with `device`, the form.
pub(crate) async fn show(visit: Visit) -> PageResult {
    match visit.param("device")?.parse() {
        Ok(device) => Ok(ok(&SensorFormPage::new(&visit, device)?)),
        Err(_) => question(&visit),
    }
}

/// `POST /settings/sensor/new`: adds the first account if there is none, then the sensor, then its
/// key. After a failure, everything added before it is kept, and the form can be submitted again.
pub(crate) async fn add(visit: Visit) -> PageResult {
    let app = &visit.app;
    // The form offers only known words.
    let device = visit.field("device")?.parse().unwrap_or(Device::Script);
    let (name, api_id) = (visit.field("name")?, visit.field("key_id")?);
    let mut id = visit.field("id")?;
    if connect::has_key(app, &api_id) {
        // The answer to this form was reloaded, so everything has been added.
        return Ok(sent_before(&visit, device, (&id, &name)));
    }
    let role = visit.field("role")?.parse();
    let role = role.map_err(|_| PageError::mistake("wizard-role-missing", "role"))?;
    if id.is_empty() {
        if let Some(sensor) = namesake(&visit, &name)? {
            if sensor.role == role {
                // The form was sent from a second tab, or again after going back.
                return Ok(see_other(&connect::address_of(sensor.id.as_str(), device)));
            }
            return Err(PageError::mistake("wizard-name-taken", "name"));
        }
        id = id_of(&name, |id| has_sensor(&visit, id));
    }
    // Adding an existing sensor would authorize it, which nobody expects from this form.
    if has_sensor(&visit, &id) {
        let values = [("id", id.as_str().into())];
        let text = visit.language().fill("wizard-id-taken", values);
        return Err(PageError::form("id", text));
    }
    add_first_account(&visit).await?;
    let account = visit.field("account")?;
    let at_grid = match (AccountName::new(&account), SensorId::new(&id)) {
        (Ok(account), Ok(id)) => grid_answer(&visit, &account, [(id, role)])?,
        _ => None,
    };
    let part_of = Some(visit.field("part_of")?);
    let part_of = part_of.filter(|it| role == Role::SubMeter && !it.is_empty());
    let sensor = Request::AddSensor {
        id: id.clone(),
        account,
        terms: SensorTerms {
            name: Some(name).filter(|name| !name.is_empty()),
            role: Some(role),
            register: Some(device.register(role)),
            part_of: part_of.map(OrNone::Is),
            home_assistant: Some(!device.is_in_home_assistant()),
            at_grid,
            ..SensorTerms::default()
        },
    };
    let added = admin_call(app, sensor, |field| match field {
        "account" => "account",
        "part_of" => "part_of",
        "name" => "name",
        _ => "id",
    });
    added.await?;
    connect::lines_with_key(&visit, &id, device, &api_id).await
}

/// Leads to the page that follows the form.
fn sent_before(visit: &Visit, device: Device, (id, name): (&str, &str)) -> HttpResponse {
    let registry = visit.app.store.registry();
    let named = |it: &Sensor| it.id.as_str() == id || it.name.as_str() == name;
    match registry.sensors().find(|it| named(it)) {
        Some(sensor) => see_other(&connect::address_of(sensor.id.as_str(), device)),
        None => see_other("settings"),
    }
}

/// The sensor of the form's account that has this name.
fn namesake(visit: &Visit, name: &str) -> Result<Option<Sensor>, PageError> {
    let account = visit.field("account")?;
    let registry = visit.app.store.registry();
    let has_name = |it: &&Sensor| it.account.as_str() == account && it.name == name.trim();
    Ok(registry.sensors().find(has_name).cloned())
}

fn has_sensor(visit: &Visit, id: &str) -> bool {
    let registry = visit.app.store.registry();
    SensorId::new(id).is_ok_and(|id| registry.sensor(&id).is_some())
}

/// An unused id like `name`, of letters, digits and `-`.
fn id_of(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut id = String::new();
    let mut bytes = [0; 4];
    for c in name.chars().flat_map(char::to_lowercase) {
        let plain = match c {
            'ä' | 'æ' => "ae",
            'ö' | 'œ' => "oe",
            'ü' => "ue",
            'ß' => "ss",
            'à' | 'á' | 'â' | 'ã' | 'å' => "a",
            'ç' => "c",
            'è' | 'é' | 'ê' | 'ë' => "e",
            'ì' | 'í' | 'î' | 'ï' => "i",
            'ñ' => "n",
            'ò' | 'ó' | 'ô' | 'õ' | 'ø' => "o",
            'ù' | 'ú' | 'û' => "u",
            c if c.is_ascii_alphanumeric() => c.encode_utf8(&mut bytes),
            _ if id.is_empty() || id.ends_with('-') => "",
            _ => "-",
        };
        if id.len() + plain.len() <= MAX_DERIVED {
            id.push_str(plain);
        }
    }
    let id = match id.trim_end_matches('-') {
        "" => "sensor",
        id => id,
    };
    let numbered = (2_u64..).map(|number| format!("{id}-{number}"));
    let mut ids = std::iter::once(id.to_owned()).chain(numbered);
    ids.find(|id| !is_taken(id)).unwrap_or_default()
}

/// The longest id derived from a name, in bytes, without its number.
const MAX_DERIVED: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_from_the_name() {
        let taken = ["house", "sensor", "sensor-2"];
        for (name, id) in [
            ("Kitchen", "kitchen"),
            ("Wärmepumpe  (außen)", "waermepumpe-aussen"),
            ("House", "house-2"),
            ("Éclairage n° 3", "eclairage-n-3"),
            ("電気", "sensor-3"),
            ("", "sensor-3"),
        ] {
            assert_eq!(id_of(name, |id| taken.contains(&id)), id, "{name}");
        }
        let long = id_of(&"ab ".repeat(100), |_| false);
        assert!(long.len() <= MAX_DERIVED && SensorId::new(&long).is_ok());
    }
}

//! `/settings/devices`: the devices heard on the broker that feed no sensor yet.

use askama::Template;

use super::connection::{BrokerStateView, ServiceClock};
use crate::domain::words::words;
use crate::domain::{EnergyUnit, MeterKind, PowerUnit, Role, Sensor, SensorId};
use crate::http::gate::AppState;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::settings::parts::{account_names, layout, zones};
use crate::ingest::devices::{Preset, Unusable};
use crate::mqtt::devices::{HeardDevice, SubscribedAs};
use crate::mqtt::intake::SuggestedSensor;
use crate::store::Registry;
use crate::texts::Language;

/// A device that brings a sensor for each part of a house, so no form asks for one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http::pages) enum WholeHouse {
    Evcc,
}

words! {
    WholeHouse: Evcc "evcc";
    "the word of a device that brings its sensors, such as evcc"
}

/// The maximum number of devices shown, so that a flood of them does not make the page long.
const MAX_SHOWN: usize = 40;

#[derive(Template)]
#[template(path = "service/devices.html")]
struct DevicesOnBrokerPage {
    layout: Layout,
    /// `None` without a broker.
    state: Option<BrokerStateView>,
    devices: Vec<FoundDevice>,
    unusable: Vec<UnusableDevice>,
    /// The sensor that a device is chosen for: its id and its name.
    sensor: Option<(String, String)>,
    /// What the devices shown are; `None` for all kinds.
    of: Option<ShownKind>,
    /// If empty, the form also adds the first account.
    accounts: Vec<String>,
    zones: Vec<String>,
}

/// What the devices of a page are.
struct ShownKind {
    word: &'static str,
    name: String,
    /// How to set it up.
    set_up: String,
}

/// A device that can be added.
struct FoundDevice {
    topic: String,
    device: String,
    kind: String,
    heard: String,
    /// Whether a subscription covers it, which determines the account.
    is_subscribed: bool,
    /// The name of its sensor, as proposed or typed.
    name: String,
    sensors: Vec<FoundSensor>,
    /// The units that the person must enter.
    units: Vec<LackingUnit>,
}

/// A unit that the device does not report.
struct LackingUnit {
    /// The field of the form.
    field: &'static str,
    label: String,
    /// The units to choose from.
    units: Vec<&'static str>,
}

struct FoundSensor {
    id: String,
    /// Its newest values.
    values: String,
    role: &'static str,
    register: &'static str,
}

/// A device that no preset can use.
struct UnusableDevice {
    topic: String,
    device: String,
    kind: String,
    heard: String,
    why: String,
}

impl DevicesOnBrokerPage {
    /// The page for a new sensor, or for the existing one with this id.
    fn new(visit: &Visit, sensor: &str) -> Result<Self, PageError> {
        let (app, language) = (&visit.app, visit.language());
        let registry = app.store.registry();
        let known = |id: &str| {
            let id = SensorId::new(id).ok()?;
            let sensor: &Sensor = registry.sensor(&id)?;
            Some((sensor.id.to_string(), sensor.name.clone()))
        };
        let clocks = ServiceClock::of(app, language);
        let sensor = known(sensor);
        let (mut devices, mut unusable) = (Vec::new(), Vec::new());
        let elapsed = app.now().elapsed;
        let of: Option<WholeHouse> = visit.param("of")?.parse().ok();
        let heard = app.broker.heard().list(elapsed);
        let is_of = |it: &&HeardDevice| of.is_none_or(|of| it.preset.is_of(of.as_str()));
        for device in heard.iter().filter(is_of) {
            // An existing sensor can take any device, except one that determines its own ids.
            let has_first = || {
                device
                    .sensors
                    .iter()
                    .any(|it| it.id.as_str() == device.device)
            };
            let fits = sensor.is_none() || (can_feed_any(device) && has_first());
            if let Some(problem) = &device.problem {
                unusable.push(UnusableDevice::of(device, problem, &clocks));
            } else if let Some(mut found) = FoundDevice::of(device, &registry, &clocks)
                && fits
            {
                found.fill(visit);
                devices.push(found);
            }
        }
        devices.truncate(MAX_SHOWN);
        unusable.truncate(MAX_SHOWN);
        let has_broker = app.settings.in_force().config.mqtt.broker.is_some();
        let accounts = account_names(app);
        Ok(Self {
            layout: layout(visit)?,
            state: has_broker.then(|| BrokerStateView::of(app, &clocks)),
            devices,
            unusable,
            sensor,
            of: of.map(|of| ShownKind {
                word: of.as_str(),
                name: language.word("whole-house", WholeHouse::as_str(of)),
                set_up: language.word("whole-house-set-up", WholeHouse::as_str(of)),
            }),
            zones: if accounts.is_empty() {
                zones("")
            } else {
                Vec::new()
            },
            accounts,
        })
    }
}

impl FoundDevice {
    /// `None` if it feeds all its sensors.
    fn of(device: &HeardDevice, registry: &Registry, clocks: &ServiceClock) -> Option<Self> {
        let sensors = missing_sensors(device, registry);
        let [power, energy] = without_unit(device);
        let sent = |number: f64| [("number", number.to_string().into())];
        let of_power = power.map(|watts| LackingUnit {
            field: "watts_unit",
            label: clocks.language.fill("found-unit-power", sent(watts)),
            units: PowerUnit::ALL.map(PowerUnit::as_str).to_vec(),
        });
        let of_energy = energy.map(|watthours| LackingUnit {
            field: "watthours_unit",
            label: clocks.language.fill("found-unit-energy", sent(watthours)),
            units: EnergyUnit::ALL.map(EnergyUnit::as_str).to_vec(),
        });
        let sensors: Vec<FoundSensor> = sensors
            .map(|sensor| FoundSensor::of(sensor, clocks.language))
            .collect();
        (!sensors.is_empty()).then(|| Self {
            topic: device.topic.clone(),
            device: device.device.clone(),
            kind: device.preset.name_in(clocks.language.tag()).to_owned(),
            heard: heard_text(device, clocks),
            is_subscribed: device.subscribed != SubscribedAs::Nothing,
            name: device.device.clone(),
            sensors,
            units: of_power.into_iter().chain(of_energy).collect(),
        })
    }
}

impl FoundDevice {
    /// Puts in what was typed, if the form of this device is shown again.
    fn fill(&mut self, visit: &Visit) {
        let is_its = |name, own: &str| visit.field(name).is_ok_and(|typed| typed == own);
        let is_again = visit.is_again();
        if !is_again || !is_its("topic", &self.topic) || !is_its("device", &self.device) {
            return;
        }
        let typed = visit
            .fields("role")
            .into_iter()
            .zip(visit.fields("register"));
        for (sensor, (role, register)) in self.sensors.iter_mut().zip(typed) {
            sensor.role = role.parse().map_or("", Role::as_str);
            sensor.register = register.parse().map_or(sensor.register, MeterKind::as_str);
        }
        self.name = visit.field("name").unwrap_or_default();
    }
}

impl FoundSensor {
    fn of(sensor: &SuggestedSensor, language: &Language) -> Self {
        let plain = sensor.lacks_unit;
        let power = sensor.newest.watts();
        let power = power.map(|watts| {
            if plain {
                watts.to_string()
            } else {
                figures::power(watts, language)
            }
        });
        let register = sensor.newest.watthours();
        let register = register.map(|watthours| {
            if plain {
                watthours.to_string()
            } else {
                figures::energy(watthours, language)
            }
        });
        let values: Vec<String> = power.into_iter().chain(register).collect();
        Self {
            id: sensor.id.to_string(),
            values: values.join(" · "),
            role: sensor.role.as_str(),
            register: sensor.register.as_str(),
        }
    }
}

impl UnusableDevice {
    fn of(device: &HeardDevice, problem: &Unusable, clocks: &ServiceClock) -> Self {
        let language = clocks.language;
        let why = match problem {
            Unusable::OwnNames => language.say("found-why-names"),
            Unusable::MeanPower => language.say("found-why-mean-power"),
            Unusable::OwnUnit => language.say("found-why-unit"),
            Unusable::Payload(error) => {
                language.fill("found-why-other", [("why", error.to_string().into())])
            }
        };
        Self {
            topic: device.topic.clone(),
            device: device.device.clone(),
            kind: device.preset.name_in(language.tag()).to_owned(),
            heard: heard_text(device, clocks),
            why,
        }
    }
}

/// The power and the register of a device that does not report their units.
pub(super) fn without_unit(device: &HeardDevice) -> [Option<f64>; 2] {
    let lacking = || device.sensors.iter().filter(|sensor| sensor.lacks_unit);
    [
        lacking().find_map(|sensor| sensor.newest.watts()),
        lacking().find_map(|sensor| sensor.newest.watthours()),
    ]
}

/// The sensors that a device would feed if they existed.
pub(super) fn missing_sensors<'d>(
    device: &'d HeardDevice,
    registry: &'d Registry,
) -> impl Iterator<Item = &'d SuggestedSensor> {
    let is_free = device.subscribed == SubscribedAs::Nothing;
    let sensors = device.sensors.iter();
    sensors.filter(move |sensor| is_free || registry.sensor(&sensor.id).is_none())
}

/// Whether it can feed a sensor of any id.
pub(super) fn can_feed_any(device: &HeardDevice) -> bool {
    device.subscribed == SubscribedAs::Nothing && !device.has_own_ids()
}

/// The number of devices of these kinds that feed no sensor yet.
pub(in crate::http::pages) fn count_found(app: &AppState, presets: &[&Preset]) -> usize {
    let registry = app.store.registry();
    let heard = app.broker.heard().list(app.now().elapsed);
    let of_kind = heard.iter().filter(|it| presets.contains(&it.preset));
    let missing = of_kind.filter(|it| missing_sensors(it, &registry).next().is_some());
    missing.count()
}

fn heard_text(device: &HeardDevice, clocks: &ServiceClock) -> String {
    device.heard.map_or_else(
        || clocks.language.say("found-retained"),
        |heard| {
            let when = [("time", clocks.when(heard).into())];
            clocks.language.fill("found-heard", when)
        },
    )
}

/// `GET /settings/devices`; with `sensor`, to choose a device for an existing sensor; with `of`, only
/// devices of this kind, and how to set them up.
pub(crate) async fn show(visit: Visit) -> PageResult {
    let sensor = visit.param("sensor")?;
    Ok(ok(&DevicesOnBrokerPage::new(&visit, &sensor)?))
}

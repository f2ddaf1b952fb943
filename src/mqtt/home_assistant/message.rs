//! The messages of MQTT discovery.
//!
//! Format: www.home-assistant.io/integrations/mqtt, "MQTT discovery", /integrations/sensor.mqtt and
//! `/integrations/binary_sensor.mqtt`: JSON under `<prefix>/<component>/<node>/<object>/config`,
//! where component is `sensor` or `binary_sensor`, and node and object are letters, digits, `-` and
//! `_`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::topics::{CHEAP, DiscoverySettings, PROBLEM, Publication};
use crate::domain::{Account, AccountName, Currency, MeterKind, Sensor, SensorId, Timestamp};
use crate::house::CheapestQuestion;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const SOFTWARE: &str = "wattkeeper";
/// Templates of a state with the time since when it counts. They give an empty text for the empty
/// message that removes a state: Home Assistant ignores that message, but logs an error if a
/// template uses an undefined value.
pub(super) const VALUE: &str = "{{ value_json.value if value_json is defined else '' }}";
const LAST_RESET: &str = "{{ value_json.last_reset or '' if value_json is defined else '' }}";
/// The state that Home Assistant shows as unknown.
pub(super) const UNKNOWN_STATE: &str = "None";

/// An entity of Home Assistant; a sensor has up to both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Power,
    Energy,
}

impl Entity {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Power => "power",
            Self::Energy => "energy",
        }
    }
}

/// The announcement of a sensor's power or energy.
pub(super) fn announcement(
    settings: &DiscoverySettings,
    sensor: &Sensor,
    entity: Entity,
) -> Publication {
    let object = object_of(&sensor.id, entity);
    let (name, unit, state_class) = match (entity, sensor.meter.kind) {
        (Entity::Power, _) => ("Power", "W", Some("measurement")),
        (Entity::Energy, MeterKind::Counter) => ("Energy", "Wh", Some("total_increasing")),
        (Entity::Energy, MeterKind::Net) => ("Energy", "Wh", Some("total")),
        // No class: the next value does not continue from this one.
        (Entity::Energy, MeterKind::Interval) => ("Energy", "Wh", None),
    };
    let slug = slug(&sensor.id);
    // Both are needed, because the service may be down, or the sensor silent. `expire_after` would
    // not do: a retained state counts as fresh whenever Home Assistant connects, and an unchanged
    // one is not sent again.
    let availability = [
        settings.availability_topic(),
        settings.sensor_availability_topic(&slug),
    ];
    let mut own = json!({
        "name": name,
        "device_class": entity.as_str(),
        "state_class": state_class,
        "unit_of_measurement": unit,
        "suggested_display_precision": 0,
        "availability": availability.map(|topic| json!({ "topic": topic })),
        "availability_mode": "all",
    });
    if is_total(sensor, entity) {
        put(&mut own, "value_template", VALUE);
        put(&mut own, "last_reset_value_template", LAST_RESET);
    }
    let device = AnnouncedDevice {
        id: &slug,
        name: &sensor.name,
        model: sensor.role.as_str(),
    };
    announced(settings, &object, &device, own)
}

/// Whether a value may fall, so that its state includes the time since when it counts.
pub(super) fn is_total(sensor: &Sensor, entity: Entity) -> bool {
    entity == Entity::Energy && sensor.meter.kind == MeterKind::Net
}

/// The state of an entity without a known value: Home Assistant shows it as unknown. It would
/// ignore an empty one.
pub(super) fn unknown_state(sensor: &Sensor, entity: Entity) -> String {
    if is_total(sensor, entity) {
        total_state(None, None)
    } else {
        UNKNOWN_STATE.to_owned()
    }
}

/// The state of a register that may fall, with the time since when it counts.
pub(super) fn total_state(watthours: Option<f64>, last_reset: Option<Timestamp>) -> String {
    let last_reset = last_reset.map(|time| time.to_string());
    json!({"value": watthours, "last_reset": last_reset}).to_string()
}

/// A device in Home Assistant.
struct AnnouncedDevice<'a> {
    id: &'a str,
    name: &'a str,
    /// Its kind: the role of a sensor.
    model: &'a str,
}

/// The announcement of a device's entity; `own` contains the fields specific to the entity. Without
/// its own availability, that of the service counts.
fn announced(
    settings: &DiscoverySettings,
    object: &str,
    device: &AnnouncedDevice<'_>,
    own: Value,
) -> Publication {
    let mut described = json!({
        "identifiers": [format!("{}_{}", settings.node, device.id)],
        "name": device.name,
        "manufacturer": SOFTWARE,
        "model": device.model,
        "sw_version": VERSION,
    });
    if let Some(pages) = &settings.pages {
        put(&mut described, "configuration_url", pages);
    }
    let mut announcement = json!({
        "unique_id": format!("{}_{object}", settings.node),
        "state_topic": settings.state_topic(object),
        "device": described,
        "origin": { "name": SOFTWARE, "sw_version": VERSION },
    });
    // Home Assistant accepts only one of the two.
    if own.get("availability").is_none() {
        let topic = settings.availability_topic();
        put(&mut announcement, "availability_topic", &topic);
    }
    if let (Some(all), Value::Object(own)) = (announcement.as_object_mut(), own) {
        all.extend(own);
    }
    Publication {
        topic: settings.config_topic(object),
        payload: announcement.to_string(),
    }
}

/// Adds a member to an object.
fn put(object: &mut Value, key: &str, value: &str) {
    if let Some(members) = object.as_object_mut() {
        members.insert(key.to_owned(), value.into());
    }
}

/// The subjects of problems: each has a problem or not.
#[derive(Clone, Copy, Debug)]
pub(super) enum ProblemOf<'a> {
    Sensor(&'a Sensor),
    /// Problems of an account's house that concern none of its sensors.
    House(&'a AccountName),
    Service,
}

impl ProblemOf<'_> {
    pub(super) fn object(self) -> String {
        // No slug begins with `_` and a non-digit.
        match self {
            Self::Sensor(sensor) => format!("{}{PROBLEM}", slug(&sensor.id)),
            Self::House(account) => format!("__{}{PROBLEM}", slug_of_text(account.as_str())),
            Self::Service => format!("_{PROBLEM}"),
        }
    }

    /// The displayed name of the device.
    pub(super) fn device(self) -> String {
        match self {
            Self::Sensor(sensor) => sensor.name.clone(),
            Self::House(account) => account.to_string(),
            Self::Service => SOFTWARE.to_owned(),
        }
    }

    /// The kind of the device.
    const fn model(self) -> &'static str {
        match self {
            Self::Sensor(sensor) => sensor.role.as_str(),
            Self::House(_) => "house",
            Self::Service => "service",
        }
    }

    fn device_id(self) -> String {
        let object = self.object();
        object.strip_suffix(PROBLEM).unwrap_or(&object).to_owned()
    }

    /// The announcement of the problem's entity.
    pub(super) fn announcement(self, settings: &DiscoverySettings) -> Publication {
        let object = self.object();
        let own =
            json!({"name": "Problem", "device_class": "problem", "entity_category": "diagnostic"});
        self.announced(settings, &object, own)
    }

    /// The announcement of one of its entities.
    pub(super) fn announced(
        self,
        settings: &DiscoverySettings,
        object: &str,
        own: Value,
    ) -> Publication {
        let device = AnnouncedDevice {
            id: &self.device_id(),
            name: &self.device(),
            model: self.model(),
        };
        announced(settings, object, &device, own)
    }
}

/// A sum of a house since midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HouseEntity {
    Import,
    Export,
    Produced,
    Used,
    Cost,
}

impl HouseEntity {
    pub(super) const ALL: [Self; 5] = [
        Self::Import,
        Self::Export,
        Self::Produced,
        Self::Used,
        Self::Cost,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Export => "export",
            Self::Produced => "produced",
            Self::Used => "used",
            Self::Cost => "cost",
        }
    }

    pub(super) fn object(self, account: &AccountName) -> String {
        // As for problems, no slug of a sensor begins like this.
        format!("__{}_{}", slug_of_text(account.as_str()), self.as_str())
    }

    /// The announcement of the sum of an account.
    pub(super) fn announcement(
        self,
        settings: &DiscoverySettings,
        account: &Account,
        currency: Option<&str>,
    ) -> Publication {
        let object = self.object(&account.name);
        let (name, class, unit, digits) = match self {
            Self::Import => ("Imported today", "energy", "Wh", 0),
            Self::Export => ("Exported today", "energy", "Wh", 0),
            Self::Produced => ("Produced today", "energy", "Wh", 0),
            Self::Used => ("Used today", "energy", "Wh", 0),
            Self::Cost => ("Cost today", "monetary", currency.unwrap_or_default(), 2),
        };
        let own = json!({
            "name": name,
            "device_class": class,
            "state_class": "total",
            "unit_of_measurement": unit,
            "suggested_display_precision": digits,
            "value_template": VALUE,
            "last_reset_value_template": LAST_RESET,
        });
        ProblemOf::House(&account.name).announced(settings, &object, own)
    }

    /// The message of a value since midnight: watt-hours, or an amount to the hundredth.
    pub(super) fn state(self, value: f64, since: Timestamp) -> String {
        let value = match self {
            Self::Cost => (value * 100.0).round() / 100.0,
            _ => value.round(),
        };
        json!({"value": value, "last_reset": since.to_string()}).to_string()
    }
}

/// A price of an account's house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PriceEntity {
    /// Of a kilowatt-hour now.
    Now,
    /// When the cheapest hours begin.
    Cheapest,
    /// Whether it is cheap now.
    Cheap,
}

impl PriceEntity {
    pub(super) fn object(self, account: &AccountName) -> String {
        let suffix = match self {
            Self::Now => "_price",
            Self::Cheapest => "_cheapest",
            Self::Cheap => CHEAP,
        };
        // As for problems, no slug of a sensor begins like this.
        format!("__{}{suffix}", slug_of_text(account.as_str()))
    }

    /// The announcement for an account with prices in this currency.
    pub(super) fn announcement(
        self,
        settings: &DiscoverySettings,
        account: &AccountName,
        currency: &Currency,
    ) -> Publication {
        let own = match self {
            Self::Now => json!({
                "name": "Price",
                "state_class": "measurement",
                "unit_of_measurement": format!("{}/kWh", currency.as_str()),
                "suggested_display_precision": 4,
            }),
            Self::Cheapest => {
                let name = format!("Cheapest {} hours", CheapestQuestion::HOURS);
                json!({"name": name, "device_class": "timestamp"})
            }
            Self::Cheap => json!({"name": "Cheap now"}),
        };
        let object = self.object(account);
        ProblemOf::House(account).announced(settings, &object, own)
    }
}

/// The object name of a sensor's power or energy.
pub(super) fn object_of(id: &SensorId, entity: Entity) -> String {
    format!("{}_{}", slug(id), entity.as_str())
}

/// The slug in an object name.
pub(super) fn slug_of(object: &str) -> Option<&str> {
    object
        .strip_suffix("_power")
        .or_else(|| object.strip_suffix("_energy"))
}

/// A sensor's id in letters, digits, `-` and `_`. Any other byte, and `_` itself, becomes `_` and
/// two hexadecimal digits, so that no two ids have the same slug.
pub(super) fn slug(id: &SensorId) -> String {
    slug_of_text(id.as_str())
}

pub(super) fn slug_of_text(text: &str) -> String {
    let mut slug = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            slug.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(slug, "_{byte:02x}");
        }
    }
    slug
}

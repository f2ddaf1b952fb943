//! The messages of MQTT discovery.
//!
//! Format: www.home-assistant.io/integrations/mqtt, "MQTT discovery", and /integrations/sensor.mqtt: JSON under
//! `<prefix>/sensor/<node>/<object>/config`, where node and object are letters, digits, `-` and `_`.

use std::fmt::Write as _;

use serde::Serialize;

use super::{Publication, Settings};
use crate::domain::role::RegisterKind;
use crate::domain::sensor::{Sensor, SensorId};

/// The longest name of an object, in bytes: an id of which each byte takes three, and what is told of it.
pub(super) const LONGEST_OBJECT: usize = 3 * SensorId::MAX_BYTES + "_energy".len();

const VERSION: &str = env!("CARGO_PKG_VERSION");
const SOFTWARE: &str = "wattkeeper";

/// What is told of a sensor: one entity of Home Assistant each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Power,
    Energy,
}

impl Quantity {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Power => "power",
            Self::Energy => "energy",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Power => "Power",
            Self::Energy => "Energy",
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::Power => "W",
            Self::Energy => "Wh",
        }
    }

    const fn state_class(self, register: RegisterKind) -> &'static str {
        match (self, register) {
            (Self::Power, _) => "measurement",
            (Self::Energy, RegisterKind::Counter) => "total_increasing",
            (Self::Energy, RegisterKind::Net) => "total",
        }
    }
}

#[derive(Serialize)]
struct Config<'c> {
    name: &'static str,
    unique_id: String,
    device_class: &'static str,
    state_class: &'static str,
    unit_of_measurement: &'static str,
    state_topic: String,
    availability_topic: String,
    device: Device<'c>,
    origin: Origin,
}

#[derive(Serialize)]
struct Device<'c> {
    identifiers: [String; 1],
    name: &'c str,
    manufacturer: &'static str,
    sw_version: &'static str,
}

#[derive(Serialize)]
struct Origin {
    name: &'static str,
    sw_version: &'static str,
}

/// What announces a sensor's power or energy.
pub(super) fn config(settings: &Settings, sensor: &Sensor, quantity: Quantity) -> Publication {
    let object = object_of(&sensor.id, quantity);
    let config = Config {
        name: quantity.name(),
        unique_id: format!("{}_{object}", settings.node),
        device_class: quantity.as_str(),
        state_class: quantity.state_class(sensor.register),
        unit_of_measurement: quantity.unit(),
        state_topic: settings.state_topic(&object),
        availability_topic: settings.availability_topic(),
        device: Device {
            identifiers: [format!("{}_{}", settings.node, slug(&sensor.id))],
            name: &sensor.name,
            manufacturer: SOFTWARE,
            sw_version: VERSION,
        },
        origin: Origin {
            name: SOFTWARE,
            sw_version: VERSION,
        },
    };
    Publication {
        topic: settings.config_topic(&object),
        // Texts and no maps with other keys: that can always be written.
        payload: serde_json::to_string(&config).unwrap_or_default(),
    }
}

/// The object of a sensor's power or energy.
pub(super) fn object_of(id: &SensorId, quantity: Quantity) -> String {
    format!("{}_{}", slug(id), quantity.as_str())
}

/// The slug in an object's name.
pub(super) fn slug_of(object: &str) -> Option<&str> {
    object
        .strip_suffix("_power")
        .or_else(|| object.strip_suffix("_energy"))
}

/// A sensor's id in letters, digits, `-` and `_`: any other byte is `_` and two hexadecimal digits, `_` itself, too. So no
/// two ids have the same.
pub(super) fn slug(id: &SensorId) -> String {
    let mut slug = String::new();
    for byte in id.as_str().bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            slug.push(char::from(byte));
        } else {
            // Writing to a text does not fail.
            let _ = write!(slug, "_{byte:02x}");
        }
    }
    slug
}

//! The messages of MQTT discovery.
//!
//! Format: www.home-assistant.io/integrations/mqtt, "MQTT discovery", and /integrations/sensor.mqtt: JSON under
//! `<prefix>/sensor/<node>/<object>/config`, where node and object are letters, digits, `-` and `_`.

use std::fmt::Write as _;

use serde::Serialize;

use super::topics::{DiscoverySettings, Publication};
use crate::domain::{RegisterKind, Sensor, SensorId};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const SOFTWARE: &str = "wattkeeper";

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
struct DiscoveryMessage<'c> {
    name: &'static str,
    unique_id: String,
    device_class: &'static str,
    state_class: &'static str,
    unit_of_measurement: &'static str,
    state_topic: String,
    availability_topic: String,
    device: Device<'c>,
    origin: SoftwareOrigin,
}

#[derive(Serialize)]
struct Device<'c> {
    identifiers: [String; 1],
    name: &'c str,
    manufacturer: &'static str,
    sw_version: &'static str,
}

#[derive(Serialize)]
struct SoftwareOrigin {
    name: &'static str,
    sw_version: &'static str,
}

/// The announcement of a sensor's power or energy.
pub(super) fn announcement(
    settings: &DiscoverySettings,
    sensor: &Sensor,
    entity: Entity,
) -> Publication {
    let object = object_of(&sensor.id, entity);
    let announcement = DiscoveryMessage {
        name: entity.name(),
        unique_id: format!("{}_{object}", settings.node),
        device_class: entity.as_str(),
        state_class: entity.state_class(sensor.register),
        unit_of_measurement: entity.unit(),
        state_topic: settings.state_topic(&object),
        availability_topic: settings.availability_topic(),
        device: Device {
            identifiers: [format!("{}_{}", settings.node, slug(&sensor.id))],
            name: &sensor.name,
            manufacturer: SOFTWARE,
            sw_version: VERSION,
        },
        origin: SoftwareOrigin {
            name: SOFTWARE,
            sw_version: VERSION,
        },
    };
    Publication {
        topic: settings.config_topic(&object),
        // Serializing fails only for maps whose keys are not texts; there is no map.
        payload: serde_json::to_string(&announcement).unwrap_or_default(),
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

/// A sensor's id in letters, digits, `-` and `_`. Any other byte, and `_` itself, becomes `_` and two hexadecimal digits, so
/// that no two ids have the same slug.
pub(super) fn slug(id: &SensorId) -> String {
    let mut slug = String::new();
    for byte in id.as_str().bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            slug.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(slug, "_{byte:02x}");
        }
    }
    slug
}

//! The messages of MQTT discovery.
//!
//! Format: www.home-assistant.io/integrations/mqtt, "MQTT discovery", and /integrations/sensor.mqtt: JSON under
//! `<prefix>/sensor/<node>/<object>/config`, where node and object are letters, digits, `-` and `_`.

use std::fmt::Write as _;

use serde_json::json;

use super::topics::{DiscoverySettings, Publication};
use crate::domain::{MeterKind, Sensor, SensorId};

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
        // Neither: the next value does not go on from this one.
        (Entity::Energy, MeterKind::Interval) => ("Energy", "Wh", None),
    };
    let announcement = json!({
        "name": name,
        "unique_id": format!("{}_{object}", settings.node),
        "device_class": entity.as_str(),
        "state_class": state_class,
        "unit_of_measurement": unit,
        "state_topic": settings.state_topic(&object),
        "availability_topic": settings.availability_topic(),
        "device": {
            "identifiers": [format!("{}_{}", settings.node, slug(&sensor.id))],
            "name": sensor.name,
            "manufacturer": SOFTWARE,
            "sw_version": VERSION,
        },
        "origin": { "name": SOFTWARE, "sw_version": VERSION },
    });
    Publication {
        topic: settings.config_topic(&object),
        payload: announcement.to_string(),
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

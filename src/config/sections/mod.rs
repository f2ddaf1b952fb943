//! Settings that are lists of sections, such as `[[influx.mappings]]`. Each section is read field
//! by field, so that an error names the invalid field.
//!
//! - `poll`: polled devices
//! - `price_source`: price sources
//! - `section`: one section, and its fields
//! - `subscription`: subscriptions of MQTT

mod poll;
mod price_source;
mod section;
mod subscription;

use std::collections::BTreeMap;

use toml::{Table, Value};

use self::section::ListedSection;
use self::section::PlaceOf;
use super::error::ConfigError;
use super::settings::Config;
use crate::domain::SensorId;
use crate::ingest::emoncms::InputRule;
use crate::ingest::influx::FieldRule;
use crate::mqtt::intake::Subscription;
use crate::poll::PollSettings;
use crate::price_sources::PriceSourceSettings;

const MAX_SUBSCRIPTIONS: usize = 64;

const NODE: &str = "a node's name, in quotes even if it is a number";
const SENSOR: &str = "a sensor's id";

impl Config {
    /// Reads the setting `key`, if it is a list of sections.
    pub(super) fn read_list(
        &mut self,
        key: &str,
        value: &Value,
        place_of: PlaceOf<'_>,
    ) -> Result<(), ConfigError> {
        match key {
            "mqtt.subscriptions" => {
                self.mqtt.subscriptions = subscriptions(key, value, place_of)?;
            }
            "poll" => self.poll = polled(key, value, place_of)?,
            "price_source" => self.price_sources = price_sources(key, value, place_of)?,
            "influx.mappings" => self.influx.mappings = read(key, value, place_of, field_rule)?,
            "emoncms.mappings" => self.emoncms.mappings = read(key, value, place_of, input_rule)?,
            _ => {}
        }
        Ok(())
    }
}

/// The subscriptions of this list.
pub(super) fn subscriptions(
    key: &str,
    value: &Value,
    place_of: PlaceOf<'_>,
) -> Result<Vec<Subscription>, ConfigError> {
    let subscriptions = read(key, value, place_of, subscription::read)?;
    if subscriptions.len() > MAX_SUBSCRIPTIONS {
        return Err(no_list(key, value, place_of));
    }
    Ok(subscriptions)
}

/// The polled devices of this list.
pub(super) fn polled(
    key: &str,
    value: &Value,
    place_of: PlaceOf<'_>,
) -> Result<Vec<PollSettings>, ConfigError> {
    let devices = read(key, value, place_of, poll::device)?;
    if devices.len() > poll::MAX_DEVICES {
        return Err(no_list(key, value, place_of));
    }
    poll::check_names(&devices, key, place_of)?;
    Ok(devices)
}

/// Checks that these devices can be polled together.
///
/// # Errors
/// A [`ConfigError`] if they are too many, or if two have the same sensor.
pub(super) fn check_polled_together(
    devices: &[PollSettings],
    place_of: PlaceOf<'_>,
) -> Result<(), ConfigError> {
    if devices.len() > poll::MAX_DEVICES {
        return Err(no_list("poll", &Value::Array(Vec::new()), place_of));
    }
    poll::check_names(devices, "poll", place_of)
}

/// The price sources of this list.
pub(super) fn price_sources(
    key: &str,
    value: &Value,
    place_of: PlaceOf<'_>,
) -> Result<Vec<PriceSourceSettings>, ConfigError> {
    let sources = read(key, value, place_of, price_source::source)?;
    check_sources_together(&sources, place_of)?;
    Ok(sources)
}

/// Checks that these sources can be asked together.
///
/// # Errors
/// A [`ConfigError`] if they are too many, or if two fill the same series.
pub(super) fn check_sources_together(
    sources: &[PriceSourceSettings],
    place_of: PlaceOf<'_>,
) -> Result<(), ConfigError> {
    if sources.len() > price_source::MAX_SOURCES {
        return Err(no_list("price_source", &Value::Array(Vec::new()), place_of));
    }
    price_source::check_series(sources, "price_source", place_of)
}

fn read<T>(
    key: &str,
    value: &Value,
    place_of: PlaceOf<'_>,
    parse: fn(&ListedSection<'_>) -> Result<T, ConfigError>,
) -> Result<Vec<T>, ConfigError> {
    let tables: Option<Vec<&Table>> = value
        .as_array()
        .and_then(|list| list.iter().map(Value::as_table).collect());
    let tables = tables.ok_or_else(|| no_list(key, value, place_of))?;
    let sections = tables.into_iter().enumerate().map(|(index, table)| {
        parse(&ListedSection {
            table,
            name: format!("{key}[{index}]"),
            place_of,
        })
    });
    sections.collect()
}

/// A value as shown in errors. A value with an `@` may be an address with a password, although no
/// such setting exists.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.contains('@') {
        "something else (not shown)".to_owned()
    } else {
        text
    }
}

fn no_list(key: &str, value: &Value, place_of: PlaceOf<'_>) -> ConfigError {
    let most = match key {
        "mqtt.subscriptions" => format!("up to {MAX_SUBSCRIPTIONS} "),
        "poll" => format!("up to {} ", poll::MAX_DEVICES),
        "price_source" => format!("up to {} ", price_source::MAX_SOURCES),
        _ => String::new(),
    };
    ConfigError::Invalid {
        place: place_of(key),
        key: key.to_owned(),
        value: shown(value),
        expected: format!("{most}sections [[{key}]] in the configuration file"),
    }
}

fn field_rule(section: &ListedSection<'_>) -> Result<FieldRule, ConfigError> {
    section.check_fields(&["measurement", "tags", "field", "sensor", "measure", "unit"])?;
    let tags: Option<BTreeMap<String, String>> = section
        .table
        .get("tags")
        .map(|tags| tags.clone().try_into())
        .transpose()
        .map_err(|_| {
            let expected =
                "names of tags with their values, such as { entity_id = \"house_power\" }";
            section.invalid("tags", expected)
        })?;
    Ok(FieldRule {
        measurement: section.optional("measurement", "a measurement's name", str::parse)?,
        tags: tags.unwrap_or_default(),
        field: section.required("field", "a field's name", str::parse)?,
        sensor: section.optional("sensor", SENSOR, SensorId::new)?,
        quantity: section.quantity()?,
    })
}

fn input_rule(section: &ListedSection<'_>) -> Result<InputRule, ConfigError> {
    section.check_fields(&["node", "input", "sensor", "measure", "unit"])?;
    let input = "an input's name, or in quotes its number from 1 if it has none";
    Ok(InputRule {
        node: section.required("node", NODE, str::parse)?,
        input: section.required("input", input, str::parse)?,
        sensor: section.required("sensor", SENSOR, SensorId::new)?,
        quantity: section.quantity()?,
    })
}

#[cfg(test)]
mod tests;

//! The settings of InfluxDB's protocol.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::sections::find_no_text;
use crate::domain::sensor::SensorId;
use crate::ingest::influx::{Mapping, Rule};
use crate::ingest::{Quantity, QuantityError};

/// The settings of InfluxDB's protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InfluxConfig {
    /// Whether it is spoken.
    pub enabled: bool,
    /// Tags that name the sensor.
    pub sensor_tags: Vec<String>,
    /// Fields that are power in watts.
    pub watts_fields: Vec<String>,
    /// Fields that are a register in watt-hours.
    pub watthours_fields: Vec<String>,
    /// What comes before all that.
    pub mappings: Vec<InfluxMapping>,
}

/// What one field is. A text that is empty is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InfluxMapping {
    /// Its measurement; any where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub measurement: String,
    /// Tags that it must have.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// Its name.
    pub field: String,
    /// The sensor; the one that a tag names where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sensor: String,
    /// `watts` or `watthours`.
    pub measure: String,
    /// Its unit; that of the measure where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

/// The settings of a mapping, and what each must be.
pub(super) const FIELDS: [(&str, &str); 6] = [
    ("measurement", "a measurement's name"),
    (
        "tags",
        "names of tags with their values, such as { entity_id = \"house_power\" }",
    ),
    ("field", "a field's name"),
    ("sensor", SENSOR),
    ("measure", MEASURE),
    ("unit", UNIT),
];

pub(super) const SENSOR: &str = "a sensor's id";
pub(super) const MEASURE: &str = "watts or watthours";
pub(super) const UNIT: &str = "W, kW, MW or mW for watts; Wh, kWh, MWh, Wmin or J for watthours";

impl Default for InfluxConfig {
    fn default() -> Self {
        let list = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        Self {
            enabled: true,
            sensor_tags: list(["sensor_id", "sensor"]),
            watts_fields: list(["watts", "Watts"]),
            watthours_fields: list(["watthours", "Wh"]),
            mappings: Vec::new(),
        }
    }
}

impl InfluxConfig {
    /// How lines become readings; none where it is off.
    #[must_use]
    pub fn mapping(&self) -> Option<Mapping> {
        let rules = self.mappings.iter().map(InfluxMapping::rule);
        self.enabled.then(|| Mapping {
            sensor_tags: self.sensor_tags.clone(),
            watts_fields: self.watts_fields.clone(),
            watthours_fields: self.watthours_fields.clone(),
            rules: rules.filter_map(Result::ok).collect(),
        })
    }

    pub(super) fn is_right(&self) -> bool {
        self.mappings.iter().all(|mapping| mapping.rule().is_ok())
    }
}

impl InfluxMapping {
    /// The rule that it is; else the name of the setting that is wrong.
    fn rule(&self) -> Result<Rule, &'static str> {
        if self.field.is_empty() {
            return Err("field");
        }
        let sensor = Some(&self.sensor).filter(|sensor| !sensor.is_empty());
        let sensor = sensor.map(|sensor| SensorId::new(sensor)).transpose();
        Ok(Rule {
            measurement: Some(self.measurement.clone()).filter(|name| !name.is_empty()),
            tags: self.tags.clone(),
            field: self.field.clone(),
            sensor: sensor.map_err(|_| "sensor")?,
            quantity: quantity(&self.measure, &self.unit)?,
        })
    }
}

/// The quantity that the settings `measure` and `unit` name; else which of them is wrong.
pub(super) fn quantity(measure: &str, unit: &str) -> Result<Quantity, &'static str> {
    let unit = Some(unit).filter(|unit| !unit.is_empty());
    Quantity::new(measure, unit).map_err(|error| match error {
        QuantityError::Measure => "measure",
        QuantityError::PowerUnit | QuantityError::EnergyUnit => "unit",
    })
}

/// Reads a mapping of the file; names the setting in it that is wrong.
pub(super) fn check(table: &Table) -> Result<(), &'static str> {
    let texts = ["measurement", "field", "sensor", "measure", "unit"];
    if let Some(wrong) = find_no_text(table, &texts) {
        return Err(wrong);
    }
    let mapping: InfluxMapping = Value::Table(table.clone()).try_into().map_err(|_| "tags")?;
    mapping.rule().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("field = 'f'\nmeasure = 'watts'", Ok(())),
            (
                "measurement = 'kWh'\ntags = { a = 'b' }\nfield = 'value'\nsensor = 'house'\nmeasure = 'watthours'\nunit = 'kWh'",
                Ok(()),
            ),
            ("measure = 'watts'", Err("field")),
            ("field = 1\nmeasure = 'watts'", Err("field")),
            ("field = 'f'", Err("measure")),
            ("field = 'f'\nmeasure = 'volts'", Err("measure")),
            ("field = 'f'\nmeasure = 'watts'\nunit = 'kWh'", Err("unit")),
            (
                "field = 'f'\nmeasure = 'watts'\nsensor = \"a\\nb\"",
                Err("sensor"),
            ),
            ("field = 'f'\nmeasure = 'watts'\ntags = 'x'", Err("tags")),
            (
                "field = 'f'\nmeasure = 'watts'\ntags = { a = 1 }",
                Err("tags"),
            ),
        ] {
            let table: Table = toml::from_str(text).unwrap();
            assert_eq!(check(&table), expected, "{text}");
        }
    }

    #[test]
    fn there_is_a_mapping_unless_it_is_off() {
        let mut config = InfluxConfig::default();
        config.mappings.push(InfluxMapping {
            field: "value".into(),
            measure: "watts".into(),
            ..InfluxMapping::default()
        });
        assert!(config.is_right());
        assert_eq!(config.mapping().unwrap().rules.len(), 1);
        config.enabled = false;
        assert_eq!(config.mapping(), None);
    }
}

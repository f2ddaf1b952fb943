//! The settings of Emoncms' protocol.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::influx::{MEASURE, SENSOR, UNIT, quantity};
use super::sections::find_no_text;
use crate::domain::sensor::SensorId;
use crate::ingest::emoncms::{Mapping, Rule};

/// The settings of Emoncms' protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmoncmsConfig {
    /// Whether it is spoken.
    pub enabled: bool,
    /// Inputs that are power in watts of the sensor that is called like the node.
    pub watts_inputs: Vec<String>,
    /// Inputs that are its register in watt-hours.
    pub watthours_inputs: Vec<String>,
    /// Nodes that may come and are none of ours.
    pub ignored_nodes: Vec<String>,
    /// What comes before the lists.
    pub mappings: Vec<EmoncmsMapping>,
}

/// What one input is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EmoncmsMapping {
    /// Its node.
    pub node: String,
    /// Its name, or its number where it has none.
    pub input: String,
    /// The sensor.
    pub sensor: String,
    /// `watts` or `watthours`.
    pub measure: String,
    /// Its unit; that of the measure where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

/// The settings of a mapping, and what each must be.
pub(super) const FIELDS: [(&str, &str); 5] = [
    ("node", "a node's name, in quotes where it is a number too"),
    (
        "input",
        "an input's name, or in quotes its number from 1 where it has none",
    ),
    ("sensor", SENSOR),
    ("measure", MEASURE),
    ("unit", UNIT),
];

impl Default for EmoncmsConfig {
    fn default() -> Self {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            enabled: true,
            watts_inputs: list(&["power", "watts", "power1", "P1"]),
            watthours_inputs: list(&["energy", "watthours", "Wh", "energy1", "E1"]),
            ignored_nodes: Vec::new(),
            mappings: Vec::new(),
        }
    }
}

impl EmoncmsConfig {
    /// How inputs become readings; none where it is off.
    #[must_use]
    pub fn mapping(&self) -> Option<Mapping> {
        let rules = self.mappings.iter().map(EmoncmsMapping::rule);
        self.enabled.then(|| Mapping {
            watts_inputs: self.watts_inputs.clone(),
            watthours_inputs: self.watthours_inputs.clone(),
            ignored_nodes: self.ignored_nodes.clone(),
            rules: rules.filter_map(Result::ok).collect(),
        })
    }

    pub(super) fn is_right(&self) -> bool {
        self.mappings.iter().all(|mapping| mapping.rule().is_ok())
    }
}

impl EmoncmsMapping {
    /// The rule that it is; else the name of the setting that is wrong.
    fn rule(&self) -> Result<Rule, &'static str> {
        let named = [("node", &self.node), ("input", &self.input)];
        if let Some((missing, _)) = named.iter().find(|(_, value)| value.is_empty()) {
            return Err(missing);
        }
        Ok(Rule {
            node: self.node.clone(),
            input: self.input.clone(),
            sensor: SensorId::new(&self.sensor).map_err(|_| "sensor")?,
            quantity: quantity(&self.measure, &self.unit)?,
        })
    }
}

/// Reads a mapping of the file; names the setting in it that is wrong.
pub(super) fn check(table: &Table) -> Result<(), &'static str> {
    let texts = ["node", "input", "sensor", "measure", "unit"];
    if let Some(wrong) = find_no_text(table, &texts) {
        return Err(wrong);
    }
    let mapping: EmoncmsMapping = Value::Table(table.clone()).try_into().map_err(|_| "node")?;
    mapping.rule().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let whole = "node = '10'\ninput = '1'\nsensor = 'house'\nmeasure = 'watts'\nunit = 'kW'\n";
        for (old, new, expected) in [
            ("", "", Ok(())),
            ("unit = 'kW'\n", "", Ok(())),
            ("node = '10'\n", "", Err("node")),
            ("node = '10'", "node = 10", Err("node")),
            ("input = '1'", "input = 1", Err("input")),
            ("sensor = 'house'\n", "", Err("sensor")),
            ("'watts'", "'volts'", Err("measure")),
            ("'kW'", "'kWh'", Err("unit")),
        ] {
            let text = whole.replace(old, new);
            let text = if old.is_empty() { whole } else { &text };
            let table: Table = toml::from_str(text).unwrap();
            assert_eq!(check(&table), expected, "{text}");
        }
    }

    #[test]
    fn there_is_a_mapping_unless_it_is_off() {
        let mut config = EmoncmsConfig::default();
        assert!(config.mapping().is_some());
        config.enabled = false;
        assert_eq!(config.mapping(), None);
    }
}

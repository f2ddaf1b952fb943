//! The sensor and measure of a node's input, by the settings.

use crate::domain::SensorId;
use crate::ingest::Quantity;

/// The mapping from nodes and inputs to readings of sensors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputMapping {
    /// Inputs that are power in watts, of the sensor with the node's name. Case does not matter.
    pub watts_inputs: Vec<String>,
    /// Inputs that are that sensor's register in watt-hours.
    pub watthours_inputs: Vec<String>,
    /// Nodes that send no readings.
    pub ignored_nodes: Vec<String>,
    /// Rules that take precedence; the first match counts.
    pub rules: Vec<InputRule>,
}

/// A mapped input: its name, its sensor, its quantity.
pub type KnownInput = (String, SensorId, Quantity);

/// The sensor and quantity of one input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRule {
    /// The node.
    pub node: String,
    /// The name of the input, or its number from 1 if it has none.
    pub input: String,
    /// Its sensor.
    pub sensor: SensorId,
    /// Its quantity.
    pub quantity: Quantity,
}

impl InputMapping {
    /// The sensor and the quantity of an input; `None` if it is not a reading.
    #[must_use]
    pub fn target(&self, node: &str, input: &str) -> Option<(SensorId, Quantity)> {
        let rule = self
            .rules
            .iter()
            .find(|rule| rule.node == node && rule.input == input);
        if let Some(rule) = rule {
            return Some((rule.sensor.clone(), rule.quantity));
        }
        let is_name = |own: &String| own.eq_ignore_ascii_case(input);
        let quantity = Quantity::listed(&self.watts_inputs, &self.watthours_inputs, is_name)?;
        SensorId::new(node).ok().map(|sensor| (sensor, quantity))
    }

    /// Whether the inputs of a node are ignored.
    #[must_use]
    pub fn is_ignored(&self, node: &str) -> bool {
        self.ignored_nodes.iter().any(|own| own == node)
    }

    /// The mapped inputs of a node. If several names have the same quantity, only the first counts.
    #[must_use]
    pub fn inputs_of(&self, node: &str) -> Vec<KnownInput> {
        let ruled = self
            .rules
            .iter()
            .filter(|rule| rule.node == node)
            .map(|rule| rule.input.as_str());
        let listed = self.watts_inputs.first().into_iter();
        let listed = listed.chain(self.watthours_inputs.first());
        let names = ruled.chain(listed.map(String::as_str));
        names
            .filter_map(|input| {
                let (sensor, quantity) = self.target(node, input)?;
                Some((input.to_owned(), sensor, quantity))
            })
            .collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A mapping with the heat pump's power in kilowatts as input 3 of node 10.
    pub(in crate::ingest::emoncms) fn mapping() -> InputMapping {
        let list = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        InputMapping {
            watts_inputs: list(["power", "power1"]),
            watthours_inputs: list(["energy", "wh"]),
            ignored_nodes: vec!["emonth5".into()],
            rules: vec![InputRule {
                node: "10".into(),
                input: "3".into(),
                sensor: SensorId::new("heat pump").unwrap(),
                quantity: Quantity::new("watts", Some("kW")).unwrap(),
            }],
        }
    }

    fn target(node: &str, input: &str) -> Option<String> {
        let (sensor, quantity) = mapping().target(node, input)?;
        Some(format!("{sensor} {quantity:?}"))
    }

    #[test]
    fn a_node_is_a_sensor_unless_a_rule_says_otherwise() {
        assert_eq!(
            target("house", "Power1").as_deref(),
            Some("house Power(Watts)")
        );
        assert_eq!(
            target("house", "Wh").as_deref(),
            Some("house Register(WattHours)")
        );
        assert_eq!(target("house", "vrms"), None);
        assert_eq!(
            target("10", "3").as_deref(),
            Some("heat pump Power(Kilowatts)")
        );
        assert_eq!(target("10", "power").as_deref(), Some("10 Power(Watts)"));
        assert_eq!(target("10", "4"), None);
        assert_eq!(target(&"x".repeat(65), "power"), None);
        assert!(mapping().is_ignored("emonth5") && !mapping().is_ignored("10"));
    }

    #[test]
    fn mapped_inputs_of_a_node_are_listed() {
        let names = |node: &str| -> Vec<String> {
            let inputs = mapping().inputs_of(node);
            inputs.into_iter().map(|(name, _, _)| name).collect()
        };
        assert_eq!(names("house"), ["power", "energy"]);
        assert_eq!(names("10"), ["3", "power", "energy"]);
    }
}

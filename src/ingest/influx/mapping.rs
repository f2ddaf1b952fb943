//! The sensor and measure of a line's field, by the settings.

use std::collections::BTreeMap;

use crate::domain::{NameError, SensorId};
use crate::ingest::Quantity;

/// The mapping from measurements, tags and fields to readings of sensors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldMapping {
    /// Tags that contain a sensor's id. The first one in this list that the line has counts.
    pub sensor_tags: Vec<String>,
    /// Fields that are power in watts, in any measurement.
    pub watts_fields: Vec<String>,
    /// Fields that are a register in watt-hours, in any measurement.
    pub watthours_fields: Vec<String>,
    /// Rules that take precedence; the first match counts.
    pub rules: Vec<FieldRule>,
}

/// The sensor and quantity of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldRule {
    /// Its measurement; `None` for any.
    pub measurement: Option<String>,
    /// Tags that the line must have, with these values.
    pub tags: BTreeMap<String, String>,
    /// The name of the field.
    pub field: String,
    /// The sensor; `None` for the one named by a tag.
    pub sensor: Option<SensorId>,
    /// Its quantity.
    pub quantity: Quantity,
}

/// Why a field is not a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmapped {
    /// No rule and no list contains it.
    Field,
    /// No tag names the sensor.
    Sensor,
    /// The sensor's id in the tag is invalid.
    Name(NameError),
}

impl FieldMapping {
    /// The sensor and the quantity of a field. `tag` returns the value of a tag.
    ///
    /// # Errors
    /// [`Unmapped`] if it is not a reading.
    pub fn target<'t>(
        &self,
        measurement: &str,
        tag: impl Fn(&str) -> Option<&'t str>,
        field: &str,
    ) -> Result<(SensorId, Quantity), Unmapped> {
        let matches = |rule: &&FieldRule| {
            rule.field == field
                && rule
                    .measurement
                    .as_ref()
                    .is_none_or(|own| own == measurement)
                && rule
                    .tags
                    .iter()
                    .all(|(key, value)| tag(key) == Some(value.as_str()))
        };
        // The field is looked up before the sensor, because a field that is not a reading needs no
        // tag.
        let rule = self.rules.iter().find(matches);
        let quantity = rule.map(|rule| rule.quantity);
        let quantity = quantity
            .or_else(|| {
                Quantity::listed(&self.watts_fields, &self.watthours_fields, |own| {
                    own == field
                })
            })
            .ok_or(Unmapped::Field)?;
        if let Some(sensor) = rule.and_then(|rule| rule.sensor.clone()) {
            return Ok((sensor, quantity));
        }
        let named = self.sensor_tags.iter().find_map(|key| tag(key));
        let sensor = SensorId::new(named.ok_or(Unmapped::Sensor)?).map_err(Unmapped::Name)?;
        Ok((sensor, quantity))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The default mapping, with these rules.
    pub(in crate::ingest::influx) fn mapping(rules: Vec<FieldRule>) -> FieldMapping {
        let list = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        FieldMapping {
            sensor_tags: list(["sensor_id", "sensor"]),
            watts_fields: list(["watts", "Watts"]),
            watthours_fields: list(["watthours", "Wh"]),
            rules,
        }
    }

    fn rule(measurement: Option<&str>, tags: &[(&str, &str)], sensor: Option<&str>) -> FieldRule {
        FieldRule {
            measurement: measurement.map(str::to_owned),
            tags: tags
                .iter()
                .map(|&(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            field: "value".into(),
            sensor: sensor.map(|id| SensorId::new(id).unwrap()),
            quantity: Quantity::new("watts", Some("kW")).unwrap(),
        }
    }

    /// `sensor quantity`, or the reason why there is none.
    fn target(
        mapping: &FieldMapping,
        measurement: &str,
        tags: &[(&str, &str)],
        field: &str,
    ) -> String {
        let tag = |name: &str| {
            let found = tags.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| *value)
        };
        match mapping.target(measurement, tag, field) {
            Ok((sensor, quantity)) => {
                format!("{sensor} {quantity:?}")
            }
            Err(unmapped) => format!("{unmapped:?}"),
        }
    }

    #[test]
    fn a_tag_names_the_sensor_by_default() {
        let mapping = mapping(Vec::new());
        for (tags, field, expected) in [
            (
                &[("sensor_id", "a"), ("sensor", "b")],
                "watts",
                "a Power(Watts)",
            ),
            (
                &[("sensor", "b"), ("x", "y")],
                "Wh",
                "b Register(WattHours)",
            ),
            (&[("host", "b"), ("x", "y")], "watts", "Sensor"),
            (&[("sensor", "b"), ("x", "y")], "volts", "Field"),
        ] {
            assert_eq!(
                target(&mapping, "m", tags, field),
                expected,
                "{tags:?} {field}"
            );
        }
        let long = "x".repeat(65);
        assert!(target(&mapping, "m", &[("sensor", &long)], "watts").starts_with("Name"));
    }

    #[test]
    fn the_first_rule_that_fits_wins() {
        let mapping = mapping(vec![
            rule(Some("W"), &[("entity_id", "heat")], Some("heat pump")),
            rule(Some("W"), &[], None),
            rule(None, &[("site", "roof")], Some("solar")),
        ]);
        for (measurement, tags, expected) in [
            (
                "W",
                &[("entity_id", "heat")][..],
                "heat pump Power(Kilowatts)",
            ),
            ("W", &[("sensor", "x")], "x Power(Kilowatts)"),
            ("W", &[("site", "roof")], "Sensor"),
            ("V", &[("site", "roof")], "solar Power(Kilowatts)"),
            ("V", &[("sensor", "x")], "Field"),
        ] {
            assert_eq!(
                target(&mapping, measurement, tags, "value"),
                expected,
                "{tags:?}"
            );
        }
    }
}

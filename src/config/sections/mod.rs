//! Settings that are lists of sections, such as `[[influx.mappings]]`. Each section is read field by field, so that an error
//! names the one that is wrong.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::error::ConfigError;
use crate::domain::{AccountName, SensorId};
use crate::ingest::Quantity;
use crate::ingest::emoncms::InputRule;
use crate::ingest::influx::FieldRule;
use crate::mqtt::intake::{
    Channel, Pointer, Preset, SensorTemplate, Subscription, TimeForm, TopicFilter, TopicMapping,
};

const MAX_SUBSCRIPTIONS: usize = 64;

const MEASURE: &str = "watts or watthours";
const NODE: &str = "a node's name, in quotes even if it is a number";
const POINTER: &str = "a JSON pointer such as \"/ENERGY/Power\", or \"\" for a message that is only a number; and none with a preset";
const PRESET: &str =
    "tasmota, shelly-gen1, shelly or zigbee2mqtt; or watts, watthours or both instead";
const SENSOR: &str = "a sensor's id";
const SENSOR_TEMPLATE: &str = "a sensor's id, where {1} stands for the first + of the topic, {2} for the second; it is needed if the topic has no +";
const TOPIC: &str = "a topic such as \"tele/+/SENSOR\", where + stands for one level, and a # at the end for all that follow";
const UNIT: &str = "W, kW, MW or mW for watts; Wh, kWh, MWh, Wmin or J for watthours";

/// The lists of sections.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) subscriptions: Vec<Subscription>,
    pub(super) influx: Vec<FieldRule>,
    pub(super) emoncms: Vec<InputRule>,
}

/// The place of a key, for errors.
pub(super) type PlaceOf<'a> = &'a dyn Fn(&str) -> String;

/// One section of a list.
struct ListedSection<'a> {
    table: &'a Table,
    /// Its name, such as `influx.mappings[1]`.
    name: String,
    place_of: PlaceOf<'a>,
}

impl Lists {
    /// Reads the setting `key`, if it is a list of sections; returns whether it is.
    pub(super) fn read(
        &mut self,
        key: &str,
        value: &Value,
        place_of: PlaceOf<'_>,
    ) -> Result<bool, ConfigError> {
        match key {
            "mqtt.subscriptions" => {
                self.subscriptions = read(key, value, place_of, subscription)?;
                if self.subscriptions.len() > MAX_SUBSCRIPTIONS {
                    return Err(no_list(key, value, place_of));
                }
            }
            "influx.mappings" => self.influx = read(key, value, place_of, field_rule)?,
            "emoncms.mappings" => self.emoncms = read(key, value, place_of, input_rule)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
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

fn no_list(key: &str, value: &Value, place_of: PlaceOf<'_>) -> ConfigError {
    let most = match key {
        "mqtt.subscriptions" => format!("up to {MAX_SUBSCRIPTIONS} "),
        _ => String::new(),
    };
    ConfigError::Invalid {
        place: place_of(key),
        key: key.to_owned(),
        value: value.to_string(),
        expected: format!("{most}sections [[{key}]] in the configuration file"),
    }
}

impl ListedSection<'_> {
    /// Refuses fields that are not among `known`. Comes first, so that a misspelt field is not reported as missing.
    fn check_fields(&self, known: &[&str]) -> Result<(), ConfigError> {
        let key_of = |field: &str| format!("{}.{field}", self.name);
        let unknown = self
            .table
            .keys()
            .find(|name| !known.contains(&name.as_str()));
        unknown.map_or(Ok(()), |unknown| {
            let key = key_of(unknown);
            let known = known.iter().map(|field| key_of(field));
            Err(ConfigError::unknown_key((self.place_of)(&key), key, known))
        })
    }

    /// A text, which may be empty; `None` if the field is missing.
    fn text(&self, field: &str, expected: &str) -> Result<Option<&str>, ConfigError> {
        let text = self.table.get(field).map(|value| {
            let text = value.as_str();
            text.ok_or_else(|| self.invalid(field, expected))
        });
        text.transpose()
    }

    /// A parsed text; `None` if the field is missing or empty.
    fn optional<'a, T, E>(
        &'a self,
        field: &str,
        expected: &str,
        parse: impl FnOnce(&'a str) -> Result<T, E>,
    ) -> Result<Option<T>, ConfigError> {
        let text = self.text(field, expected)?.filter(|text| !text.is_empty());
        let parsed = text.map(|text| parse(text).map_err(|_| self.invalid(field, expected)));
        parsed.transpose()
    }

    /// A parsed text, which must not be empty.
    fn required<'a, T, E>(
        &'a self,
        field: &str,
        expected: &str,
        parse: impl FnOnce(&'a str) -> Result<T, E>,
    ) -> Result<T, ConfigError> {
        let parsed = self.optional(field, expected, parse)?;
        parsed.ok_or_else(|| self.invalid(field, expected))
    }

    /// The fields `measure` and `unit`.
    fn quantity(&self) -> Result<Quantity, ConfigError> {
        let measure = self.text("measure", MEASURE)?.unwrap_or_default();
        let unit = self.text("unit", UNIT)?.filter(|unit| !unit.is_empty());
        // Without a unit any known measure is a quantity, so the unit is to blame only after that.
        Quantity::new(measure, None).ok_or_else(|| self.invalid("measure", MEASURE))?;
        Quantity::new(measure, unit).ok_or_else(|| self.invalid("unit", UNIT))
    }

    /// The pointer `watts` or `watthours`, with its unit.
    fn pointer(&self, measure: &str) -> Result<Option<(Pointer, Quantity)>, ConfigError> {
        let unit_field = format!("{measure}_unit");
        let unit = self.text(&unit_field, UNIT)?;
        let unit = unit.filter(|unit| !unit.is_empty());
        let Some(text) = self.text(measure, POINTER)? else {
            // A unit of nothing is probably a misplaced one.
            return match unit {
                Some(_) => Err(self.invalid(&unit_field, UNIT)),
                None => Ok(None),
            };
        };
        let pointer = text.parse().map_err(|_| self.invalid(measure, POINTER))?;
        let quantity = Quantity::new(measure, unit);
        let quantity = quantity.ok_or_else(|| self.invalid(&unit_field, UNIT))?;
        Ok(Some((pointer, quantity)))
    }

    fn invalid(&self, field: &str, expected: &str) -> ConfigError {
        let key = format!("{}.{field}", self.name);
        let value = self.table.get(field).map(Value::to_string);
        ConfigError::Invalid {
            place: (self.place_of)(&key),
            key,
            value: value.unwrap_or_else(|| "missing".into()),
            expected: expected.to_owned(),
        }
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

fn subscription(section: &ListedSection<'_>) -> Result<Subscription, ConfigError> {
    section.check_fields(&[
        "preset",
        "topic",
        "account",
        "sensor",
        "add_sensors",
        "watts",
        "watts_unit",
        "watthours",
        "watthours_unit",
        "time",
    ])?;
    let preset: Option<Preset> = section.optional("preset", PRESET, str::parse)?;
    let topic: TopicFilter = match section.text("topic", TOPIC)?.unwrap_or_default() {
        // Without a preset there is no usual topic: the empty text does not parse, so the field is required.
        "" => preset.map_or("", Preset::usual_topic),
        topic => topic,
    }
    .parse()
    .map_err(|_| section.invalid("topic", TOPIC))?;
    let sensor: SensorTemplate = match section.text("sensor", SENSOR_TEMPLATE)? {
        None | Some("") => "{1}",
        Some(template) => template,
    }
    .parse()
    .map_err(|_| section.invalid("sensor", SENSOR_TEMPLATE))?;
    // The id would have a hole for a wildcard that is not there.
    if sensor.highest() > topic.wildcards() {
        return Err(section.invalid("sensor", SENSOR_TEMPLATE));
    }
    let adds_sensors = match section.table.get("add_sensors") {
        None => false,
        Some(Value::Boolean(adds)) => *adds,
        Some(_) => return Err(section.invalid("add_sensors", "true or false")),
    };
    Ok(Subscription {
        account: section.optional("account", "an account's name", AccountName::new)?,
        adds_sensors,
        mappings: mappings(section, preset, topic, sensor)?,
    })
}

/// The mappings of a preset, or the one that the section describes itself.
fn mappings(
    section: &ListedSection<'_>,
    preset: Option<Preset>,
    filter: TopicFilter,
    sensor: SensorTemplate,
) -> Result<Vec<TopicMapping>, ConfigError> {
    let watts = section.pointer("watts")?;
    let watthours = section.pointer("watthours")?;
    let time = section
        .text("time", POINTER)?
        .map(|text| text.parse().map_err(|_| section.invalid("time", POINTER)))
        .transpose()?;
    if let Some(preset) = preset {
        for (field, is_there) in [
            ("watts", watts.is_some()),
            ("watthours", watthours.is_some()),
            ("time", time.is_some()),
        ] {
            if is_there {
                return Err(section.invalid(field, POINTER));
            }
        }
        let mappings = preset.mappings(&filter, &sensor);
        return mappings.map_err(|_| section.invalid("topic", TOPIC));
    }
    let numbers: Vec<_> = watts
        .into_iter()
        .chain(watthours)
        .map(|(pointer, quantity)| (Channel::Number(0), pointer, quantity))
        .collect();
    if numbers.is_empty() {
        return Err(section.invalid("preset", PRESET));
    }
    Ok(vec![TopicMapping {
        filter,
        sensor,
        numbers,
        time: time.map(|pointer| (pointer, TimeForm::Utc)),
    }])
}

#[cfg(test)]
mod tests;

//! Settings that are lists of sections, such as `[[influx.mappings]]`: they come from the file only. Each is checked by itself,
//! so that an error names the one that is wrong.

use toml::{Table, Value};

use super::layers::closest;
use super::lines::Lines;
use super::{ConfigError, emoncms, influx, mqtt};

/// The settings of a section, and what each must be.
pub(super) type Fields = [(&'static str, &'static str)];

/// A setting that is a list of sections.
struct List {
    key: &'static str,
    fields: &'static Fields,
    /// Reads a section; names the setting in it that is wrong.
    check: fn(&Table) -> Result<(), &'static str>,
}

const LISTS: [List; 3] = [
    List {
        key: "mqtt.subscriptions",
        fields: &mqtt::FIELDS,
        check: mqtt::check,
    },
    List {
        key: "influx.mappings",
        fields: &influx::FIELDS,
        check: influx::check,
    },
    List {
        key: "emoncms.mappings",
        fields: &emoncms::FIELDS,
        check: emoncms::check,
    },
];

/// Checks the sections of the setting `key`, where it is a list of them.
///
/// # Errors
/// [`ConfigError::UnknownKey`], [`ConfigError::Invalid`].
pub(super) fn check(key: &str, value: &Value, lines: &Lines<'_>) -> Result<(), ConfigError> {
    let Some(list) = LISTS.iter().find(|list| list.key == key) else {
        return Ok(());
    };
    let tables = value.as_array().into_iter().flatten().map(Value::as_table);
    for (index, table) in tables.enumerate() {
        // What is no section fails as the list as a whole.
        let Some(table) = table else { continue };
        let key_of = |field: &str| format!("{key}[{index}].{field}");
        let expected = |name: &str| list.fields.iter().find(|(field, _)| *field == name);
        if let Some(unknown) = table.keys().find(|name| expected(name).is_none()) {
            let known = list.fields.iter().map(|(field, _)| key_of(field));
            return Err(ConfigError::UnknownKey {
                place: lines.place_of(&key_of(unknown)),
                key: key_of(unknown),
                closest: closest(&key_of(unknown), known.collect()),
            });
        }
        if let Err(wrong) = (list.check)(table) {
            let shown = table.get(wrong).map(Value::to_string);
            return Err(ConfigError::Invalid {
                place: lines.place_of(&key_of(wrong)),
                key: key_of(wrong),
                value: shown.unwrap_or_else(|| "not there".into()),
                expected: expected(wrong).map_or("", |(_, expected)| expected),
            });
        }
    }
    Ok(())
}

/// The first of these settings that is there and no text.
pub(super) fn find_no_text(table: &Table, names: &[&'static str]) -> Option<&'static str> {
    let is_no_text = |name: &&&str| table.get(**name).is_some_and(|value| !value.is_str());
    names.iter().find(is_no_text).copied()
}

//! Dotted keys, such as `http.listen`, and the defaults of known settings.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use toml::{Table, Value};

use crate::config::settings::EXAMPLE;

/// Every setting with its default, as written. The example contains all of them: a key that is not
/// in it does not exist, and its types are those of the settings.
pub(super) static DEFAULTS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let example = toml::from_str(EXAMPLE).unwrap_or_default();
    leaves(example, "", &BTreeMap::new()).into_iter().collect()
});

/// The default of a setting as written, without quotes.
pub(in crate::config) fn default_of(key: &str) -> String {
    DEFAULTS.get(key).map_or_else(String::new, plain)
}

/// The values in `table` with their dotted keys. An unknown section is returned as its settings, or
/// as itself if it is empty. A table instead of a value is an invalid value.
pub(super) fn leaves(
    table: Table,
    prefix: &str,
    known: &BTreeMap<String, Value>,
) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        match value {
            Value::Table(inner)
                if is_section(&key, known) || (!inner.is_empty() && !known.contains_key(&key)) =>
            {
                found.extend(leaves(inner, &format!("{key}."), known));
            }
            value => found.push((key, value)),
        }
    }
    found
}

/// Whether keys in `known` begin with this one.
pub(super) fn is_section(key: &str, known: &BTreeMap<String, Value>) -> bool {
    let begins = format!("{key}.");
    known.keys().any(|known| known.starts_with(&begins))
}

/// Puts a value into its section, which is created if needed.
pub(super) fn insert(table: &mut Table, key: &str, value: Value) {
    let Some((section, rest)) = key.split_once('.') else {
        table.insert(key.to_owned(), value);
        return;
    };
    let section = table.entry(section).or_insert_with(|| Table::new().into());
    if let Value::Table(section) = section {
        insert(section, rest, value);
    }
}

/// A value as text, without quotes.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

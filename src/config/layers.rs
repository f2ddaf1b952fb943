//! Laying the settings over each other: defaults, file, environment, flags.
//!
//! Each value is tried as it is laid, so that an error names the one setting that is wrong and where
//! it came from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::lines::Lines;
use super::{Config, ConfigError, Flags, Loaded, Origin, Setting, rules, sections};

/// Where the file is looked for, unless a flag names it.
const USUAL_FILES: [&str; 2] = ["./config.toml", "/etc/wattkeeper/config.toml"];

/// What the name of each environment variable begins with.
const PREFIX: &str = "WATTKEEPER_";

/// Reads the settings: the file named by `flags`, else `./config.toml`, else
/// `/etc/wattkeeper/config.toml`, else none; over it those of `environment`; over them `flags`.
///
/// # Errors
/// A [`ConfigError`] that names the setting and its origin.
pub fn load(
    flags: &Flags,
    environment: impl IntoIterator<Item = (String, String)>,
) -> Result<Loaded, ConfigError> {
    let mut layers = Layers::default();
    let usual = || {
        USUAL_FILES
            .map(PathBuf::from)
            .into_iter()
            .find(|path| path.exists())
    };
    if let Some(path) = flags.config.clone().or_else(usual) {
        match std::fs::read_to_string(&path) {
            Ok(text) => layers.lay_file(&path, &text)?,
            Err(source) => return Err(ConfigError::Unreadable { path, source }),
        }
    }
    layers.lay_environment(environment)?;
    layers.lay_flags(flags)?;
    Ok(layers.loaded())
}

/// The settings as laid so far: always whole and within their limits.
struct Layers {
    config: Config,
    table: Table,
    /// Where the settings came from that are not defaults.
    origins: BTreeMap<String, Origin>,
}

impl Default for Layers {
    fn default() -> Self {
        let config = Config::default();
        Self {
            // The defaults are tables of numbers and texts, all of which TOML can say.
            table: Table::try_from(&config).unwrap_or_default(),
            config,
            origins: BTreeMap::new(),
        }
    }
}

impl Layers {
    fn lay_file(&mut self, path: &Path, text: &str) -> Result<(), ConfigError> {
        let lines = Lines { path, text };
        let table: Table = toml::from_str(text).map_err(|error| ConfigError::Syntax {
            place: lines.place_at(error.span().map(|span| span.start)),
            message: error.message().trim().to_owned(),
        })?;
        for (key, value) in leaves(table, &self.table, "") {
            let place = || lines.place_of(&key);
            if value_at(&self.table, &key).is_none() {
                return Err(self.unknown_key(&key, place()));
            }
            sections::check(&key, &value, &lines)?;
            self.lay(&key, value, Origin::File(path.to_owned()), place)?;
        }
        Ok(())
    }

    fn lay_environment(
        &mut self,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), ConfigError> {
        let keys = self.keys();
        for (name, text) in environment {
            if !name.starts_with(PREFIX) {
                continue;
            }
            let Some(key) = keys.iter().find(|key| variable(key) == name) else {
                return Err(unknown_variable(&name, &keys));
            };
            let value = match value_at(&self.table, key) {
                Some(Value::Integer(_)) => text.parse().map_or(Value::String(text), Value::Integer),
                Some(Value::Boolean(_)) => text.parse().map_or(Value::String(text), Value::Boolean),
                Some(Value::Array(_)) => Value::Array(list(&text)),
                _ => Value::String(text),
            };
            let place = || name.clone();
            self.lay(key, value, Origin::Environment(name.clone()), place)?;
        }
        Ok(())
    }

    fn lay_flags(&mut self, flags: &Flags) -> Result<(), ConfigError> {
        let data_dir = flags
            .data_dir
            .as_ref()
            .map(|dir| dir.to_string_lossy().into_owned());
        let listen = flags.listen.map(|address| address.to_string());
        for (key, flag, value) in [
            ("data_dir", "--data-dir", data_dir),
            ("http.listen", "--listen", listen),
            ("log.level", "-v or -q", flags.log_level.clone()),
        ] {
            if let Some(value) = value {
                let origin = Origin::Flag(flag.into());
                self.lay(key, Value::String(value), origin, || flag.into())?;
            }
        }
        Ok(())
    }

    /// Lays one value over what is there, and checks that the settings are still right.
    fn lay(
        &mut self,
        key: &str,
        value: Value,
        origin: Origin,
        place: impl Fn() -> String,
    ) -> Result<(), ConfigError> {
        // An address may hold a password where it must not.
        let shown = if rules::is_secret(key) || value.to_string().contains('@') {
            "something else (not shown)".to_owned()
        } else {
            value.to_string()
        };
        let mut table = self.table.clone();
        if let Some(slot) = slot_at(&mut table, key) {
            *slot = value;
        }
        let config: Option<Config> = table.clone().try_into().ok();
        match config.filter(rules::hold) {
            Some(config) => {
                self.config = config;
                self.table = table;
                self.origins.insert(key.to_owned(), origin);
                Ok(())
            }
            None => Err(ConfigError::Invalid {
                place: place(),
                key: key.to_owned(),
                value: shown,
                expected: rules::expected(key),
            }),
        }
    }

    /// The names of all settings.
    fn keys(&self) -> Vec<String> {
        let leaves = leaves(self.table.clone(), &self.table, "");
        leaves.into_iter().map(|(key, _)| key).collect()
    }

    fn unknown_key(&self, key: &str, place: String) -> ConfigError {
        ConfigError::UnknownKey {
            place,
            key: key.to_owned(),
            closest: closest(key, self.keys()),
        }
    }

    fn loaded(self) -> Loaded {
        // As it is in force, not as it was written: a number of bytes may have become `1MiB`.
        let table = Table::try_from(&self.config).unwrap_or(self.table);
        let settings = leaves(table.clone(), &table, "")
            .into_iter()
            .map(|(key, value)| Setting {
                value: plain(&value),
                origin: self.origins.get(&key).cloned().unwrap_or(Origin::Default),
                key,
            })
            .collect();
        Loaded {
            config: self.config,
            settings,
        }
    }
}

/// The values in `table` with their dotted keys. An unknown section counts by what is in it, or by its
/// own name where it is empty. A table in place of a value is a value, and a wrong one.
fn leaves(table: Table, known: &Table, prefix: &str) -> Vec<(String, Value)> {
    let nothing = Table::new();
    let mut found = Vec::new();
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        match (value, known.get(&name)) {
            (Value::Table(inner), Some(Value::Table(section))) => {
                found.extend(leaves(inner, section, &format!("{key}.")));
            }
            (Value::Table(inner), None) if !inner.is_empty() => {
                found.extend(leaves(inner, &nothing, &format!("{key}.")));
            }
            (value, _) => found.push((key, value)),
        }
    }
    found
}

fn value_at<'t>(table: &'t Table, key: &str) -> Option<&'t Value> {
    match key.split_once('.') {
        Some((section, rest)) => value_at(table.get(section)?.as_table()?, rest),
        None => table.get(key),
    }
}

fn slot_at<'t>(table: &'t mut Table, key: &str) -> Option<&'t mut Value> {
    match key.split_once('.') {
        Some((section, rest)) => slot_at(table.get_mut(section)?.as_table_mut()?, rest),
        None => table.get_mut(key),
    }
}

/// The environment variable of a setting: `http.max_body` is `WATTKEEPER_HTTP_MAX_BODY`.
fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_ascii_uppercase())
}

fn unknown_variable(name: &str, keys: &[String]) -> ConfigError {
    ConfigError::UnknownKey {
        place: "environment".into(),
        key: name.to_owned(),
        closest: closest(name, keys.iter().map(|key| variable(key)).collect()),
    }
}

/// The known name most like `name`, as a whole and in its last part: a forgotten section is common.
pub(super) fn closest(name: &str, known: Vec<String>) -> String {
    fn last_part(key: &str) -> &str {
        key.rsplit('.').next().unwrap_or(key)
    }
    let likeness = |key: &String| {
        strsim::jaro_winkler(key, name) + strsim::jaro_winkler(last_part(key), last_part(name))
    };
    known
        .into_iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
        .unwrap_or_default()
}

fn list(text: &str) -> Vec<Value> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(|item| Value::String(item.to_owned()))
        .collect()
}

/// A value as text, without quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

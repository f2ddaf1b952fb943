//! Lays the settings over each other: defaults, file, environment, flags.
//!
//! Each value is parsed as it is laid, so that an error names the one setting that is wrong, and where it came from.
//!
//! - `options`: those of an add-on

mod options;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::environment::{PREFIX, is_of_orchestrator};
use super::error::ConfigError;
use super::held::held;
use super::lines::ConfigFile;
use super::sections::{Lists, PlaceOf, shown};
use super::setting::Setting;
use super::settings::{Config, EXAMPLE};
use super::supervisor::{ADDRESS_VARIABLE, Supervisor, TOKEN_VARIABLE};
use crate::domain::secret::HIDDEN;
use crate::store::explain_denied;

/// Where the file is looked for, unless it is named: in the current folder, then here.
const FOLDER_FILE: &str = "./config.toml";
const SYSTEM_FILE: &str = "/etc/wattkeeper/config.toml";
/// The variable that names the file.
const FILE_VARIABLE: &str = "WATTKEEPER_CONFIG";
/// The variable that names a file of JSON with settings, as Home Assistant writes it for an add-on.
const OPTIONS_VARIABLE: &str = "WATTKEEPER_OPTIONS";
/// Secret settings: their values are never shown.
pub(super) const SECRETS: [&str; 5] = [
    "http.metrics.token",
    ENGINE,
    WEBHOOK,
    "notices.token",
    "mqtt.password",
];
/// Of this secret, the host is shown.
const WEBHOOK: &str = "notices.webhook";
/// Of this secret, all but the password is shown.
const ENGINE: &str = "store.engine";

/// The settings that the command line gives.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// The file to read instead of the usual ones.
    pub config: Option<PathBuf>,
    /// Whether `./config.toml` counts as one of the usual files. A command that somebody runs in a stranger's folder must not
    /// follow the settings there.
    pub in_current_folder: bool,
    /// The folder of the store.
    pub data_dir: Option<PathBuf>,
    /// The address to listen on.
    pub listen: Option<SocketAddr>,
    /// What is logged.
    pub log_level: Option<String>,
}

/// All settings in force, and where each came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// The same one by one, by key.
    pub settings: Vec<Setting>,
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// A `./config.toml` that was not read, because it was not named.
    pub file_not_read: Option<PathBuf>,
    /// The names of variables that Kubernetes or Docker set, which were ignored.
    pub ignored: Vec<String>,
}

/// Reads the settings: those of the file of JSON that `WATTKEEPER_OPTIONS` names; over it those of the file named by `flags`, else by `WATTKEEPER_CONFIG`, else `./config.toml` if `flags` allow it, else
/// `/etc/wattkeeper/config.toml`, else none; over it those of `environment`; over them `flags`.
///
/// # Errors
/// A [`ConfigError`] that names the setting and its origin.
pub fn load(
    flags: &Flags,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Loaded, ConfigError> {
    let mut environment: Vec<_> = environment.into_iter().collect();
    let mut take = |name: &str| {
        let at = environment.iter().position(|(own, _)| own == name)?;
        Some(environment.swap_remove(at).1)
    };
    let named = take(FILE_VARIABLE).map(PathBuf::from);
    let options = take(OPTIONS_VARIABLE).map(PathBuf::from);
    let supervisor = Supervisor::found(take(TOKEN_VARIABLE), take(ADDRESS_VARIABLE));
    let mut layers = Layers::defaults();
    if let Some(path) = options {
        layers.lay_options(&path)?;
    }
    let named = flags.config.clone().or(named);
    let in_folder = PathBuf::from(FOLDER_FILE);
    let in_folder = (named.is_none() && in_folder.exists()).then_some(in_folder);
    let (in_folder, file_not_read) = if flags.in_current_folder {
        (in_folder, None)
    } else {
        (None, in_folder)
    };
    let of_system = || Some(PathBuf::from(SYSTEM_FILE)).filter(|path| path.exists());
    // Of the usual files each may be missing; a file that is named may not, and fails below.
    let file = named.or(in_folder).or_else(of_system);
    if let Some(path) = &file {
        match std::fs::read_to_string(path) {
            Ok(text) => layers.lay_file(path, &text)?,
            Err(error) => {
                let (path, source) = (path.clone(), explain_denied(path, error));
                return Err(ConfigError::Unreadable { path, source });
            }
        }
    }
    layers.lay_environment(environment)?;
    layers.lay_flags(flags)?;
    if let Some(supervisor) = &supervisor {
        let proxies = &mut layers.config.http.trusted_proxies;
        proxies.push(supervisor.ingress.into());
    }
    layers.config.supervisor = supervisor;
    Ok(Loaded {
        file,
        file_not_read,
        ..layers.loaded()
    })
}

/// The defaults, but for this setting, which is `text` and comes from `origin`.
///
/// # Errors
/// A [`ConfigError`] that names the setting.
pub(super) fn with_one(key: &str, text: &str, origin: &str) -> Result<Config, ConfigError> {
    let mut layers = Layers::defaults();
    layers.lay_text(key, text.to_owned(), origin)?;
    Ok(layers.config)
}

/// The default of a setting as it is written, without quotes.
pub(super) fn default_of(key: &str) -> String {
    let mut layers = Layers::defaults();
    slot_at(&mut layers.table, key).map_or_else(String::new, |value| plain(value))
}

/// The settings as laid so far: always complete and within their limits.
struct Layers {
    /// All but the lists.
    config: Config,
    lists: Lists,
    /// The same as it was written.
    table: Table,
    /// Where the settings came from that are not defaults.
    origins: BTreeMap<String, String>,
    /// Variables that are no settings, and need not be.
    ignored: Vec<String>,
}

impl Layers {
    fn defaults() -> Self {
        Self {
            config: Config::default(),
            lists: Lists::default(),
            // The example has every setting, so a key that is not in it does not exist. Its types are those of the settings.
            table: toml::from_str(EXAMPLE).unwrap_or_default(),
            origins: BTreeMap::new(),
            ignored: Vec::new(),
        }
    }

    fn lay_file(&mut self, path: &Path, text: &str) -> Result<(), ConfigError> {
        let file = ConfigFile { path, text };
        let table: Table = toml::from_str(text).map_err(|error| ConfigError::Syntax {
            place: file.place_at(error.span().map(|span| span.start)),
            message: error.message().trim().to_owned(),
        })?;
        let place_of = |key: &str| file.place_of(key);
        let origin = path.display().to_string();
        for (key, value) in leaves(table, &self.table, "") {
            if slot_at(&mut self.table, &key).is_none() {
                return Err(ConfigError::unknown_key(place_of(&key), key, self.keys()));
            }
            self.lay(&key, value, origin.clone(), &place_of)?;
        }
        Ok(())
    }

    fn lay_environment(
        &mut self,
        environment: Vec<(OsString, OsString)>,
    ) -> Result<(), ConfigError> {
        // `http.max_body` is `WATTKEEPER_HTTP_MAX_BODY`.
        let variable =
            |key: &String| format!("{PREFIX}{}", key.replace('.', "_").to_ascii_uppercase());
        let keys = self.keys();
        for (name, text) in environment {
            // Those of other programs may be anything.
            if !name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
                continue;
            }
            let not_utf8 = |name: OsString| ConfigError::NotUtf8(name.display().to_string());
            let name = name.into_string().map_err(not_utf8)?;
            let text = text
                .into_string()
                .map_err(|_| ConfigError::NotUtf8(name.clone()))?;
            // A misspelt variable would have no effect, and nobody would notice.
            let Some(key) = keys.iter().find(|key| variable(key) == name) else {
                let rest = name.strip_prefix(PREFIX).unwrap_or_default();
                if is_of_orchestrator(rest, &text) {
                    self.ignored.push(name);
                    continue;
                }
                let known = keys.iter().map(variable);
                return Err(ConfigError::unknown_key("environment".into(), name, known));
            };
            self.lay_text(key, text, &name)?;
        }
        Ok(())
    }

    /// Lays a value that is written as a text.
    fn lay_text(&mut self, key: &str, text: String, origin: &str) -> Result<(), ConfigError> {
        // The default shows which type of TOML the text stands for.
        let value = match slot_at(&mut self.table, key) {
            // If this fails it stays text, so that the error shows it as it was written.
            Some(Value::Integer(_)) => text.parse().map_or(Value::String(text), Value::Integer),
            Some(Value::Boolean(_)) => text.parse().map_or(Value::String(text), Value::Boolean),
            Some(Value::Array(_)) => Value::Array(list(&text)),
            _ => Value::String(text),
        };
        self.lay(key, value, origin.to_owned(), &|_| origin.to_owned())
    }

    fn lay_flags(&mut self, flags: &Flags) -> Result<(), ConfigError> {
        let data_dir = match &flags.data_dir {
            None => None,
            Some(dir) => Some(dir.to_str().ok_or_else(|| ConfigError::Invalid {
                place: "--data-dir".into(),
                key: "data_dir".into(),
                value: dir.display().to_string(),
                expected: "the path of a folder, in UTF-8".into(),
            })?),
        };
        let data_dir = data_dir.map(str::to_owned);
        let listen = flags.listen.map(|address| address.to_string());
        for (key, flag, value) in [
            ("data_dir", "--data-dir", data_dir),
            ("http.listen", "--listen", listen),
            ("log.level", "-v or -q", flags.log_level.clone()),
        ] {
            if let Some(value) = value {
                self.lay(key, Value::String(value), flag.into(), &|_| flag.into())?;
            }
        }
        Ok(())
    }

    /// Lays one value over what is there, and parses the result.
    fn lay(
        &mut self,
        key: &str,
        value: Value,
        origin: String,
        place_of: PlaceOf<'_>,
    ) -> Result<(), ConfigError> {
        let shown = if SECRETS.contains(&key) {
            "something else (not shown)".to_owned()
        } else {
            shown(&value)
        };
        let invalid = |expected: &str| ConfigError::Invalid {
            place: place_of(key),
            key: key.to_owned(),
            value: shown,
            expected: expected.to_owned(),
        };
        // Lists of sections are no part of `Config` as serde reads it: their errors name a field, which serde's cannot.
        let is_list = self.lists.read(key, &value, place_of)?;
        // A copy: a value that is refused changes nothing.
        let mut table = self.table.clone();
        match slot_at(&mut table, key) {
            Some(slot) if !slot.is_table() => *slot = value,
            _ => return Err(invalid("a section of settings")),
        }
        if !is_list {
            // All settings again, for each value: the others were valid before, so an error is about this one.
            self.config = table.clone().try_into().map_err(|error: toml::de::Error| {
                // Serde's own messages read `invalid type: .., expected ..`; ours are only what was expected.
                let message = error.message();
                invalid(
                    message
                        .rsplit_once(", expected ")
                        .map_or(message, |(_, expected)| expected),
                )
            })?;
        }
        self.table = table;
        self.origins.insert(key.to_owned(), origin);
        Ok(())
    }

    /// The names of all settings.
    fn keys(&self) -> Vec<String> {
        let leaves = leaves(self.table.clone(), &self.table, "");
        leaves.into_iter().map(|(key, _)| key).collect()
    }

    fn loaded(mut self) -> Loaded {
        let settings: Vec<_> = leaves(self.table.clone(), &self.table, "")
            .into_iter()
            .map(|(key, value)| Setting {
                value: match plain(&value) {
                    text if !text.is_empty() && SECRETS.contains(&key.as_str()) => {
                        self.config.without_secret(&key)
                    }
                    text => text,
                },
                origin: self.origins.remove(&key).unwrap_or("default".into()),
                key,
            })
            .collect();
        let held = held(&settings, default_of);
        let mut config = self.config;
        config.held = held;
        config.mqtt.subscriptions = self.lists.subscriptions;
        config.poll = self.lists.polled;
        config.influx.mappings = self.lists.influx;
        config.emoncms.mappings = self.lists.emoncms;
        Loaded {
            config,
            settings,
            file: None,
            file_not_read: None,
            ignored: self.ignored,
        }
    }
}

impl Config {
    /// What is shown of a secret setting that is set.
    fn without_secret(&self, key: &str) -> String {
        match (key, &self.notices.webhook, &self.store.engine) {
            (WEBHOOK, Some(webhook), _) => format!("{} {HIDDEN}", webhook.host()),
            (ENGINE, _, Some(engine)) if engine.password().is_set() => format!("{engine} {HIDDEN}"),
            (ENGINE, _, Some(engine)) => engine.to_string(),
            _ => HIDDEN.into(),
        }
    }
}

/// The values in `table` with their dotted keys. An unknown section stands for its settings, or for itself if it is empty. A
/// table in place of a value is a value, and a wrong one.
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

fn slot_at<'t>(table: &'t mut Table, key: &str) -> Option<&'t mut Value> {
    match key.split_once('.') {
        Some((section, rest)) => slot_at(table.get_mut(section)?.as_table_mut()?, rest),
        None => table.get_mut(key),
    }
}

/// The items of a list that an environment variable holds.
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

#[cfg(test)]
mod tests;

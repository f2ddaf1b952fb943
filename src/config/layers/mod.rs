//! Merges the layers of settings: defaults, file, environment, flags; then parses them, once.
//!
//! - `keys`: dotted keys, and the defaults of known settings
//! - `options`: options of an add-on

mod keys;
mod options;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use ipnet::IpNet;
use toml::{Table, Value};

pub(super) use self::keys::default_of;
use self::keys::{DEFAULTS, insert, is_section, leaves, plain};
use super::environment::{PREFIX, is_of_orchestrator};
use super::error::ConfigError;
use super::held::held;
use super::lines::ConfigFile;
use super::sections::shown;
use super::setting::Setting;
use super::settings::Config;
use super::supervisor::{ADDRESS_VARIABLE, Supervisor, TOKEN_VARIABLE};
use crate::domain::secret::HIDDEN;
use crate::store::explain_denied;

/// The path where the file is looked for by default: in the current folder, then the next one.
const FOLDER_FILE: &str = "./config.toml";
const SYSTEM_FILE: &str = "/etc/wattkeeper/config.toml";
/// The variable that names the file.
const FILE_VARIABLE: &str = "WATTKEEPER_CONFIG";
/// The variable that names a JSON file with settings, as Home Assistant writes it for an add-on.
const OPTIONS_VARIABLE: &str = "WATTKEEPER_OPTIONS";
/// Secret settings: their values are never shown.
pub(super) const SECRETS: [&str; 6] = [
    "http.metrics.token",
    ENGINE,
    WEBHOOK,
    "notices.token",
    "mqtt.password",
    "home_assistant.token",
];
/// The secret whose host is shown.
const WEBHOOK: &str = "notices.webhook";
/// The secret that is shown without its password.
const ENGINE: &str = "store.engine";

/// The settings given on the command line.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// The file to read instead of the default ones.
    pub config: Option<PathBuf>,
    /// Whether `./config.toml` is one of the default files. A command that is run in somebody
    /// else's folder must not follow the settings there.
    pub in_current_folder: bool,
    /// The folder of the store.
    pub data_dir: Option<PathBuf>,
    /// The address to listen on.
    pub listen: Option<SocketAddr>,
    /// The filter of the log.
    pub log_level: Option<String>,
}

/// All settings in force, and their origins.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// The same, one by one, by key.
    pub settings: Vec<Setting>,
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// A `./config.toml` that was not read, because no option named it.
    pub file_not_read: Option<PathBuf>,
    /// The names of ignored variables that Kubernetes or Docker set.
    pub ignored: Vec<String>,
}

/// Reads the settings. Each layer overrides the ones before it: the JSON file that
/// `WATTKEEPER_OPTIONS` names; the file named by `flags`, else by `WATTKEEPER_CONFIG`, else
/// `./config.toml` if `flags` allow it, else `/etc/wattkeeper/config.toml`, else none;
/// `environment`; `flags`.
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
    let mut layers = Layers::default();
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
    // Default files may be missing; a named file may not, and fails below.
    let file = named.or(in_folder).or_else(of_system);
    if let Some(path) = &file {
        match std::fs::read_to_string(path) {
            Ok(text) => layers.lay_file(ConfigFile { path, text })?,
            Err(error) => {
                let (path, source) = (path.clone(), explain_denied(path, error));
                return Err(ConfigError::Unreadable { path, source });
            }
        }
    }
    layers.lay_environment(environment)?;
    layers.lay_flags(flags)?;
    let mut config = layers.config()?;
    let settings = layers.settings(&config);
    config.held = held(&settings, default_of);
    let ingress = supervisor.as_ref().map(|supervisor| supervisor.ingress);
    config.http.trusted_proxies.extend(ingress.map(IpNet::from));
    config.supervisor = supervisor;
    Ok(Loaded {
        config,
        settings,
        ignored: layers.ignored,
        file_not_read,
        file,
    })
}

/// The defaults, with this setting replaced by `text` from `origin`.
///
/// # Errors
/// A [`ConfigError`] that names the setting.
pub(super) fn with_one(key: &str, text: &str, origin: &str) -> Result<Config, ConfigError> {
    let mut layers = Layers::default();
    layers.lay_text(key, text.to_owned(), origin);
    layers.config()
}

/// The settings merged so far, by key.
#[derive(Default)]
struct Layers<'a> {
    /// Settings that are not defaults.
    laid: BTreeMap<String, Laid>,
    file: Option<ConfigFile<'a>>,
    /// Variables that are not settings, and need not be.
    ignored: Vec<String>,
}

/// A setting as written.
struct Laid {
    value: Value,
    /// The file, the variable, the flag or the options that it comes from.
    origin: String,
}

impl<'a> Layers<'a> {
    fn lay_file(&mut self, file: ConfigFile<'a>) -> Result<(), ConfigError> {
        let table: Table = toml::from_str(&file.text).map_err(|error| ConfigError::Syntax {
            place: file.place_at(error.span().map(|span| span.start)),
            message: error.message().trim().to_owned(),
        })?;
        let origin = file.path.display().to_string();
        for (key, value) in leaves(table, "", &DEFAULTS) {
            if !DEFAULTS.contains_key(&key) {
                let place = file.place_of(&key);
                return Err(if is_section(&key, &DEFAULTS) {
                    invalid(place, &key, &value, "a section of settings")
                } else {
                    ConfigError::unknown_key(place, key, DEFAULTS.keys().cloned())
                });
            }
            self.lay(&key, value, &origin);
        }
        self.file = Some(file);
        Ok(())
    }

    fn lay_environment(
        &mut self,
        environment: Vec<(OsString, OsString)>,
    ) -> Result<(), ConfigError> {
        // `http.max_body` is `WATTKEEPER_HTTP_MAX_BODY`.
        let variable =
            |key: &String| format!("{PREFIX}{}", key.replace('.', "_").to_ascii_uppercase());
        for (name, text) in environment {
            // Variables of other programs may be anything.
            if !name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
                continue;
            }
            let not_utf8 = |name: OsString| ConfigError::NotUtf8(name.display().to_string());
            let name = name.into_string().map_err(not_utf8)?;
            let text = text
                .into_string()
                .map_err(|_| ConfigError::NotUtf8(name.clone()))?;
            // A misspelt variable would have no effect, and nobody would notice.
            let Some(key) = DEFAULTS.keys().find(|key| variable(key) == name) else {
                let rest = name.strip_prefix(PREFIX).unwrap_or_default();
                if is_of_orchestrator(rest, &text) {
                    self.ignored.push(name);
                    continue;
                }
                let known = DEFAULTS.keys().map(variable);
                return Err(ConfigError::unknown_key("environment".into(), name, known));
            };
            self.lay_text(key, text, &name);
        }
        Ok(())
    }

    /// Sets a value given as text.
    fn lay_text(&mut self, key: &str, text: String, origin: &str) {
        // The default tells the TOML type of the text.
        let value = match DEFAULTS.get(key) {
            // If parsing fails it stays text, so that the error shows it as written.
            Some(Value::Integer(_)) => text.parse().map_or(Value::String(text), Value::Integer),
            Some(Value::Boolean(_)) => text.parse().map_or(Value::String(text), Value::Boolean),
            Some(Value::Array(_)) => Value::Array(list(&text)),
            _ => Value::String(text),
        };
        self.lay(key, value, origin);
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
                self.lay(key, Value::String(value), flag);
            }
        }
        Ok(())
    }

    fn lay(&mut self, key: &str, value: Value, origin: &str) {
        let origin = origin.to_owned();
        self.laid.insert(key.to_owned(), Laid { value, origin });
    }

    /// Parses all settings.
    fn config(&self) -> Result<Config, ConfigError> {
        let values = self.laid.iter().map(|(key, laid)| (key, &laid.value));
        let mut config = parse(values).map_err(|error| {
            // The error does not name the setting, which is also invalid alone.
            let alone = |(key, laid): (&String, &Laid)| {
                let error = parse([(key, &laid.value)]).err()?;
                Some(invalid(self.place_of(laid, key), key, &laid.value, &error))
            };
            let found = self.laid.iter().find_map(alone);
            found.unwrap_or_else(|| ConfigError::Syntax {
                place: "the combination of settings".to_owned(),
                message: error,
            })
        })?;
        // Lists of sections are not part of `Config` for serde: their errors name a field, which
        // serde's cannot.
        for (key, laid) in &self.laid {
            config.read_list(key, &laid.value, &|field| self.place_of(laid, field))?;
        }
        Ok(config)
    }

    /// The place of this setting, or of a field in it.
    fn place_of(&self, laid: &Laid, key: &str) -> String {
        let file = self.file.as_ref();
        let file = file.filter(|file| file.path.display().to_string() == laid.origin);
        file.map_or_else(|| laid.origin.clone(), |file| file.place_of(key))
    }

    /// All settings of `config`, as written.
    fn settings(&self, config: &Config) -> Vec<Setting> {
        let setting = |(key, default): (&String, &Value)| {
            let laid = self.laid.get(key);
            let written = plain(laid.map_or(default, |laid| &laid.value));
            let is_shown = written.is_empty() || !SECRETS.contains(&key.as_str());
            Setting {
                key: key.clone(),
                value: if is_shown {
                    written
                } else {
                    config.without_secret(key)
                },
                origin: laid.map_or("default", |laid| &laid.origin).to_owned(),
            }
        };
        DEFAULTS.iter().map(setting).collect()
    }
}

impl Config {
    /// The part of a secret setting that may be shown.
    fn without_secret(&self, key: &str) -> String {
        match (key, &self.notices.webhook, &self.store.engine) {
            (WEBHOOK, Some(webhook), _) => format!("{} {HIDDEN}", webhook.host()),
            (ENGINE, _, Some(engine)) if engine.password().is_set() => format!("{engine} {HIDDEN}"),
            (ENGINE, _, Some(engine)) => engine.to_string(),
            _ => HIDDEN.into(),
        }
    }
}

/// The defaults with `values` replacing theirs; an error is the expected value.
fn parse<'a>(values: impl IntoIterator<Item = (&'a String, &'a Value)>) -> Result<Config, String> {
    let mut table = Table::new();
    for (key, value) in DEFAULTS.iter().chain(values) {
        insert(&mut table, key, value.clone());
    }
    table.try_into().map_err(|error: toml::de::Error| {
        // Serde's own messages read `invalid type: .., expected ..`.
        let message = error.message();
        let expected = message.rsplit_once(", expected ");
        expected
            .map_or(message, |(_, expected)| expected)
            .to_owned()
    })
}

fn invalid(place: String, key: &str, value: &Value, expected: &str) -> ConfigError {
    ConfigError::Invalid {
        place,
        key: key.to_owned(),
        value: if SECRETS.contains(&key) {
            "something else (not shown)".to_owned()
        } else {
            shown(value)
        },
        expected: expected.to_owned(),
    }
}

/// The items of a list in an environment variable.
fn list(text: &str) -> Vec<Value> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(|item| Value::String(item.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests;

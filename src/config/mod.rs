//! The settings: built-in defaults, then the file, then the environment, then flags.
//!
//! They are read once at start, checked, and never change while the service runs.
//! `config.example.toml` documents each of them.

mod emoncms;
mod influx;
mod layers;
mod lines;
mod mqtt;
mod network;
mod rules;
mod secret;
mod sections;
mod values;

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use emoncms::{EmoncmsConfig, EmoncmsMapping};
pub use influx::{InfluxConfig, InfluxMapping};
pub use layers::load;
pub use mqtt::{HomeAssistantConfig, MqttConfig, SubscriptionConfig};
pub use network::{Network, WebOrigin};
pub use secret::Secret;
pub use values::{Size, Span};

use crate::backups;
use crate::store::{Durability, StoreSettings};

/// All settings, each within its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Where the store lives.
    pub data_dir: PathBuf,
    /// The web service.
    pub http: HttpConfig,
    /// The store.
    pub store: StoreConfig,
    /// Copies on a schedule.
    pub backup: BackupConfig,
    /// The broker that readings come from.
    pub mqtt: MqttConfig,
    /// What Home Assistant is told through it.
    pub home_assistant: HomeAssistantConfig,
    /// InfluxDB's protocol.
    pub influx: InfluxConfig,
    /// Emoncms' protocol.
    pub emoncms: EmoncmsConfig,
    /// The log.
    pub log: LogConfig,
}

/// The web service's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HttpConfig {
    /// Where to listen; port 0 picks a free one.
    pub listen: SocketAddr,
    /// What comes before `/elec` in addresses.
    pub base_path: String,
    /// The largest body, before and after it is unpacked.
    pub max_body: Size,
    /// Threads that serve requests.
    pub workers: usize,
    /// Connections held open at once; more wait to be accepted.
    pub max_connections: usize,
    /// How long a client may take to send a request's head.
    pub head_timeout: Span,
    /// How long a client may take to send a body.
    pub request_timeout: Span,
    /// How long a connection without a request stays open.
    pub idle_timeout: Span,
    /// How long a client may leave sent bytes unread.
    pub stall_timeout: Span,
    /// Requests an address may make in a minute; 0: any number.
    pub requests_per_minute: u32,
    /// Wrong credentials that an address may show for an api id in a minute; 0: any number.
    pub failed_sign_ins_per_minute: u32,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Network>,
    /// Web sites whose pages may ask from within a browser.
    pub cors_origins: Vec<WebOrigin>,
    /// What is told to Prometheus.
    pub metrics: MetricsConfig,
    /// The certificate, for serving by TLS.
    pub tls: TlsConfig,
}

/// The files of the certificate; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TlsConfig {
    /// The chain of certificates.
    pub cert_file: PathBuf,
    /// The private key.
    pub key_file: PathBuf,
}

/// The settings of the metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricsConfig {
    /// Whether there are any.
    pub enabled: bool,
    /// What who asks must show; empty for nothing.
    pub token: Secret,
}

/// The store's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoreConfig {
    /// When an upload is answered: after the sync, or at once with syncs at an interval.
    #[serde(with = "values::durability")]
    pub durability: Durability,
    /// Memory for the pages of the store that are in use.
    pub cache_size: Size,
    /// The most readings in one sealed block.
    pub block_readings: usize,
}

/// The settings of scheduled copies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackupConfig {
    /// The folder that they go to; empty for none.
    pub dir: PathBuf,
    /// The time from one to the next.
    pub every: Span,
    /// How many are kept.
    pub keep: usize,
}

/// The log's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogConfig {
    /// What is logged: a level, or a filter as `env_logger` reads it.
    pub level: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from("./wattkeeper-data"),
            http: HttpConfig::default(),
            store: StoreConfig::default(),
            backup: BackupConfig::default(),
            mqtt: MqttConfig::default(),
            home_assistant: HomeAssistantConfig::default(),
            influx: InfluxConfig::default(),
            emoncms: EmoncmsConfig::default(),
            log: LogConfig::default(),
        }
    }
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::UNSPECIFIED, 8080)),
            base_path: "/api/v0.2".into(),
            max_body: Size(1024 * 1024),
            workers: 2,
            max_connections: 256,
            head_timeout: Span::from_secs(5),
            request_timeout: Span::from_secs(30),
            idle_timeout: Span::from_secs(75),
            stall_timeout: Span::from_secs(30),
            requests_per_minute: 0,
            failed_sign_ins_per_minute: 20,
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            metrics: MetricsConfig::default(),
            tls: TlsConfig::default(),
        }
    }
}

impl Default for MetricsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            token: Secret::default(),
        }
    }
}

impl Default for StoreConfig {
    fn default() -> Self {
        let settings = StoreSettings::default();
        Self {
            durability: settings.durability,
            cache_size: Size(settings.cache_bytes),
            block_readings: settings.block_readings,
        }
    }
}

impl Default for BackupConfig {
    fn default() -> Self {
        Self {
            dir: PathBuf::new(),
            every: Span::from_secs(24 * 3_600),
            keep: 7,
        }
    }
}

impl BackupConfig {
    /// The settings as the schedule takes them; none where there is to be no schedule.
    #[must_use]
    pub fn settings(&self) -> Option<backups::Settings> {
        let is_wanted = !self.dir.as_os_str().is_empty();
        is_wanted.then(|| backups::Settings {
            dir: self.dir.clone(),
            every: self.every.0,
            keep: self.keep,
        })
    }
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            level: "info".into(),
        }
    }
}

impl StoreConfig {
    /// The settings as the store takes them.
    #[must_use]
    pub const fn settings(&self) -> StoreSettings {
        StoreSettings {
            durability: self.durability,
            cache_bytes: self.cache_size.0,
            block_readings: self.block_readings,
        }
    }
}

impl LogConfig {
    /// The whole filter for `env_logger`.
    ///
    /// The web server's own messages are left out unless the setting names them: they report what
    /// broken clients send as errors of ours, and what is ours is logged where it is handled.
    #[must_use]
    pub fn filter(&self) -> String {
        if self.level.eq_ignore_ascii_case("off") {
            return self.level.clone();
        }
        format!("actix_http=off,actix_server=error,{}", self.level)
    }
}

/// The settings that the command line gives.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// The file to read instead of the usual ones.
    pub config: Option<PathBuf>,
    /// Where the store lives.
    pub data_dir: Option<PathBuf>,
    /// Where to listen.
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
}

/// One setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, such as `http.listen`.
    pub key: String,
    /// Its value as text, without quotes.
    pub value: String,
    /// Where it came from.
    pub origin: Origin,
}

/// Where a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// This file.
    File(PathBuf),
    /// This environment variable.
    Environment(String),
    /// This flag.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => path.display().fmt(f),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// Why there are no settings.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not TOML.
    #[error("{place} is not valid TOML: {message}")]
    Syntax {
        /// The file and the line.
        place: String,
        /// What is wrong there.
        message: String,
    },
    /// No setting has this name.
    #[error("{place}: there is no setting {key}; the closest one is {closest}")]
    UnknownKey {
        /// The file and the line, or the environment.
        place: String,
        /// The name.
        key: String,
        /// The setting that was probably meant.
        closest: String,
    },
    /// A setting's value is not what it must be.
    #[error("{place}: {key} is {value}, expected {expected}")]
    Invalid {
        /// The file and the line, the environment variable or the flag.
        place: String,
        /// The setting.
        key: String,
        /// Its value.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
}

#[cfg(test)]
mod tests;

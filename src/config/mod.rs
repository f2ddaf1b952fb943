//! The settings: built-in defaults, then the file, then the environment, then flags. They are read once at start and never
//! change while the service runs; `config.example.toml` documents each of them. What a setting does is not decided here.
//!
//! - `error`: why settings cannot be used
//! - `lines`: where keys stand in the file
//! - `secret`: passwords and tokens
//! - `web_origin`: web sites, for CORS
//! - `host_pattern`: names of hosts
//! - `values`: how single settings are parsed
//! - `settings`: all of them
//! - `sections`: lists of sections, such as `[[influx.mappings]]`
//! - `environment`: variables of other programs
//! - `exposed`: files with secrets that others can read
//! - `layers`: laying file, environment and flags over the defaults

mod environment;
mod error;
mod exposed;
mod host_pattern;
mod layers;
mod lines;
mod secret;
mod sections;
mod settings;
mod values;
mod web_origin;

pub use self::error::ConfigError;
pub use self::exposed::exposed_files;
pub use self::host_pattern::{HostPattern, NotHostPattern};
pub use self::layers::{Flags, Loaded, Setting, load};
pub use self::secret::Secret;
pub use self::settings::{
    BackupConfig, Config, EmoncmsConfig, HomeAssistantConfig, HttpConfig, InfluxConfig, LogConfig,
    MetricsConfig, MqttConfig, StoreConfig, TlsConfig,
};
pub use self::web_origin::{NotWebOrigin, WebOrigin};

//! The settings: built-in defaults, then the file, then the environment, then flags. They are read
//! once at start. Some can also be set in the browser: those are kept in the store, below the
//! file's, and change while the service runs. `config.example.toml` documents each of them. The
//! effect of a setting is not decided here.
//!
//! - `error`: why settings cannot be used
//! - `lines`: positions of keys in the file
//! - `web_origin`: web sites, for CORS
//! - `host_pattern`: names of hosts
//! - `values`: how single settings are parsed
//! - `setting`: a setting as written; `settings`: all settings; `notices`: those of messages about
//!   notices
//! - `sections`: lists of sections, such as `[[influx.mappings]]`
//! - `environment`: names of variables, ours and those of other programs
//! - `exposed`: files with secrets that others can read
//! - `layers`: merges file, environment and flags over the defaults
//! - `home_assistant`: those of Home Assistant
//! - `held`: settings fixed by these, which pages do not change
//! - `in_force`: settings from pages, below these; `live`: their changes
//! - `kept`: the subscriptions, the polled devices and the price sources added by pages
//! - `supervisor`: Home Assistant, which runs the service as an add-on; `offered`: the broker that
//!   it offers

mod environment;
mod error;
mod exposed;
mod held;
mod home_assistant;
mod host_pattern;
mod in_force;
mod kept;
mod layers;
mod lines;
mod live;
mod notices;
mod offered;
mod sections;
mod setting;
mod settings;
mod supervisor;
mod values;
mod web_origin;

pub use self::error::ConfigError;
pub use self::exposed::exposed_files;
pub use self::host_pattern::HostPattern;
pub use self::in_force::{InForce, SettingInForce};
pub use self::kept::{NewPolledDevice, NewPriceSource, NewSubscription};
pub use self::layers::{Flags, Loaded, load};
pub use self::live::{LiveSettings, SettingsError, TypedSettings};
pub use self::offered::OfferedBroker;
pub use self::setting::Setting;
pub use self::settings::{Config, HttpConfig, MetricsConfig, StoreConfig, TlsConfig};
pub use self::supervisor::Supervisor;
pub use self::web_origin::WebOrigin;

//! All settings, in the form that the service uses.
//!
//! Each field names the function that parses it, which checks its limits. The defaults are those of
//! `config.example.toml`, which is part of the binary, so the documentation of a default cannot be
//! wrong.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use serde::Deserialize;

use super::held::HeldSettings;
use super::home_assistant::HomeAssistantConfig;
use super::host_pattern::HostPattern;
use super::notices::{NoticesConfig, path};
use super::supervisor::Supervisor;
use super::values;
use super::web_origin::WebOrigin;
use crate::backups;
use crate::domain::Secret;
use crate::home_assistant::LinkTerms;
use crate::ingest::{emoncms, influx};
use crate::mqtt::client::{BrokerAddress, ClientSettings};
use crate::mqtt::home_assistant::DiscoverySettings;
use crate::mqtt::intake::Subscription;
use crate::poll::PollSettings;
use crate::price_sources::PriceSourceSettings;
use crate::store::{
    Durability, OpenMode, PostgresSettings, PostgresUrl, Store, StoreError, StoreSettings,
};

/// Every setting with its default.
pub(super) const EXAMPLE: &str = include_str!("../../config.example.toml");

/// All settings, each within its limits.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Config {
    /// The folder of the store.
    #[serde(deserialize_with = "values::folder")]
    pub data_dir: PathBuf,
    /// The sections `[[poll]]`.
    #[serde(skip)]
    pub poll: Vec<PollSettings>,
    /// The sections `[[price_source]]`.
    #[serde(skip)]
    pub price_sources: Vec<PriceSourceSettings>,
    /// The web service.
    pub http: HttpConfig,
    /// The store.
    pub store: StoreConfig,
    /// Scheduled backups.
    pub backup: BackupConfig,
    /// Messages about notices.
    pub notices: NoticesConfig,
    /// The MQTT broker.
    pub mqtt: MqttConfig,
    /// Home Assistant.
    pub home_assistant: HomeAssistantConfig,
    /// InfluxDB's protocol.
    pub influx: InfluxConfig,
    /// Emoncms' protocol.
    pub emoncms: EmoncmsConfig,
    /// The log.
    pub log: LogConfig,
    /// The settings that pages do not change, because they are fixed here.
    #[serde(skip)]
    pub held: HeldSettings,
    /// Home Assistant's Supervisor, if the service runs as an add-on.
    #[serde(skip)]
    pub supervisor: Option<Supervisor>,
}

/// The settings of the web service.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct HttpConfig {
    /// The address to listen on; port 0 picks a free one.
    #[serde(deserialize_with = "values::listen")]
    pub listen: SocketAddr,
    /// The path before `/elec`.
    #[serde(deserialize_with = "values::base_path")]
    pub base_path: String,
    /// The largest body in bytes, before and after it is unpacked.
    #[serde(deserialize_with = "values::size::<_, _, { 1 << 10 }, { 64 << 20 }>")]
    pub max_body: usize,
    /// The most readings in one upload.
    #[serde(deserialize_with = "values::count::<_, 1, 1_000_000>")]
    pub max_readings: usize,
    /// Threads that serve requests.
    #[serde(deserialize_with = "values::count::<_, 1, 64>")]
    pub workers: usize,
    /// Connections open at once; for more, idle ones are closed.
    #[serde(deserialize_with = "values::count::<_, 1, 65_536>")]
    pub max_connections: usize,
    // The web server's timers lag by up to half a second, so a limit under one second would cut off
    // everybody.
    /// How long a client may take to send the head of a request.
    #[serde(deserialize_with = "values::span::<_, 1, 3_600>")]
    pub head_timeout: Duration,
    /// How long a client may take to send a body.
    #[serde(deserialize_with = "values::span::<_, 1, 3_600>")]
    pub request_timeout: Duration,
    /// How long a connection without a request stays open.
    #[serde(deserialize_with = "values::span::<_, 1, 3_600>")]
    pub idle_timeout: Duration,
    /// How long a client may leave sent bytes unread.
    #[serde(deserialize_with = "values::span::<_, 1, 3_600>")]
    pub stall_timeout: Duration,
    /// Requests per minute and address; 0 for no limit.
    #[serde(deserialize_with = "values::per_minute")]
    pub requests_per_minute: u32,
    /// Wrong credentials per minute, address and api id; 0 for no limit.
    #[serde(deserialize_with = "values::per_minute")]
    pub failed_sign_ins_per_minute: u32,
    /// Names of this service that the machine does not know itself.
    #[serde(deserialize_with = "values::hosts")]
    pub hosts: Vec<HostPattern>,
    /// Proxies that are trusted to name the client in `X-Forwarded-For`.
    #[serde(deserialize_with = "values::networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// Web sites with pages that may send requests from within a browser.
    #[serde(deserialize_with = "values::cors_origins")]
    pub cors_origins: Vec<WebOrigin>,
    /// The metrics.
    pub metrics: MetricsConfig,
    /// The certificate for TLS.
    pub tls: TlsConfig,
}

/// The files of the certificate; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct TlsConfig {
    /// The chain of certificates.
    pub cert_file: PathBuf,
    /// The private key.
    pub key_file: PathBuf,
}

/// The settings of the metrics.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MetricsConfig {
    /// Whether they are served.
    pub enabled: bool,
    /// The token that a request must show; empty for none.
    #[serde(deserialize_with = "values::metrics_token")]
    pub token: Secret,
}

/// The largest cache of the store in bytes. On 32-bit systems, there are addresses for only 2 to 4
/// GiB in all.
const MOST_CACHE: u64 = if usize::BITS < 64 { 1 << 30 } else { 16 << 30 };

/// The settings of the store.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct StoreConfig {
    /// When an upload is answered: after the sync, or at once with syncs at an interval.
    #[serde(deserialize_with = "values::durability")]
    pub durability: Durability,
    /// Memory for the pages of the store in use, in bytes.
    #[serde(deserialize_with = "values::size::<_, _, { 1 << 20 }, MOST_CACHE>")]
    pub cache_size: u64,
    /// The most readings in one sealed block.
    #[serde(deserialize_with = "values::count::<_, 16, 16_384>")]
    pub block_readings: usize,
    /// The PostgreSQL database that keeps everything instead of this machine.
    #[serde(deserialize_with = "values::engine")]
    pub engine: Option<PostgresUrl>,
    /// A file with the password there; empty for none.
    pub engine_password_file: PathBuf,
    /// Whether PostgreSQL may acknowledge readings before a second server has them.
    pub allow_async: bool,
    /// Whether the password may be sent in clear text over an unencrypted connection.
    pub allow_clear_text_password: bool,
    /// The maximum number of connections to the database.
    #[serde(deserialize_with = "values::count::<_, 1, 1_000>")]
    pub engine_connections: usize,
}

/// The settings of scheduled backups.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct BackupConfig {
    /// Their folder; empty for none.
    pub dir: PathBuf,
    /// The time between two of them; up to a year.
    #[serde(deserialize_with = "values::span::<_, 60, { 8_760 * 3_600 }>")]
    pub every: Duration,
    /// The number of backups kept.
    #[serde(deserialize_with = "values::count::<_, 1, 1_000>")]
    pub keep: usize,
}

/// The settings of the MQTT broker.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MqttConfig {
    /// Its address.
    #[serde(deserialize_with = "values::broker")]
    pub broker: Option<BrokerAddress>,
    /// The user name there; empty for none.
    #[serde(deserialize_with = "values::mqtt_user")]
    pub user: String,
    /// The password; empty for none.
    #[serde(deserialize_with = "values::mqtt_password")]
    pub password: Secret,
    /// A file with the password; empty for none.
    pub password_file: PathBuf,
    /// The name of the session at the broker.
    #[serde(deserialize_with = "values::client_id")]
    pub client_id: String,
    /// The trusted certificates; empty for those of the system.
    pub ca_file: PathBuf,
    /// The sections `[[mqtt.subscriptions]]`.
    #[serde(skip)]
    pub subscriptions: Vec<Subscription>,
}

/// The settings of InfluxDB's protocol.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct InfluxConfig {
    /// Whether it is served.
    pub enabled: bool,
    /// Tags that name the sensor.
    #[serde(deserialize_with = "values::names")]
    pub sensor_tags: Vec<String>,
    /// Fields that are power in watts.
    #[serde(deserialize_with = "values::names")]
    pub watts_fields: Vec<String>,
    /// Fields that are a register in watt-hours.
    #[serde(deserialize_with = "values::names")]
    pub watthours_fields: Vec<String>,
    /// The sections `[[influx.mappings]]`, which come first.
    #[serde(skip)]
    pub mappings: Vec<influx::FieldRule>,
}

/// The settings of Emoncms' protocol.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct EmoncmsConfig {
    /// Whether it is served.
    pub enabled: bool,
    /// Inputs that are power in watts, of the sensor with the node's name.
    #[serde(deserialize_with = "values::names")]
    pub watts_inputs: Vec<String>,
    /// Inputs that are its register in watt-hours.
    #[serde(deserialize_with = "values::names")]
    pub watthours_inputs: Vec<String>,
    /// Nodes with inputs that are not readings.
    #[serde(deserialize_with = "values::names")]
    pub ignored_nodes: Vec<String>,
    /// The sections `[[emoncms.mappings]]`, which come first.
    #[serde(skip)]
    pub mappings: Vec<emoncms::InputRule>,
}

/// The settings of the log.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct LogConfig {
    /// A level, or a filter in the form of `env_logger`.
    #[serde(deserialize_with = "values::log_filter")]
    pub level: String,
}

impl Config {
    /// The terms of all connections to the Home Assistants of accounts.
    #[must_use]
    pub fn home_terms(&self) -> LinkTerms {
        let supervisor = self.supervisor.as_ref();
        LinkTerms {
            ca_file: self.home_assistant.trusted(),
            own: supervisor.and_then(Supervisor::home_assistant),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        #[expect(
            clippy::expect_used,
            reason = "the text is part of the binary, and tests parse it"
        )]
        toml::from_str(EXAMPLE).expect("config.example.toml has every setting")
    }
}

impl StoreConfig {
    /// The settings in the form that the store takes.
    #[must_use]
    pub const fn settings(&self) -> StoreSettings {
        StoreSettings {
            durability: self.durability,
            cache_bytes: self.cache_size,
            block_readings: self.block_readings,
        }
    }

    /// Opens the store where it is: in PostgreSQL, or in the data dir `dir`. Blocks.
    ///
    /// # Errors
    /// As [`Store::open_in_postgres`] or [`Store::open`].
    pub fn open(&self, dir: &Path, mode: OpenMode) -> Result<Store, StoreError> {
        match self.postgres_settings() {
            Some(engine) => Store::open_in_postgres(engine, self.settings(), mode),
            None => Store::open(dir, self.settings(), mode),
        }
    }

    /// The database that keeps the readings; `None` if this machine does.
    #[must_use]
    pub fn postgres_settings(&self) -> Option<PostgresSettings> {
        Some(PostgresSettings {
            url: self.engine.clone()?,
            password_file: path(&self.engine_password_file),
            allow_async: self.allow_async,
            allow_clear_text_password: self.allow_clear_text_password,
            connections: self.engine_connections,
        })
    }
}

impl BackupConfig {
    /// The settings in the form that the schedule takes; `None` if no backups are wanted.
    #[must_use]
    pub fn settings(&self) -> Option<backups::BackupSettings> {
        let is_wanted = !self.dir.as_os_str().is_empty();
        is_wanted.then(|| backups::BackupSettings {
            dir: self.dir.clone(),
            every: self.every,
            keep: self.keep,
        })
    }
}

impl MqttConfig {
    /// The settings in the form that the client takes; `None` without a broker.
    #[must_use]
    pub fn settings(&self, home_assistant: &HomeAssistantConfig) -> Option<ClientSettings> {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Some(ClientSettings {
            broker: self.broker.clone()?,
            user: text(&self.user),
            password: text(self.password.reveal()),
            password_file: path(&self.password_file),
            client_id: self.client_id.clone(),
            ca_file: path(&self.ca_file),
            subscriptions: self.subscriptions.clone(),
            home_assistant: home_assistant.discovery.then(|| DiscoverySettings {
                prefix: home_assistant.prefix.clone(),
                node: self.client_id.clone(),
                // The server adds them once it listens.
                pages: None,
            }),
        })
    }
}

impl InfluxConfig {
    /// The mapping from lines to readings; `None` if the protocol is off.
    #[must_use]
    pub fn mapping(&self) -> Option<influx::FieldMapping> {
        self.enabled.then(|| influx::FieldMapping {
            sensor_tags: self.sensor_tags.clone(),
            watts_fields: self.watts_fields.clone(),
            watthours_fields: self.watthours_fields.clone(),
            rules: self.mappings.clone(),
        })
    }
}

impl EmoncmsConfig {
    /// The mapping from inputs to readings; `None` if the protocol is off.
    #[must_use]
    pub fn mapping(&self) -> Option<emoncms::InputMapping> {
        self.enabled.then(|| emoncms::InputMapping {
            watts_inputs: self.watts_inputs.clone(),
            watthours_inputs: self.watthours_inputs.clone(),
            ignored_nodes: self.ignored_nodes.clone(),
            rules: self.mappings.clone(),
        })
    }
}

impl LogConfig {
    /// The whole filter for `env_logger`.
    ///
    /// The web server's own messages are left out unless the setting names them, because it reports
    /// faults of broken clients as its own errors. The service logs its errors where it handles
    /// them.
    #[must_use]
    pub fn filter(&self) -> String {
        // In a list, `off` would not silence `actix_server=error`.
        if self.level.eq_ignore_ascii_case("off") {
            return self.level.clone();
        }
        // Ours come first, because env_logger uses the later of two directives for a target. The
        // HTTP client comes last, because its most detailed messages contain addresses, which may
        // be secret.
        format!("actix_http=off,actix_server=error,{},ureq=info", self.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_has_the_defaults_of_the_store() {
        let (ours, theirs) = (Config::default().store, StoreSettings::default());
        assert_eq!(ours.durability, theirs.durability);
        assert_eq!(ours.cache_size, theirs.cache_bytes);
        assert_eq!(ours.block_readings, theirs.block_readings);
    }

    #[test]
    fn there_is_a_mapping_unless_the_protocol_is_off() {
        let mut config = Config::default();
        assert!(config.influx.mapping().is_some() && config.emoncms.mapping().is_some());
        config.influx.enabled = false;
        config.emoncms.enabled = false;
        assert_eq!(config.influx.mapping(), None);
        assert_eq!(config.emoncms.mapping(), None);
    }

    #[test]
    fn there_is_no_engine_unless_one_is_named() {
        let mut store = Config::default().store;
        assert_eq!(store.postgres_settings(), None);
        store.engine = Some("postgres://w:hunter2@db/e".parse().unwrap());
        let settings = store.postgres_settings().unwrap();
        assert_eq!(
            (settings.password_file, settings.allow_async),
            (None, false)
        );
        assert!(!format!("{store:?}").contains("hunter2"));
    }

    #[test]
    fn there_is_no_client_without_a_broker() {
        let Config {
            mut mqtt,
            mut home_assistant,
            ..
        } = Config::default();
        assert!(mqtt.settings(&home_assistant).is_none());
        mqtt.broker = Some("mqtt://broker.lan".parse().unwrap());
        mqtt.user = "meter".into();
        mqtt.password = Secret::new("hunter2".into());
        let settings = mqtt.settings(&home_assistant).unwrap();
        assert_eq!(settings.home_assistant, None);
        assert_eq!(settings.password.as_deref(), Some("hunter2"));
        assert!(!format!("{mqtt:?}").contains("hunter2"));
        home_assistant.discovery = true;
        let settings = mqtt.settings(&home_assistant).unwrap();
        assert_eq!(settings.home_assistant.unwrap().node, "wattkeeper");
    }

    fn logs(level: &str, target: &str, at: log::Level) -> bool {
        let config = LogConfig {
            level: level.into(),
        };
        let record = log::Record::builder().target(target).level(at).build();
        env_logger::Builder::new()
            .parse_filters(&config.filter())
            .build()
            .matches(&record)
    }

    #[test]
    fn the_largest_cache_leaves_addresses_for_the_rest() {
        assert!(usize::try_from(MOST_CACHE).is_ok_and(|most| most < usize::MAX / 2));
    }

    #[test]
    fn the_web_server_s_own_messages_are_logged_only_on_request() {
        use log::Level::{Debug, Error, Info, Trace};

        assert!(logs("info", "wattkeeper::server", Info));
        assert!(!logs("info", "wattkeeper::server", Debug));
        assert!(!logs("info", "actix_http::h1", Error));
        assert!(logs("info", "actix_server::accept", Error));
        assert!(!logs("off", "actix_server::accept", Error));
        assert!(logs("info,actix_http=trace", "actix_http::h1", Trace));
        assert!(!logs("info,access=off", "access", Info));
    }
}

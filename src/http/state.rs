//! What all requests are answered from.

use std::sync::Arc;

use super::gate::failed::Failed;
use super::gate::limits::Limit;
use super::pages::overview::live::Streams;
use super::pages::sign_in::hashing::Hashing;
use super::pages::sign_in::setup::SetupToken;
use super::protocols::emoncms::Emoncms;
use super::protocols::influx::Influx;
use super::wire::body::BodyLimits;
use super::wire::stream::Downloads;
use crate::config::{Config, Network, Secret, WebOrigin};
use crate::domain::clock::Moment;
use crate::domain::time::Timestamp;
use crate::ingest::Ingest;
use crate::status::Watch;
use crate::store::Store;

/// Looks at the clocks; tests set them.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// What requests are answered from.
pub(crate) struct AppState {
    pub(crate) store: Arc<Store>,
    pub(crate) ingest: Ingest,
    pub(crate) clock: Clock,
    pub(crate) base_path: String,
    pub(crate) bodies: BodyLimits,
    pub(crate) failed_sign_ins: Limit,
    pub(crate) failed: Failed,
    /// What shows the metrics, empty for nothing; none where they are switched off.
    pub(crate) metrics_token: Option<Secret>,
    pub(crate) requests: Limit,
    pub(crate) trusted_proxies: Vec<Network>,
    /// Whether clients are served by TLS, and plain HTTP is for the commands only.
    pub(crate) by_tls: bool,
    pub(crate) cors_origins: Vec<WebOrigin>,
    /// What sets the administrator's password; none where there was one at the start.
    pub(crate) setup: Option<SetupToken>,
    pub(crate) hashing: Hashing,
    pub(crate) watch: Watch,
    pub(crate) streams: Streams,
    pub(crate) downloads: Downloads,
    /// Where it is on.
    pub(crate) influx: Option<Influx>,
    /// Where it is on.
    pub(crate) emoncms: Option<Emoncms>,
}

impl AppState {
    pub(crate) fn new(
        store: Arc<Store>,
        clock: Clock,
        config: &Config,
        setup: Option<SetupToken>,
        watch: Watch,
    ) -> Self {
        let influx = config.influx.mapping().map(Influx::new);
        let emoncms = config.emoncms.mapping().map(Emoncms::new);
        let config = &config.http;
        Self {
            ingest: Ingest::new(Arc::clone(&store)),
            store,
            clock,
            base_path: config.base_path.trim_end_matches('/').to_owned(),
            bodies: BodyLimits::new(config),
            failed_sign_ins: Limit::per_minute(config.failed_sign_ins_per_minute),
            failed: Failed::default(),
            metrics_token: config.metrics.enabled.then(|| config.metrics.token.clone()),
            requests: Limit::per_minute(config.requests_per_minute),
            trusted_proxies: config.trusted_proxies.clone(),
            by_tls: !config.tls.cert_file.as_os_str().is_empty(),
            cors_origins: config.cors_origins.clone(),
            setup,
            hashing: Hashing::new(),
            watch,
            streams: Streams::new(),
            downloads: Downloads::default(),
            influx,
            emoncms,
        }
    }

    /// The door for readings, to be shared with what else brings some.
    pub(crate) fn ingest(&self) -> Ingest {
        self.ingest.clone()
    }

    /// Ends answers that would go on for ever: the service stops.
    pub(crate) fn end_streams(&self) {
        self.streams.end();
    }

    /// What the clocks say.
    pub(crate) fn now(&self) -> Moment {
        (self.clock)()
    }

    /// The time as it counts for uploads: a clock that was set back a little does not make those of a
    /// moment ago disappear.
    pub(crate) fn counted_now(&self) -> Timestamp {
        let now = self.now().time;
        self.ingest.check_clock(now).unwrap_or(now)
    }
}

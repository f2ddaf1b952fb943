//! What the handlers of all rooms answer from. What one room alone needs is that room's own `web::Data`.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use ipnet::IpNet;

use super::failed::Failed;
use super::hosts::Hosts;
use super::limits::{Limit, network};
use super::peer::client_address;
use super::refusals::RefusalLog;
use crate::config::{Config, WebOrigin};
use crate::domain::{Clock, Moment, SensorId, Timestamp};
use crate::http::wire::body::is_compressed;
use crate::http::wire::stream;
use crate::http::wire::{ApiError, Body, BodyLimits, BodySender, Downloads, Format};
use crate::ingest::Ingest;
use crate::query::Query;
use crate::status::StatusMonitor;
use crate::store::Store;

/// What the handlers of all rooms answer from.
pub(crate) struct AppState {
    pub(crate) store: Arc<Store>,
    pub(crate) ingest: Ingest,
    pub(crate) clock: Clock,
    /// Where the API is, without a slash at its end; may be empty.
    pub(crate) base_path: String,
    bodies: BodyLimits,
    /// The most readings in one upload.
    pub(crate) max_readings: usize,
    pub(crate) downloads: Downloads,
    pub(crate) hosts: Hosts,
    pub(crate) requests: Limit,
    /// Pages of the administrator, who has signed in.
    pub(crate) own_requests: Limit,
    pub(crate) failed_sign_ins: Limit,
    /// Apart from those of the API: a script with a wrong key must not lock the administrator out, whoever shares its address.
    pub(crate) page_sign_ins: Limit,
    pub(crate) failed: Failed,
    pub(crate) refusals: RefusalLog,
    pub(crate) trusted_proxies: Vec<IpNet>,
    pub(crate) cors_origins: Vec<WebOrigin>,
    pub(crate) monitor: StatusMonitor,
}

impl AppState {
    pub(crate) fn new(
        store: Arc<Store>,
        clock: Clock,
        config: &Config,
        monitor: StatusMonitor,
    ) -> Self {
        let config = &config.http;
        Self {
            ingest: Ingest::new(Arc::clone(&store)),
            store,
            clock,
            // `/` becomes empty: the routes below begin with a slash themselves.
            base_path: config.base_path.trim_end_matches('/').to_owned(),
            bodies: BodyLimits::new(config),
            max_readings: config.max_readings,
            downloads: Downloads::default(),
            hosts: Hosts::new(config.hosts.clone()),
            requests: Limit::per_minute(config.requests_per_minute),
            own_requests: Limit::per_minute(config.requests_per_minute.saturating_mul(10)),
            failed_sign_ins: Limit::per_minute(config.failed_sign_ins_per_minute),
            page_sign_ins: Limit::per_minute(config.failed_sign_ins_per_minute),
            failed: Failed::default(),
            refusals: RefusalLog::default(),
            trusted_proxies: config.trusted_proxies.clone(),
            cors_origins: config.cors_origins.clone(),
            monitor,
        }
    }

    /// The time of day and the time since the start.
    pub(crate) fn now(&self) -> Moment {
        (self.clock)()
    }

    /// The time that counts for uploads and downloads. A clock that was set back a little does not hide the uploads of a
    /// moment ago.
    pub(crate) fn counted_now(&self) -> Timestamp {
        self.ingest.counted_time(self.now().time)
    }

    /// Reads the body of a request. `is_known` says whether the head has valid credentials; it is called only if that matters.
    ///
    /// # Errors
    /// As [`BodyLimits::read`].
    pub(crate) async fn read_body(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
        is_known: impl FnOnce() -> bool,
    ) -> Result<Body, ApiError> {
        let client = client_address(request.head(), &self.trusted_proxies);
        let sender = BodySender {
            client: network(client),
            is_known: is_compressed(request.headers()) && is_known(),
        };
        let headers = request.headers();
        self.bodies.read(headers, payload, sender).await
    }

    /// Answers with the result of `query` about `sensor`; see [`stream::respond`].
    ///
    /// # Errors
    /// [`ApiError::NoRecentData`], [`ApiError::StorageUnavailable`], [`ApiError::StorageFailed`], [`ApiError::Internal`].
    pub(crate) async fn stream(
        &self,
        request: &HttpRequest,
        sensor: SensorId,
        query: Query,
        format: Format,
    ) -> Result<HttpResponse, ApiError> {
        // The time of the request, not of the moment when a thread is free.
        let (store, now) = (Arc::clone(&self.store), self.counted_now());
        let open = move || query.run(&store, &sensor, now);
        stream::respond(request, self.downloads.begin(), format, open).await
    }
}

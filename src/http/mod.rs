//! The web service.

mod access;
pub(crate) mod admin;
mod auth;
mod body;
mod chart;
pub(crate) mod connections;
mod elec;
mod emoncms;
mod error;
mod failed;
mod health;
mod influx;
mod limits;
mod metrics;
mod number;
mod openapi;
pub(crate) mod pages;
mod params;
mod peer;
mod points;
mod sensors;
mod stream;
pub(crate) mod tls;
mod token;
mod told;

use std::future::ready;
use std::sync::Arc;

use actix_cors::Cors;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{HttpServiceFactory, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header::RETRY_AFTER;
use actix_web::middleware::{Condition, Next, from_fn};
use actix_web::{App, Error, HttpResponse, Resource, Route, web};

use self::admin::AdminState;
use self::body::BodyLimits;
use self::emoncms::Emoncms;
use self::error::ApiError;
use self::failed::Failed;
use self::influx::Influx;
use self::limits::Limit;
use self::pages::{Hashing, SetupToken, Streams};
use self::stream::Downloads;
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
    store: Arc<Store>,
    ingest: Ingest,
    clock: Clock,
    base_path: String,
    bodies: BodyLimits,
    failed_sign_ins: Limit,
    failed: Failed,
    /// What shows the metrics, empty for nothing; none where they are switched off.
    metrics_token: Option<Secret>,
    requests: Limit,
    trusted_proxies: Vec<Network>,
    /// Whether clients are served by TLS, and plain HTTP is for the commands only.
    by_tls: bool,
    cors_origins: Vec<WebOrigin>,
    /// What sets the administrator's password; none where there was one at the start.
    setup: Option<SetupToken>,
    hashing: Hashing,
    watch: Watch,
    streams: Streams,
    downloads: Downloads,
    /// Where it is on.
    influx: Option<Influx>,
    /// Where it is on.
    emoncms: Option<Emoncms>,
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
    fn now(&self) -> Moment {
        (self.clock)()
    }

    /// The time as it counts for uploads: a clock that was set back a little does not make those of a
    /// moment ago disappear.
    fn counted_now(&self) -> Timestamp {
        let now = self.now().time;
        self.ingest.check_clock(now).unwrap_or(now)
    }
}

/// All routes. Both spellings of an address are served: a redirect would turn an upload into a GET.
pub(crate) fn app(
    state: web::Data<AppState>,
    admin_state: web::Data<AdminState>,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    let api = web::scope(&state.base_path)
        .service(
            only("GET, POST", ["/elec", "/elec/"])
                .route(web::post().to(elec::upload))
                .route(web::get().to(elec::download)),
        )
        .service(only("GET", ["/sensors", "/sensors/"]).route(web::get().to(sensors::list)))
        .wrap(from_fn(limit_requests))
        // Outermost, so that pages can read why they were refused.
        .wrap(Condition::new(
            !state.cors_origins.is_empty(),
            cors(&state.cors_origins),
        ));
    let by_tls = state.by_tls;
    let (influx, emoncms) = (state.influx.is_some(), state.emoncms.is_some());
    App::new()
        .app_data(state)
        .app_data(admin_state)
        // Before the API, whose base path may be empty: then it takes whatever comes.
        .configure(admin::configure)
        .configure(health::configure)
        .configure(pages::configure)
        .configure(|cfg| other_protocols(cfg, influx, emoncms))
        .service(
            only("GET", ["/chart.svg", "/chart.svg/"])
                .route(web::get().to(chart::picture))
                .wrap(from_fn(limit_requests)),
        )
        .service(
            only("GET", ["/metrics", "/metrics/"])
                .route(web::get().to(metrics::tell))
                .wrap(from_fn(limit_requests)),
        )
        .service(
            only("GET", ["/openapi.json", "/openapi.json/"]).route(web::get().to(openapi::tell)),
        )
        .service(api)
        .default_service(refuse(|| ApiError::NotFound))
        .wrap(Condition::new(by_tls, from_fn(refuse_plain)))
        .wrap(from_fn(access::log_access))
}

/// The protocols of other systems, where they are on. Their addresses have no base path: their clients know of none.
fn other_protocols(cfg: &mut web::ServiceConfig, has_influx: bool, has_emoncms: bool) {
    let (get, head, post) = (web::get, web::head, web::post);
    if has_influx {
        let ping = only("GET, HEAD", ["/ping", "/ping/"]).route(get().to(influx::ping));
        let query = only("GET, POST", ["/query", "/query/"]).route(get().to(influx::query_v1));
        cfg.service(ping.route(head().to(influx::ping)))
            .service(limited(query.route(post().to(influx::query_v1))))
            .service(limited(
                only("POST", ["/write", "/write/"]).route(post().to(influx::write_v1)),
            ))
            .service(limited(
                only("POST", ["/api/v2/write", "/api/v2/write/"])
                    .route(post().to(influx::write_v2)),
            ))
            .service(limited(
                only("POST", ["/api/v2/query", "/api/v2/query/"])
                    .route(post().to(influx::query_v2)),
            ));
    }
    if has_emoncms {
        let read = |resource: Resource| limited(resource.route(get().to(emoncms::get)));
        let posted = |resource: Resource| {
            let resource = resource.route(get().to(emoncms::post));
            limited(resource.route(post().to(emoncms::post)))
        };
        let bulk = |resource: Resource| {
            let resource = resource.route(get().to(emoncms::bulk));
            limited(resource.route(post().to(emoncms::bulk)))
        };
        cfg.service(read(only("GET", ["/input/get", "/input/get/"])))
            .service(read(only(
                "GET",
                ["/input/get/{node}", "/input/get/{node}/"],
            )))
            .service(posted(only("GET, POST", ["/input/post", "/input/post/"])))
            .service(posted(only(
                "GET, POST",
                ["/input/post.json", "/input/post.json/"],
            )))
            .service(posted(only(
                "GET, POST",
                ["/input/post/{node}", "/input/post/{node}/"],
            )))
            .service(bulk(only("GET, POST", ["/input/bulk", "/input/bulk/"])))
            .service(bulk(only(
                "GET, POST",
                ["/input/bulk.json", "/input/bulk.json/"],
            )));
    }
}

/// Lets browsers hand answers to the pages of these sites. Credentials come in the request itself, never from what the
/// browser keeps: so `*` is harmless.
fn cors(origins: &[WebOrigin]) -> Cors {
    let cors = Cors::default()
        .allowed_methods(["GET", "POST"])
        .allow_any_header()
        .expose_headers([RETRY_AFTER])
        .max_age(3_600);
    origins.iter().fold(cors, |cors, origin| {
        if origin.is_any() {
            cors.allow_any_origin().send_wildcard()
        } else {
            cors.allowed_origin(origin.as_str())
        }
    })
}

/// A resource with these methods only.
fn only(methods: &'static str, paths: [&str; 2]) -> Resource {
    web::resource(paths).default_service(refuse(move || ApiError::MethodNotAllowed(methods)))
}

/// A resource that not too many requests of an address get through to.
fn limited(resource: Resource) -> impl HttpServiceFactory {
    resource.wrap(from_fn(limit_requests))
}

/// Answers every request with an error.
fn refuse(error: impl Fn() -> ApiError + Copy + 'static) -> Route {
    web::to(move || ready(Err::<HttpResponse, _>(error())))
}

/// Where clients are served by TLS: refuses what comes without it, but for the commands on this machine and their look at how
/// the service is.
async fn refuse_plain(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_for_commands = [admin::PATH, health::LIVE, health::READY].contains(&request.path());
    if request.app_config().secure() || is_for_commands {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    Ok(request.error_response(ApiError::NotFound))
}

/// Refuses the requests of an address that makes too many.
async fn limit_requests(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let wait = request.app_data::<web::Data<AppState>>().and_then(|app| {
        let client = peer::client_address(request.head(), &app.trusted_proxies);
        app.requests.count(client, None).err()
    });
    match wait {
        Some(wait) => Ok(request.error_response(ApiError::TooManyRequests(wait))),
        None => Ok(next.call(request).await?.map_into_boxed_body()),
    }
}

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::{elec, influx};

    /// An upload's body, understood or refused.
    pub fn upload(bytes: &[u8]) {
        elec::fuzz_upload(bytes);
    }

    /// A download's query string, understood or refused.
    pub fn query_string(bytes: &[u8]) {
        elec::fuzz_query_string(&String::from_utf8_lossy(bytes));
    }

    /// A query of InfluxQL or Flux, understood or refused.
    pub fn influx_query(bytes: &[u8]) {
        influx::fuzz_query(&String::from_utf8_lossy(bytes));
    }
}

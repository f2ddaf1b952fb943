//! The web service: the whole route table on one screen. Rooms import from those above them only: `wire`, `gate`,
//! `protocols`, `operate`, `pages`.

pub(crate) mod gate;
pub(crate) mod operate;
pub(crate) mod pages;
mod protocols;
mod state;
mod wire;

use actix_cors::Cors;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header::RETRY_AFTER;
use actix_web::middleware::{Condition, Next, from_fn};
use actix_web::{App, Error, Resource, web};

use self::gate::access;
use self::gate::resource::{limit_requests, limited, only, refuse};
use self::operate::admin::AdminState;
use self::operate::{admin, health, metrics, openapi};
use self::protocols::elec::sensors;
use self::protocols::{chart, elec, emoncms, influx};
pub(crate) use self::state::AppState;
pub use self::state::Clock;
use self::wire::error::ApiError;
use crate::config::WebOrigin;

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

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::protocols::{elec, influx};

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

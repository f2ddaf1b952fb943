//! The web service: the state that its workers share, and the order of its routes. Each room
//! registers its own routes by `configure`.
//!
//! Rooms import only from those before them:
//!
//! - `wire`: how requests and responses are encoded
//! - `gate`: which requests are admitted, and how many
//! - `protocols`: the protocols that programs use to write and read readings
//! - `operate`: health, metrics, the description of the API, and the socket for commands
//! - `pages`: the pages for people

pub(crate) mod gate;
pub(crate) mod operate;
pub(crate) mod pages;
mod protocols;
mod wire;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_cors::Cors;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::guard::{GuardContext, fn_guard};
use actix_web::http::Method;
use actix_web::http::header::RETRY_AFTER;
use actix_web::middleware::{Condition, Next, from_fn};
use actix_web::{App, Error, Resource, ResponseError as _, web};

use self::gate::resource::{admit, admit_program, normalize, refuse};
use self::gate::state::AppState;
use self::gate::{access, headers};
use self::operate::{health, metrics, openapi};
use self::pages::SetupToken;
use self::pages::repair::RepairSwitch;
use self::protocols::{chart, elec, emoncms, influx};
use self::wire::error::ApiError;
use crate::config::{Config, MetricsConfig, WebOrigin};

/// The state that handlers answer from, made once and shared by the workers.
#[derive(Clone)]
pub(crate) struct Service {
    state: web::Data<AppState>,
    pages: pages::PagesState,
    metrics: web::Data<MetricsConfig>,
    description: web::Data<openapi::Description>,
    /// InfluxDB's protocol, if it is enabled.
    influx: Option<web::Data<influx::Influx>>,
    /// Emoncms' protocol, if it is enabled.
    emoncms: Option<web::Data<emoncms::Emoncms>>,
    cors_origins: Vec<WebOrigin>,
}

impl Service {
    pub(crate) fn new(
        state: web::Data<AppState>,
        config: &Config,
        once: (Option<SetupToken>, Arc<RepairSwitch>),
    ) -> Self {
        let influx = config.influx.mapping().map(influx::Influx::new);
        let emoncms = config.emoncms.mapping().map(emoncms::Emoncms::new);
        let protocols = [("influx", influx.is_some()), ("emoncms", emoncms.is_some())];
        let disabled = protocols.iter().filter(|(_, is_enabled)| !is_enabled);
        let disabled: Vec<_> = disabled.map(|(tag, _)| *tag).collect();
        let description = openapi::Description::new(&state.base_path, &disabled);
        let config = &config.http;
        Self {
            state,
            pages: pages::PagesState::new(once),
            metrics: web::Data::new(config.metrics.clone()),
            description: web::Data::new(description),
            influx: influx.map(web::Data::new),
            emoncms: emoncms.map(web::Data::new),
            cors_origins: config.cors_origins.clone(),
        }
    }

    pub(crate) fn state(&self) -> web::Data<AppState> {
        self.state.clone()
    }

    /// Ends responses that have no end of their own, so that the service can stop.
    pub(crate) fn end_streams(&self) {
        self.pages.end_streams();
    }

    /// All routes, for one worker.
    pub(crate) fn app(
        &self,
    ) -> App<
        impl ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<impl MessageBody + use<>>,
            Error = Error,
            InitError = (),
        > + use<>,
    > {
        App::new()
            .app_data(self.state.clone())
            .app_data(self.metrics.clone())
            .app_data(self.description.clone())
            // Routes are tried in this order, so the addresses of uploads come first.
            .configure(|cfg| self.elec(cfg))
            .configure(|cfg| self.other_protocols(cfg))
            .configure(chart::configure)
            .configure(health::configure)
            .configure(metrics::configure)
            .configure(openapi::configure)
            .configure(|cfg| self.pages.configure(cfg))
            .configure(pages::routes)
            // Only for addresses that match nothing above: known addresses answer other methods
            // with 405.
            .default_service(refuse(|| ApiError::NotFound).wrap(from_fn(admit)))
            .wrap(from_fn(every_request))
            // Outermost of all, so that refused requests are logged, too.
            .wrap(from_fn(access::log_access))
    }

    fn elec(&self, cfg: &mut web::ServiceConfig) {
        let base_path = &self.state.base_path;
        let of_api = |resource: Resource| {
            let base_path = base_path.clone();
            let is_of_api = move |request: &GuardContext<'_>| {
                !base_path.is_empty() || !pages::is_asked_for(request.head())
            };
            resource.guard(fn_guard(is_of_api))
        };
        // Outermost, so that scripts of other sites can read why they were refused.
        let cors = || Condition::new(!self.cors_origins.is_empty(), cors(&self.cors_origins));
        let readings = of_api(elec::readings(base_path)).wrap(from_fn(admit_program));
        cfg.service(readings.wrap(cors()));
        for resource in elec::resources(base_path) {
            cfg.service(of_api(resource).wrap(from_fn(admit)).wrap(cors()));
        }
    }

    fn other_protocols(&self, cfg: &mut web::ServiceConfig) {
        // A disabled protocol has no routes, so its addresses are answered with 404.
        if let Some(influx) = &self.influx {
            cfg.app_data(influx.clone()).configure(influx::configure);
        }
        if let Some(emoncms) = &self.emoncms {
            cfg.app_data(emoncms.clone()).configure(emoncms::configure);
        }
    }
}

/// Steps common to all requests before routing, and to all answers. They are one layer, because
/// each layer costs an allocation and is passed whenever a request is polled.
async fn every_request(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    normalize(&mut request);
    // Emoncms' inputs take readings by GET too, and those requests cannot be answered as HEAD.
    let path = request.match_info().as_str();
    let is_upload = ["/input/post", "/input/bulk"]
        .iter()
        .any(|it| path.starts_with(it));
    let is_head = request.method() == Method::HEAD && !is_upload;
    if is_head {
        request.head_mut().method = Method::GET;
    }
    let mut answer = pages::as_asked(held(next.call(request).await?));
    headers::add(&mut answer);
    if is_head {
        // Done here, because the web server would read the whole body, and a stream of live values
        // has no end.
        answer = answer.map_body(|_, body| BoxBody::new(NoBody(body.size())));
    }
    Ok(answer)
}

/// The answer, whose memory counts until its client has read it; an error if too many are unread.
fn held(answer: ServiceResponse) -> ServiceResponse {
    let Some(app) = answer.request().app_data::<web::Data<AppState>>().cloned() else {
        return answer;
    };
    let (request, response) = answer.into_parts();
    let (response, body) = response.into_parts();
    let response = match app.hold_answer(&request, body) {
        Ok(body) => response.set_body(body),
        Err(error) => error.error_response(),
    };
    ServiceResponse::new(request, response)
}

/// A body that is announced with this size but never sent, for answers to HEAD.
struct NoBody(BodySize);

impl MessageBody for NoBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<web::Bytes, Self::Error>>> {
        Poll::Ready(None)
    }
}

/// Lets browsers hand answers to the pages of these sites, except answers to requests with
/// credentials that the browser keeps.
fn cors(origins: &[WebOrigin]) -> Cors {
    let cors = Cors::default()
        .allowed_methods(["GET", "POST", "PUT", "DELETE"])
        .allow_any_header()
        // Browsers hide this header from scripts of other sites by default.
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

/// Entry points for fuzzers.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::protocols::elec::{
        fuzz_correction as correction, fuzz_query_string as query_string, fuzz_upload as upload,
    };
    pub use super::protocols::influx::fuzz_query as influx_query;
}

#[cfg(test)]
mod tests;

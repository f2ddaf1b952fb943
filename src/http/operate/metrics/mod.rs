//! `GET /metrics`: how the service is, as Prometheus scrapes it.
//!
//! The text format 0.0.4 is written by the crate `prometheus`, which every scraper and `promtool` read; the official
//! `prometheus-client` writes OpenMetrics only, which `promtool check metrics` does not take for counters. All numbers are
//! looked up when they are asked for: nothing but their sources is kept.

mod family;
mod gather;

use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderMap};
use actix_web::{HttpRequest, HttpResponse, web};
use prometheus::{TEXT_FORMAT, TextEncoder};

use crate::config::{MetricsConfig, Secret};
use crate::http::gate::failed::Door;
use crate::http::gate::peer::client_address;
use crate::http::gate::resource::{limited, only};
use crate::http::gate::state::AppState;
use crate::http::wire::error::ApiError;

/// Who may see the metrics.
pub(crate) enum Access {
    /// Nobody: they are switched off.
    Off,
    /// Who shows the token; anybody if it is not set.
    Token(Secret),
}

impl Access {
    pub(crate) fn new(config: &MetricsConfig) -> Self {
        if config.enabled {
            Self::Token(config.token.clone())
        } else {
            Self::Off
        }
    }
}

/// The route.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let metrics = only("GET", "/metrics").route(web::get().to(show));
    cfg.service(limited(metrics));
}

async fn show(
    request: HttpRequest,
    app: web::Data<AppState>,
    access: web::Data<Access>,
) -> Result<HttpResponse, ApiError> {
    let Access::Token(token) = access.as_ref() else {
        return Err(ApiError::NotFound);
    };
    check(token, &request, &app)?;
    // The files of the store and the folder of the copies are looked at.
    let text = web::block(move || {
        let families = gather::gather(&app);
        TextEncoder::new().encode_to_string(&families)
    });
    let text = text.await.ok().and_then(Result::ok);
    let text = text.ok_or(ApiError::Internal("the metrics could not be written"))?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, TEXT_FORMAT))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text))
}

/// Checks that who asks shows the token, where there is one.
fn check(token: &Secret, request: &HttpRequest, app: &AppState) -> Result<(), ApiError> {
    if !token.is_set() || bearer(request.headers()).is_some_and(|shown| token.is(shown)) {
        return Ok(());
    }
    app.failed.count(Door::Metrics);
    let client = client_address(request.head(), &app.trusted_proxies);
    match app.failed_sign_ins.count(app.now().elapsed, client, None) {
        Ok(()) => Err(ApiError::BadToken),
        Err(wait) => Err(ApiError::TooManyFailures(wait)),
    }
}

/// What stands behind `Bearer`, written however.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}

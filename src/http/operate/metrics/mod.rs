//! `GET /metrics`: the state of the service, for Prometheus to scrape.
//!
//! The crate `prometheus` writes the text format 0.0.4, which every scraper and `promtool` read.
//! The official `prometheus-client` writes OpenMetrics only, whose counters `promtool check
//! metrics` refuses.
//!
//! - `gather`: the metrics and their sources
//! - `scrape`: the metrics of one scrape

mod gather;
mod scrape;

use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderMap};
use actix_web::{HttpRequest, HttpResponse, web};
use prometheus::{TEXT_FORMAT, TextEncoder};

use crate::config::MetricsConfig;
use crate::http::gate::auth::refusal;
use crate::http::gate::resource::{guarded, only};
use crate::http::gate::{AppState, SignInTarget};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;

/// The route.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let metrics = only("GET", "/metrics").route(web::get().to(show));
    cfg.service(guarded(metrics));
}

async fn show(
    request: HttpRequest,
    app: web::Data<AppState>,
    config: web::Data<MetricsConfig>,
) -> Result<HttpResponse, ApiError> {
    if !config.enabled {
        return Err(ApiError::NotFound);
    }
    let token = &config.token;
    // Without a token in the settings, anybody may read the metrics.
    if token.is_set() && !bearer(request.headers()).is_some_and(|shown| token.is(shown)) {
        return Err(refusal(&app, &request, SignInTarget::Metrics, None));
    }
    let encoding = move || TextEncoder::new().encode_to_string(&gather::gather(&app)?);
    // On a background thread, because gathering reads files.
    let text = in_background(encoding).await?;
    let text = text.map_err(|_| ApiError::Internal("the metrics could not be written"))?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, TEXT_FORMAT))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text))
}

/// The token after `Bearer`, in upper or lower case.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}

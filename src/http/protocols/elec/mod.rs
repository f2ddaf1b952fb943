//! The "elec" API: uploads, downloads, the list of sensors, and corrections.
//!
//! Checks run in the order 400, 401, 403, as the API defines it: a malformed request is refused whoever sent it.
//!
//! - `upload`, `json`: from a body to readings
//! - `download`: from a query string to a query
//! - `sensors`: the list of sensors
//! - `corrections`: what people know about readings
//! - `names`: the names of fields and parameters

pub(crate) mod corrections;
pub(crate) mod download;
mod json;
pub(crate) mod names;
pub(crate) mod sensors;
mod upload;

use actix_web::{HttpRequest, HttpResponse, Resource, web};
use serde_json::json;

use crate::domain::Plan;
use crate::http::gate::auth::check_read;
use crate::http::gate::resource::only;
use crate::http::gate::{AppState, Credentials};
use crate::http::wire::body::parse;
use crate::http::wire::{ApiError, Body};
use crate::ingest::{IncomingMessage, IngestError, Protocol};
use crate::query::Query;

/// What there is below the base path.
pub(crate) fn resources(base_path: &str) -> [Resource; 3] {
    let below = |path: &str| format!("{base_path}{path}");
    let elec = only("GET, POST", &below("/elec"))
        .route(web::post().to(upload))
        .route(web::get().to(download));
    let sensors = only("GET", &below("/sensors")).route(web::get().to(sensors::list));
    let corrections = only("GET, POST", &below("/corrections"))
        .route(web::get().to(corrections::list))
        .route(web::post().to(corrections::post));
    [elec, sensors, corrections]
}

/// `POST /elec`: stores the readings in the body, and responds once they are durable.
async fn upload(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let stored = store(&request, payload, &app).await;
    stored.inspect_err(|_| app.ingest.count_unused(Protocol::Elec))
}

async fn store(
    request: &HttpRequest,
    payload: web::Payload,
    app: &AppState,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(app, request.headers());
    let body = app.read_body(request, payload, is_known);
    let Body { bytes, reserved } = body.await?;
    let message = IncomingMessage::new(Protocol::Elec, bytes.len());
    let most = app.max_readings;
    let sent = parse(bytes.len(), move || upload::read(&bytes, most)).await??;
    // Times that are too far ahead are a 400, so they are checked before the credentials.
    let upload = app
        .ingest
        .check_times(sent.upload, app.now())
        .map_err(|error| match error {
            IngestError::AheadOfClock { index, time, now } => ApiError::invalid(
                upload::time_name(sent.is_batch, index),
                format!("expected a time at most 24 hours ahead of the server's clock, {now}"),
                &time.to_string(),
            ),
            other => other.into(),
        })?;
    let credentials = Credentials::new(sent.api_id, sent.api_key, request.headers())?;
    let grant = credentials.sign_in(app, request)?;
    let accepted = app.ingest.submit(&grant, upload, &message).await?;
    // Held until now: what was parsed from the body takes memory, too.
    drop(reserved);
    Ok(HttpResponse::Ok().json(json!({"accepted": accepted})))
}

/// `GET /elec`: responds with the result of a query.
async fn download(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let asked = download::read(request.query_string())?;
    let grant = Credentials::of_query(&request)?.sign_in(&app, &request)?;
    check_read(&grant)?;
    let registry = app.store.registry();
    let sensor = registry.authorized_sensor(&grant.account, &asked.sensor);
    sensor.ok_or(ApiError::SensorNotAuthorized)?;
    let is_net = matches!(asked.query, Query::NetConsumption(_));
    if is_net && grant.plan != Plan::Paid {
        return Err(ApiError::PaidAccountRequired);
    }
    app.stream(&request, asked.sensor, asked.query, asked.format)
        .await
}

/// An upload's body, understood or refused.
///
/// # Panics
/// If an upload without readings is understood.
#[cfg(any(test, fuzzing))]
pub fn fuzz_upload(body: &[u8]) {
    if let Ok(sent) = upload::read(body, 1_000) {
        assert!(!sent.upload.readings().is_empty());
    }
}

/// A download's query string, understood or refused.
#[cfg(any(test, fuzzing))]
pub fn fuzz_query_string(bytes: &[u8]) {
    // Only a panic matters here.
    drop(download::read(&String::from_utf8_lossy(bytes)));
}

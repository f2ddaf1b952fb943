//! The "elec" API: uploads and downloads as its clients speak them.
//!
//! Checks run in the order 400, 401, 403: what cannot be understood is not worth asking who sent it.

pub(crate) mod download;
mod json;
pub(crate) mod names;
pub(crate) mod sensors;
mod upload;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;

use crate::domain::account::Plan;
use crate::http::gate::auth::Credentials;
use crate::http::gate::resource::only;
use crate::http::gate::state::AppState;
use crate::http::wire::body::{Body, SMALL, in_background};
use crate::http::wire::error::ApiError;
use crate::ingest::{IncomingMessage, IngestError, Protocol};
use crate::query::Query;

/// What an upload is answered with.
#[derive(Serialize)]
struct Accepted {
    accepted: usize,
}

/// The routes, below the base path.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let elec = only("GET, POST", "/elec")
        .route(web::post().to(upload))
        .route(web::get().to(download));
    let sensors = only("GET", "/sensors").route(web::get().to(sensors::list));
    cfg.service(elec).service(sensors);
}

/// `POST /elec`: stores the readings in the body, and answers once they are durable.
async fn upload(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let Body { bytes, reserved } = app.bodies.read(request.headers(), payload).await?;
    let message = IncomingMessage {
        protocol: Protocol::Elec,
        bytes: bytes.len(),
    };
    let sent = if bytes.len() > SMALL {
        in_background(move || upload::read(&bytes)).await??
    } else {
        upload::read(&bytes)?
    };
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
    let grant = credentials.sign_in(&app, &request)?;
    let accepted = app.ingest.submit(&grant, upload, message).await?;
    drop(reserved);
    Ok(HttpResponse::Ok().json(Accepted { accepted }))
}

/// `GET /elec`: answers what the query string asks for.
async fn download(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let asked = download::read(request.query_string())?;
    let credentials = Credentials::new(asked.api_id, asked.api_key, request.headers())?;
    let grant = credentials.sign_in(&app, &request)?;
    if !grant.scope.may_read() {
        return Err(ApiError::ScopeInsufficient("downloads"));
    }
    if app
        .store
        .registry()
        .authorized_sensor(&grant.account, &asked.sensor)
        .is_none()
    {
        return Err(ApiError::SensorNotAuthorized);
    }
    let is_net = matches!(asked.query, Query::NetConsumption(_));
    if is_net && grant.plan != Plan::Paid {
        return Err(ApiError::PaidAccountRequired);
    }
    app.stream(&request, asked.sensor, asked.query, asked.format)
        .await
}

#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_upload(body: &[u8]) {
    if let Ok(sent) = upload::read(body) {
        assert!(!sent.upload.readings().is_empty());
    }
}

#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_query_string(query: &str) {
    // Whether it can be understood does not matter here.
    drop(download::read(query));
}

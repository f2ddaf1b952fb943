//! `GET /healthz` and `GET /readyz`, for supervisors. They need no credentials and reveal no details.
//!
//! A service is healthy if its store accepts changes; otherwise only a restart recovers it. It is ready if it would store a
//! reading now, which also needs a clock that is set.

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::http::gate::AppState;
use crate::http::gate::resource::{either, only};
use crate::http::wire::ApiError;

/// The routes.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let either = || either(Method::GET, Method::HEAD);
    let health = only("GET, HEAD", "/healthz").route(either().to(health));
    let readiness = only("GET, HEAD", "/readyz").route(either().to(readiness));
    cfg.service(health).service(readiness);
}

async fn health(app: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    match app.store.unavailable() {
        None => Ok(HttpResponse::Ok().json(json!({"status": "ok"}))),
        // Not logged here: the failure itself was, and supervisors ask often.
        Some(_) => Err(ApiError::OutOfOrder),
    }
}

async fn readiness(app: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    app.ingest.check_ready(app.now())?;
    health(app).await
}

//! `GET /healthz` and `GET /readyz`, for supervisors. They need no credentials and reveal no
//! details.
//!
//! A service is healthy if its store accepts changes; otherwise only a restart recovers it. It is
//! ready if it would store a reading now, which also requires a clock that is set.

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::http::gate::AppState;
use crate::http::gate::resource::{on, only};
use crate::http::wire::ApiError;
use crate::store::StoreError;

/// The routes.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let health = only("GET, HEAD", "/healthz").route(on(Method::GET).to(health));
    let readiness = only("GET, HEAD", "/readyz").route(on(Method::GET).to(readiness));
    cfg.service(health).service(readiness);
}

async fn health(app: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    match app.store.unavailable() {
        // An unreachable PostgreSQL comes back by itself: a restart of this service would not help.
        None | Some(StoreError::NotForNow(_)) => {
            Ok(HttpResponse::Ok().json(json!({"status": "ok"})))
        }
        // Not logged here: the failure itself was logged, and supervisors ask often.
        Some(_) => Err(ApiError::OutOfOrder),
    }
}

async fn readiness(app: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    app.ingest.check_ready(app.now())?;
    if let Some(away @ StoreError::NotForNow(_)) = app.store.unready() {
        return Err(away.into());
    }
    health(app).await
}

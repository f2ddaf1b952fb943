//! `GET /healthz` and `GET /readyz`, for supervisors. They need no credentials and reveal no details.
//!
//! A service is healthy if its store accepts changes; otherwise only a restart recovers it. It is ready if it would store a
//! reading now, which also needs a clock that is set.

use actix_web::{HttpResponse, web};
use serde::Serialize;

use crate::http::gate::AppState;
use crate::http::gate::resource::only;
use crate::http::wire::ApiError;

#[derive(Serialize)]
struct HealthStatus {
    status: &'static str,
}

/// The routes.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    cfg.service(
        only("GET, HEAD", "/healthz")
            .route(web::get().to(health))
            .route(web::head().to(health)),
    );
    cfg.service(
        only("GET, HEAD", "/readyz")
            .route(web::get().to(readiness))
            .route(web::head().to(readiness)),
    );
}

async fn health(app: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    match app.store.unavailable() {
        None => Ok(well()),
        // Not logged here: the failure itself was, and supervisors ask often.
        Some(_) => Err(ApiError::OutOfOrder),
    }
}

async fn readiness(app: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    app.ingest.check_ready(app.now())?;
    health(app).await
}

fn well() -> HttpResponse {
    HttpResponse::Ok().json(HealthStatus { status: "ok" })
}

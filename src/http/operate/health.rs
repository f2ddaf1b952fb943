//! `GET /healthz` and `GET /readyz`: for what watches over the service. They need no credentials and say nothing but whether.
//!
//! Healthy is a service whose store takes changes; one that is not comes back by a restart only. Ready is one that would
//! store a reading now, which takes a clock that is set, too.

use actix_web::{HttpResponse, web};
use serde::Serialize;

use crate::http::gate::resource::only;
use crate::http::gate::state::AppState;
use crate::http::wire::error::ApiError;

#[derive(Serialize)]
struct Status {
    status: &'static str,
}

/// Mounts the routes.
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
        // Not logged: it was when it failed, and who watches asks often.
        Some(_) => Err(ApiError::OutOfOrder),
    }
}

async fn readiness(app: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    app.ingest.check_ready(app.now())?;
    health(app).await
}

fn well() -> HttpResponse {
    HttpResponse::Ok().json(Status { status: "ok" })
}

//! `GET /healthz` and `GET /readyz`: for what watches over the service. They need no credentials and say nothing but whether.
//!
//! Healthy is a service whose store takes changes; one that is not comes back by a restart only. Ready is one that would
//! store a reading now, which takes a clock that is set, too.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use utoipa::openapi::path::Operation;

use crate::http::gate::resource::only;
use crate::http::gate::state::AppState;
use crate::http::operate::openapi::parts::{answer, choice, object, operation, problems};
use crate::http::wire::error::ApiError;

/// Whether the service is healthy.
pub(crate) const LIVE: &str = "/healthz";
/// Whether it would store a reading now.
pub(crate) const READY: &str = "/readyz";

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

/// `/healthz`, of one of its methods.
pub(crate) fn describe_live(id: &str) -> Operation {
    let what = "503 once a write failed: only a restart brings the store back.";
    describe(id, "Whether the service is healthy", what)
}

/// `/readyz`, of one of its methods.
pub(crate) fn describe_ready(id: &str) -> Operation {
    let what =
        "503 where a reading would not be stored now: as above, or while the clock is not set.";
    describe(id, "Whether the service is ready", what)
}

fn describe(id: &str, summary: &str, description: &str) -> Operation {
    let well = object()
        .property("status", choice(["ok"]))
        .required("status");
    let operation = operation(id, "service", summary, description)
        .response("200", answer("It is.", "application/json", well.build()));
    problems(operation, &[503])
}

fn well() -> HttpResponse {
    HttpResponse::Ok().json(Status { status: "ok" })
}

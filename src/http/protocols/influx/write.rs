//! `/write` and `/api/v2/write`: stores lines, and responds once they are durable.

use std::sync::Arc;

use actix_web::HttpResponse;

use crate::http::gate::auth::check_write;
use crate::http::protocols::influx::call::{InfluxCall, precision, respond, sign_in};
use crate::http::protocols::influx::error;
use crate::http::wire::body::parse;
use crate::http::wire::{ApiError, Body};
use crate::ingest::influx::{Ignored, LineReadings, read};
use crate::ingest::{BatchOutcome, IncomingMessage, Protocol};

/// `POST /write`
pub(super) async fn write_v1(call: InfluxCall) -> HttpResponse {
    respond(write(call).await, error::of_v1)
}

/// `POST /api/v2/write`
pub(super) async fn write_v2(call: InfluxCall) -> HttpResponse {
    respond(write(call).await, error::of_v2)
}

async fn write(call: InfluxCall) -> Result<HttpResponse, ApiError> {
    let (_, _, app, _) = &call;
    let app = app.clone();
    let stored = store(call).await;
    stored.inspect_err(|_| app.ingest.count_unused(Protocol::Influx))
}

async fn store((request, payload, app, influx): InfluxCall) -> Result<HttpResponse, ApiError> {
    let grant = sign_in(&request, &app)?;
    check_write(&grant)?;
    let precision = precision(request.query_string(), "precision")?.unwrap_or_default();
    let Body { bytes, reserved } = app.read_body(&request, payload, || true).await?;
    let message = IncomingMessage::new(Protocol::Influx, bytes.len());
    let (mapping, most) = (Arc::clone(&influx.mapping), app.max_readings);
    let LineReadings {
        batch,
        refused,
        lines,
        ignored,
    } = parse(bytes.len(), move || read(&bytes, precision, &mapping, most)).await??;
    let ignored: Vec<String> = ignored.iter().map(Ignored::to_string).collect();
    // Logged as well: many clients do not show their users what InfluxDB answers.
    for what in &ignored {
        influx.log.ignored("influx", what);
    }
    // Nothing here is a reading. A 204 would hide wrong settings until somebody misses the data.
    if batch.is_empty() && refused.count() == 0 && lines > 0 {
        return Err(partial(&ignored.join("; "), lines));
    }
    let stored = app.ingest.submit_batch(&grant, batch, &message, app.now());
    let BatchOutcome {
        accepted,
        unauthorized,
        ahead,
    } = stored.await?;
    drop(reserved);
    // 403 only if nothing else is wrong; otherwise 400 below has all reasons.
    if accepted + refused.count() + ahead.count() == 0 && unauthorized.count() > 0 {
        return Err(ApiError::SensorsNotAuthorized(unauthorized.to_string()));
    }
    let refused = refused.and(ahead).and(unauthorized);
    if refused.count() > 0 {
        return Err(partial(&refused.to_string(), refused.count()));
    }
    Ok(HttpResponse::NoContent().finish())
}

/// In InfluxDB's words, by which clients know that the other lines were stored, and that sending these again is of no use.
fn partial(reasons: &str, dropped: usize) -> ApiError {
    ApiError::Foreign(format!("partial write: {reasons} dropped={dropped}"))
}

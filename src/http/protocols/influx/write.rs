//! `/write` and `/api/v2/write`: stores lines, and responds once they are durable.

use std::sync::Arc;

use actix_web::HttpResponse;

use crate::domain::AccountName;
use crate::http::gate::auth::check_write;
use crate::http::protocols::influx::call::{InfluxCall, precision, respond, sign_in};
use crate::http::protocols::influx::error;
use crate::http::wire::body::parse;
use crate::http::wire::{ApiError, Body, LoggedHourly};
use crate::ingest::influx::{Ignored, LineReadings, UnmappedField, read};
use crate::ingest::{BatchOutcome, IncomingMessage, Protocol};

/// `POST /write`
pub(super) async fn write_v1(call: InfluxCall) -> HttpResponse {
    write(call, error::of_v1).await
}

/// `POST /api/v2/write`
pub(super) async fn write_v2(call: InfluxCall) -> HttpResponse {
    write(call, error::of_v2).await
}

async fn write(call: InfluxCall, refusal: fn(&ApiError) -> HttpResponse) -> HttpResponse {
    let (_, _, app, influx) = &call;
    let (app, influx) = (app.clone(), influx.clone());
    let mut sender = None;
    let stored = store(call, &mut sender).await;
    if stored.is_err() {
        app.ingest.count_unused(Protocol::Influx, 1);
    }
    // Refusals that a retry cannot change are explained once an hour: Home Assistant repeats its
    // writes every few seconds.
    let explained = match (&stored, sender) {
        (Err(error @ (ApiError::Foreign(_) | ApiError::SensorsNotAuthorized(_))), Some(sender)) => {
            let what = format!("a write of the account {} was refused", sender.account);
            let how = sender.example.map_or_else(
                || error.to_string(),
                |example| format!("no field of it is mapped to a sensor, as by {example}"),
            );
            let elapsed = app.now().elapsed;
            // One example is enough: there may be hundreds of entities.
            influx.refused.warn("influx", &what, ("", &how), elapsed);
            true
        }
        _ => false,
    };
    let mut response = respond(stored, refusal);
    if explained {
        response.extensions_mut().insert(LoggedHourly);
    }
    response
}

/// The sender of lines, and whether any were mapped.
struct Sender {
    account: AccountName,
    /// An unmapped field, if nothing is mapped.
    example: Option<UnmappedField>,
}

/// Stores the lines of a request. Notes its sender once it has signed in.
async fn store(
    (request, payload, app, influx): InfluxCall,
    sender: &mut Option<Sender>,
) -> Result<HttpResponse, ApiError> {
    let allowed = || {
        let grant = sign_in(&request, &app)?;
        check_write(&grant)?;
        Ok::<_, ApiError>(grant)
    };
    allowed()?;
    let precision = precision(request.query_string(), "precision")?;
    let Body { bytes, reserved } = app.read_body(&request, payload, || true).await?;
    // Checked again, because the body may have come slowly, and the key may have been revoked
    // meanwhile.
    let grant = allowed()?;
    let known = sender.insert(Sender {
        account: grant.account.clone(),
        example: None,
    });
    let message = IncomingMessage::new(Protocol::Influx, bytes.len());
    let (mapping, most) = (Arc::clone(&influx.mapping), app.max_readings);
    let LineReadings {
        batch,
        refused,
        dropped,
        lines,
        ignored,
        example,
    } = parse(bytes.len(), move || read(&bytes, precision, &mapping, most)).await??;
    app.ingest.count_unused(Protocol::Influx, dropped);
    let ignored: Vec<String> = ignored.iter().map(Ignored::to_string).collect();
    // Logged too, because many clients do not show InfluxDB's answers to their users.
    for what in &ignored {
        influx.log.ignored("influx", what);
    }
    // Nothing here is a reading. A 204 would hide wrong settings until somebody misses the data.
    if batch.is_empty() && refused.count() + dropped == 0 && lines > 0 {
        known.example = example;
        return Err(partial(&ignored.join("; "), lines));
    }
    let stored = app.ingest.submit_batch(&grant, batch, &message, app.now());
    let BatchOutcome {
        accepted,
        unauthorized,
        ahead,
    } = stored.await?;
    drop(reserved);
    // 403 only if nothing else is wrong; otherwise the 400 below lists all reasons.
    if accepted + refused.count() + ahead.count() == 0 && unauthorized.count() > 0 {
        return Err(ApiError::SensorsNotAuthorized(unauthorized.to_string()));
    }
    let refused = refused.and(ahead).and(unauthorized);
    if refused.count() > 0 {
        return Err(partial(&refused.to_string(), refused.count()));
    }
    Ok(HttpResponse::NoContent().finish())
}

/// InfluxDB's own wording. Clients recognize it: the other lines were stored, and sending these
/// again is useless.
fn partial(reasons: &str, dropped: usize) -> ApiError {
    ApiError::Foreign(format!("partial write: {reasons} dropped={dropped}"))
}

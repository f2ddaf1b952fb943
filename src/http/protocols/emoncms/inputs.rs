//! The newest inputs of a node.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::domain::Timestamp;
use crate::http::gate::AppState;
use crate::http::protocols::emoncms::call::{
    Emoncms, JSON, Parameters, TEXT, node_of_path, respond, token,
};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::ingest::emoncms::{InputMapping, KnownInput};
use crate::query;
use crate::store::{Store, StoreError};

/// `GET /input/get`: the inputs of a node that are readings, with their newest values and times.
pub(super) async fn newest(
    request: HttpRequest,
    app: web::Data<AppState>,
    emoncms: web::Data<Emoncms>,
) -> HttpResponse {
    respond(newest_inputs(&request, &app, &emoncms.mapping).await, TEXT)
}

async fn newest_inputs(
    request: &HttpRequest,
    app: &AppState,
    mapping: &InputMapping,
) -> Result<HttpResponse, ApiError> {
    let parameters = Parameters::of_address(request);
    let grant = token(&parameters, request)?.sign_in(app, request)?;
    let node = match node_of_path(request) {
        node if node.is_empty() => parameters.get("node")?,
        node => Some(node),
    };
    let node = node.ok_or_else(|| ApiError::foreign("Request contains no node"))?;
    let registry = app.store.registry();
    let mut known = mapping.inputs_of(&node);
    known.retain(|(_, sensor, _)| registry.authorized_sensor(&grant.account, sensor).is_some());
    let store = Arc::clone(&app.store);
    let newest = in_background(move || newest_of(&store, known));
    // The time comes first: IoTaWatt parses up to the comma after it.
    let inputs: Vec<String> = newest
        .await??
        .into_iter()
        .map(|(name, seconds, value)| {
            let value = json!(grant.scope.may_read().then_some(value));
            let name = json!(name);
            format!("{name}:{{\"time\":{seconds},\"value\":{value},\"processList\":\"\"}}")
        })
        .collect();
    let body = if inputs.is_empty() {
        "\"Node does not exist\"".to_owned()
    } else {
        format!("{{{}}}", inputs.join(","))
    };
    Ok(HttpResponse::Ok().content_type(JSON).body(body))
}

/// The newest value of each input that has one, with its time in seconds since 1970. May block on
/// disk reads.
fn newest_of(store: &Store, known: Vec<KnownInput>) -> Result<Vec<(String, i64, f64)>, StoreError> {
    let mut found = Vec::new();
    for (name, sensor, quantity) in known {
        // Without an upper limit, because readings may be ahead of the clock, and the client
        // resumes after the newest.
        if let Some(point) = query::newest(store, &sensor, quantity.measure(), Timestamp::MAX)? {
            let seconds = point.time.millis().div_euclid(1_000);
            found.push((name, seconds, quantity.number_of(point.value)));
        }
    }
    Ok(found)
}

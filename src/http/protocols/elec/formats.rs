//! `/formats`: the account's described formats of files.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::admin::{FormatRow, put_format, remove_format};
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::json::uncached;
use crate::http::protocols::elec::names::NAME;
use crate::http::wire::body::in_background;
use crate::http::wire::{ApiError, Body, params};

/// `GET /formats`: the account's formats.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reader(&app, &request)?.account;
    let registry = app.store.registry();
    let rows = in_background(move || FormatRow::all(&registry, &account)).await?;
    Ok(uncached(json!({"formats": rows})))
}

/// `PUT /formats`: adds the format in the body, replacing the one of the same name; responds once
/// it is durable.
pub(crate) async fn put(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, &request);
    let Body { bytes, reserved } = app.read_body(&request, payload, is_known).await?;
    let text =
        String::from_utf8(bytes).map_err(|_| ApiError::unfit("body", "expected text in UTF-8"))?;
    let grant = changer(&app, &request, "formats")?;
    let store = app.store.clone();
    let name = in_background(move || put_format(&store, &grant.account, text)).await??;
    drop(reserved);
    Ok(HttpResponse::Ok().json(json!({"name": name})))
}

/// `DELETE /formats`: removes a format.
pub(crate) async fn delete(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let name = params::required(request.query_string(), NAME)?;
    let grant = changer(&app, &request, "formats")?;
    let (store, of) = (app.store.clone(), name.clone());
    in_background(move || remove_format(&store, &grant.account, &of)).await??;
    Ok(HttpResponse::Ok().json(json!({"removed": name})))
}

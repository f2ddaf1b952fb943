//! `/formats`: the account's described formats of files.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::admin::{FormatRow, put_format, remove_format};
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::names::NAME;
use crate::http::wire::body::in_background;
use crate::http::wire::list::ListRows;
use crate::http::wire::{ApiError, Body, params};

/// `GET /formats`: the account's formats.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reader(&app, &request)?.account;
    let (store, of) = (Arc::clone(&app.store), account.clone());
    let mut last: Option<String> = None;
    let next = move |rows: &mut ListRows<'_>| {
        // One at a time, because each is parsed.
        let next = FormatRow::after(&store.registry(), &of, last.as_deref());
        if let Some(next) = &next {
            rows.add(next);
        }
        last = next.map(|row| row.name);
        Ok(last.is_some())
    };
    app.list(&request, &account, "{\"formats\":[", next).await
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

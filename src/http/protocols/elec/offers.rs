//! `/offers`: contracts that are not in force, to compare with those that are.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};

use crate::admin::{AdminError, put_offer, remove_offer};
use crate::domain::AccountName;
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::names::NAME;
use crate::http::wire::body::{in_background, parse};
use crate::http::wire::list::ListRows;
use crate::http::wire::{ApiError, Body, params};
use crate::ledger::contract::{Contract, Label};

/// `GET /offers`: lists the offers of the credentials' account.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reader(&app, &request)?.account;
    answer(&request, &app, account).await
}

/// `PUT /offers`: adds the offer in the body, replacing the one of the same name; responds with all
/// offers once it is durable.
pub(crate) async fn put(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, &request);
    let Body { bytes, reserved } = app.read_body(&request, payload, is_known).await?;
    // Bytes that are not UTF-8 are not JSON either, and are refused as such.
    let length = bytes.len();
    let offer = parse(length, move || {
        Contract::parse(&String::from_utf8_lossy(&bytes))
    });
    let offer = offer.await?.map_err(AdminError::from)?;
    let grant = changer(&app, &request, "offers")?;
    let (store, account) = (app.store.clone(), grant.account.clone());
    in_background(move || put_offer(&store, &account, offer, None)).await??;
    drop(reserved);
    answer(&request, &app, grant.account).await
}

/// `DELETE /offers`: removes an offer; responds with those that are left.
pub(crate) async fn delete(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let name = params::required(request.query_string(), NAME)?;
    let grant = changer(&app, &request, "offers")?;
    let (store, account) = (app.store.clone(), grant.account.clone());
    in_background(move || remove_offer(&store, &account, &name)).await??;
    answer(&request, &app, grant.account).await
}

/// The offers of an account, by name.
async fn answer(
    request: &HttpRequest,
    app: &AppState,
    account: AccountName,
) -> Result<HttpResponse, ApiError> {
    let (store, of) = (Arc::clone(&app.store), account.clone());
    let mut last: Option<Label> = None;
    let next = move |rows: &mut ListRows<'_>| {
        let registry = store.registry();
        let mut all = registry.offers(&of);
        let next = all.find(|one| last.as_ref().is_none_or(|last| one.name() > last));
        last = next.map(|one| one.name().clone());
        if let Some(next) = next {
            // The offer's own text: a number in a JSON tree would lose digits.
            rows.add_json(&next.to_string());
        }
        Ok(next.is_some())
    };
    app.list(request, &account, "{\"offers\":[", next).await
}

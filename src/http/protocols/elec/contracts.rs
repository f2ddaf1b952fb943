//! `/contracts`: the tariffs that the account pays and is paid by.

use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::admin::{AdminError, change_contracts};
use crate::domain::Currency;
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::wire::body::{in_background, parse};
use crate::http::wire::{ApiError, Body};
use crate::ledger::contract::{ContractChange, Contracts};

/// `GET /contracts`: lists the contracts of the credentials' account.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let grant = reader(&app, &request)?;
    let registry = app.store.registry();
    let contracts = registry.contracts(&grant.account).cloned();
    Ok(answer(&contracts.unwrap_or_default()))
}

/// `POST /contracts`: adds, replaces or removes a contract, or replaces all; responds with all
/// contracts once the change is durable.
pub(crate) async fn post(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, &request);
    let Body { bytes, reserved } = app.read_body(&request, payload, is_known).await?;
    let change = parse(bytes.len(), move || {
        // Bytes that are not UTF-8 are not JSON either, and are refused as such.
        ContractChange::parse(&String::from_utf8_lossy(&bytes))
    });
    let change = change.await?.map_err(AdminError::from)?;
    let grant = changer(&app, &request, "contracts")?;
    let store = app.store.clone();
    let change = move || change_contracts(&store, &grant.account, change);
    let contracts = in_background(change).await??;
    drop(reserved);
    Ok(answer(&contracts))
}

fn answer(contracts: &Contracts) -> HttpResponse {
    let currency = json!(contracts.currency().map(Currency::as_str));
    // The contracts' own text: a number in a JSON tree would lose digits.
    let body = format!(r#"{{"currency":{currency},"contracts":{contracts}}}"#);
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header(ContentType::json())
        .body(body)
}

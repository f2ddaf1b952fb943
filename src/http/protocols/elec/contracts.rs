//! `/contracts`: the tariffs that the account pays and is paid by.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::admin::{AdminError, change_contracts, contract_doubts};
use crate::domain::{AccountName, Currency};
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::wire::body::in_background;
use crate::http::wire::list::ListRows;
use crate::http::wire::{ApiError, Body, Reservation};
use crate::ledger::contract::{Contract, ContractChange, MoneyDoubt};
use crate::store::Grant;

/// `GET /contracts`: lists the contracts of the credentials' account.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reader(&app, &request)?.account;
    answer(&request, &app, account, &[]).await
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
    // Even a small contract can take long to check: its zones must cover each kind of day.
    let change = in_background(move || {
        // Bytes that are not UTF-8 are not JSON either, and are refused as such.
        ContractChange::parse(&String::from_utf8_lossy(&bytes))
    });
    let change = change.await?.map_err(AdminError::from)?;
    let grant = changer(&app, &request, "contracts")?;
    let doubts = doubts_of(&app, &grant.account, &change).await?;
    changed(&request, &app, (grant, change), doubts, reserved).await
}

/// The doubts about a change.
pub(super) async fn doubts_of(
    app: &web::Data<AppState>,
    account: &AccountName,
    change: &ContractChange,
) -> Result<Vec<MoneyDoubt>, ApiError> {
    let (store, of, change) = (app.store.clone(), account.clone(), change.clone());
    let now = app.now().time;
    let sources = app.price_sources.list();
    let sources = sources.iter().map(|tally| tally.settings());
    let own = sources.filter(|one| one.account.as_ref().is_none_or(|name| name == account));
    let filled: Vec<String> = own.map(|one| one.series.to_string()).collect();
    let doubts = move || contract_doubts(&store, &of, (&change, &filled), now);
    Ok(in_background(doubts).await??)
}

/// The member of an answer with these doubts, and a comma; empty without any.
pub(super) fn warnings(doubts: &[MoneyDoubt]) -> String {
    if doubts.is_empty() {
        return String::new();
    }
    let told: Vec<String> = doubts.iter().map(ToString::to_string).collect();
    format!("\"warnings\":{},", json!(told))
}

/// Makes a change, and responds with all contracts and the doubts once it is durable.
pub(super) async fn changed(
    request: &HttpRequest,
    app: &web::Data<AppState>,
    (grant, change): (Grant, ContractChange),
    doubts: Vec<MoneyDoubt>,
    reserved: Reservation,
) -> Result<HttpResponse, ApiError> {
    let store = app.store.clone();
    let account = grant.account.clone();
    let change = move || change_contracts(&store, &grant.account, change).map(drop);
    in_background(change).await??;
    drop(reserved);
    answer(request, app, account, &doubts).await
}

/// The contracts of an account, by their beginnings, after the doubts about a change.
async fn answer(
    request: &HttpRequest,
    app: &AppState,
    account: AccountName,
    doubts: &[MoneyDoubt],
) -> Result<HttpResponse, ApiError> {
    let registry = app.store.registry();
    let currency = registry.contracts(&account).and_then(|all| all.currency());
    let warnings = warnings(doubts);
    let head = format!(
        "{{\"currency\":{},{warnings}\"contracts\":[",
        json!(currency.map(Currency::as_str))
    );
    let (store, of, mut last) = (Arc::clone(&app.store), account.clone(), None);
    let next = move |rows: &mut ListRows<'_>| {
        let registry = store.registry();
        let all = registry.contracts(&of).into_iter();
        let mut all = all.flat_map(|all| all.all());
        let next = all.find(|one| last.is_none_or(|last| one.from() > last));
        last = next.map(Contract::from);
        if let Some(next) = next {
            // The contract's own text: a number in a JSON tree would lose digits.
            rows.add_json(&next.to_string());
        }
        Ok(next.is_some())
    };
    app.list(request, &account, head, next).await
}

//! `/purchases`: what a household bought, and is to pay for itself.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::json::{posted, uncached};
use crate::admin::{PurchaseForm, PurchaseRow, put_purchase, remove_purchase};
use crate::domain::AccountName;
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::names::NAME;
use crate::http::wire::body::in_background;
use crate::http::wire::{ApiError, Body, params};
use crate::store::Store;

/// Amounts are read by their digits: a binary number would not have all of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PostedPurchase<'a> {
    name: String,
    kind: String,
    date: String,
    #[serde(borrow)]
    amount: &'a RawValue,
    #[serde(borrow, default)]
    subsidy: Option<&'a RawValue>,
    #[serde(borrow, default)]
    costs_per_year: Option<&'a RawValue>,
}

/// `GET /purchases`: lists the purchases of the credentials' account.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reader(&app, &request)?.account;
    answer(&app, account).await
}

/// `PUT /purchases`: adds the purchase in the body, replacing the one of the same name; responds
/// with all purchases once it is durable.
pub(crate) async fn put(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, &request);
    let body = app.read_body(&request, payload, is_known);
    let Body { bytes, reserved } = body.await?;
    let form = read(&bytes)?;
    let grant = changer(&app, &request, "purchases")?;
    let (store, account, now) = (app.store.clone(), grant.account.clone(), app.now().time);
    in_background(move || put_purchase(&store, &account, (&form, None), now)).await??;
    drop(reserved);
    answer(&app, grant.account).await
}

/// `DELETE /purchases`: removes a purchase; responds with those that are left.
pub(crate) async fn delete(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let name = params::required(request.query_string(), NAME)?;
    let grant = changer(&app, &request, "purchases")?;
    let (store, account) = (app.store.clone(), grant.account.clone());
    in_background(move || remove_purchase(&store, &account, &name)).await??;
    answer(&app, grant.account).await
}

async fn answer(app: &AppState, account: AccountName) -> Result<HttpResponse, ApiError> {
    let of = account.clone();
    let listing = move |store: &Store| PurchaseRow::all(&store.registry(), &of);
    let rows = app.page(&account, Some(0), listing).await?;
    Ok(uncached(json!({ "purchases": rows })))
}

fn read(bytes: &[u8]) -> Result<PurchaseForm, ApiError> {
    let posted: PostedPurchase<'_> = posted(bytes).map_err(|error| {
        ApiError::MalformedJson(format!(
            "expected a purchase such as {{\"name\":\"Roof\",\"kind\":\"panels\",\"date\":\"2022-05-01\",\"amount\":14500,\"subsidy\":1500,\"costs_per_year\":120}}: {error}"
        ))
    })?;
    let text = |number: &RawValue| number.get().trim_matches('"').to_owned();
    Ok(PurchaseForm {
        name: posted.name,
        kind: posted.kind,
        date: posted.date,
        amount: text(posted.amount),
        subsidy: posted.subsidy.map(text).unwrap_or_default(),
        costs_per_year: posted.costs_per_year.map(text).unwrap_or_default(),
    })
}

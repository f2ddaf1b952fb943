//! `/formats`, `/offers`, `/purchases`, `/tenancies`: what people enter in an account by name. Bills are part of
//! `/utility`.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, Resource, web};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::contracts::{doubts_of, warnings};
use super::json::{number_text, posted};
use super::names::NAME;
use crate::admin::{EntryForm, PurchaseForm, entry_row, put_entry, remove_entry};
use crate::domain::{AccountName, EntryKind};
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::wire::body::{in_background, parse};
use crate::http::wire::list::ListRows;
use crate::http::wire::{ApiError, Body, params};
use crate::ledger::contract::{ContractChange, MoneyDoubt};
use crate::store::AccountEntry;

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

/// The entries of an account of one kind.
#[derive(Clone, Copy)]
pub(super) struct EntriesOf {
    kind: EntryKind,
    /// The last part of their path, and their name in answers.
    name: &'static str,
    /// Reads one from a body.
    read: fn(&[u8]) -> Result<EntryForm, ApiError>,
}

pub(super) const FORMATS: EntriesOf = EntriesOf {
    kind: EntryKind::Format,
    name: "formats",
    read: format,
};
pub(super) const OFFERS: EntriesOf = EntriesOf {
    kind: EntryKind::Offer,
    name: "offers",
    // Bytes that are not UTF-8 are not JSON either, and are refused as such.
    read: |bytes| {
        Ok(EntryForm::Offer(
            String::from_utf8_lossy(bytes).into_owned(),
        ))
    },
};
pub(super) const PURCHASES: EntriesOf = EntriesOf {
    kind: EntryKind::Purchase,
    name: "purchases",
    read: purchase,
};

pub(super) const TENANCIES: EntriesOf = EntriesOf {
    kind: EntryKind::Tenancy,
    name: "tenancies",
    read: |bytes| {
        Ok(EntryForm::Tenancy(
            String::from_utf8_lossy(bytes).into_owned(),
        ))
    },
};

impl EntriesOf {
    /// Their routes.
    pub(super) fn on(self, resource: Resource) -> Resource {
        resource
            .route(web::get().to(move |request, app| self.list(request, app)))
            .route(web::put().to(move |request, body, app| self.put(request, body, app)))
            .route(web::delete().to(move |request, app| self.delete(request, app)))
    }

    /// `GET`: the entries of the credentials' account.
    async fn list(
        self,
        request: HttpRequest,
        app: web::Data<AppState>,
    ) -> Result<HttpResponse, ApiError> {
        let account = reader(&app, &request)?.account;
        self.answer(&request, &app, (account, &[])).await
    }

    /// `PUT`: adds the entry in the body, replacing the one of the same name; responds once it is
    /// durable.
    async fn put(
        self,
        request: HttpRequest,
        payload: web::Payload,
        app: web::Data<AppState>,
    ) -> Result<HttpResponse, ApiError> {
        let is_known = || Credentials::are_in_head(&app, &request);
        let Body { bytes, reserved } = app.read_body(&request, payload, is_known).await?;
        let form = parse(bytes.len(), move || (self.read)(&bytes)).await??;
        let grant = changer(&app, &request, self.name)?;
        let (store, account, now) = (app.store.clone(), grant.account.clone(), app.now().time);
        let put = in_background(move || put_entry(&store, &account, (&form, None), now)).await??;
        drop(reserved);
        match put {
            AccountEntry::Format(name, _) => Ok(HttpResponse::Ok().json(json!({ "name": name }))),
            AccountEntry::Offer(offer) => {
                let change = ContractChange::Put(offer);
                let mut doubts = doubts_of(&app, &grant.account, &change).await?;
                doubts.retain(|doubt| !doubt.is_of_future());
                self.answer(&request, &app, (grant.account, &doubts)).await
            }
            _ => self.answer(&request, &app, (grant.account, &[])).await,
        }
    }

    /// `DELETE`: removes an entry.
    async fn delete(
        self,
        request: HttpRequest,
        app: web::Data<AppState>,
    ) -> Result<HttpResponse, ApiError> {
        let name = params::required(request.query_string(), NAME)?;
        let grant = changer(&app, &request, self.name)?;
        let (store, account, of) = (app.store.clone(), grant.account.clone(), name.clone());
        in_background(move || remove_entry(&store, &account, self.kind, &of)).await??;
        match self.kind {
            EntryKind::Format => Ok(HttpResponse::Ok().json(json!({ "removed": name }))),
            _ => self.answer(&request, &app, (grant.account, &[])).await,
        }
    }

    /// The entries of an account, by name, after doubts about a new one: one at a time, because a format is parsed.
    async fn answer(
        self,
        request: &HttpRequest,
        app: &AppState,
        (account, doubts): (AccountName, &[MoneyDoubt]),
    ) -> Result<HttpResponse, ApiError> {
        let (store, of, mut last) = (Arc::clone(&app.store), account.clone(), None);
        let next = move |rows: &mut ListRows<'_>| {
            let registry = store.registry();
            let mut all = registry.entries(self.kind, &of);
            let next = all.find(|one| last.as_ref().is_none_or(|last| one.name() > *last));
            last = next.map(AccountEntry::name);
            match next {
                // The offer's own text: a number in a JSON tree would lose digits.
                Some(AccountEntry::Offer(offer)) => rows.add_json(&offer.to_string()),
                Some(entry) => rows.add_json(&entry_row(&of, entry)),
                None => {}
            }
            Ok(next.is_some())
        };
        let head = format!("{{{}\"{}\":[", warnings(doubts), self.name);
        app.list(request, &account, head, next).await
    }
}

/// Reads a format from a body.
fn format(bytes: &[u8]) -> Result<EntryForm, ApiError> {
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|_| ApiError::unfit("body", "expected text in UTF-8"))?;
    Ok(EntryForm::Format(text.to_owned()))
}

/// Reads a purchase.
fn purchase(bytes: &[u8]) -> Result<EntryForm, ApiError> {
    let posted: PostedPurchase<'_> = posted(bytes).map_err(|error| {
        ApiError::MalformedJson(format!(
            "expected a purchase such as {{\"name\":\"Roof\",\"kind\":\"panels\",\"date\":\"2022-05-01\",\"amount\":14500,\"subsidy\":1500,\"costs_per_year\":120}}: {error}"
        ))
    })?;
    Ok(EntryForm::Purchase(PurchaseForm {
        name: posted.name,
        kind: posted.kind,
        date: posted.date,
        amount: number_text(posted.amount),
        subsidy: posted.subsidy.map(number_text).unwrap_or_default(),
        costs_per_year: posted.costs_per_year.map(number_text).unwrap_or_default(),
    }))
}

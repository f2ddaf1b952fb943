//! `/notices`: messages that something needs attention.

use std::fmt::Display;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::json;

use crate::admin::{AdminError, NoticeRow, dismiss_notice, notice_owners, notice_rows};
use crate::http::gate::auth::{API_ID, API_KEY, check_full, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::json::{members, posted, uncached};
use crate::http::protocols::elec::upload::secret;
use crate::http::wire::body::in_background;
use crate::http::wire::{ApiError, Body};
use crate::ledger::Author;
use crate::ledger::notice::{KnownNotice, NoticeKey};
use crate::store::{Store, StoreError};

const DISMISS: &str = "dismiss";

/// The body that dismisses a notice.
#[derive(Deserialize)]
struct Dismissal {
    dismiss: String,
}

/// `GET /notices`: lists the notices of the credentials' account, and those of the service if it is
/// the only account.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reader(&app, &request)?.account;
    let of = account.clone();
    let listing = move |store: &Store| {
        let registry = store.registry();
        let all = notice_owners(&registry, &of);
        let rows: Vec<NoticeRow> = all
            .flat_map(|owner| notice_rows(&registry, owner.as_ref()))
            .collect();
        rows
    };
    let rows = app.page(&account, Some(0), listing).await?;
    Ok(uncached(json!({"notices": rows})))
}

/// `POST /notices`: dismisses a notice; responds with it once that is durable.
pub(crate) async fn post(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, &request);
    let body = app.read_body(&request, payload, is_known);
    let Body { bytes, reserved } = body.await?;
    let names = [API_ID, API_KEY];
    let [id, key] = members(&bytes, &names).map_err(|error| malformed(&error))?;
    let (id, key) = (secret(API_ID, id)?, secret(API_KEY, key)?);
    let credentials = Credentials::new(id, key, request.headers())?;
    let Dismissal { dismiss } = posted(&bytes).map_err(|error| malformed(&error))?;
    let by = Author::Credential(credentials.id().clone());
    let grant = credentials.sign_in(&app, &request)?;
    check_full(&grant, "notices")?;
    let (store, now) = (app.store.clone(), app.now().time);
    let change = move || {
        let registry = store.registry();
        let keys = notice_owners(&registry, &grant.account).map(|account| NoticeKey {
            account,
            id: dismiss.clone(),
        });
        let is_open = |key: &NoticeKey| registry.notice(key).is_some_and(KnownNotice::is_open);
        let key = keys.into_iter().find(is_open);
        let key = key.ok_or(StoreError::UnknownNotice(dismiss.clone()))?;
        dismiss_notice(&store, &key, by, now)
    };
    let changed = in_background(change).await?.map_err(|error| match error {
        AdminError::Unfit(StoreError::UnknownNotice(_)) => ApiError::unfit(
            DISMISS,
            "expected the id of an open notice, such as \"sensor-silent:house\"".to_owned(),
        ),
        error => error.into(),
    })?;
    drop(reserved);
    Ok(HttpResponse::Ok().json(changed))
}

fn malformed(error: &impl Display) -> ApiError {
    ApiError::MalformedJson(format!(
        "expected the id of a notice such as {{\"dismiss\":\"sensor-silent:house\"}}: {error}"
    ))
}

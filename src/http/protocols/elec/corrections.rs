//! `/corrections`: what people know about the account's readings.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::admin::{AdminError, CorrectionForm, CorrectionRow, add_correction, revoke_correction};
use crate::domain::{AccountName, SensorId};
use crate::http::gate::auth::{API_ID, API_KEY, check_full, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::json::members;
use crate::http::protocols::elec::names::SENSOR_ID;
use crate::http::protocols::elec::upload::secret;
use crate::http::wire::body::in_background;
use crate::http::wire::stream::{self, ResultText};
use crate::http::wire::{ApiError, Body, Format, params};
use crate::ledger::{Author, Correction, Made};
use crate::store::{Store, StoreError};

const REVOKE: &str = "revoke";

/// The body that revokes a correction.
#[derive(Deserialize)]
struct Revocation {
    revoke: u32,
    #[serde(default)]
    note: String,
}

/// What a body asks for.
enum PostedCorrection {
    Add(Box<Correction>),
    Revoke(u32, Made),
}

/// `GET /corrections`: those of the credentials' account, or of one of its sensors.
pub(crate) async fn list(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let sensor = match params::param(query, SENSOR_ID)? {
        None => None,
        Some(_) => Some(params::sensor(query, SENSOR_ID)?),
    };
    let grant = reader(&app, &request)?;
    let registry = app.store.registry();
    if let Some(sensor) = &sensor {
        let sensor = registry.authorized_sensor(&grant.account, sensor);
        sensor.ok_or(ApiError::SensorNotAuthorized)?;
    }
    let report = app.begin_report(&grant.account);
    let text = CorrectionText {
        store: Arc::clone(&app.store),
        account: grant.account,
        sensor,
        next: 0,
        has_begun: false,
        has_rows: false,
    };
    stream::respond(&request, report, Format::Json, move || Ok(text)).await
}

/// So many corrections are looked at at once.
const RUN: usize = 64;

/// Corrections as text.
struct CorrectionText {
    store: Arc<Store>,
    account: AccountName,
    sensor: Option<SensorId>,
    /// The number from which on they are not looked at yet. Those that were are not held: they have notes.
    next: u32,
    has_begun: bool,
    has_rows: bool,
}

impl ResultText for CorrectionText {
    fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        if !self.has_begun {
            out.extend_from_slice(b"{\"corrections\":[");
            self.has_begun = true;
        }
        let registry = self.store.registry();
        let all = registry.corrections(&self.account).into_iter();
        let from = self.next;
        let all = all.flat_map(|all| all.from_number(from));
        let mut seen = 0;
        for one in all.take(RUN) {
            seen += 1;
            self.next = one.number().saturating_add(1);
            if self.sensor.as_ref().is_some_and(|id| one.sensor() != id) {
                continue;
            }
            if self.has_rows {
                out.push(b',');
            }
            self.has_rows = true;
            // A row has text and finite numbers only, and memory takes everything.
            drop(serde_json::to_writer(
                &mut *out,
                &CorrectionRow::new(&self.account, one),
            ));
        }
        if seen < RUN {
            out.extend_from_slice(b"]}");
        }
        Ok(seen == RUN)
    }
}

/// `POST /corrections`: adds a correction, or revokes one; responds with it once that is durable.
pub(crate) async fn post(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, &request);
    let body = app.read_small_body(&request, payload, is_known);
    let Body { bytes, reserved } = body.await?;
    let names = [API_ID, API_KEY, REVOKE];
    let [id, key, revoke] = members(&bytes, &names).map_err(|error| malformed(&error))?;
    let (id, key) = (secret(API_ID, id)?, secret(API_KEY, key)?);
    let credentials = Credentials::new(id, key, request.headers())?;
    let (now, by) = (app.now().time, Author::Credential(credentials.id().clone()));
    let posted = if revoke.is_some() {
        let Revocation { revoke, note } = parsed(&bytes)?;
        let made = Made::new(now, by, &note).map_err(AdminError::from)?;
        PostedCorrection::Revoke(revoke, made)
    } else {
        let form: CorrectionForm = parsed(&bytes)?;
        check_sensor(&form.sensor_id)?;
        let correction = form.correction(now, by)?;
        PostedCorrection::Add(Box::new(correction))
    };
    let grant = credentials.sign_in(&app, &request)?;
    check_full(&grant, "corrections")?;
    let (store, account) = (app.store.clone(), grant.account.clone());
    let change = move || match posted {
        PostedCorrection::Add(correction) => add_correction(&store, &account, *correction),
        PostedCorrection::Revoke(number, made) => revoke_correction(&store, &account, number, made),
    };
    let changed = in_background(change).await??;
    drop(reserved);
    Ok(HttpResponse::Ok().json(CorrectionRow::new(&grant.account, &changed)))
}

/// The members of a body that are no secrets: an error quotes at most one of these.
fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| malformed(&error))
}

pub(super) fn check_sensor(id: &str) -> Result<(), ApiError> {
    let checked = SensorId::new(id).map(drop);
    checked.map_err(|error| ApiError::unfit(SENSOR_ID, error.to_string()))
}

fn malformed(error: &serde_json::Error) -> ApiError {
    ApiError::MalformedJson(format!(
        "expected a correction such as {{\"sensor_id\":\"house\",\"kind\":\"wrong\",\"from\":\"2026-01-05T10:00:00\",\"to\":\"2026-01-05T11:00:00\"}}: {error}"
    ))
}

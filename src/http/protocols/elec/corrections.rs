//! `/corrections`: what people know about the account's readings.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::admin::{
    CorrectionForm, CorrectionProblem, CorrectionRow, add_correction, correction_rows,
};
use crate::domain::Scope;
use crate::http::gate::auth::{API_ID, API_KEY, check_read};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::json::members;
use crate::http::protocols::elec::names::SENSOR_ID;
use crate::http::protocols::elec::upload::secret;
use crate::http::wire::body::in_background;
use crate::http::wire::{ApiError, Body, params};
use crate::ledger::{Author, Correction, Made};
use crate::store::StoreError;

const REVOKE: &str = "revoke";

/// The body that revokes a correction.
#[derive(Deserialize)]
struct Revocation {
    revoke: u32,
    #[serde(default)]
    note: String,
}

/// What a body asks for.
enum Posted {
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
    let grant = Credentials::of_query(&request)?.sign_in(&app, &request)?;
    check_read(&grant)?;
    let registry = app.store.registry();
    if let Some(sensor) = &sensor {
        let sensor = registry.authorized_sensor(&grant.account, sensor);
        sensor.ok_or(ApiError::SensorNotAuthorized)?;
    }
    let rows = correction_rows(&registry, &grant.account, sensor.as_ref());
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "no-store"))
        .json(json!({"corrections": rows})))
}

/// `POST /corrections`: adds a correction, or revokes one; responds with it once that is durable.
pub(crate) async fn post(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(&app, request.headers());
    let body = app.read_body(&request, payload, is_known);
    let Body { bytes, reserved } = body.await?;
    let names = [API_ID, API_KEY, REVOKE];
    let [id, key, revoke] = members(&bytes, &names).map_err(|error| malformed(&error))?;
    let (id, key) = (secret(API_ID, id)?, secret(API_KEY, key)?);
    let credentials = Credentials::new(id, key, request.headers())?;
    let (now, by) = (app.now().time, Author::Credential(credentials.id().clone()));
    let posted = if revoke.is_some() {
        let Revocation { revoke, note } = parsed(&bytes)?;
        let made = Made::new(now, by, &note).map_err(|error| refused(&error.to_string()))?;
        Posted::Revoke(revoke, made)
    } else {
        let form: CorrectionForm = parsed(&bytes)?;
        let correction = form.correction(now, by).map_err(|text| refused(&text))?;
        Posted::Add(Box::new(correction))
    };
    let grant = credentials.sign_in(&app, &request)?;
    if grant.scope != Scope::Full {
        return Err(ApiError::ScopeInsufficient("corrections"));
    }
    let (store, account) = (app.store.clone(), grant.account.clone());
    let change = move || match posted {
        Posted::Add(correction) => add_correction(&store, &account, *correction),
        Posted::Revoke(number, made) => {
            let revoked = store.revoke_correction_durably(&account, number, made);
            revoked.map_err(CorrectionProblem::from)
        }
    };
    let changed = in_background(change).await?.map_err(problem)?;
    drop(reserved);
    Ok(HttpResponse::Ok().json(CorrectionRow::new(&grant.account, &changed)))
}

/// The members of a body that are no secrets: an error quotes at most one of these.
fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| malformed(&error))
}

fn malformed(error: &serde_json::Error) -> ApiError {
    ApiError::MalformedJson(format!(
        "expected a correction such as {{\"sensor_id\":\"house\",\"kind\":\"wrong\",\"from\":\"2026-01-05T10:00:00\",\"to\":\"2026-01-05T11:00:00\"}}: {error}"
    ))
}

/// The error for a text that begins with the name of a field.
fn refused(text: &str) -> ApiError {
    let (name, problem) = text.split_once(": ").unwrap_or(("body", text));
    ApiError::unfit(name, problem)
}

fn problem(problem: CorrectionProblem) -> ApiError {
    match problem {
        CorrectionProblem::Refused(text) => refused(&text),
        CorrectionProblem::Store(error @ StoreError::NotInEffect(..)) => {
            ApiError::unfit(REVOKE, error.to_string())
        }
        CorrectionProblem::Store(error @ StoreError::TooManyCorrections(_)) => {
            ApiError::unfit("body", error.to_string())
        }
        CorrectionProblem::Store(error) => error.into(),
    }
}

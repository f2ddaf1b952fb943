//! The "elec" API: uploads, downloads, the list of sensors, entries by people, and results of the
//! ledger.
//!
//! Checks run in the order 400, 401, 403, as the API defines it: a malformed request is refused
//! before credentials are looked at.
//!
//! - `upload`, `json`: from a body to readings
//! - `download`: from a query string to a query
//! - `sensors`: the list of sensors
//! - `corrections`: people's corrections of readings; `contracts`, `prices`, `days`:
//!   tariffs; `tariffs`: contracts from those of countries; `cheapest`: when a kilowatt-hour is cheapest;
//!   `utility`: meter readings and bills of the utility
//! - `energy`, `statement`, `savings`, `forecast`, `events`: energy and its cost by the ledger, so far and
//!   likely; oddities of readings
//! - `what_if`: the cost of a range with another battery, other panels or another load
//! - `peak`: the running span of each demand charge
//! - `entries`: described formats of files, offers, purchases, tenancies; `tenancies`: the statements of
//!   tenancies
//! - `home_assistant`: the Home Assistant of the account
//! - `notices`: messages that something needs attention
//! - `names`: the names of fields and parameters

pub(crate) mod cheapest;
pub(crate) mod contracts;
pub(crate) mod corrections;
pub(crate) mod days;
pub(crate) mod download;
pub(crate) mod energy;
mod entries;
pub(crate) mod events;
mod forecast;
mod home_assistant;
mod json;
pub(crate) mod names;
mod notices;
mod peak;
pub(crate) mod prices;
mod savings;
pub(crate) mod sensors;
mod statement;
mod tariffs;
mod tenancies;
mod upload;
pub(crate) mod utility;
mod what_if;

use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse, Resource, web};
use serde::Serialize;

use self::entries::{FORMATS, OFFERS, PURCHASES, TENANCIES};
use crate::domain::Plan;
use crate::http::gate::auth::reader;
use crate::http::gate::own_key::check_body;
use crate::http::gate::resource::{on, only, taking};
use crate::http::gate::{AppState, Credentials};
use crate::http::wire::body::parse;
use crate::http::wire::{ApiError, Body, BodySize};
use crate::ingest::{IncomingMessage, IngestError, Protocol};
use crate::query::Query;
use crate::store::LONGEST_FORMAT;

// The most bytes of bodies: those of the longest entries, even if each character is escaped.
/// A correction with its note.
const CORRECTION: usize = 16 * 1024;
/// A contract takes 16 KiB in the store, and up to three times as much as text.
const CONTRACT: usize = 64 * 1024;
/// All contracts of a household over decades.
const CONTRACTS: usize = 256 * 1024;
const PURCHASE: usize = 4 * 1024;
/// As many days as an account may have.
const DAYS: usize = 1024 * 1024;
/// A bill with its lines.
const BILL: usize = 64 * 1024;
/// The id of a notice.
const DISMISSAL: usize = 4 * 1024;

/// The resource for uploads and downloads of devices, below the base path.
pub(crate) fn readings(base_path: &str) -> Resource {
    let below = |path: &str| format!("{base_path}{path}");
    taking("GET, POST", &below("/elec"), BodySize::Readings)
        .route(on(Method::POST).to(upload))
        .route(on(Method::GET).to(download))
}

/// All other resources below the base path.
pub(crate) fn resources(base_path: &str) -> [Resource; 26] {
    let below = |path: &str| format!("{base_path}{path}");
    let taking = |methods, path: &str, most| taking(methods, &below(path), BodySize::AtMost(most));
    let sensors = only("GET", &below("/sensors")).route(web::get().to(sensors::list));
    let corrections = taking("GET, POST", "/corrections", CORRECTION)
        .route(web::get().to(corrections::list))
        .route(web::post().to(corrections::post));
    let [contracts, templates, from_template] = contract_resources(base_path);
    let [offers, purchases, tenancies, formats, tenants] = entry_resources(base_path);
    let prices = only("GET, PUT", &below("/prices"))
        .route(web::get().to(prices::get))
        .route(web::put().to(prices::put));
    let cheapest = only("GET", &below("/prices/cheapest")).route(web::get().to(cheapest::get));
    let days = taking("GET, PUT, DELETE", "/days", DAYS)
        .route(web::get().to(days::get))
        .route(web::put().to(days::put))
        .route(web::delete().to(days::delete));
    let utility = taking("GET, POST", "/utility", BILL)
        .route(web::get().to(utility::get))
        .route(web::post().to(utility::post));
    let energy = only("GET", &below("/energy")).route(web::get().to(energy::get));
    let statement = only("GET", &below("/statement")).route(web::get().to(statement::get));
    let forecast = only("GET", &below("/forecast")).route(web::get().to(forecast::get));
    let peak = only("GET", &below("/peak")).route(web::get().to(peak::get));
    let comparison =
        only("GET", &below("/compare")).route(web::get().to(statement::get_comparison));
    let savings = only("GET", &below("/savings")).route(web::get().to(savings::get));
    let payback = only("GET", &below("/payback")).route(web::get().to(savings::get_payback));
    let what_if = only("GET, POST", &below("/what-if"))
        .route(web::get().to(what_if::answer))
        .route(web::post().to(what_if::answer));
    let events = only("GET", &below("/events")).route(web::get().to(events::list));
    let home_assistant = only("GET, DELETE", &below("/home-assistant"))
        .route(web::get().to(home_assistant::get))
        .route(web::delete().to(home_assistant::delete));
    let counted = only("GET", &below("/home-assistant/comparison"))
        .route(web::get().to(home_assistant::compare));
    let notices = taking("GET, POST", "/notices", DISMISSAL)
        .route(web::get().to(notices::list))
        .route(web::post().to(notices::post));
    [
        sensors,
        corrections,
        contracts,
        templates,
        from_template,
        offers,
        purchases,
        tenancies,
        tenants,
        prices,
        cheapest,
        days,
        formats,
        utility,
        energy,
        statement,
        forecast,
        peak,
        comparison,
        payback,
        savings,
        what_if,
        events,
        home_assistant,
        counted,
        notices,
    ]
}

/// The resources about entries with names, and the statements of tenancies.
fn entry_resources(base_path: &str) -> [Resource; 5] {
    let below = |path: &str| format!("{base_path}{path}");
    let taking = |methods, path: &str, most| taking(methods, &below(path), BodySize::AtMost(most));
    let statements = only("GET", &below("/tenancies/statements"));
    [
        OFFERS.on(taking("GET, PUT, DELETE", "/offers", CONTRACT)),
        PURCHASES.on(taking("GET, PUT, DELETE", "/purchases", PURCHASE)),
        TENANCIES.on(taking("GET, PUT, DELETE", "/tenancies", PURCHASE)),
        FORMATS.on(taking("GET, PUT, DELETE", "/formats", LONGEST_FORMAT)),
        statements.route(web::get().to(tenancies::statements)),
    ]
}

/// The resources about contracts.
fn contract_resources(base_path: &str) -> [Resource; 3] {
    let below = |path: &str| format!("{base_path}{path}");
    let contracts = taking(
        "GET, POST",
        &below("/contracts"),
        BodySize::AtMost(CONTRACTS),
    )
    .route(web::get().to(contracts::list))
    .route(web::post().to(contracts::post));
    let templates = only("GET", &below("/contract-templates")).route(web::get().to(tariffs::list));
    let from_template = taking(
        "POST",
        &below("/contracts/from-template"),
        BodySize::AtMost(CONTRACT),
    )
    .route(web::post().to(tariffs::post));
    [contracts, templates, from_template]
}

/// The answer to an upload.
#[derive(Serialize)]
struct Accepted {
    /// The number of stored readings.
    accepted: usize,
}

/// `POST /elec`: stores the readings in the body, and responds once they are durable.
async fn upload(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let stored = store(&request, payload, &app).await;
    stored.inspect_err(|_| app.ingest.count_unused(Protocol::Elec, 1))
}

async fn store(
    request: &HttpRequest,
    payload: web::Payload,
    app: &AppState,
) -> Result<HttpResponse, ApiError> {
    let is_known = || Credentials::are_in_head(app, request);
    let body = app.read_body(request, payload, is_known);
    let Body { bytes, reserved } = body.await?;
    check_body(request, &bytes)?;
    let message = IncomingMessage::new(Protocol::Elec, bytes.len());
    let most = app.max_readings;
    let sent = parse(bytes.len(), move || upload::read(&bytes, most)).await??;
    let (sensor, beside) = (sent.upload.sensor().clone(), sent.beside);
    // Times that are too far ahead are a 400, so they are checked before the credentials.
    let arrival = app
        .ingest
        .check_times(&sent.upload, app.now())
        .map_err(|error| match error {
            IngestError::AheadOfClock { index, time, now } => ApiError::invalid(
                upload::time_name(sent.is_batch, index),
                format!("expected a time at most 24 hours ahead of the server's clock, {now}"),
                &time.to_string(),
            ),
            other => other.into(),
        })?;
    let credentials = Credentials::new(sent.api_id, sent.api_key, request.headers())?;
    let grant = credentials.sign_in(app, request)?;
    let submitted = app.ingest.submit(&grant, sent.upload, arrival, &message);
    let accepted = submitted.await?;
    let now = app.counted_now();
    if let Some(field) = beside.misnamed {
        app.ingest.remark_field(&sensor, &field, now);
    }
    if let Some((time, charge)) = beside.charge {
        app.ingest.note_charge(&sensor, charge, time.unwrap_or(now));
    }
    // Held until now, because the values parsed from the body take memory too.
    drop(reserved);
    Ok(HttpResponse::Ok().json(Accepted { accepted }))
}

/// `GET /elec`: responds with the result of a query.
async fn download(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let asked = download::read(request.query_string())?;
    let grant = reader(&app, &request)?;
    let registry = app.store.registry();
    let sensor = registry.authorized_sensor(&grant.account, &asked.sensor);
    let sensor = sensor.ok_or(ApiError::SensorNotAuthorized)?;
    let is_net = matches!(asked.query, Query::NetConsumption(_));
    if is_net && grant.plan != Plan::Paid {
        return Err(ApiError::PaidAccountRequired);
    }
    let metered = asked.is_corrected.then(|| registry.metered(sensor));
    app.stream(&request, (asked.sensor, metered), asked.query, asked.format)
        .await
}

/// Parses an upload's body, for fuzzing.
///
/// # Panics
/// If an upload without readings is understood.
#[cfg(any(test, fuzzing))]
pub fn fuzz_upload(body: &[u8]) {
    if let Ok(sent) = upload::read(body, 1_000) {
        assert!(!sent.upload.readings().is_empty());
    }
}

/// Parses a correction, for fuzzing.
#[cfg(any(test, fuzzing))]
pub fn fuzz_correction(body: &[u8]) {
    corrections::fuzz(body);
}

/// Parses a download's query string, for fuzzing.
#[cfg(any(test, fuzzing))]
pub fn fuzz_query_string(bytes: &[u8]) {
    // Only a panic matters here.
    drop(download::read(&String::from_utf8_lossy(bytes)));
}

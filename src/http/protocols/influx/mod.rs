//! InfluxDB's HTTP API as far as its writers need it: `/write` and `/api/v2/write`, `/ping`, and the queries by which they find
//! where to go on. docs/INFLUX.md describes it.
//!
//! Who sends it is asked first: a client of InfluxDB expects 401 before anything else.

mod error;
mod flux;
mod influxql;
mod last;
mod query;

use std::sync::Arc;

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};

use self::query::{query_v1, query_v2};
use crate::http::gate::log_once::Told;
use crate::http::gate::resource::{limited, only};
use crate::http::gate::state::AppState;
use crate::http::gate::token::Token;
use crate::http::wire::body::{Body, SMALL, in_background};
use crate::http::wire::error::ApiError;
use crate::http::wire::params::param;
use crate::ingest::influx::{
    FieldMapping, Ignored, LineReadings, Precision, UnknownPrecision, read,
};
use crate::ingest::{BatchOutcome, IncomingMessage, Protocol};
use crate::store::Grant;

/// What InfluxDB's clients are answered from.
pub(crate) struct Influx {
    mapping: Arc<FieldMapping>,
    told: Told,
}

/// Clients ask which version they talk to, and expect what that version can do. This is what it is like.
const LIKE_VERSION: HeaderValue = HeaderValue::from_static("1.8.10");
const X_INFLUXDB_VERSION: HeaderName = HeaderName::from_static("x-influxdb-version");
const X_INFLUXDB_BUILD: HeaderName = HeaderName::from_static("x-influxdb-build");
const BUILD: HeaderValue = HeaderValue::from_static("wattkeeper");

impl Influx {
    pub(crate) fn new(mapping: FieldMapping) -> Self {
        Self {
            mapping: Arc::new(mapping),
            told: Told::default(),
        }
    }

    fn tell(&self, ignored: &[Ignored]) {
        for ignored in ignored.iter().map(Ignored::to_string) {
            if self.told.is_new(&ignored) {
                log::info!("influx: {ignored}; it is passed over, which is told this once");
            }
        }
    }
}

/// The routes. Their addresses have no base path: InfluxDB's clients know of none.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let (get, head, post) = (web::get, web::head, web::post);
    let ping = only("GET, HEAD", "/ping").route(get().to(ping));
    let query = only("GET, POST", "/query").route(get().to(query_v1));
    let written_v1 = only("POST", "/write").route(post().to(write_v1));
    let written_v2 = only("POST", "/api/v2/write").route(post().to(write_v2));
    let queried_v2 = only("POST", "/api/v2/query").route(post().to(query_v2));
    cfg.service(ping.route(head().to(self::ping)))
        .service(limited(query.route(post().to(query_v1))))
        .service(limited(written_v1))
        .service(limited(written_v2))
        .service(limited(queried_v2));
}

/// `GET /ping`, `HEAD /ping`: says that InfluxDB's clients can talk here.
async fn ping() -> HttpResponse {
    as_influx(HttpResponse::NoContent().finish())
}

/// `POST /write`: stores lines, and answers once they are durable.
async fn write_v1(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
    influx: web::Data<Influx>,
) -> HttpResponse {
    let written = write(&request, payload, &app, &influx).await;
    as_influx(written.unwrap_or_else(|error| error::of_v1(&error)))
}

/// `POST /api/v2/write`: the same.
async fn write_v2(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
    influx: web::Data<Influx>,
) -> HttpResponse {
    let written = write(&request, payload, &app, &influx).await;
    as_influx(written.unwrap_or_else(|error| error::of_v2(&error)))
}

fn as_influx(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    headers.insert(X_INFLUXDB_VERSION, LIKE_VERSION);
    headers.insert(X_INFLUXDB_BUILD, BUILD);
    response
}

async fn write(
    request: &HttpRequest,
    payload: web::Payload,
    app: &AppState,
    influx: &Influx,
) -> Result<HttpResponse, ApiError> {
    let grant = sign_in(request, app)?;
    if !grant.scope.may_write() {
        return Err(ApiError::ScopeInsufficient("uploads"));
    }
    let precision = precision(request.query_string(), "precision")?.unwrap_or_default();
    let Body { bytes, reserved } = app.bodies.read(request.headers(), payload).await?;
    let message = IncomingMessage {
        protocol: Protocol::Influx,
        bytes: bytes.len(),
    };
    let mapping = Arc::clone(&influx.mapping);
    let found = if bytes.len() > SMALL {
        in_background(move || read(&bytes, precision, &mapping)).await?
    } else {
        read(&bytes, precision, &mapping)
    };
    influx.tell(&found.ignored);
    let LineReadings {
        batch,
        refused,
        lines,
        ignored,
    } = found;
    if batch.is_empty() && refused.count() == 0 && lines > 0 {
        let reasons: Vec<_> = ignored.iter().map(Ignored::to_string).collect();
        return Err(partial(&reasons.join("; "), lines));
    }
    let ingest = &app.ingest;
    let stored = ingest
        .submit_batch(&grant, batch, message, app.now())
        .await?;
    drop(reserved);
    let BatchOutcome {
        accepted,
        unauthorized,
        ahead,
    } = stored;
    if accepted + refused.count() + ahead.count() == 0 && unauthorized.count() > 0 {
        return Err(ApiError::SensorsNotAuthorized(unauthorized.to_string()));
    }
    let refused = refused.and(ahead).and(unauthorized);
    if refused.count() > 0 {
        return Err(partial(&refused.to_string(), refused.count()));
    }
    Ok(HttpResponse::NoContent().finish())
}

/// That something was not stored, in the words by which clients know that the rest was, and that it is of no use to send it again.
fn partial(reasons: &str, dropped: usize) -> ApiError {
    ApiError::Foreign(format!("partial write: {reasons} dropped={dropped}"))
}

/// What the credentials allow that a request shows: in the parameters `u` and `p`, or else in its header.
fn sign_in(request: &HttpRequest, app: &AppState) -> Result<Grant, ApiError> {
    let query = request.query_string();
    let token = match (param(query, "u")?, param(query, "p")?) {
        (Some(user), Some(password)) => Token::pair(&user, &password)?,
        _ => Token::of_header(request.headers())?,
    };
    token.sign_in(app, request)
}

/// The precision that a parameter names.
fn precision(parameters: &str, name: &str) -> Result<Option<Precision>, ApiError> {
    param(parameters, name)?
        .map(|word| word.parse())
        .transpose()
        .map_err(|error: UnknownPrecision| ApiError::Foreign(error.to_string()))
}

#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_query(text: &str) {
    // Whether it can be understood does not matter here.
    drop(influxql::statements(text));
    drop(flux::last_of(text));
}

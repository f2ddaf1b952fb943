//! Parts shared by the handlers of InfluxDB's API.
//!
//! They check credentials first: a client of InfluxDB expects 401 before any other error.

use std::sync::Arc;

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::http::gate::{AppState, HourlyLog, LogOnce, Token};
use crate::http::wire::ApiError;
use crate::http::wire::params::param;
use crate::ingest::influx::{FieldMapping, Precision, UnknownPrecision};
use crate::store::Grant;

/// The state of the handlers, as their own `web::Data`.
pub(crate) struct Influx {
    pub(super) mapping: Arc<FieldMapping>,
    pub(super) log: LogOnce,
    pub(super) refused: HourlyLog,
}

impl Influx {
    pub(crate) fn new(mapping: FieldMapping) -> Self {
        Self {
            mapping: Arc::new(mapping),
            log: LogOnce::default(),
            refused: HourlyLog::default(),
        }
    }
}

/// The parts of a request that handlers extract.
pub(super) type InfluxCall = (
    HttpRequest,
    web::Payload,
    web::Data<AppState>,
    web::Data<Influx>,
);

/// Clients ask for the server's version and rely on its features. This version has the features of
/// `/write` and `/query`.
const COMPATIBLE_VERSION: HeaderValue = HeaderValue::from_static("1.8.10");
const X_INFLUXDB_VERSION: HeaderName = HeaderName::from_static("x-influxdb-version");
const X_INFLUXDB_BUILD: HeaderName = HeaderName::from_static("x-influxdb-build");
const BUILD: HeaderValue = HeaderValue::from_static("wattkeeper");

/// The response with InfluxDB's headers; an error is in the format of the protocol's version.
pub(super) fn respond(
    result: Result<HttpResponse, ApiError>,
    refusal: fn(&ApiError) -> HttpResponse,
) -> HttpResponse {
    let mut response = result.unwrap_or_else(|error| refusal(&error));
    let headers = response.headers_mut();
    headers.insert(X_INFLUXDB_VERSION, COMPATIBLE_VERSION);
    headers.insert(X_INFLUXDB_BUILD, BUILD);
    response
}

/// Returns the permissions of a request's credentials: those in the parameters `u` and `p`, or else
/// in the header.
pub(super) fn sign_in(request: &HttpRequest, app: &AppState) -> Result<Grant, ApiError> {
    let query = request.query_string();
    let token = match (param(query, "u")?, param(query, "p")?) {
        (Some(user), Some(password)) => Token::pair(&user, &password)?,
        _ => Token::of_header(request.headers())?,
    };
    token.sign_in(app, request)
}

/// The precision in the parameter `name`.
pub(super) fn precision(parameters: &str, name: &str) -> Result<Option<Precision>, ApiError> {
    let word = param(parameters, name)?;
    let precision = word.map(|word| word.parse()).transpose();
    precision.map_err(|error: UnknownPrecision| ApiError::foreign(error))
}

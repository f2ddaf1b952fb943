//! Parts shared by the handlers of Emoncms' API.

use std::sync::Arc;

use actix_web::http::header::{HeaderValue, WWW_AUTHENTICATE};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, ResponseError as _, web};
use serde_json::json;

use crate::http::gate::auth::check_read;
use crate::http::gate::{AppState, HourlyLog, LogOnce, Token, sites};
use crate::http::wire::ApiError;
use crate::http::wire::form::Form;
use crate::http::wire::params::param;
use crate::ingest::emoncms::InputMapping;
use crate::store::Grant;

/// The state of the handlers, as their own `web::Data`.
pub(crate) struct Emoncms {
    pub(super) mapping: Arc<InputMapping>,
    pub(super) log: LogOnce,
    pub(super) refused: HourlyLog,
}

impl Emoncms {
    pub(crate) fn new(mapping: InputMapping) -> Self {
        Self {
            mapping: Arc::new(mapping),
            log: LogOnce::default(),
            refused: HourlyLog::default(),
        }
    }
}

/// The parameters of a request, from the form in its body and from its URL.
pub(super) struct Parameters {
    pub(super) form: Form,
    pub(super) query: String,
}

impl Parameters {
    /// The parameters of a request without a form.
    pub(super) fn of_address(request: &HttpRequest) -> Self {
        Self {
            form: Form::default(),
            query: request.query_string().to_owned(),
        }
    }

    /// The value of a parameter. The form takes precedence, as in Emoncms.
    pub(super) fn get(&self, name: &str) -> Result<Option<String>, ApiError> {
        match self.form.get(name)? {
            None => param(&self.query, name),
            found => Ok(found.map(str::to_owned)),
        }
    }

    /// Takes a large value out of the form.
    pub(super) fn take(&mut self, name: &str) -> Result<String, ApiError> {
        match self.form.take(name)? {
            none if none.is_empty() => Ok(param(&self.query, name)?.unwrap_or_default()),
            found => Ok(found),
        }
    }
}

/// The parts of a request that upload handlers extract.
pub(super) type EmoncmsCall = (
    HttpRequest,
    web::Payload,
    web::Data<AppState>,
    web::Data<Emoncms>,
);

/// The content types of answers.
pub(super) const TEXT: &str = "text/plain; charset=utf-8";
pub(super) const JSON: &str = "application/json";

/// The response; an error is in the format of Emoncms, with this content type.
pub(super) fn respond(
    result: Result<HttpResponse, ApiError>,
    content_type: &'static str,
) -> HttpResponse {
    let error = match result {
        Ok(response) => return response,
        Err(error) => error,
    };
    if error.status_code() == StatusCode::UNAUTHORIZED {
        let why = "Invalid API key";
        let body = match content_type {
            JSON => json!({"success": false, "message": why}).to_string(),
            _ => why.to_owned(),
        };
        let mut response = error.answer(content_type, body);
        // Replaces the Basic challenge that `answer` has set.
        let challenge = HeaderValue::from_static("Bearer realm=\"API KEY\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        return response;
    }
    let text = error.to_string().replace('"', "'");
    let body = json!({"success": false, "message": text}).to_string();
    let mut response = error.answer(content_type, body);
    if error.status_code() == StatusCode::BAD_REQUEST {
        *response.status_mut() = StatusCode::OK;
    }
    response
}

/// The node at the end of the path; empty if there is none.
pub(super) fn node_of_path(request: &HttpRequest) -> String {
    let node = request.match_info().query("node");
    node.strip_suffix(".json").unwrap_or(node).to_owned()
}

/// The credentials in the parameter `apikey`, or else in the header.
pub(super) fn token(parameters: &Parameters, request: &HttpRequest) -> Result<Token, ApiError> {
    match parameters.get("apikey")? {
        Some(key) => Token::new(&key),
        None => Token::of_header(request.headers()),
    }
}

/// Signs in a client that reads.
pub(super) fn reader(app: &AppState, request: &HttpRequest) -> Result<Grant, ApiError> {
    let grant = token(&Parameters::of_address(request), request)?.sign_in(app, request)?;
    check_read(&grant)?;
    Ok(grant)
}

/// The same for an upload. A GET stores readings too, and an image on any page makes a browser send
/// one, with the Basic credentials that it keeps. Without TLS, no header reveals the page.
pub(super) fn token_to_write(
    parameters: &Parameters,
    request: &HttpRequest,
) -> Result<Token, ApiError> {
    let is_get = request.method() == Method::GET;
    if is_get && sites::has_basic(request) && parameters.get("apikey")?.is_none() {
        return Err(ApiError::ScopeInsufficient(
            "uploads by GET with HTTP Basic, because browsers add it to requests of any page: send the key as apikey=, or use POST",
        ));
    }
    token(parameters, request)
}

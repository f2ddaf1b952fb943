//! The parts of Emoncms' HTTP API that its uploaders need: `input/post`, `input/bulk`, and `input/get`, by which IoTaWatt
//! finds where to resume. docs/EMONCMS.md describes it.
//!
//! An invalid request gets status 200 with `"success": false`, as in Emoncms: its clients check only that.

use std::sync::Arc;

use actix_web::http::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, Resource, ResponseError as _, web};
use serde_json::json;

use crate::domain::Timestamp;
use crate::http::gate::auth::check_write;
use crate::http::gate::resource::{either, guarded, only};
use crate::http::gate::{AppState, LogOnce, Token, sites};
use crate::http::wire::body::{in_background, parse};
use crate::http::wire::params::param;
use crate::http::wire::{ApiError, Body};
use crate::ingest::emoncms::{
    FormatError, InputFormat, InputMapping, InputReadings, KnownInput, Reference, read_bulk,
    read_post, seconds,
};
use crate::ingest::{IncomingMessage, Protocol};
use crate::query;
use crate::store::{Grant, Store, StoreError};

/// The state of the handlers, as their own `web::Data`.
pub(crate) struct Emoncms {
    mapping: Arc<InputMapping>,
    log: LogOnce,
}

impl Emoncms {
    pub(crate) fn new(mapping: InputMapping) -> Self {
        Self {
            mapping: Arc::new(mapping),
            log: LogOnce::default(),
        }
    }
}

/// The routes. They have no base path, because Emoncms' clients have no setting for one.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    let either = || either(Method::GET, Method::POST);
    let input = |resource: Resource| guarded(resource.route(web::get().to(inputs)));
    let posted = |resource: Resource| guarded(resource.route(either().to(post_one)));
    let bulk = |resource: Resource| guarded(resource.route(either().to(post_bulk)));
    cfg.service(input(only("GET", "/input/get")))
        .service(input(only("GET", "/input/get/{node}")))
        .service(posted(only("GET, POST", "/input/post")))
        .service(posted(only("GET, POST", "/input/post.json")))
        .service(posted(only("GET, POST", "/input/post/{node}")))
        .service(bulk(only("GET, POST", "/input/bulk")))
        .service(bulk(only("GET, POST", "/input/bulk.json")));
}

/// The parameters of a request, from the form in its body and from its URL.
struct Parameters {
    form: String,
    query: String,
}

impl Parameters {
    /// The value of a parameter. The form takes precedence, as in Emoncms.
    fn get(&self, name: &str) -> Result<Option<String>, ApiError> {
        match param(&self.form, name)? {
            None => param(&self.query, name),
            found => Ok(found),
        }
    }
}

/// What the handlers extract from a request.
type EmoncmsCall = (
    HttpRequest,
    web::Payload,
    web::Data<AppState>,
    web::Data<Emoncms>,
);

/// `/input/post`: stores the inputs of a node, and responds once they are durable.
async fn post_one(call: EmoncmsCall) -> HttpResponse {
    respond(input(call, post_of).await)
}

/// `/input/bulk`: the same for several nodes and times.
async fn post_bulk(call: EmoncmsCall) -> HttpResponse {
    respond(input(call, bulk_of).await)
}

const TEXT: &str = "text/plain; charset=utf-8";

/// The response; an error in the format of Emoncms.
fn respond(result: Result<HttpResponse, ApiError>) -> HttpResponse {
    let error = match result {
        Ok(response) => return response,
        Err(error) => error,
    };
    if error.status_code() == StatusCode::UNAUTHORIZED {
        let mut response = error.answer(TEXT, "Invalid API key".into());
        // Replaces the challenge for Basic that `answer` has set.
        let challenge = HeaderValue::from_static("Bearer realm=\"API KEY\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        return response;
    }
    let text = error.to_string().replace('"', "'");
    let body = json!({"success": false, "message": text}).to_string();
    let mut response = error.answer(TEXT, body);
    if error.status_code() == StatusCode::BAD_REQUEST {
        *response.status_mut() = StatusCode::OK;
    }
    response
}

/// Parses the readings in the parameters.
type Reader = fn(&Parameters, Arrived<'_>, &InputMapping) -> Result<InputReadings, ApiError>;

/// What a parser must know besides the parameters.
#[derive(Clone, Copy)]
struct Arrived<'a> {
    /// The node at the end of the path; empty if there is none.
    node: &'a str,
    now: Timestamp,
    /// The most readings.
    most: usize,
}

async fn input(call: EmoncmsCall, reader: Reader) -> Result<HttpResponse, ApiError> {
    let (_, _, app, _) = &call;
    let app = app.clone();
    let stored = read_and_store(call, reader).await;
    stored.inspect_err(|_| app.ingest.count_unused(Protocol::Emoncms))
}

async fn read_and_store(
    (request, payload, app, emoncms): EmoncmsCall,
    reader: Reader,
) -> Result<HttpResponse, ApiError> {
    refuse_encrypted(&request)?;
    let is_known = || {
        let in_head = Parameters {
            form: String::new(),
            query: request.query_string().to_owned(),
        };
        token_to_write(&in_head, &request).is_ok_and(|token| token.is_known(&app))
    };
    // Before the sign-in: the key may be in the form.
    let body = app.read_body(&request, payload, is_known);
    let Body { bytes, reserved } = body.await?;
    // The inputs are in either of the two. A GET has no body.
    let length = bytes.len().max(request.query_string().len());
    let parameters = Parameters {
        form: String::from_utf8(bytes)
            .map_err(|_| ApiError::foreign("Format error, the body is not UTF-8"))?,
        query: request.query_string().to_owned(),
    };
    let grant = token_to_write(&parameters, &request)?.sign_in(&app, &request)?;
    check_write(&grant)?;
    // Now, not before the body came: a slow one may take a while, and times in it count back from now.
    let (node, now) = (node_of_path(&request), app.counted_now());
    let most = app.max_readings;
    let is_object = parameters.get("fulljson")?.is_some();
    let mapping = Arc::clone(&emoncms.mapping);
    let parsing = move || {
        let node = &node;
        reader(&parameters, Arrived { node, now, most }, &mapping)
    };
    let read = parse(length, parsing).await??;
    let message = IncomingMessage::new(Protocol::Emoncms, length);
    store(&app, &emoncms, &grant, read, &message).await?;
    drop(reserved);
    let done = if is_object {
        r#"{"success": true}"#
    } else {
        "ok"
    };
    Ok(HttpResponse::Ok().content_type(TEXT).body(done))
}

/// Stores the parsed readings. The error lists those that were refused.
async fn store(
    app: &AppState,
    emoncms: &Emoncms,
    grant: &Grant,
    read: InputReadings,
    message: &IncomingMessage,
) -> Result<(), ApiError> {
    let unmapped =
        |node| format!("node '{node}': no input is a reading by the settings of [emoncms]");
    let unmapped: Vec<String> = read.unmapped.iter().map(unmapped).collect();
    if read.batch.is_empty() && read.refused.count() == 0 && !unmapped.is_empty() {
        return Err(ApiError::foreign(unmapped.join("; ")));
    }
    for unmapped in unmapped {
        emoncms.log.ignored("emoncms", &unmapped);
    }
    let ingest = &app.ingest;
    let stored = ingest
        .submit_batch(grant, read.batch, message, app.now())
        .await?;
    let refused = read.refused.and(stored.ahead).and(stored.unauthorized);
    if refused.count() > 0 {
        let accepted = stored.accepted;
        let text = format!("{refused} ({accepted} readings of the request were stored)");
        return Err(ApiError::foreign(text));
    }
    Ok(())
}

/// The node at the end of the path; empty if there is none.
fn node_of_path(request: &HttpRequest) -> String {
    let node = request.match_info().query("node");
    node.strip_suffix(".json").unwrap_or(node).to_owned()
}

fn post_of(
    parameters: &Parameters,
    arrived: Arrived<'_>,
    mapping: &InputMapping,
) -> Result<InputReadings, ApiError> {
    let named = parameters.get("node")?;
    let node = match (arrived.node, &named) {
        ("", Some(named)) => named,
        ("", None) => "0",
        (node, _) => node,
    };
    let time = parameters.get("time")?;
    // In the order in which Emoncms looks for them.
    let mut forms = ["json", "csv", "data"].into_iter();
    let pairs = forms.find_map(|name| parameters.get(name).transpose());
    let (pairs, object) = (pairs.transpose()?, parameters.get("fulljson")?);
    let form = match (&pairs, &object) {
        (_, Some(text)) => InputFormat::Object(text),
        (Some(text), None) => InputFormat::Pairs(text),
        (None, None) => {
            let text = "Request contains no data via csv, json or data tag";
            return Err(ApiError::foreign(text));
        }
    };
    let read = read_post(form, node, time.as_deref(), mapping).map_err(ApiError::foreign)?;
    read.batch.check_count(arrived.most)?;
    Ok(read)
}

fn bulk_of(
    parameters: &Parameters,
    arrived: Arrived<'_>,
    mapping: &InputMapping,
) -> Result<InputReadings, ApiError> {
    for packed in ["c", "cb"] {
        if parameters.get(packed)?.is_some() {
            let text = "Format error, compressed bulk data is not understood: send it as it is";
            return Err(ApiError::foreign(text));
        }
    }
    let number = |name| {
        let text = parameters.get(name)?;
        let number = text.map(|text| seconds(&text)).transpose();
        number.map_err(ApiError::foreign)
    };
    let reference = match (number("sentat")?, number("offset")?, number("time")?) {
        (Some(clock), _, _) | (None, Some(clock), _) => Reference::SentAt(clock),
        (None, None, Some(time)) => Reference::Since(time),
        (None, None, None) => Reference::LastItem,
    };
    let data = parameters.get("data")?.unwrap_or_default();
    let Arrived { now, most, .. } = arrived;
    read_bulk(&data, reference, now, mapping, most).map_err(|error| match error {
        FormatError::TooManyReadings(error) => error.into(),
        other => ApiError::foreign(other),
    })
}

/// `GET /input/get`: the inputs of a node that are readings, with their newest values and times.
async fn inputs(
    request: HttpRequest,
    app: web::Data<AppState>,
    emoncms: web::Data<Emoncms>,
) -> HttpResponse {
    respond(newest_inputs(&request, &app, &emoncms.mapping).await)
}

async fn newest_inputs(
    request: &HttpRequest,
    app: &AppState,
    mapping: &InputMapping,
) -> Result<HttpResponse, ApiError> {
    let parameters = Parameters {
        form: String::new(),
        query: request.query_string().to_owned(),
    };
    let grant = token(&parameters, request)?.sign_in(app, request)?;
    let node = match node_of_path(request) {
        node if node.is_empty() => parameters.get("node")?,
        node => Some(node),
    };
    let node = node.ok_or_else(|| ApiError::foreign("Request contains no node"))?;
    let registry = app.store.registry();
    let mut known = mapping.inputs_of(&node);
    known.retain(|(_, sensor, _)| registry.authorized_sensor(&grant.account, sensor).is_some());
    let store = Arc::clone(&app.store);
    let newest = in_background(move || newest(&store, known));
    // The time comes first: IoTaWatt parses up to the comma after it.
    let inputs: Vec<String> = newest
        .await??
        .into_iter()
        .map(|(name, seconds, value)| {
            let value = json!(grant.scope.may_read().then_some(value));
            let name = json!(name);
            format!("{name}:{{\"time\":{seconds},\"value\":{value},\"processList\":\"\"}}")
        })
        .collect();
    let body = if inputs.is_empty() {
        "\"Node does not exist\"".to_owned()
    } else {
        format!("{{{}}}", inputs.join(","))
    };
    Ok(HttpResponse::Ok()
        .content_type("application/json")
        .body(body))
}

/// The newest value of each input that has one, with its time in seconds since 1970. Blocks on disk reads.
fn newest(store: &Store, known: Vec<KnownInput>) -> Result<Vec<(String, i64, f64)>, StoreError> {
    let mut found = Vec::new();
    for (name, sensor, quantity) in known {
        // Up to any time: readings may be ahead of the clock, and the client resumes after the newest.
        if let Some(point) = query::newest(store, &sensor, quantity.measure(), Timestamp::MAX)? {
            let seconds = point.time.millis().div_euclid(1_000);
            found.push((name, seconds, quantity.number_of(point.value)));
        }
    }
    Ok(found)
}

/// The credentials: those in the parameter `apikey`, or else in the header.
fn token(parameters: &Parameters, request: &HttpRequest) -> Result<Token, ApiError> {
    match parameters.get("apikey")? {
        Some(key) => Token::new(&key),
        None => Token::of_header(request.headers()),
    }
}

/// The same for an upload. A GET stores readings, too, and an image on any page makes a browser send one, with the Basic
/// credentials that it keeps. Without TLS no header shows that it came from there.
fn token_to_write(parameters: &Parameters, request: &HttpRequest) -> Result<Token, ApiError> {
    let is_get = request.method() == Method::GET;
    if is_get && sites::has_basic(request) && parameters.get("apikey")?.is_none() {
        return Err(ApiError::ScopeInsufficient(
            "uploads by GET with HTTP Basic, because browsers add it to requests of any page: send the key as apikey=, or use POST",
        ));
    }
    token(parameters, request)
}

/// Decryption would need the key itself, but the store has only its hash.
fn refuse_encrypted(request: &HttpRequest) -> Result<(), ApiError> {
    let content_type = request.headers().get(CONTENT_TYPE);
    let is_encrypted = content_type.is_some_and(|kind| kind.as_bytes().starts_with(b"aes128cbc"));
    if is_encrypted {
        let text = "encrypted data is not understood: leave the user id empty, so that it is sent as it is";
        return Err(ApiError::foreign(text));
    }
    Ok(())
}

//! `input/post` and `input/bulk`: stores inputs, and responds once they are durable.

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpRequest, HttpResponse};

use crate::domain::Timestamp;
use crate::http::gate::AppState;
use crate::http::gate::auth::check_write;
use crate::http::gate::own_key::check_body;
use crate::http::protocols::emoncms::call::{
    Emoncms, EmoncmsCall, Parameters, TEXT, node_of_path, respond, token_to_write,
};
use crate::http::protocols::emoncms::packed;
use crate::http::wire::body::parse;
use crate::http::wire::form::Form;
use crate::http::wire::{ApiError, Body, Reservation};
use crate::ingest::emoncms::{
    FormatError, InputFormat, InputMapping, InputReadings, Reference, read_bulk, read_post,
    seconds, time,
};
use crate::ingest::{IncomingMessage, Protocol};
use crate::store::Grant;

/// `/input/post`: stores the inputs of a node, and responds once they are durable.
pub(super) async fn post_one(call: EmoncmsCall) -> HttpResponse {
    respond(input(call, UploadForm::Post).await, TEXT)
}

/// `/input/bulk`: the same for several nodes and times.
pub(super) async fn post_bulk(call: EmoncmsCall) -> HttpResponse {
    respond(input(call, UploadForm::Bulk).await, TEXT)
}

/// The two addresses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UploadForm {
    Post,
    Bulk,
}

/// An upload whose sender is allowed to store readings.
struct AdmittedUpload {
    parameters: Parameters,
    /// The items of a compressed bulk.
    items: Option<Vec<u8>>,
    grant: Grant,
    /// Its decompressed length, in bytes.
    length: usize,
}

/// The facts that a parser needs besides the parameters.
#[derive(Clone, Copy)]
struct Arrived<'a> {
    /// The node at the end of the path; empty if there is none.
    node: &'a str,
    now: Timestamp,
    /// The most readings.
    most: usize,
}

async fn input(call: EmoncmsCall, form: UploadForm) -> Result<HttpResponse, ApiError> {
    let (_, _, app, _) = &call;
    let app = app.clone();
    let stored = read_and_store(call, form).await;
    stored.inspect_err(|_| app.ingest.count_unused(Protocol::Emoncms, 1))
}

async fn read_and_store(
    (request, payload, app, emoncms): EmoncmsCall,
    form: UploadForm,
) -> Result<HttpResponse, ApiError> {
    refuse_encrypted(&request)?;
    let is_known = || {
        let in_head = Parameters::of_address(&request);
        token_to_write(&in_head, &request).is_ok_and(|token| token.is_known(&app))
    };
    // Before the sign-in: the key may be in the form.
    let body = app.read_body(&request, payload, is_known).await?;
    check_body(&request, &body.bytes)?;
    let (admitted, reserved) = admit(&app, &request, body, form).await?;
    let is_object = admitted.parameters.get("fulljson")?.is_some();
    let is_queue = form == UploadForm::Bulk && is_queue(&admitted.parameters)?;
    let account = admitted.grant.account.clone();
    let stored = store(&app, &emoncms, &request, admitted, form).await;
    drop(reserved);
    match stored {
        Err(ApiError::Foreign(text)) if is_queue => {
            app.ingest.count_unused(Protocol::Emoncms, 1);
            let elapsed = app.now().elapsed;
            let what = format!("account {account} sent bulks with values that cannot be stored");
            let meant = format!("{text}; answered ok, so that the sender's queue goes on");
            // Counts and times differ from bulk to bulk.
            let kind = text.replace(|c: char| c.is_ascii_digit(), "");
            let told = (kind.as_str(), meant.as_str());
            emoncms.refused.warn("emoncms", &what, told, elapsed);
        }
        stored => stored?,
    }
    let done = if is_object {
        r#"{"success": true}"#
    } else {
        "ok"
    };
    Ok(HttpResponse::Ok().content_type(TEXT).body(done))
}

/// Whether a bulk comes from a queue, such as emonHub's: the queue holds back all later bulks until
/// it gets `ok`, and there is no other answer for a bulk that can never be stored. Its bulks
/// contain the time when they were sent.
fn is_queue(parameters: &Parameters) -> Result<bool, ApiError> {
    let sent = parameters.get("sentat")?;
    Ok(sent.is_some_and(|sent| seconds(&sent).is_ok()))
}

/// Reads the parameters of an upload, signs in, and decompresses the compressed parts, only for
/// clients that are allowed to upload.
async fn admit(
    app: &AppState,
    request: &HttpRequest,
    Body { bytes, reserved }: Body,
    form: UploadForm,
) -> Result<(AdmittedUpload, Reservation), ApiError> {
    let is_bulk = form == UploadForm::Bulk;
    let mut parameters = Parameters::of_address(request);
    // The inputs are in one of the two. A GET has no body.
    let length = bytes.len().max(request.query_string().len());
    let mut binary = None;
    if is_bulk && parameters.get("cb")?.is_some() {
        binary = Some(bytes);
    } else {
        // The key may be in the form, so a stranger's form is decoded too.
        parameters.form = parse(bytes.len(), move || Form::parse(&bytes)).await??;
    }
    let grant = token_to_write(&parameters, request)?.sign_in(app, request)?;
    check_write(&grant)?;
    if is_bulk && binary.is_none() && parameters.get("c")?.is_some() {
        let hex = parameters.take("data")?;
        binary = Some(parse(hex.len(), move || packed::from_hex(&hex)).await??);
    }
    let (mut admitted, mut reserved) = (
        AdmittedUpload {
            parameters,
            items: None,
            grant,
            length,
        },
        reserved,
    );
    if let Some(bytes) = binary {
        let unpacked = packed::unpack(app, request, Body { bytes, reserved }).await?;
        admitted.length = length.max(unpacked.bytes.len());
        (admitted.items, reserved) = (Some(unpacked.bytes), unpacked.reserved);
    }
    Ok((admitted, reserved))
}

/// Stores the readings of an upload. The error lists the refused ones.
async fn store(
    app: &AppState,
    emoncms: &Emoncms,
    request: &HttpRequest,
    admitted: AdmittedUpload,
    form: UploadForm,
) -> Result<(), ApiError> {
    // Read here and not before the body: a slow body may take a while, and its times count back
    // from now.
    let (node, now, most) = (node_of_path(request), app.counted_now(), app.max_readings);
    let mapping = Arc::clone(&emoncms.mapping);
    let AdmittedUpload {
        parameters,
        items,
        grant,
        length,
    } = admitted;
    let parsing = move || {
        let node = &node;
        let arrived = Arrived { node, now, most };
        match form {
            UploadForm::Post => post_of(&parameters, arrived, &mapping),
            UploadForm::Bulk => bulk_of(&parameters, items.as_deref(), arrived, &mapping),
        }
    };
    let read = parse(length, parsing).await??;
    let message = IncomingMessage::new(Protocol::Emoncms, length);
    submit(app, emoncms, &grant, read, &message).await
}

/// Stores the parsed readings. The error lists the refused ones.
async fn submit(
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
    ingest.count_unused(Protocol::Emoncms, read.dropped);
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
    // In Emoncms' order of precedence.
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
    items: Option<&[u8]>,
    arrived: Arrived<'_>,
    mapping: &InputMapping,
) -> Result<InputReadings, ApiError> {
    let number = |name| {
        let text = parameters.get(name)?;
        let number = text.map(|text| seconds(&text)).transpose();
        number.map_err(ApiError::foreign)
    };
    let since = parameters.get("time")?.map(|text| time(&text));
    let since = since.transpose().map_err(ApiError::foreign)?;
    let reference = match (number("sentat")?, number("offset")?, since) {
        (Some(clock), _, _) | (None, Some(clock), _) => Reference::SentAt(clock),
        (None, None, Some(time)) => Reference::Since(time),
        (None, None, None) => Reference::LastItem,
    };
    let data = match items {
        Some(items) => {
            let text = std::str::from_utf8(items);
            Cow::Borrowed(text.map_err(|_| ApiError::foreign(FormatError::NoList))?)
        }
        None => Cow::Owned(parameters.get("data")?.unwrap_or_default()),
    };
    let Arrived { now, most, .. } = arrived;
    read_bulk(&data, reference, now, mapping, most).map_err(|error| match error {
        FormatError::TooManyReadings(error) => error.into(),
        other => ApiError::foreign(other),
    })
}

/// Refuses encrypted uploads: decryption would need the key itself, but the store has only its
/// hash.
fn refuse_encrypted(request: &HttpRequest) -> Result<(), ApiError> {
    let content_type = request.headers().get(CONTENT_TYPE);
    let is_encrypted = content_type.is_some_and(|kind| kind.as_bytes().starts_with(b"aes128cbc"));
    if is_encrypted {
        let text = "encrypted data is not supported: leave the user id empty, so that data is sent unencrypted";
        return Err(ApiError::foreign(text));
    }
    Ok(())
}

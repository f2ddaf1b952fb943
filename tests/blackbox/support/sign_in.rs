//! Credentials, and requests that present them in each possible place.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use super::{API_ID, API_KEY, ELEC, Response, SENSOR, Service, request};

/// The key that goes with an `api_id` in these tests.
pub(crate) fn key_of(api_id: &str) -> String {
    format!("{api_id}-S3CRET")
}

/// The value of an `Authorization` header.
pub(crate) fn basic(api_id: &str, api_key: &str) -> String {
    format!(
        "Basic {}",
        BASE64_STANDARD.encode(format!("{api_id}:{api_key}"))
    )
}

/// The house's credentials as an `Authorization` header.
pub(crate) fn house_basic() -> String {
    basic(API_ID, API_KEY)
}

/// An upload with these credentials, in its body and by Basic.
pub(crate) fn upload_as(
    service: &Service,
    body: Option<(&str, &str)>,
    header: Option<&str>,
) -> Response {
    let mut upload = json!({"sensor_id": SENSOR, "watts": 1});
    if let Some((api_id, api_key)) = body {
        upload["api_id"] = json!(api_id);
        upload["api_key"] = json!(api_key);
    }
    let headers: Vec<_> = header
        .map(|value| ("Authorization", value))
        .into_iter()
        .collect();
    service.send(&request(
        "POST",
        ELEC,
        &headers,
        upload.to_string().as_bytes(),
    ))
}

/// A download with these credentials, in its query and by Basic.
pub(crate) fn download_as(
    service: &Service,
    query: Option<(&str, &str)>,
    header: Option<&str>,
) -> Response {
    let credentials = query.map_or(String::new(), |(api_id, api_key)| {
        format!("&api_id={api_id}&api_key={api_key}")
    });
    let target = format!(
        "{ELEC}?sensor_id={SENSOR}&type=rate&start_time=2026-01-05&end_time=2026-01-06{credentials}"
    );
    let headers: Vec<_> = header
        .map(|value| ("Authorization", value))
        .into_iter()
        .collect();
    service.send(&request("GET", &target, &headers, b""))
}

/// An upload and a download that present credentials in one way.
pub(crate) fn both_as(
    service: &Service,
    plain: Option<(&str, &str)>,
    header: Option<&str>,
) -> [Response; 2] {
    [
        upload_as(service, plain, header),
        download_as(service, plain, header),
    ]
}

pub(crate) const RIGHT: Option<(&str, &str)> = Some((API_ID, API_KEY));
pub(crate) const WRONG: Option<(&str, &str)> = Some((API_ID, "wr0ng-key"));

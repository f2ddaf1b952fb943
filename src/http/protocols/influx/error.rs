//! Errors in InfluxDB's two formats, with the statuses of [`ApiError`].

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpResponse, ResponseError as _};
use serde_json::json;

use crate::http::wire::ApiError;

const X_INFLUXDB_ERROR: HeaderName = HeaderName::from_static("x-influxdb-error");
const JSON: &str = "application/json";

/// Version 1: `{"error":"authorization failed"}`, and the same in a header.
pub(crate) fn of_v1(error: &ApiError) -> HttpResponse {
    let text = match error {
        ApiError::BadCredentials => "authorization failed".to_owned(),
        ApiError::NoCredentials => "unable to parse authentication credentials".to_owned(),
        other => other.to_string(),
    };
    let mut response = error.answer(JSON, json!({"error": text}).to_string());
    // The text may quote the client's request.
    let header = text.replace(|c: char| c != ' ' && !c.is_ascii_graphic(), "?");
    if let Ok(value) = HeaderValue::from_str(&header) {
        response.headers_mut().insert(X_INFLUXDB_ERROR, value);
    }
    response
}

/// Version 2: `{"code":"unauthorized","message":"unauthorized access"}`.
pub(crate) fn of_v2(error: &ApiError) -> HttpResponse {
    let code = match error.status_code().as_u16() {
        401 => "unauthorized",
        403 => "forbidden",
        404 => "not found",
        413 => "request too large",
        429 => "too many requests",
        500 => "internal error",
        503 => "unavailable",
        _ => "invalid",
    };
    let text = match error {
        ApiError::BadCredentials | ApiError::NoCredentials => "unauthorized access".to_owned(),
        other => other.to_string(),
    };
    error.answer(JSON, json!({"code": code, "message": text}).to_string())
}

//! The security headers of every page and of every asset.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_FRAME_OPTIONS,
};
use actix_web::middleware::DefaultHeaders;

/// Allows nothing from other hosts, nothing inline, and no frame of another site. Home Assistant
/// may frame it, because it is the same origin then.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; \
    form-action 'self'; base-uri 'self'; frame-ancestors 'self'";

const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    // For browsers that do not know `frame-ancestors`.
    (X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN")),
    // Addresses contain account names and sensor ids.
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// Adds the headers to each response; also forbids caching unless the response has a
/// `Cache-Control` of its own.
pub(crate) fn security() -> DefaultHeaders {
    HEADERS
        .into_iter()
        .fold(DefaultHeaders::new(), DefaultHeaders::add)
}

/// Adds the missing headers.
pub(crate) fn secure(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        if !headers.contains_key(&name) {
            headers.insert(name, value);
        }
    }
}

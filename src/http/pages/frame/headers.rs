//! The security headers of every page and of every asset.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_FRAME_OPTIONS,
};
use actix_web::middleware::DefaultHeaders;

/// Nothing from other hosts, nothing inline, no framing.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Adds the headers to each response; also forbids caching unless the response has a `Cache-Control` of its own.
pub(crate) fn security() -> DefaultHeaders {
    DefaultHeaders::new()
        .add((CONTENT_SECURITY_POLICY, POLICY))
        // For browsers that do not know `frame-ancestors`.
        .add((X_FRAME_OPTIONS, "DENY"))
        // Addresses contain account names and sensor ids.
        .add((REFERRER_POLICY, "no-referrer"))
        .add((CACHE_CONTROL, "no-store"))
}

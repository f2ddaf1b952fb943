//! The headers of every answer.

use std::sync::Arc;

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{HeaderValue, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};

use super::connection::Connection;

const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// A year. Without subdomains, which are other machines, and not preloaded, which cannot be undone.
const TLS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Adds the headers to an answer. A proxy that serves TLS has its own way to promise that.
pub(crate) fn add(answer: &mut ServiceResponse) {
    let connection = answer.request().conn_data::<Arc<Connection>>();
    let is_tls = connection.is_some_and(|connection| connection.is_tls());
    let headers = answer.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    if is_tls {
        headers.insert(STRICT_TRANSPORT_SECURITY, TLS_ONLY);
    }
}

//! The headers of every answer.

use std::sync::Arc;

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderValue, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};
use actix_web::middleware::Next;

use super::connection::Connection;

const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// A year. Without subdomains, which are other machines, and not preloaded, which cannot be undone.
const TLS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Adds the headers to an answer. A proxy that serves TLS has its own way to promise that.
pub(crate) async fn on_every_answer<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let connection = request.conn_data::<Arc<Connection>>();
    let is_tls = connection.is_some_and(|connection| connection.is_tls());
    let mut response = next.call(request).await?;
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    if is_tls {
        headers.insert(STRICT_TRANSPORT_SECURITY, TLS_ONLY);
    }
    Ok(response)
}

//! The access log: a line for each request, on the target `access`, without anything secret.
//!
//! Query strings hold keys, so no line holds any part of one.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, web};

use crate::http::gate::connections::Connection;
use crate::http::gate::peer::client_address;
use crate::http::gate::state::AppState;

/// Answers a request, and logs it once the answer is out.
pub(crate) async fn log_access(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<Logged>, Error> {
    let mut line = Line::of(&request);
    let response = next.call(request).await?;
    line.status = Some(response.status());
    Ok(response.map_body(|_, body| Logged {
        body: body.boxed(),
        line,
    }))
}

/// A request's line; it is logged when it is dropped: at the end of the body, or where the client
/// went away before.
struct Line {
    /// None on the Unix socket.
    client: Option<IpAddr>,
    method: Method,
    path: String,
    /// Where it was answered.
    status: Option<StatusCode>,
    bytes: usize,
    started: Instant,
    connection: Option<Arc<Connection>>,
}

impl Line {
    fn of(request: &ServiceRequest) -> Self {
        let connection = request.conn_data::<Arc<Connection>>().map(Arc::clone);
        if let Some(connection) = &connection {
            connection.begin();
        }
        Self {
            client: request
                .peer_addr()
                .and_then(|_| request.app_data::<web::Data<AppState>>())
                .map(|app| client_address(request.head(), &app.trusted_proxies)),
            method: request.method().clone(),
            path: plain(request.path()).to_owned(),
            status: None,
            bytes: 0,
            started: Instant::now(),
            connection,
        }
    }
}

/// A path up to where it stops looking like one of ours: who mistypes an address, `&` for `?`, has
/// the key in the path.
fn plain(path: &str) -> &str {
    let ours = |c: char| c.is_ascii_alphanumeric() || "/-._~".contains(c);
    path.find(|c| !ours(c))
        .and_then(|end| path.get(..end))
        .unwrap_or(path)
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(connection) = &self.connection {
            connection.end();
        }
        let client = self
            .client
            .map_or_else(|| "-".into(), |client| client.to_string());
        let status = self.status.as_ref().map_or("-", StatusCode::as_str);
        log::info!(
            target: "access",
            "{client} {} {} {status} {} bytes {} ms",
            self.method,
            self.path,
            self.bytes,
            self.started.elapsed().as_millis()
        );
    }
}

/// A body whose bytes are counted.
pub(crate) struct Logged {
    body: BoxBody,
    line: Line,
}

impl MessageBody for Logged {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_next(cx);
        if let Poll::Ready(Some(Ok(bytes))) = &polled {
            self.line.bytes += bytes.len();
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_logged_up_to_what_could_be_a_secret() {
        assert_eq!(plain("/api/v0.2/elec"), "/api/v0.2/elec");
        for mistyped in [
            "/elec&api_key=s3cret",
            "/elec%3Fapi_key=s3cret",
            "/elec;k",
            "/elec\n",
        ] {
            assert_eq!(plain(mistyped), "/elec");
        }
    }
}

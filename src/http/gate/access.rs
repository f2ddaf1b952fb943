//! The access log: one line per request, on the target `access`, without secrets. Query strings may hold keys, so they are
//! never logged.

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

/// Logs a request once its response is sent.
pub(crate) async fn log_access(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<Logged>, Error> {
    // Before the handler: if the client disconnects, this future is dropped, and the line with it, which logs it.
    let mut line = LogLine::of(&request);
    let response = next.call(request).await?;
    line.status = Some(response.status());
    Ok(response.map_body(|_, body| Logged {
        body: body.boxed(),
        line,
    }))
}

/// The line of one request. It is logged when it is dropped: at the end of the body, or when the client disconnects before.
struct LogLine {
    /// None on the Unix socket.
    client: Option<IpAddr>,
    method: Method,
    path: String,
    /// None if the client disconnected before the response.
    status: Option<StatusCode>,
    bytes: usize,
    started: Instant,
    connection: Option<Arc<Connection>>,
}

impl LogLine {
    fn of(request: &ServiceRequest) -> Self {
        let connection = request.conn_data::<Arc<Connection>>().map(Arc::clone);
        if let Some(connection) = &connection {
            connection.begin();
        }
        Self {
            client: request
                // The Unix socket has no peer address, for which `client_address` would return 0.0.0.0.
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

/// The path up to the first character that no route has: after a typo, `&` for `?`, the key is part of the path.
fn plain(path: &str) -> &str {
    let ours = |c: char| c.is_ascii_alphanumeric() || "/-._~".contains(c);
    path.find(|c| !ours(c))
        .and_then(|end| path.get(..end))
        .unwrap_or(path)
}

impl Drop for LogLine {
    fn drop(&mut self) {
        // Here, not at the end of the handler: while a body is streamed, `Connections` must not take the connection for idle.
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

/// A body that counts its bytes.
pub(crate) struct Logged {
    body: BoxBody,
    line: LogLine,
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

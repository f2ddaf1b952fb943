//! The access log: one line per request, on the target `access`, without secrets. Query strings may
//! hold keys, so they are never logged. Logging every upload would write more bytes to the log than
//! to the store, so only refused requests, and not all of those, have the level `info`.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpMessage as _, web};

use crate::http::gate::connection::Connection;
use crate::http::gate::head::RefusedHead;
use crate::http::gate::pace::PacedBody;
use crate::http::gate::peer::client_address;
use crate::http::gate::state::AppState;
use crate::http::wire::text::{LONGEST_LOGGED, plain, shown};
use crate::http::wire::{ApiError, ErrorCode, LoggedHourly};

const TARGET: &str = "access";

/// Logs a request once its response is sent.
pub(crate) async fn log_access(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<Logged>, Error> {
    // Before the handler: if the client disconnects, this future is dropped, and dropping the line
    // logs it.
    let mut line = LogLine::of(&request);
    if let Some(connection) = &line.connection {
        pace_body(&mut request, connection);
    }
    let answered = next.call(request).await;
    let response = answered.inspect_err(|error| line.note(error))?;
    line.status = Some(response.status());
    let extensions = response.response().extensions();
    line.code = extensions.get().map(|ErrorCode(code)| *code);
    line.is_logged_hourly = extensions.contains::<LoggedHourly>();
    drop(extensions);
    Ok(response.map_body(|_, body| Logged {
        body: body.boxed(),
        line,
    }))
}

/// Makes the connection read the body only as fast as the handler takes it.
fn pace_body(request: &mut ServiceRequest, connection: &Arc<Connection>) {
    let body = request.take_payload();
    let length = request.headers().get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    request.set_payload(match body {
        Payload::H1 { .. } => PacedBody::payload(body, Arc::clone(connection), length),
        none => none,
    });
}

/// The line of one request. It is logged when it is dropped: at the end of the body, or earlier if
/// the client disconnects.
struct LogLine {
    /// None on the Unix socket.
    client: Option<IpAddr>,
    method: Method,
    /// As received: only a part of it may be shown.
    uri: Uri,
    /// None if the client disconnected before the response.
    status: Option<StatusCode>,
    bytes: usize,
    started: Instant,
    connection: Option<Arc<Connection>>,
    /// The code of the error, if the response is one.
    code: Option<&'static str>,
    is_logged_hourly: bool,
    app: Option<web::Data<AppState>>,
}

impl LogLine {
    fn of(request: &ServiceRequest) -> Self {
        let connection = request.conn_data::<Arc<Connection>>().map(Arc::clone);
        if let Some(connection) = &connection {
            connection.begin();
        }
        let app = request.app_data::<web::Data<AppState>>();
        Self {
            client: request
                // The Unix socket has no peer address; `client_address` would return 0.0.0.0 for
                // it.
                .peer_addr()
                .and(app)
                .map(|app| client_address(request.head(), &app.trusted_proxies)),
            method: request.method().clone(),
            uri: request.uri().clone(),
            status: None,
            bytes: 0,
            started: Instant::now(),
            connection,
            code: None,
            is_logged_hourly: false,
            app: app.cloned(),
        }
    }

    /// Notes an error raised in front of the handler, which becomes a response outside this layer.
    fn note(&mut self, error: &Error) {
        self.status = Some(error.as_response_error().status_code());
        let known = error.as_error::<ApiError>();
        self.code = known.map(|error| error.code().0);
    }
}

/// Logs a request that the web server refused.
pub(crate) fn log_refused(app: &AppState, client: Option<IpAddr>, refused: &RefusedHead) {
    let client = client.map(|client| client.to_canonical());
    let refusal = (client, refused.status().as_u16(), Some(refused.code().0));
    let unlogged = app.refusals.count(app.now().elapsed, refusal);
    let client = client.map_or_else(|| "-".to_owned(), |client| client.to_string());
    log_line(&format_args!("{client} {refused}"), unlogged);
}

fn log_line(line: &impl fmt::Display, unlogged: Option<u64>) {
    match unlogged {
        None => log::debug!(target: TARGET, "{line}"),
        Some(0) => log::info!(target: TARGET, "{line}"),
        Some(more) => {
            log::info!(target: TARGET, "{line}; {more} more like it since the last line");
        }
    }
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.client {
            Some(client) => write!(f, "{client}")?,
            None => f.write_str("-")?,
        }
        // Any word can be a method.
        let method = shown(self.method.as_str(), LONGEST_LOGGED);
        let path = shown(plain(self.uri.path()), LONGEST_LOGGED);
        let bytes = self.bytes;
        let status = self.status.as_ref().map_or("-", StatusCode::as_str);
        let took = self.started.elapsed().as_millis();
        write!(f, " {method} {path} {status} {bytes} bytes {took} ms")?;
        self.code.map_or(Ok(()), |code| write!(f, " {code}"))
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        // Here and not at the end of the handler: while a body is streamed, `Connections` must not
        // take the connection for idle.
        if let Some(connection) = &self.connection {
            connection.end();
        }
        let status = self.status.unwrap_or_default();
        // Emoncms' clients get errors with status 200.
        let is_refused =
            status.is_client_error() || status.is_server_error() || self.code.is_some();
        let app = self
            .app
            .as_ref()
            .filter(|_| is_refused && !self.is_logged_hourly);
        let unlogged = app.and_then(|app| {
            let refusal = (self.client, status.as_u16(), self.code);
            app.refusals.count(app.now().elapsed, refusal)
        });
        log_line(self, unlogged);
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
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn an_error_in_front_of_the_handler_has_its_status_and_code() {
        let mut line = LogLine::of(&TestRequest::with_uri("/elec").to_srv_request());
        assert!(line.to_string().starts_with("- GET /elec - 0 bytes"));
        line.note(&ApiError::NotFound.into());
        let text = line.to_string();
        assert!(text.starts_with("- GET /elec 404 0 bytes") && text.ends_with(" not_found"));
        line.note(&actix_web::error::ErrorBadGateway("x"));
        assert!(line.to_string().starts_with("- GET /elec 502 0 bytes"));
    }
}

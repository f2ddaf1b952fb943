//! Messages by e-mail, over TLS. A server gets ten seconds and a few thousand bytes in all.
//!
//! - `letter`: what a message says

mod letter;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream};
use lettre::transport::smtp::extension::ClientId;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use self::letter::{mail_of, sender};
use crate::notices::webhook::WebhookSettings;
use crate::notices::webhook::message::WebhookMessage;
use crate::notices::webhook::problem::WebhookProblem;
use crate::trust;

/// The most bytes that a server may send: its certificates, and some lines.
const MOST_BYTES: usize = 64 * 1024;
/// The most lines of all its answers, usually a few dozen. lettre reads an answer from its beginning
/// again with each of its lines.
const MOST_LINES: usize = 200;
/// The longest of them that is read here, in bytes.
const LONGEST_LINE: usize = 1_000;
/// The name of this client, and the greeting that lettre reads after the one before TLS.
const CLIENT: &str = "wattkeeper.local";
const GREETING: &[u8] = b"220 TLS\r\n";
const NOT_SMTP: &str = "its answer is not valid SMTP";
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// Sends a message to the server of the settings, which must have a certificate that `roots` trust,
/// and take the message `within` this time.
pub(super) fn send(
    settings: &WebhookSettings,
    message: &WebhookMessage,
    (password, roots): (Option<String>, &[CertificateDer<'static>]),
    within: Duration,
) -> Result<(), WebhookProblem> {
    let other = |error: io::Error| WebhookProblem::Other(error.to_string());
    let engine = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(other)?;
    let sent = engine
        .block_on(async { timeout(within, deliver(settings, message, password, roots)).await });
    // A name may still be looked up on another thread.
    engine.shutdown_background();
    sent.unwrap_or(Err(WebhookProblem::NoAnswer))
}

async fn deliver(
    settings: &WebhookSettings,
    message: &WebhookMessage,
    password: Option<String>,
    roots: &[CertificateDer<'static>],
) -> Result<(), WebhookProblem> {
    let server = settings
        .address
        .mail_server()
        .ok_or_else(|| WebhookProblem::Other("it is not an address of a mail server".to_owned()))?;
    let mail = mail_of(settings, message)?;
    let ips = tokio::net::lookup_host((server.host.as_str(), server.port)).await;
    let mut ips = ips.map_err(|_| WebhookProblem::HostUnknown)?;
    let ip = ips.next().ok_or(WebhookProblem::HostUnknown)?;
    let socket = TcpStream::connect(ip)
        .await
        .map_err(|error| WebhookProblem::Other(error.kind().to_string()))?;
    let mut socket = Bounded::new(socket, ip);
    let mut greeting: &[u8] = &[];
    if !server.is_tls_at_once {
        start_tls(&mut socket).await?;
        greeting = GREETING;
    }
    let stream = Bounded {
        greeting,
        lines_left: MOST_LINES,
        ..Bounded::new(encrypted(socket, &server.host, roots).await?, ip)
    };
    let hello = ClientId::Domain(CLIENT.to_owned());
    let connected = AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello).await;
    let mut connection = connected.map_err(|error| why(&error))?;
    if let Some(password) = password.filter(|it| !it.is_empty()) {
        let user = server.user.unwrap_or_else(|| sender(settings).to_owned());
        let credentials = Credentials::new(user, password);
        let signed_in = connection.auth(&MECHANISMS, &credentials).await;
        signed_in.map_err(|error| why(&error))?;
    }
    let sent = connection.send(mail.envelope(), &mail.formatted()).await;
    sent.map_err(|error| why(&error))?;
    // It has the message; its farewell does not matter.
    let _ = connection.quit().await;
    Ok(())
}

async fn encrypted(
    socket: Bounded<TcpStream>,
    host: &str,
    roots: &[CertificateDer<'static>],
) -> Result<tokio_rustls::client::TlsStream<Bounded<TcpStream>>, WebhookProblem> {
    let config = trust::with_roots(roots);
    let config = config.map_err(|error| WebhookProblem::Other(error.to_string()))?;
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|_| WebhookProblem::HostUnknown)?;
    let connected = TlsConnector::from(Arc::new(config)).connect(name, socket);
    connected
        .await
        .map_err(|error| WebhookProblem::Other(error.to_string()))
}

/// Agrees on TLS (RFC 3207): neither the password nor the message goes without it.
async fn start_tls<S: MailStream>(socket: &mut Bounded<S>) -> Result<(), WebhookProblem> {
    answer(socket).await?;
    ask(socket, &format!("EHLO {CLIENT}")).await?;
    let offers = answer(socket).await?;
    if !offers.iter().any(|it| it.eq_ignore_ascii_case("STARTTLS")) {
        return Err(WebhookProblem::Other("it offers no TLS".to_owned()));
    }
    ask(socket, "STARTTLS").await?;
    answer(socket).await.map(drop)
}

async fn ask<S: MailStream>(socket: &mut Bounded<S>, command: &str) -> Result<(), WebhookProblem> {
    let asked = socket.write_all(format!("{command}\r\n").as_bytes()).await;
    asked.map_err(|error| broken(&error))
}

/// The lines of an answer, without its code. Read byte by byte, because TLS follows the last one.
async fn answer<S: MailStream>(socket: &mut Bounded<S>) -> Result<Vec<String>, WebhookProblem> {
    let invalid = || WebhookProblem::Other(NOT_SMTP.to_owned());
    let mut lines = Vec::new();
    while lines.len() < MOST_LINES {
        let mut line = Vec::new();
        while !line.ends_with(b"\n") {
            if line.len() == LONGEST_LINE {
                return Err(invalid());
            }
            line.push(socket.read_u8().await.map_err(|error| broken(&error))?);
        }
        let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        let (code, text) = line.split_at_checked(3).ok_or_else(invalid)?;
        let code: u16 = code.parse().map_err(|_| invalid())?;
        if code >= 400 {
            return Err(WebhookProblem::Refused(code));
        }
        lines.push(text.trim_start_matches(['-', ' ']).to_owned());
        if !text.starts_with('-') {
            return Ok(lines);
        }
    }
    Err(invalid())
}

fn broken(error: &io::Error) -> WebhookProblem {
    WebhookProblem::Other(format!("the connection broke: {}", error.kind()))
}

/// Whether a text is the address of a mailbox, perhaps with a name.
pub(crate) fn is_mail_address(text: &str) -> bool {
    text.parse::<Mailbox>().is_ok()
}

/// The cause of a failure, without the server's text, which may quote a secret.
fn why(error: &lettre::transport::smtp::Error) -> WebhookProblem {
    if let Some(status) = error.status() {
        return WebhookProblem::Refused(status.into());
    }
    let text = if error.is_response() {
        NOT_SMTP
    } else if error.is_client() {
        "it offers no way to sign in"
    } else {
        "the connection broke; check its certificate"
    };
    WebhookProblem::Other(text.to_owned())
}

/// A connection whose server may send so many bytes and lines.
struct Bounded<S> {
    inner: S,
    address: SocketAddr,
    /// The bytes that are read before its first one.
    greeting: &'static [u8],
    left: usize,
    lines_left: usize,
}

impl<S> Bounded<S> {
    const fn new(inner: S, address: SocketAddr) -> Self {
        Self {
            inner,
            address,
            greeting: &[],
            left: MOST_BYTES,
            lines_left: usize::MAX,
        }
    }
}

impl<S> fmt::Debug for Bounded<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bounded")
    }
}

trait MailStream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Sync + Unpin> MailStream for S {}

impl<S: MailStream> AsyncTokioStream for Bounded<S> {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.greeting.is_empty() {
            let length = self.greeting.len().min(buffer.remaining());
            let (now, later) = self.greeting.split_at(length);
            buffer.put_slice(now);
            self.greeting = later;
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        let new = buffer.filled().get(before..).unwrap_or_default();
        let lines = new.split(|byte| *byte == b'\n').count() - 1;
        let left = self.left.checked_sub(new.len());
        match left.zip(self.lines_left.checked_sub(lines)) {
            Some(left) => {
                (self.left, self.lines_left) = left;
                read
            }
            None => Poll::Ready(Err(io::Error::other("the server sends too much"))),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

/// Talks to a server that sends these bytes, whatever it gets, for a fuzzer.
#[cfg(any(test, fuzzing))]
pub fn fuzz(bytes: &[u8]) {
    let server = || {
        let stream = tokio::io::join(io::Cursor::new(bytes.to_vec()), tokio::io::sink());
        Bounded {
            lines_left: MOST_LINES,
            ..Bounded::new(stream, SocketAddr::from(([127, 0, 0, 1], 25)))
        }
    };
    let hello = ClientId::Domain(CLIENT.to_owned());
    let talking = async {
        let _ = start_tls(&mut server()).await;
        let stream = Box::new(server());
        let Ok(mut connection) = AsyncSmtpConnection::connect_with_transport(stream, &hello).await
        else {
            return;
        };
        let credentials = Credentials::new("user".to_owned(), "password".to_owned());
        let _ = connection.auth(&MECHANISMS, &credentials).await;
        let _ = connection.quit().await;
    };
    if let Ok(engine) = runtime::Builder::new_current_thread().build() {
        engine.block_on(talking);
    }
}

#[cfg(test)]
mod tests;

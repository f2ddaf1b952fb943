//! Messages by e-mail, over TLS. A server gets ten seconds and a few thousand bytes in all.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{
    AsyncSmtpConnection, AsyncTokioStream, Certificate, CertificateStore, TlsParameters,
};
use lettre::transport::smtp::extension::ClientId;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::notices::webhook::WebhookSettings;
use crate::notices::webhook::message::WebhookMessage;
use crate::notices::webhook::problem::WebhookProblem;
use crate::trust;

/// The most bytes that a server may send: its certificates, and some lines.
const MOST_BYTES: usize = 64 * 1024;
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
    let socket = Bounded::new(socket, ip);
    let hello = ClientId::Domain("wattkeeper.local".to_owned());
    let mut connection = if server.is_tls_at_once {
        let tls = encrypted(socket, &server.host, roots).await?;
        let stream = Box::new(Bounded::new(tls, ip));
        AsyncSmtpConnection::connect_with_transport(stream, &hello).await
    } else {
        AsyncSmtpConnection::connect_with_transport(Box::new(socket), &hello).await
    }
    .map_err(|error| why(&error))?;
    if !server.is_tls_at_once {
        // Neither the password nor the message goes without TLS.
        let tls = parameters(&server.host, roots).map_err(|error| why(&error))?;
        let started = connection.starttls(tls, &hello).await;
        started.map_err(|error| why(&error))?;
    }
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

fn parameters(
    host: &str,
    roots: &[CertificateDer<'static>],
) -> Result<TlsParameters, lettre::transport::smtp::Error> {
    let mut tls = TlsParameters::builder(host.to_owned()).certificate_store(CertificateStore::None);
    for root in roots {
        // One that cannot be read is skipped, as for other servers.
        if let Ok(root) = Certificate::from_der(root.to_vec()) {
            tls = tls.add_root_certificate(root);
        }
    }
    tls.build_rustls()
}

/// Whether a text is the address of a mailbox, perhaps with a name.
pub(crate) fn is_mail_address(text: &str) -> bool {
    text.parse::<Mailbox>().is_ok()
}

/// The sender's address: the set one, or else the recipient's.
fn sender(settings: &WebhookSettings) -> &str {
    match settings.mail_from.as_str() {
        "" => &settings.mail_to,
        from => from,
    }
}

fn mail_of(
    settings: &WebhookSettings,
    message: &WebhookMessage,
) -> Result<Message, WebhookProblem> {
    let mailbox = |text: &str, key: &str| {
        let mailbox = text.parse::<Mailbox>();
        mailbox.map_err(|_| WebhookProblem::Other(format!("{key} is not an address")))
    };
    let subject = message.headers.iter().find(|(name, _)| *name == "Subject");
    let mail = Message::builder()
        .from(mailbox(sender(settings), "notices.mail_from")?)
        .to(mailbox(&settings.mail_to, "notices.mail_to")?)
        .subject(subject.map_or("wattkeeper", |(_, text)| text))
        .header(ContentType::TEXT_PLAIN)
        .body(message.body.clone());
    mail.map_err(|_| WebhookProblem::Other("the message cannot be written".to_owned()))
}

/// The cause of a failure, without the server's text, which may quote a secret.
fn why(error: &lettre::transport::smtp::Error) -> WebhookProblem {
    if let Some(status) = error.status() {
        return WebhookProblem::Refused(status.into());
    }
    let text = if error.is_tls() {
        "TLS cannot be set up"
    } else if error.is_response() {
        "its answer is not valid SMTP"
    } else if error.is_client() {
        "it offers no TLS, or no way to sign in"
    } else {
        "the connection broke; check its certificate"
    };
    WebhookProblem::Other(text.to_owned())
}

/// A connection whose server may send so many bytes.
struct Bounded<S> {
    inner: S,
    address: SocketAddr,
    left: usize,
}

impl<S> Bounded<S> {
    const fn new(inner: S, address: SocketAddr) -> Self {
        let left = MOST_BYTES;
        Self {
            inner,
            address,
            left,
        }
    }
}

impl<S> fmt::Debug for Bounded<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bounded")
    }
}

impl<S: AsyncRead + AsyncWrite + Send + Sync + Unpin> AsyncTokioStream for Bounded<S> {
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
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        let count = buffer.filled().len().saturating_sub(before);
        if count > self.left {
            return Poll::Ready(Err(io::Error::other("the server sends too much")));
        }
        self.left -= count;
        read
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

#[cfg(test)]
mod tests;

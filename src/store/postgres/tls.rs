//! TLS for connections to PostgreSQL, with the rustls that the rest of the program uses.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use tokio_postgres::Socket;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;
use tokio_rustls::client;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::{InvalidDnsNameError, ServerName};

use super::guard::Guarded;
use super::refusal::PostgresRefusal;
use crate::trust;

/// Makes connections that trust certain certificates.
#[derive(Clone)]
pub(crate) struct PostgresTrust(Arc<ClientConfig>);

/// A connection to be made, to a server with this name.
pub(crate) struct PostgresHandshake {
    trust: PostgresTrust,
    name: ServerName<'static>,
}

/// An encrypted connection.
pub(crate) type EncryptedStream = Guarded<client::TlsStream<Socket>>;

/// Makes unencrypted connections, which are guarded nevertheless.
#[derive(Clone, Copy)]
pub(crate) struct Unencrypted {
    pub(crate) allows_clear_text: bool,
}

impl PostgresTrust {
    /// Trusts the certificates in a file, or the system's.
    pub(crate) fn new(ca_file: Option<&Path>) -> Result<Self, PostgresRefusal> {
        let config = trust::client_config(ca_file);
        let config = config.map_err(|error| PostgresRefusal::Tls(error.to_string()))?;
        Ok(Self(Arc::new(config)))
    }
}

impl MakeTlsConnect<Socket> for PostgresTrust {
    type Stream = EncryptedStream;
    type TlsConnect = PostgresHandshake;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, name: &str) -> Result<PostgresHandshake, InvalidDnsNameError> {
        Ok(PostgresHandshake {
            trust: self.clone(),
            name: ServerName::try_from(name.to_owned())?,
        })
    }
}

impl TlsConnect<Socket> for PostgresHandshake {
    type Stream = EncryptedStream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedStream>> + Send>>;

    fn connect(self, stream: Socket) -> Self::Future {
        Box::pin(async move {
            let connector = TlsConnector::from(self.trust.0);
            let stream = connector.connect(self.name, stream).await?;
            // Encrypted, and to a server that has proved its name.
            Ok(Guarded::new(stream, true))
        })
    }
}

impl MakeTlsConnect<Socket> for Unencrypted {
    type Stream = Guarded<Socket>;
    type TlsConnect = Self;
    type Error = Infallible;

    fn make_tls_connect(&mut self, _: &str) -> Result<Self, Infallible> {
        Ok(*self)
    }
}

/// The library treats this as TLS without negotiation, and uses the resulting stream.
impl TlsConnect<Socket> for Unencrypted {
    type Stream = Guarded<Socket>;
    type Error = Infallible;
    type Future = Ready<Result<Guarded<Socket>, Infallible>>;

    fn connect(self, stream: Socket) -> Self::Future {
        ready(Ok(Guarded::new(stream, self.allows_clear_text)))
    }
}

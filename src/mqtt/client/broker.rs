//! The address of the broker, and the connection to it: TCP, with TLS if its scheme asks for it.

use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::error::ClientError;
use crate::domain::host_and_port;
use crate::trust;

/// The standard ports, without TLS and with it.
const PORT: u16 = 1883;
const PORT_TLS: u16 = 8883;

/// The address of a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerAddress {
    host: String,
    port: u16,
    has_tls: bool,
}

/// The error for a text that is not the address of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected an address such as \"mqtt://broker.lan:1883\", or \"mqtts://...\" for TLS")]
pub struct AddressError;

/// A stream of bytes to and from the broker.
pub(super) trait BrokerStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> BrokerStream for T {}

impl FromStr for BrokerAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (scheme, rest) = text.split_once("://").ok_or(AddressError)?;
        let has_tls = match scheme {
            "mqtt" => false,
            "mqtts" => true,
            _ => return Err(AddressError),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = host_and_port(rest).ok_or(AddressError)?;
        let port = port.unwrap_or(if has_tls { PORT_TLS } else { PORT });
        Ok(Self {
            host: host.into(),
            port,
            has_tls,
        })
    }
}

impl fmt::Display for BrokerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.has_tls { "mqtts" } else { "mqtt" };
        if self.host.contains(':') {
            write!(f, "{scheme}://[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{scheme}://{}:{}", self.host, self.port)
        }
    }
}

impl BrokerAddress {
    /// Connects. `ca_file` contains the trusted certificates; without it, the system's certificates
    /// are trusted.
    pub(super) async fn connect(
        &self,
        ca_file: Option<&Path>,
    ) -> Result<Box<dyn BrokerStream>, ClientError> {
        let failed = |error| ClientError::Connect(self.to_string(), error);
        let found = lookup_host((self.host.as_str(), self.port)).await;
        let found = found.map_err(|error| ClientError::Lookup(self.to_string(), error))?;
        let addresses: Vec<_> = found.collect();
        let stream = TcpStream::connect(addresses.as_slice()).await;
        let stream = stream.map_err(failed)?;
        // Packets are small, and an acknowledgement must not wait until more is sent.
        stream.set_nodelay(true).map_err(failed)?;
        if !self.has_tls {
            return Ok(Box::new(stream));
        }
        let tls_error = |error| ClientError::Tls(self.to_string(), error);
        let name = ServerName::try_from(self.host.clone())
            .map_err(|error| tls_error(io::Error::new(io::ErrorKind::InvalidInput, error)))?;
        // Certificates are read for each connection, so a new `ca_file` needs no restart.
        let connector = TlsConnector::from(Arc::new(trust::client_config(ca_file)?));
        let stream = connector.connect(name, stream).await.map_err(tls_error)?;
        Ok(Box::new(stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_default_to_the_standard_ports() {
        let printed = |text: &str| text.parse::<BrokerAddress>().unwrap().to_string();
        assert_eq!(printed("mqtt://broker.lan"), "mqtt://broker.lan:1883");
        assert_eq!(printed("mqtts://broker.lan"), "mqtts://broker.lan:8883");
        assert_eq!(
            printed("mqtt://192.168.1.5:1884/"),
            "mqtt://192.168.1.5:1884"
        );
        assert_eq!(printed("mqtts://[fd00::1]:8884"), "mqtts://[fd00::1]:8884");
        assert_eq!(printed("mqtt://[::1]"), "mqtt://[::1]:1883");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "broker.lan",
            "mqtt://",
            "http://broker",
            "mqtt://a:b",
            "mqtt://a:0",
            "mqtt://a:70000",
            "mqtt://user:pw@a",
            "mqtt://[::1",
            "mqtt://[::1]x",
            "mqtt://a b",
        ] {
            assert_eq!(text.parse::<BrokerAddress>(), Err(AddressError), "{text:?}");
        }
    }
}

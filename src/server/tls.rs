//! Serving by TLS: the certificate, and where the commands reach the service then.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use super::error::ServerError;
use super::signals::{Asked, Signals};
use super::supervisor;
use crate::config::HttpConfig;
use crate::http::gate::tls::Certificate;

/// What serving by TLS takes.
pub(super) struct Tls {
    pub(super) certificate: Arc<Certificate>,
    /// Where the commands reach the service, on this machine only and without TLS: they need not know its certificate.
    pub(super) commands: TcpListener,
    pub(super) commands_address: SocketAddr,
}

impl Tls {
    /// What the settings say; none where they name no certificate.
    pub(super) fn new(config: &HttpConfig) -> Result<Option<Self>, ServerError> {
        let Some(certificate) = Certificate::load(&config.tls)? else {
            return Ok(None);
        };
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let bound = TcpListener::bind(wanted)
            .and_then(|listener| listener.local_addr().map(|address| (listener, address)));
        let (commands, commands_address) = bound.map_err(|source| ServerError::Listen {
            address: wanted,
            advice: "the commands reach a service that serves by TLS there",
            source,
        })?;
        Ok(Some(Self {
            certificate,
            commands,
            commands_address,
        }))
    }
}

/// Does what signals ask for, until one asks to stop.
pub(super) async fn until_asked_to_stop(signals: &mut Signals, certificate: Option<&Certificate>) {
    while signals.next().await == Asked::Reload {
        reload(certificate);
    }
}

/// Reads the certificate again; where that fails the one before stays in use.
fn reload(certificate: Option<&Certificate>) {
    supervisor::reloading();
    match certificate.map(Certificate::reload) {
        None => log::info!("nothing to reload: no certificate is set"),
        Some(Ok(())) => log::info!("the certificate was read again"),
        Some(Err(error)) => {
            log::error!("the certificate before this one stays in use: {error}");
        }
    }
    supervisor::ready();
}

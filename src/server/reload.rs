//! Reading the certificate again, without a restart.

use super::signals::{Signal, Signals};
use super::supervisor;
use crate::http::gate::Certificate;

/// Reads the certificate again at each SIGHUP, until a signal requests a stop.
pub(super) async fn until_stopped(signals: &mut Signals, certificate: Option<&Certificate>) {
    while signals.next().await == Signal::Reload {
        reload(certificate);
    }
}

/// If this fails, the current certificate stays in use.
fn reload(certificate: Option<&Certificate>) {
    supervisor::reloading();
    match certificate.map(Certificate::reload) {
        None => log::info!("nothing to reload: no certificate is set"),
        Some(Ok(())) => log::info!("the certificate was read again"),
        Some(Err(error)) => {
            log::error!("cannot reload the certificate, the current one stays in use: {error}");
        }
    }
    // After an error too, because systemd considers the unit reloading until it receives READY=1.
    supervisor::ready();
}

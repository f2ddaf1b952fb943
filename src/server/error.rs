//! Why the service does not run.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

pub use crate::http::gate::tls::CertificateError;
use crate::store::StoreError;

/// Why the service does not run.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The store cannot be opened.
    #[error("cannot open the store")]
    Open(#[source] StoreError),
    /// It cannot listen on the address.
    #[error("cannot listen on {address}: {advice}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The remedy.
        advice: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// There are too few file descriptors.
    #[error(
        "cannot serve: this process needs {needed} more file descriptors, and two for each connection; raise its limit (ulimit -n, LimitNOFILE= of systemd)"
    )]
    Descriptors {
        /// How many it needs.
        needed: usize,
        /// The system's error.
        source: io::Error,
    },
    /// The certificate cannot be used.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The socket for commands cannot be created.
    #[error("cannot create the socket for commands in {data_dir}")]
    Socket {
        /// The data dir.
        data_dir: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system refused something else.
    #[error("cannot serve")]
    Run(#[source] io::Error),
    /// The store could not write everything when it was closed.
    #[error("stopped, but the store could not write everything")]
    Close(#[source] StoreError),
}

/// The remedy if the service cannot listen on an address.
pub(super) const fn advice(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::AddrInUse => {
            "another program listens there; stop it, or choose another address with --listen or http.listen"
        }
        io::ErrorKind::PermissionDenied => {
            "ports below 1024 are for the administrator; choose another with --listen or http.listen"
        }
        io::ErrorKind::AddrNotAvailable => {
            "this machine has no such address; choose another with --listen or http.listen"
        }
        _ => "choose another address with --listen or http.listen",
    }
}

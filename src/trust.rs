//! Trusted certificates for TLS connections: from a file, or the system's; and the client over HTTPS.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use ureq::config::Config;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// Why there are no trusted certificates.
#[derive(Debug, Error)]
pub(crate) enum TrustError {
    #[error("{} is not a PEM file of certificates: {cause}", .path.display())]
    File {
        path: PathBuf,
        cause: Box<dyn Error + Send + Sync>,
    },
    #[error("the system has no trusted certificates: name a file with some")]
    NoneInSystem,
    #[error("TLS cannot be set up: {0}")]
    Library(#[from] rustls::Error),
}

/// The system's certificates. Unreadable ones are skipped; in a named file they are an error.
pub(crate) fn of_system() -> Vec<CertificateDer<'static>> {
    rustls_native_certs::load_native_certs().certs
}

/// The configuration for connections to servers with certificates trusted by `file`, or else by the
/// system.
///
/// # Errors
/// A [`TrustError`].
pub(crate) fn client_config(file: Option<&Path>) -> Result<ClientConfig, TrustError> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = file {
        add_file(&mut roots, path).map_err(|cause| TrustError::File {
            path: path.to_owned(),
            cause,
        })?;
    } else {
        return with_roots(&of_system());
    }
    with_store(roots)
}

/// The same for servers with certificates that these trust.
///
/// # Errors
/// [`TrustError::NoneInSystem`] without any.
pub(crate) fn with_roots(trusted: &[CertificateDer<'static>]) -> Result<ClientConfig, TrustError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(trusted.iter().cloned());
    if roots.is_empty() {
        return Err(TrustError::NoneInSystem);
    }
    with_store(roots)
}

/// A client over HTTPS that trusts the system's certificates, allows each request `within` in all,
/// and follows neither redirects nor proxies of the environment.
pub(crate) fn https_client(within: Duration) -> Config {
    let roots = of_system();
    let roots = roots
        .iter()
        .map(|root| Certificate::from_der(root).to_owned());
    let roots: Vec<_> = roots.collect();
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::from(roots))
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .build();
    Config::builder()
        .tls_config(tls)
        .timeout_global(Some(within))
        // A redirected POST becomes a GET, and its body is lost; credentials in an address would be
        // sent to another server.
        .max_redirects(0)
        .http_status_as_error(false)
        .proxy(None)
        .user_agent(concat!("wattkeeper/", env!("CARGO_PKG_VERSION")))
        .build()
}

fn with_store(roots: RootCertStore) -> Result<ClientConfig, TrustError> {
    let provider = Arc::new(ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
    for certificate in CertificateDer::pem_file_iter(path)? {
        roots.add(certificate?)?;
    }
    if roots.is_empty() {
        return Err("it holds none".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ca.pem");
        std::fs::write(&path, "nothing").unwrap();
        for path in [path, dir.path().join("missing.pem")] {
            let error = client_config(Some(&path)).unwrap_err().to_string();
            assert!(error.contains(path.to_str().unwrap()), "{error}");
        }
    }
}

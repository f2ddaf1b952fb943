//! TLS: the certificate of the service, which can be replaced without a restart.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use thiserror::Error;

use crate::config::TlsConfig;
use crate::locks;
use crate::store::explain_denied;

/// Why a certificate cannot be used.
#[derive(Debug, Error)]
pub enum CertificateError {
    /// Only one of the two files is named.
    #[error("http.tls.cert_file and http.tls.key_file go together: set both, or neither")]
    HalfSet,
    /// A file cannot be read, or holds no PEM of its kind.
    #[error("cannot read {what} from {path}: {cause}")]
    Unreadable {
        /// The expected content.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The fault of the file.
        cause: pem::Error,
    },
    /// The certificate file contains no certificate.
    #[error("there is no certificate in {0}: expected a chain as PEM, the service's own one first")]
    None(PathBuf),
    /// The certificate and the key do not match, or are of an unknown kind.
    #[error("the certificate in {cert} and the key in {key} cannot be used: {cause}")]
    Unusable {
        /// The file of certificates.
        cert: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// The cause.
        cause: rustls::Error,
    },
}

/// The certificate in use, and its files.
pub(crate) struct Certificate {
    files: TlsConfig,
    provider: Arc<CryptoProvider>,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificate {
    /// Reads the certificate that the settings name, if any.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub(crate) fn load(files: &TlsConfig) -> Result<Option<Arc<Self>>, CertificateError> {
        let is_set = |path: &Path| !path.as_os_str().is_empty();
        match (is_set(&files.cert_file), is_set(&files.key_file)) {
            (false, false) => return Ok(None),
            (true, true) => {}
            _ => return Err(CertificateError::HalfSet),
        }
        let provider = Arc::new(ring::default_provider());
        let current = RwLock::new(Arc::new(read(files, &provider)?));
        Ok(Some(Arc::new(Self {
            files: files.clone(),
            provider,
            current,
        })))
    }

    /// Reads the files again; new connections use the new certificate. Blocks.
    ///
    /// # Errors
    /// [`CertificateError`]; the old certificate stays in use then.
    pub(crate) fn reload(&self) -> Result<(), CertificateError> {
        // Read before the lock is taken: connections that begin meanwhile do not wait for the disk.
        let read = Arc::new(read(&self.files, &self.provider)?);
        *locks::write(&self.current) = read;
        Ok(())
    }

    /// Settings for TLS 1.2 and 1.3 with this certificate.
    ///
    /// # Errors
    /// [`CertificateError::Unusable`].
    pub(crate) fn server_config(self: &Arc<Self>) -> Result<ServerConfig, CertificateError> {
        let builder = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()
            .map_err(|cause| unusable(&self.files, cause))?;
        let shown = Arc::clone(self);
        let mut config = builder.with_no_client_auth().with_cert_resolver(shown);
        // Both names are offered because a client that offers protocols, none of them known here,
        // would be refused. HTTP/1.1 is spoken in either case.
        config.alpn_protocols = vec![b"http/1.1".to_vec(), b"http/1.0".to_vec()];
        Ok(config)
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        // For any server name, because there is only one certificate.
        let current = locks::read(&self.current);
        Some(Arc::clone(&current))
    }
}

/// Leaves out the key.
impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.fmt(f)
    }
}

fn read(files: &TlsConfig, provider: &CryptoProvider) -> Result<CertifiedKey, CertificateError> {
    let TlsConfig {
        cert_file,
        key_file,
    } = files;
    let unreadable = |what, path: &Path| {
        let path = path.to_owned();
        move |cause| {
            let cause = match cause {
                pem::Error::Io(error) => pem::Error::Io(explain_denied(&path, error)),
                other => other,
            };
            CertificateError::Unreadable { what, path, cause }
        }
    };
    let chain: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(cert_file).and_then(Iterator::collect);
    let chain = chain.map_err(unreadable("a chain of certificates", cert_file))?;
    if chain.is_empty() {
        return Err(CertificateError::None(cert_file.clone()));
    }
    let key = PrivateKeyDer::from_pem_file(key_file);
    let key = key.map_err(unreadable("a private key", key_file))?;
    // Also fails if the key does not belong to the first certificate.
    CertifiedKey::from_der(chain, key, provider).map_err(|cause| unusable(files, cause))
}

fn unusable(files: &TlsConfig, cause: rustls::Error) -> CertificateError {
    CertificateError::Unusable {
        cert: files.cert_file.clone(),
        key: files.key_file.clone(),
        cause,
    }
}

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
        /// What should be in it.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: pem::Error,
    },
    /// The file of certificates holds none.
    #[error("there is no certificate in {0}: expected a chain as PEM, the service's own one first")]
    None(PathBuf),
    /// The certificate and the key do not fit, or are of an unknown kind.
    #[error("the certificate in {cert} and the key in {key} cannot be used: {cause}")]
    Unusable {
        /// The file of certificates.
        cert: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// Why.
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
        // What is spoken is the same. Without a name that both know, a client that offers any is refused.
        config.alpn_protocols = vec![b"http/1.1".to_vec(), b"http/1.0".to_vec()];
        Ok(config)
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        // Whatever name the client asks for: there is only one certificate.
        let current = locks::read(&self.current);
        Some(Arc::clone(&current))
    }
}

/// Without the key.
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
    // Also fails if the key is not that of the first certificate.
    CertifiedKey::from_der(chain, key, provider).map_err(|cause| unusable(files, cause))
}

fn unusable(files: &TlsConfig, cause: rustls::Error) -> CertificateError {
    CertificateError::Unusable {
        cert: files.cert_file.clone(),
        key: files.key_file.clone(),
        cause,
    }
}

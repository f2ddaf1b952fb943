//! Why there is no connection, for a person.

use std::io;

use tokio_rustls::rustls::{CertificateError, Error as TlsError};

use super::error::{ClientError, chain};

/// Why there is no connection to the broker, as far as a person can change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokerProblem {
    /// Its name is unknown.
    NameUnknown,
    /// Nothing listens at the address.
    NothingThere,
    /// It cannot be reached, or does not answer in time.
    NoAnswer,
    /// Its certificate is for another name.
    CertificateName,
    /// Its certificate is not signed by a trusted authority.
    CertificateUntrusted,
    /// It does not speak TLS, or its certificate is unusable.
    Tls(String),
    /// The user or the password is wrong.
    Login,
    /// It does not speak MQTT, or speaks TLS.
    NotMqtt,
    /// It ended an existing connection.
    Lost,
    /// Readings cannot be stored now, so there is no connection.
    NotReady,
    /// Anything else, in English.
    Other(String),
}

impl BrokerProblem {
    /// The problem of a connection that was never established.
    pub(super) fn of(error: &ClientError) -> Self {
        match error {
            ClientError::Lookup(..) => Self::NameUnknown,
            ClientError::Connect(_, error) => match error.kind() {
                io::ErrorKind::ConnectionRefused => Self::NothingThere,
                io::ErrorKind::TimedOut
                | io::ErrorKind::HostUnreachable
                | io::ErrorKind::NetworkUnreachable => Self::NoAnswer,
                _ => Self::Other(error.to_string()),
            },
            ClientError::Unreachable(_) | ClientError::NoAnswer | ClientError::Stalled => {
                Self::NoAnswer
            }
            ClientError::Tls(_, error) => tls_problem(error),
            ClientError::Login => Self::Login,
            ClientError::Closed
            | ClientError::Broken(_)
            | ClientError::Malformed(_)
            | ClientError::OutOfPlace => Self::NotMqtt,
            ClientError::NotReady(_) => Self::NotReady,
            other => Self::Other(chain(other)),
        }
    }

    /// The problem of a connection that ended.
    pub(super) fn of_end(error: &ClientError) -> Self {
        match error {
            ClientError::Closed | ClientError::Broken(_) => Self::Lost,
            other => Self::of(other),
        }
    }
}

fn tls_problem(error: &io::Error) -> BrokerProblem {
    let cause = error
        .get_ref()
        .and_then(|cause| cause.downcast_ref::<TlsError>());
    match cause {
        Some(TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => BrokerProblem::CertificateName,
        // Also for a bad signature: a recreated authority often has the same name.
        Some(TlsError::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        )) => BrokerProblem::CertificateUntrusted,
        _ => BrokerProblem::Tls(error.to_string()),
    }
}

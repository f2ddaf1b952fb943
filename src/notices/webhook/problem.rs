//! Why a message was not accepted.

use std::time::Duration;

use thiserror::Error;

/// The time within which a server must answer.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// Why a message was not accepted. Contains no secret.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WebhookProblem {
    /// The host of the address is unknown.
    #[error("its host name is unknown")]
    HostUnknown,
    /// No complete answer came in time.
    #[error("no answer within {} s", TIMEOUT.as_secs())]
    NoAnswer,
    /// It answered with a status other than success.
    #[error("it answered with status {0}")]
    Refused(u16),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

//! Why there is no connection to the broker, or why one ended by itself.

use std::io;
use std::path::PathBuf;

use rumqttc::mqttbytes::Error as Malformed;
use thiserror::Error;

use crate::ingest::IngestError;
use crate::trust::TrustError;

/// Why there is no connection, or why one ended by itself.
#[derive(Debug, Error)]
pub(super) enum ClientError {
    /// The lookup of this address failed.
    #[error("cannot find {0}: its name is unknown")]
    Lookup(String, #[source] io::Error),
    /// The connection to this address failed.
    #[error("cannot connect to {0}")]
    Connect(String, #[source] io::Error),
    #[error("cannot connect to {0}: it does not answer")]
    Unreachable(String),
    /// For instance because its certificate is not trusted.
    #[error("cannot speak TLS with {0}")]
    Tls(String, #[source] io::Error),
    #[error("mqtt.ca_file: {0}")]
    Trust(#[from] TrustError),
    #[error("cannot read mqtt.password_file, {}", .0.display())]
    PasswordFile(PathBuf, #[source] io::Error),
    /// The broker, or something in between, closed it.
    #[error("the broker closed the connection")]
    Closed,
    #[error("the connection broke")]
    Broken(#[from] io::Error),
    #[error("the broker does not read the packets sent to it")]
    Stalled,
    #[error("the broker sent invalid MQTT 3.1.1: {0}")]
    Malformed(Malformed),
    #[error("the broker did not answer")]
    NoAnswer,
    #[error("the broker refused the connection: {0}")]
    Refused(&'static str),
    #[error("the broker refused the connection: mqtt.user or the password is wrong")]
    Login,
    #[error("the broker sent an unexpected packet")]
    OutOfPlace,
    #[error("waiting until readings can be stored: {0}")]
    NotReady(#[from] IngestError),
    #[error("a bug ended the connection; connecting again")]
    Panic,
}

/// An error with its causes.
pub(super) fn chain(error: &ClientError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let cause_text = error.to_string();
        // Some errors repeat their cause in their own text.
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        cause = error.source();
    }
    text
}

//! Errors of PostgreSQL: temporary ones, and permanent ones.

use std::error::Error;
use std::fmt::Write as _;
use std::time::Duration;

use thiserror::Error;
use tokio_postgres::error::SqlState;

use super::refusal::PostgresRefusal;
use crate::store::error::StoreError;

/// Reasons why PostgreSQL did not carry out a request.
#[derive(Clone, Debug, Error)]
pub(crate) enum PostgresError {
    /// Temporary: the same call may be repeated.
    #[error("{0}")]
    Away(String),
    /// Permanent until somebody changes something.
    #[error(transparent)]
    Refused(#[from] PostgresRefusal),
    /// It does not understand the request, or its tables are wrong.
    #[error("{0}")]
    Failed(String),
}

impl PostgresError {
    /// The error for an answer that did not come in time.
    pub(crate) fn silent(within: Duration) -> Self {
        Self::Away(format!(
            "PostgreSQL gave no answer within {} s: a standby that it waits for may be away",
            within.as_secs()
        ))
    }

    /// The same error while the service runs, when PostgreSQL may be repaired without a restart.
    pub(crate) fn for_now(self) -> Self {
        match self {
            Self::Refused(refusal) => Self::Away(refusal.to_string()),
            other => other,
        }
    }
}

impl From<tokio_postgres::Error> for PostgresError {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(said) = error.as_db_error() else {
            let text = format!("the connection to PostgreSQL broke: {}", chain(&error));
            // Without an answer from PostgreSQL, either the connection broke, or the client library
            // rejects the request.
            let is_broken = error.is_closed() || is_io(&error);
            return if is_broken {
                Self::Away(text)
            } else {
                Self::Failed(format!("a request to PostgreSQL failed: {}", chain(&error)))
            };
        };
        // Without the detail, which may show values.
        let text = format!(
            "PostgreSQL says: {} ({})",
            said.message(),
            said.code().code()
        );
        if may_pass(said.code()) {
            Self::Away(text)
        } else {
            Self::Failed(text)
        }
    }
}

impl From<PostgresError> for StoreError {
    fn from(error: PostgresError) -> Self {
        match error {
            PostgresError::Away(why) => Self::NotForNow(why),
            PostgresError::Refused(refusal) => Self::Postgres(refusal.to_string()),
            PostgresError::Failed(what) => Self::Postgres(what),
        }
    }
}

/// Whether the error may pass soon.
fn may_pass(code: &SqlState) -> bool {
    // Connections, conflicts of transactions, exhausted resources and connections, an administrator
    // or a time limit at work, its disk.
    let classes = ["08", "40", "53", "57", "58"];
    let others = [
        &SqlState::LOCK_NOT_AVAILABLE,
        &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        // A primary that became a replica.
        &SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    others.contains(&code) || classes.iter().any(|class| code.code().starts_with(class))
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    error
        .source()
        .is_some_and(<dyn Error>::is::<std::io::Error>)
}

/// An error with its causes. Neither the library nor the system puts a password into one.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string does not fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

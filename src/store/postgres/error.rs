//! What can go wrong at an engine: it is away for now, or it refuses for good.

use std::error::Error;
use std::fmt::Write as _;
use std::time::Duration;

use thiserror::Error;
use tokio_postgres::error::SqlState;

use super::refusal::EngineRefusal;
use crate::store::error::StoreError;

/// Why an engine did not do what it was asked.
#[derive(Clone, Debug, Error)]
pub(crate) enum EngineError {
    /// It may do so later: the same call may be made again.
    #[error("{0}")]
    Away(String),
    /// Not before somebody changes something.
    #[error(transparent)]
    Refused(#[from] EngineRefusal),
    /// It does not understand, or its tables are not as they should be.
    #[error("{0}")]
    Failed(String),
}

impl EngineError {
    /// After an answer did not come within a time.
    pub(crate) fn silent(within: Duration) -> Self {
        Self::Away(format!(
            "the engine gave no answer within {} s: a standby that it waits for may be away",
            within.as_secs()
        ))
    }

    /// The same error while the service runs, when the engine may be mended without a restart.
    pub(crate) fn for_now(self) -> Self {
        match self {
            Self::Refused(refusal) => Self::Away(refusal.to_string()),
            other => other,
        }
    }
}

impl From<tokio_postgres::Error> for EngineError {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(said) = error.as_db_error() else {
            let text = format!("the connection to the engine broke: {}", chain(&error));
            // Without a word of the engine, the connection is at fault, or what was asked of the client's library.
            let is_broken = error.is_closed() || is_io(&error);
            return if is_broken {
                Self::Away(text)
            } else {
                Self::Failed(format!("a request to the engine failed: {}", chain(&error)))
            };
        };
        // Without the detail, which may show values.
        let text = format!(
            "the engine says: {} ({})",
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

impl From<EngineError> for StoreError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Away(why) => Self::NotForNow(why),
            EngineError::Refused(refusal) => Self::Engine(refusal.to_string()),
            EngineError::Failed(what) => Self::Engine(what),
        }
    }
}

/// Whether what the engine says may be over soon.
fn may_pass(code: &SqlState) -> bool {
    // Connections, conflicts of transactions, room and connections used up, an administrator or a time limit at work, its
    // disk.
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

/// An error with its causes. Neither the library nor the system puts a password in one.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a text does not fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

//! What can go wrong in the store.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why the store did not do what was asked.
#[derive(Clone, Debug, Error)]
pub enum StoreError {
    /// Another process has the store open.
    #[error("the store in {dir} is in use by another wattkeeper process{}", .pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    Locked {
        /// The data dir.
        dir: PathBuf,
        /// The process that holds it, where its lock file says.
        pid: Option<u32>,
    },
    /// There is no store.
    #[error(
        "there is no store in {0}: create one with `wattkeeper serve` or `wattkeeper account add`, or name another folder with --data-dir"
    )]
    NoStore(PathBuf),
    /// A store is to be made where something is already.
    #[error(
        "a new store is made in an empty data dir only, and {dir} holds {holds}: name another folder"
    )]
    NotEmpty {
        /// The folder.
        dir: PathBuf,
        /// The name of something in it.
        holds: String,
    },
    /// The store was written by a newer version, or by something else.
    #[error(
        "the store has format {found}, this version of wattkeeper reads up to {newest}: update wattkeeper"
    )]
    NewerFormat {
        /// The store's format.
        found: u32,
        /// The newest one known here.
        newest: u32,
    },
    /// What is on disk is not what was written.
    #[error(
        "the store is damaged: {0}; keep the folder: `wattkeeper check --salvage NEW_DIR` saves what can be read of it, `wattkeeper restore` makes a backup a store again"
    )]
    Damaged(String),
    /// A file could not be read or written.
    #[error("{what}: {cause}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        cause: String,
    },
    /// A write or sync failed earlier: nothing is written until the store is opened again.
    #[error(
        "the store takes no more changes since a write failed: {0}; restart wattkeeper once the cause is gone"
    )]
    Poisoned(String),
    /// The store is closed or closing.
    #[error("the store is closed")]
    Closed,
    /// There is an administrator already.
    #[error("there is an administrator already")]
    AdministratorExists,
    /// A session was to begin with a password that is not the administrator's any more.
    #[error("the password was changed meanwhile")]
    PasswordChanged,
    /// No such account.
    #[error("there is no account {0:?}")]
    UnknownAccount(String),
    /// No such credential.
    #[error("there is no credential {0:?}")]
    UnknownCredential(String),
    /// No such sensor.
    #[error("there is no sensor {0:?}")]
    UnknownSensor(String),
    /// A name or a label is too long.
    #[error("{what} takes at most {longest} bytes")]
    TextTooLong {
        /// Which text.
        what: &'static str,
        /// The longest, in bytes.
        longest: usize,
    },
    /// The account still owns sensors.
    #[error("the account {0:?} still has sensors: remove them first")]
    AccountHasSensors(String),
    /// The sensor's id belongs to another account.
    #[error("the sensor {0:?} belongs to another account")]
    SensorTaken(String),
}

impl StoreError {
    /// An I/O failure while doing `what`.
    pub(crate) fn io(what: impl Into<String>, cause: &io::Error) -> Self {
        Self::Io {
            what: what.into(),
            cause: cause.to_string(),
        }
    }

    /// What is damaged, without the way out of it; another error as it is.
    pub(super) fn damage(&self) -> String {
        match self {
            Self::Damaged(what) => what.clone(),
            other => other.to_string(),
        }
    }
}

impl From<sled::Error> for StoreError {
    fn from(error: sled::Error) -> Self {
        match error {
            sled::Error::Corruption { .. } => {
                Self::Damaged("a page of its database is not what was written".into())
            }

            other => Self::Io {
                what: "reading or writing the store".into(),
                cause: other.to_string(),
            },
        }
    }
}

//! Errors of backups.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::store::error::StoreError;

/// Reasons why a backup could not be taken, verified or restored.
#[derive(Clone, Debug, Error)]
pub enum BackupError {
    /// The file is something else.
    #[error("not a backup of wattkeeper")]
    NotOne,
    /// The file was written by a newer version.
    #[error(
        "the backup has format {found}, and wattkeeper {} reads up to format {newest}: use the version that took it or a newer one",
        env!("CARGO_PKG_VERSION")
    )]
    NewerFormat {
        /// The file's format.
        found: u32,
        /// The newest one known here.
        newest: u32,
    },
    /// The content is invalid.
    #[error("the backup is damaged at byte {offset}: {what}")]
    Damaged {
        /// The offset in the file.
        offset: u64,
        /// The problem.
        what: String,
    },
    /// Reading the file back gave other bytes.
    #[error("{0} was not read back as written: do not trust its disk")]
    NotAsWritten(PathBuf),
    /// The file exists.
    #[error("{0} already exists: choose another name, or remove it")]
    Exists(PathBuf),
    /// Another process writes the same file.
    #[error("another process is writing a backup to {0}")]
    UnderWay(PathBuf),
    /// It would leave too little space.
    #[error(
        "{dir} has {free} bytes free, and a backup needs {needed} including a reserve: free some space, or keep fewer copies"
    )]
    NoSpace {
        /// The folder of the backup.
        dir: PathBuf,
        /// The bytes free there.
        free: u64,
        /// The bytes needed.
        needed: u64,
    },
    /// The caller stopped it.
    #[error("stopped before it was complete")]
    Stopped,
    /// The cursor does not come from a page.
    #[error("invalid cursor of a backup")]
    Cursor,
    /// A file cannot be read or written.
    #[error("{what}: {cause}")]
    Io {
        /// The operation.
        what: String,
        /// The system's error.
        cause: String,
    },
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BackupError {
    /// Creates an error for an I/O failure while `doing` something with `path`.
    pub(crate) fn io(doing: &str, path: &Path, cause: &io::Error) -> Self {
        Self::Io {
            what: format!("{doing} {}", path.display()),
            cause: cause.to_string(),
        }
    }
}

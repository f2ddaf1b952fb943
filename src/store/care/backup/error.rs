//! What can go wrong with a backup.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::store::error::StoreError;

/// Why a backup was not taken, not found good, or not restored.
#[derive(Clone, Debug, Error)]
pub enum BackupError {
    /// The file is something else.
    #[error("it is no backup of wattkeeper's")]
    NotOne,
    /// The file was written by a newer version.
    #[error(
        "the backup has format {found}, this version of wattkeeper reads up to {newest}: update wattkeeper"
    )]
    NewerFormat {
        /// The file's format.
        found: u32,
        /// The newest one known here.
        newest: u32,
    },
    /// The file is not what was written.
    #[error("the backup is damaged at byte {offset}: {what}")]
    Damaged {
        /// Where in the file.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// What was read back is not what was written.
    #[error("what was read back from {0} is not what was written: its medium can't be trusted")]
    NotAsWritten(PathBuf),
    /// There is a file already.
    #[error("{0} is there already: name another file, or remove it")]
    Exists(PathBuf),
    /// Another process writes the same file.
    #[error("another backup to {0} is under way")]
    UnderWay(PathBuf),
    /// It would leave too little space.
    #[error(
        "{dir} has {free} bytes free, and a backup needs {needed}, a reserve among them: make space, or keep fewer copies"
    )]
    NoSpace {
        /// Where it was to be.
        dir: PathBuf,
        /// The bytes free there.
        free: u64,
        /// The bytes needed.
        needed: u64,
    },
    /// It was to stop.
    #[error("stopped before it was done")]
    Stopped,
    /// A cursor is none that a page gave.
    #[error("a backup can't go on from there")]
    Cursor,
    /// A file could not be read or written.
    #[error("{what}: {cause}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        cause: String,
    },
    /// The store did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BackupError {
    /// An I/O failure while `doing` something with `path`.
    pub(crate) fn io(doing: &str, path: &Path, cause: &io::Error) -> Self {
        Self::Io {
            what: format!("{doing} {}", path.display()),
            cause: cause.to_string(),
        }
    }
}

//! Why a request fails.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::store::{BackupError, StoreError};

/// Why a request was not carried out. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum AdminError {
    /// A part of the request is not valid.
    #[error("{0}")]
    Invalid(String),
    /// What the request adds exists already.
    #[error("{0}")]
    Exists(String),
    /// The store refused or failed.
    #[error("{0}")]
    Store(String),
}

impl From<StoreError> for AdminError {
    fn from(error: StoreError) -> Self {
        Self::Store(error.to_string())
    }
}

impl From<BackupError> for AdminError {
    fn from(error: BackupError) -> Self {
        Self::Store(error.to_string())
    }
}

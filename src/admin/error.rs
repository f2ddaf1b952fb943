//! Why a request fails.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::store::{BackupError, StoreError};

/// Why a request was not carried out, in words; it travels to another process. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{0}")]
pub struct AdminError(pub String);

impl From<StoreError> for AdminError {
    fn from(error: StoreError) -> Self {
        Self(error.to_string())
    }
}

impl From<BackupError> for AdminError {
    fn from(error: BackupError) -> Self {
        Self(error.to_string())
    }
}

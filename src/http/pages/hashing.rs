//! Passwords hashed and checked, off the workers and few at a time: each takes 19 MiB of memory for some tenths of a
//! second.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::PageError;
use crate::domain::password::{Password, PasswordHash};
use crate::http::body::in_background;
use crate::http::error::ApiError;

const AT_ONCE: usize = 2;
/// How long one waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where passwords are hashed and checked.
pub(in crate::http) struct Hashing {
    turns: Semaphore,
}

impl Hashing {
    pub(in crate::http) fn new() -> Self {
        Self {
            turns: Semaphore::new(AT_ONCE),
        }
    }

    /// Whether `candidate` is the password.
    ///
    /// # Errors
    /// [`PageError::Busy`].
    pub(super) async fn verify(
        &self,
        password: PasswordHash,
        candidate: String,
    ) -> Result<bool, PageError> {
        let _turn = self.turn().await?;
        Ok(in_background(move || password.is_of(&candidate)).await?)
    }

    /// What is kept of a new password.
    ///
    /// # Errors
    /// [`PageError::Busy`]; [`PageError::Api`] where there is no memory or no randomness.
    pub(super) async fn hash(&self, password: Password) -> Result<PasswordHash, PageError> {
        let _turn = self.turn().await?;
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(|_| ApiError::Internal("there is no randomness"))?;
        let hashed = in_background(move || password.hash(salt)).await?;
        Ok(hashed.map_err(|_| ApiError::Internal("there is no memory to hash a password"))?)
    }

    async fn turn(&self) -> Result<SemaphorePermit<'_>, PageError> {
        let turn = timeout(PATIENCE, self.turns.acquire()).await;
        turn.ok().and_then(Result::ok).ok_or(PageError::Busy)
    }
}

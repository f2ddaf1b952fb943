//! Passwords hashed and checked, off the workers and few at a time: each takes 19 MiB of memory for some tenths of a
//! second.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::domain::password::{Password, PasswordHash};
use crate::http::pages::frame::error::PageError;
use crate::http::wire::body::in_background;
use crate::http::wire::error::ApiError;

const AT_ONCE: usize = 2;
/// How long one waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where passwords are hashed and checked. A turn lasts as long as the work: a client that goes away meanwhile does not let the
/// next one in.
pub(crate) struct Hashing {
    turns: Arc<Semaphore>,
}

impl Hashing {
    pub(crate) fn new() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Whether `candidate` is the password.
    ///
    /// # Errors
    /// [`PageError::Busy`].
    pub(crate) async fn verify(
        &self,
        password: PasswordHash,
        candidate: String,
    ) -> Result<bool, PageError> {
        let turn = self.turn().await?;
        let verified = in_background(move || {
            let _turn = turn;
            password.is_of(&candidate)
        });
        Ok(verified.await?)
    }

    /// What is kept of a new password.
    ///
    /// # Errors
    /// [`PageError::Busy`]; [`PageError::Api`] where there is no memory or no randomness.
    pub(crate) async fn hash(&self, password: Password) -> Result<PasswordHash, PageError> {
        let turn = self.turn().await?;
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(|_| ApiError::Internal("there is no randomness"))?;
        let hashed = in_background(move || {
            let _turn = turn;
            password.hash(salt)
        });
        Ok(hashed
            .await?
            .map_err(|_| ApiError::Internal("there is no memory to hash a password"))?)
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, PageError> {
        let turn = timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or(PageError::Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_goes_away_keeps_its_turn() {
        let hashing = Hashing::new();
        let password = || Password::new("correct horse").unwrap();
        let kept = hashing.hash(password()).await.unwrap();
        let begun = (0..AT_ONCE).map(|_| hashing.verify(kept.clone(), "x".into()));
        let begun: Vec<_> = begun.map(Box::pin).collect();
        for mut one in begun {
            // Polled once, so that the work begins, and given up.
            let given_up = futures_util::future::poll_fn(|cx| {
                assert!(one.as_mut().poll(cx).is_pending());
                std::task::Poll::Ready(())
            });
            given_up.await;
        }
        assert_eq!(hashing.turns.available_permits(), 0);
        assert!(hashing.verify(kept, "correct horse".into()).await.unwrap());
    }
}

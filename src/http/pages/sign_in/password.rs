//! Hashing, checking, and choosing the administrator password.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::domain::{Password, PasswordHash};
use crate::http::gate::Door;
use crate::http::pages::frame::{PageError, Visit};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;

/// Each hash takes 19 MiB of memory for some tenths of a second.
const AT_ONCE: usize = 2;
/// The longest wait for a turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Hashes and checks passwords in the background, a few at a time. A turn lasts as long as the work: a client that disconnects
/// does not free its turn early.
pub(crate) struct Hashing {
    turns: Arc<Semaphore>,
}

impl Hashing {
    pub(crate) fn new() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    async fn verify(&self, password: PasswordHash, candidate: String) -> Result<bool, PageError> {
        let turn = self.turn().await?;
        let verified = in_background(move || {
            let _turn = turn;
            password.is_of(&candidate)
        });
        Ok(verified.await?)
    }

    /// The hash of a new password, with a random salt.
    ///
    /// # Errors
    /// [`PageError::Busy`]; [`PageError::Api`] without memory or randomness.
    pub(crate) async fn hash(&self, password: Password) -> Result<PasswordHash, PageError> {
        let turn = self.turn().await?;
        let mut salt = [0; 16];
        getrandom::fill(&mut salt)
            .map_err(|_| ApiError::Internal("the system has no randomness"))?;
        let hashed = in_background(move || {
            let _turn = turn;
            password.hash(salt)
        });
        Ok(hashed
            .await?
            .map_err(|_| ApiError::Internal("not enough memory to hash a password"))?)
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, PageError> {
        // Owned, so that it can move to the thread that does the work.
        let turn = timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or(PageError::Busy)
    }
}

/// The outcome of [`check`].
pub(crate) enum Checked {
    /// The password is right; this is its stored hash.
    Right(PasswordHash),
    Wrong,
    /// No password is set yet.
    NotSet,
    /// The address of the visitor has made too many attempts; the next one may come after this time.
    TooMany(Duration),
}

/// Checks a typed password against that of the administrator.
///
/// Counts every attempt, even a right one, and refuses too many before checking the password: a limit that lets right passwords
/// pass would not stop anyone from trying them all.
///
/// # Errors
/// [`PageError::Busy`]; [`PageError::Api`] if the check panics.
pub(crate) async fn check(
    visit: &Visit,
    hashing: &Hashing,
    typed: String,
) -> Result<Checked, PageError> {
    let client = visit.visitor.client;
    if let Err(wait) = visit
        .app
        .page_sign_ins
        .count(visit.app.now().elapsed, client, None)
    {
        return Ok(Checked::TooMany(wait));
    }
    let Some(password) = visit.app.store.registry().administrator().cloned() else {
        return Ok(Checked::NotSet);
    };
    if hashing.verify(password.clone(), typed).await? {
        return Ok(Checked::Right(password));
    }
    visit.app.failed.count(Door::Pages);
    log::warn!("wrong administrator password from {client}");
    Ok(Checked::Wrong)
}

/// The new password in the fields `password` and `again` of a form.
///
/// # Errors
/// [`PageError::Form`] if it is too short or too long, or if the fields differ.
pub(crate) fn chosen(visit: &Visit) -> Result<Password, PageError> {
    let (password, again) = (visit.field("password")?, visit.field("again")?);
    let chosen = Password::new(&password)
        .map_err(|error| PageError::form("password", &error.to_string()))?;
    if password != again {
        return Err(PageError::form("again", "The passwords do not match"));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_disconnects_keeps_its_turn() {
        let hashing = Hashing::new();
        let password = || Password::new("correct horse").unwrap();
        let kept = hashing.hash(password()).await.unwrap();
        let started = (0..AT_ONCE).map(|_| hashing.verify(kept.clone(), "x".into()));
        let started: Vec<_> = started.map(Box::pin).collect();
        for mut one in started {
            // Poll once to start the work, then drop.
            let dropped = futures_util::future::poll_fn(|cx| {
                assert!(one.as_mut().poll(cx).is_pending());
                std::task::Poll::Ready(())
            });
            dropped.await;
        }
        assert_eq!(hashing.turns.available_permits(), 0);
        assert!(hashing.verify(kept, "correct horse".into()).await.unwrap());
    }
}

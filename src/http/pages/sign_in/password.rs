//! Hashing, checking, and choosing passwords.

use std::sync::Arc;
use std::time::Duration;

use actix_web::cookie::Cookie;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::admin::{PeopleRequest, Request};
use crate::domain::{Password, PasswordHash, SessionOwner};
use crate::http::gate::SignInTarget;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::{PageError, Visit};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;

/// Each hash takes 19 MiB of memory for some tenths of a second.
const AT_ONCE: usize = 2;
/// The longest wait for a turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Hashes and checks passwords in the background, a few at a time. A turn lasts as long as the
/// work, so a client that disconnects does not free its turn early.
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
    /// The password is right: its owner, and its stored hash.
    Right(SessionOwner, PasswordHash),
    Wrong,
    /// No password is set yet.
    NotSet,
    /// Too many attempts came from the visitor's address; the next one is allowed after this time.
    TooMany(Duration),
}

/// Checks a typed password against that of `owner`; `None` is a name that nobody can have.
///
/// An unknown name takes just as long. Attempts on the administrator's password are counted
/// separately from those on people's, so a guest who tries names does not lock the administrator
/// out.
///
/// Counts every attempt, even a right one, and refuses too many before checking the password: a
/// limit that lets right passwords pass would not stop anyone from trying them all.
///
/// # Errors
/// [`PageError::Busy`]; [`PageError::Api`] if the check panics.
pub(crate) async fn check(
    visit: &Visit,
    hashing: &Hashing,
    owner: Option<&SessionOwner>,
    typed: String,
) -> Result<Checked, PageError> {
    let (app, client) = (&visit.app, visit.visitor.client);
    let is_administrator = owner == Some(&SessionOwner::Administrator);
    let limit = if is_administrator {
        &app.page_sign_ins
    } else {
        &app.person_sign_ins
    };
    if let Err(wait) = limit.count(app.now().elapsed, client, None) {
        return Ok(Checked::TooMany(wait));
    }
    let registry = app.store.registry();
    let known = owner.and_then(|owner| Some((owner, registry.password_of(owner)?.clone())));
    if is_administrator && known.is_none() {
        return Ok(Checked::NotSet);
    }
    let password = known.as_ref().map(|(_, password)| password.clone());
    let password = password.unwrap_or_else(PasswordHash::of_nobody);
    let is_right = hashing.verify(password, typed).await?;
    if let Some((owner, password)) = known.filter(|_| is_right) {
        return Ok(Checked::Right(owner.clone(), password));
    }
    app.failed.count(SignInTarget::Pages);
    // Without the name, because people sometimes type their password there.
    let whose = if is_administrator {
        "administrator password"
    } else {
        "name or password"
    };
    log::warn!("wrong {whose} from {client}");
    Ok(Checked::Wrong)
}

/// The new password in the fields `password` and `again` of a form.
///
/// # Errors
/// [`PageError::Form`] if it is too short or too long, or if the fields differ.
pub(crate) fn chosen(visit: &Visit) -> Result<Password, PageError> {
    let (password, again) = (visit.field("password")?, visit.field("again")?);
    let chosen =
        Password::new(&password).map_err(|error| PageError::refused("password", &error))?;
    if password != again {
        return Err(PageError::mistake("sign-in-differ", "again"));
    }
    Ok(chosen)
}

/// Changes the password of the signed-in visitor to the one in the fields `password` and `again`,
/// if the field `current` contains the current one. Ends all of their sessions, and returns the
/// cookie of a new one.
///
/// # Errors
/// [`PageError::Form`] for a mistake; as [`check`].
pub(crate) async fn change_own(
    visit: &Visit,
    hashing: &Hashing,
) -> Result<Cookie<'static>, PageError> {
    // Before the current password is checked, so that a mistake in the new one costs no attempt.
    let password = chosen(visit)?;
    let owner = visit.visitor.owner().cloned();
    // Limited like signing in, because somebody may try to guess the password in a browser that was
    // left signed in.
    match check(visit, hashing, owner.as_ref(), visit.field("current")?).await? {
        Checked::Right(..) => {}
        Checked::Wrong => return Err(PageError::mistake("sign-in-wrong", "current")),
        Checked::NotSet => return Err(PageError::FormExpired),
        Checked::TooMany(wait) => {
            let secs = wait.as_secs() + 1;
            let values = [("seconds", secs.to_string().into())];
            let text = visit.language().fill("sign-in-too-many-here", values);
            return Err(PageError::form("current", text));
        }
    }
    let hash = hashing.hash(password).await?;
    let owner = owner.unwrap_or(SessionOwner::Administrator);
    let new = hash.as_str().to_owned();
    let set = match &owner {
        SessionOwner::Person(name) => Request::People(PeopleRequest::SetPassword {
            name: name.to_string(),
            hash: new,
        }),
        SessionOwner::Administrator => Request::SetPassword { hash: new },
    };
    admin_call(&visit.app, set, |_| "main").await?;
    log::info!("a password was changed");
    // This browser stays signed in, with a token that nobody has a copy of.
    visit.visitor.sign_in(&visit.app, (owner, hash), None).await
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

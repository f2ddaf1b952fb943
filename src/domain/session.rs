//! Sessions of browsers.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::home_user::{HomeUser, HomeUserId};
use super::person::PersonName;
use super::time::Timestamp;

/// How long an unused session lasts.
pub const LASTS: Duration = Duration::from_hours(30 * 24);
/// How often the last use of a session is written at most, to spare SD cards.
pub const WRITTEN_EVERY: Duration = Duration::from_hours(24);

/// The secret with which a browser continues its session: 256 random bits, as 43 characters of
/// base64url. It cannot be printed by accident: its `Debug` hides it, and it has no `Display`.
#[derive(Clone)]
pub struct SessionToken(Box<str>);

impl SessionToken {
    const BYTES: usize = 32;

    /// The token with these random bits.
    #[must_use]
    pub fn from_random(random: [u8; Self::BYTES]) -> Self {
        Self(BASE64_URL_SAFE_NO_PAD.encode(random).into_boxed_str())
    }

    /// Parses a token; `None` if it is malformed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == Self::BYTES).then(|| Self(Box::from(text)))
    }

    /// The secret itself, for the browser.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The path and query of the link for a wall tablet. Paths are logged, queries are not.
    #[must_use]
    pub fn wall_path(&self) -> String {
        format!("/wall/open?token={}", self.0)
    }

    /// Its hash, as kept by the store.
    #[must_use]
    pub fn id(&self) -> SessionId {
        SessionId(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The token that a form must send along (see `http::pages::frame`), before the mark of its page.
    /// It is derived from this token, but not the other way round.
    #[must_use]
    pub fn form_token(&self) -> String {
        // The prefix distinguishes it from `id`, the hash of the token alone, which is on disk.
        let hash = Sha256::new()
            .chain_update("form of ")
            .chain_update(self.0.as_bytes())
            .finalize();
        BASE64_URL_SAFE_NO_PAD.encode(hash)
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(..)")
    }
}

/// SHA-256 of a [`SessionToken`], so that reading the store does not give access to a session. A
/// plain hash is enough, as for an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionId(pub [u8; 32]);

/// The owner of a session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionOwner {
    /// The administrator, who has no name.
    Administrator,
    /// A person.
    Person(PersonName),
}

impl SessionOwner {
    /// The name of a person; `None` for the administrator.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Administrator => None,
            Self::Person(name) => Some(name.as_str()),
        }
    }

    /// The person with this name, or the administrator; `None` for a name that nobody can have.
    #[must_use]
    pub fn named(name: Option<&str>) -> Option<Self> {
        match name {
            None => Some(Self::Administrator),
            Some(name) => PersonName::new(name).ok().map(Self::Person),
        }
    }
}

/// A user of Home Assistant whose visits begin sessions of somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedUser {
    /// The user.
    pub user: HomeUser,
    /// The person who linked them, whose rights they have.
    pub owner: SessionOwner,
    /// When they were linked.
    pub linked: Timestamp,
}

impl LinkedUser {
    /// The maximum number of users who are linked to one person.
    pub const MOST: usize = 8;
}

/// A form that was saved, and the page that it led to: sent again, it leads there, and is not saved
/// twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedForm {
    /// The beginning of SHA-256 of its address and its fields, with the mark of its page.
    pub digest: [u8; 16],
    /// The address that it led to, relative to that of the home page.
    pub leads_to: Box<str>,
}

impl SavedForm {
    /// The longest address that is kept, in bytes.
    pub const LONGEST: usize = 1_024;
}

/// A session: anyone with its token acts as its owner until it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The person who began it.
    pub owner: SessionOwner,
    /// The linked user of Home Assistant whose visit began it: it ends with the link, and only
    /// visits of that user continue it. `None` if a password began it.
    pub by: Option<HomeUserId>,
    /// The time when it began.
    pub created: Timestamp,
    /// The time of its last use, to within [`WRITTEN_EVERY`].
    pub last_used: Timestamp,
    /// The form that it saved last.
    pub saved: Option<SavedForm>,
}

impl Session {
    /// A session that begins now.
    #[must_use]
    pub const fn begun(id: SessionId, owner: SessionOwner, now: Timestamp) -> Self {
        Self {
            id,
            owner,
            by: None,
            created: now,
            last_used: now,
            saved: None,
        }
    }

    /// Whether it ended because it was not used. Setting a clock back does not end it.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.last_used.saturating_add(LASTS) <= now
    }

    /// The session to write after a use; `None` if the written one is recent enough.
    #[must_use]
    pub fn used(&self, now: Timestamp) -> Option<Self> {
        let is_due = self.last_used.saturating_add(WRITTEN_EVERY) <= now;
        is_due.then(|| Self {
            last_used: now,
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    #[test]
    fn tokens_round_trip() {
        let token = SessionToken::from_random([200; 32]);
        assert_eq!(token.reveal().len(), 43);
        let parsed = SessionToken::parse(token.reveal()).unwrap();
        assert_eq!(parsed.id(), token.id());
        assert_eq!(parsed.form_token(), token.form_token());
        assert_ne!(token.form_token(), token.reveal());
        assert_ne!(SessionToken::from_random([201; 32]).id(), token.id());
        for other in ["", "x", &"x".repeat(44), &"ä".repeat(43), "../../../etc"] {
            assert!(SessionToken::parse(other).is_none(), "{other:?}");
        }
        assert!(!format!("{token:?}").contains(token.reveal()));
    }

    #[test]
    fn a_session_lasts_thirty_days_after_its_last_use() {
        let begun = Timestamp::from_millis(0).unwrap();
        let at = |hours: i64| begun.saturating_add_millis(hours * HOUR_MS);
        let session = Session::begun(SessionId([0; 32]), SessionOwner::Administrator, begun);
        assert_eq!(session.used(at(23)), None);
        let used = session.used(at(24)).unwrap();
        assert_eq!((used.created, used.last_used), (begun, at(24)));
        assert!(!session.is_over(at(30 * 24 - 1)));
        assert!(session.is_over(at(30 * 24)));
        assert!(!used.is_over(at(31 * 24 - 1)));
        assert!(used.is_over(at(31 * 24)));
        assert!(!session.is_over(at(-1_000_000)));
    }
}

//! Corrections: people's statements about a sensor's readings. Each is checked once, numbered in
//! its account, and never changed; a later one can only revoke it.
//!
//! - `fact`: the content of a correction
//! - `corrections`: those of an account, and the ones in effect

mod corrections;
mod fact;
#[cfg(test)]
mod tests;

use std::fmt;

use thiserror::Error;

pub use self::corrections::Corrections;
pub use self::fact::{CalibratedRange, Fact, FactError, FactKind, FactRange};
use crate::domain::{ApiId, PersonName, SensorId, SessionOwner, Timestamp};

/// Who made or revoked a correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    /// The owner of this credential.
    Credential(ApiId),
    /// Somebody at the command line.
    CommandLine,
    /// The administrator, on a page.
    SettingsPage,
    /// A person, on a page.
    Person(PersonName),
}

/// A person signed in on the pages.
impl From<&SessionOwner> for Author {
    fn from(owner: &SessionOwner) -> Self {
        match owner {
            SessionOwner::Administrator => Self::SettingsPage,
            SessionOwner::Person(name) => Self::Person(name.clone()),
        }
    }
}

/// As people read it.
impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Credential(id) => write!(f, "credential {id}"),
            Self::CommandLine => f.write_str("command line"),
            Self::SettingsPage => f.write_str("settings page"),
            Self::Person(name) => name.fmt(f),
        }
    }
}

/// The time, author and reason of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    at: Timestamp,
    by: Author,
    note: String,
}

/// A note is too long, or has characters that no line of text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected at most 500 characters, 1,000 bytes, on one line")]
pub struct NoteError;

impl Made {
    /// The longest note, in characters.
    pub const NOTE_CHARS: usize = 500;
    /// The longest note, in bytes.
    // A store keeps no long records: each damaged place should cost little.
    pub const NOTE_BYTES: usize = 1_000;

    /// Made at this time, by this author, with a note that may be empty.
    ///
    /// # Errors
    /// [`NoteError`].
    pub fn new(at: Timestamp, by: Author, note: &str) -> Result<Self, NoteError> {
        let is_long = note.chars().count() > Self::NOTE_CHARS || note.len() > Self::NOTE_BYTES;
        if is_long || note.chars().any(char::is_control) {
            return Err(NoteError);
        }
        let note = note.to_owned();
        Ok(Self { at, by, note })
    }

    /// When.
    #[must_use]
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// By whom.
    #[must_use]
    pub const fn by(&self) -> &Author {
        &self.by
    }

    /// Why, in people's words; may be empty.
    #[must_use]
    pub fn note(&self) -> &str {
        &self.note
    }
}

/// A correction of a sensor's readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    number: u32,
    sensor: SensorId,
    made: Made,
    fact: Fact,
    revoked: Option<Made>,
}

impl Correction {
    /// The correction with this number, which nobody has revoked.
    ///
    /// # Errors
    /// [`FactError::Future`] if the fact is about a time more than a day after it was made.
    pub fn new(number: u32, sensor: SensorId, made: Made, fact: Fact) -> Result<Self, FactError> {
        fact.check_time(made.at)?;
        Ok(Self {
            number,
            sensor,
            made,
            fact,
            revoked: None,
        })
    }

    /// The same, revoked. The first to revoke it counts.
    #[must_use]
    pub fn revoked_by(self, by: Made) -> Self {
        Self {
            revoked: self.revoked.or(Some(by)),
            ..self
        }
    }

    /// The same with another number.
    #[must_use]
    pub fn numbered(self, number: u32) -> Self {
        Self { number, ..self }
    }

    /// The same at another time, if it says that the meter was changed.
    #[must_use]
    pub fn changed_at(self, at: Timestamp) -> Self {
        let fact = match self.fact {
            Fact::MeterChanged(_, change) => Fact::MeterChanged(at, change),
            other => other,
        };
        Self { fact, ..self }
    }

    /// Its number, from 1; unique in its account.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The sensor whose readings it is about.
    #[must_use]
    pub const fn sensor(&self) -> &SensorId {
        &self.sensor
    }

    /// The time, author and reason of the correction.
    #[must_use]
    pub const fn made(&self) -> &Made {
        &self.made
    }

    /// Its content.
    #[must_use]
    pub const fn fact(&self) -> &Fact {
        &self.fact
    }

    /// The time, author and reason of its revocation; `None` while it is in effect.
    #[must_use]
    pub const fn revoked(&self) -> Option<&Made> {
        self.revoked.as_ref()
    }
}

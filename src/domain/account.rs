//! Accounts, their plans, and the credentials that act for them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::calendar::Zone;
use super::name::{NameError, check_name, name};
use super::time::Timestamp;
use super::words::words;

name! {
    /// An account's name: 1 to 64 bytes of UTF-8 without control characters.
    AccountName, 64
}

/// The plan of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// Everything except net consumption.
    Free,
    /// Everything.
    Paid,
}

words! { Plan: Free "free", Paid "paid"; "free or paid" }

/// How the sensors at the grid count together (docs/HOUSE.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phases {
    /// Each counts by itself: one can export while others import.
    #[default]
    Separate,
    /// They are the phases of one meter: import and export of the same minute are netted.
    Balanced,
}

words! { Phases: Separate "separate", Balanced "balanced"; "separate or balanced" }

/// An account: it owns sensors and credentials.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Its name, which identifies it.
    pub name: AccountName,
    /// Its plan.
    pub plan: Plan,
    /// The time zone of its days.
    pub zone: Zone,
    /// How its sensors at the grid count together.
    pub phases: Phases,
    /// The time when it was created.
    pub created: Timestamp,
}

/// The permissions of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Uploads and downloads.
    Full,
    /// Downloads only.
    Read,
    /// Uploads only.
    Write,
}

impl Scope {
    /// Whether readings may be read.
    #[must_use]
    pub const fn may_read(self) -> bool {
        matches!(self, Self::Full | Self::Read)
    }

    /// Whether readings may be uploaded.
    #[must_use]
    pub const fn may_write(self) -> bool {
        matches!(self, Self::Full | Self::Write)
    }
}

words! { Scope: Full "full", Read "read", Write "write"; "full, read or write" }

name! {
    /// The public half of a credential: 1 to 120 bytes of UTF-8 without control characters. It
    /// identifies the secret half.
    ApiId, 120
}

impl ApiId {
    /// The id made of 64 random bits: 16 hexadecimal digits.
    #[must_use]
    pub fn from_random(random: [u8; 8]) -> Self {
        Self(Arc::from(hex(random)))
    }
}

/// The secret half of a credential. It cannot be printed by accident: its `Debug` hides it, and it
/// has no `Display`.
#[derive(Clone)]
pub struct ApiKey(Box<str>);

impl ApiKey {
    /// The longest key that is accepted, in bytes.
    pub const MAX_BYTES: usize = 256;

    /// Parses a key.
    ///
    /// # Errors
    /// [`NameError`] if it is empty, longer than [`Self::MAX_BYTES`] or has control characters.
    pub fn new(text: &str) -> Result<Self, NameError> {
        check_name(text, Self::MAX_BYTES)?;
        Ok(Self(Box::from(text)))
    }

    /// The key made of 160 random bits: 40 hexadecimal digits.
    #[must_use]
    pub fn from_random(random: [u8; 20]) -> Self {
        Self(hex(random).into_boxed_str())
    }

    /// The secret itself, to show it once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Its hash, as kept by the store.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// SHA-256 of an [`ApiKey`]. A plain hash is enough for a secret of 160 random bits: no dictionary
/// contains it, and checking a request takes a microsecond.
#[derive(Clone, Copy, Serialize, Deserialize)]
// No `PartialEq`: `==` may stop at the first byte that differs; `is` takes constant time.
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Whether both are hashes of the same key, in constant time.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(..)")
    }
}

/// A credential: a client with its key acts for its account, within its scope.
#[derive(Clone, Debug)]
pub struct Credential {
    /// Its public half, which identifies it.
    pub api_id: ApiId,
    /// The account it acts for.
    pub account: AccountName,
    /// Its permissions.
    pub scope: Scope,
    /// Its name for people; may be empty.
    pub label: String,
    /// The hash of its secret half.
    pub key_hash: KeyHash,
    /// The time when it was created.
    pub created: Timestamp,
}

fn hex<const N: usize>(bytes: [u8; N]) -> String {
    bytes.map(|byte| format!("{byte:02x}")).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_not_show_itself() {
        let key = ApiKey::new("s3cret").unwrap();
        assert!(!format!("{key:?} {:?}", key.hash()).contains("s3cret"));
        assert_eq!(key.reveal(), "s3cret");
    }

    #[test]
    fn only_the_key_matches_its_hash() {
        let key = ApiKey::from_random([7; 20]);
        assert_eq!(key.reveal().len(), 40);
        assert!(key.hash().is(&key.hash()));
        assert!(!key.hash().is(&ApiKey::from_random([8; 20]).hash()));
        assert!(!key.hash().is(&ApiKey::new("0707").unwrap().hash()));
    }

    #[test]
    fn words_round_trip() {
        for plan in [Plan::Free, Plan::Paid] {
            assert_eq!(plan.as_str().parse(), Ok(plan));
        }
        for scope in [Scope::Full, Scope::Read, Scope::Write] {
            assert_eq!(scope.as_str().parse(), Ok(scope));
        }
        assert_eq!(
            "gold".parse::<Plan>().unwrap_err().to_string(),
            "expected free or paid"
        );
        assert!("admin".parse::<Scope>().is_err());
    }

    #[test]
    fn scopes_allow_what_they_say() {
        assert!(Scope::Full.may_read() && Scope::Full.may_write());
        assert!(Scope::Read.may_read() && !Scope::Read.may_write());
        assert!(!Scope::Write.may_read() && Scope::Write.may_write());
    }
}

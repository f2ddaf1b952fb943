//! Accounts, what they may do, and the credentials that speak for them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use thiserror::Error;

use super::calendar::Zone;
use super::name::{NameError, check_name};
use super::price::Price;
use super::time::Timestamp;

/// An account's name: 1 to 64 bytes of UTF-8 without control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountName(Arc<str>);

impl AccountName {
    /// The longest name, in bytes.
    pub const MAX_BYTES: usize = 64;

    /// The name that `text` spells.
    ///
    /// # Errors
    /// [`NameError`] where it is empty, longer than [`Self::MAX_BYTES`] or holds control characters.
    pub fn new(text: &str) -> Result<Self, NameError> {
        check_name(text, Self::MAX_BYTES)?;
        Ok(Self(Arc::from(text)))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is none of the few words that mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {expected}")]
pub struct UnknownWord {
    expected: &'static str,
}

impl UnknownWord {
    /// For a text that is none of the `expected` words.
    pub(super) const fn expecting(expected: &'static str) -> Self {
        Self { expected }
    }
}

/// What an account has paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// All but net consumption.
    Free,
    /// Everything.
    Paid,
}

impl Plan {
    /// Its name, as it is typed and printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Paid => "paid",
        }
    }
}

impl FromStr for Plan {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text {
            "free" => Ok(Self::Free),
            "paid" => Ok(Self::Paid),
            _ => Err(UnknownWord::expecting("free or paid")),
        }
    }
}

/// An account: it owns sensors and credentials.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Its name, which identifies it.
    pub name: AccountName,
    /// What it has paid for.
    pub plan: Plan,
    /// The time zone whose days it lives by.
    pub zone: Zone,
    /// What it pays for energy, where that is known.
    pub price: Option<Price>,
    /// When it was made.
    pub created: Timestamp,
}

/// What a credential allows.
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
    /// Its name, as it is typed and printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Read => "read",
            Self::Write => "write",
        }
    }

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

impl FromStr for Scope {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text {
            "full" => Ok(Self::Full),
            "read" => Ok(Self::Read),
            "write" => Ok(Self::Write),
            _ => Err(UnknownWord::expecting("full, read or write")),
        }
    }
}

/// The public half of a credential: 1 to 128 bytes of UTF-8 without control characters. It is no
/// secret, but names one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiId(Arc<str>);

impl ApiId {
    /// The longest id, in bytes.
    pub const MAX_BYTES: usize = 128;

    /// The id that `text` spells.
    ///
    /// # Errors
    /// [`NameError`] where it is empty, longer than [`Self::MAX_BYTES`] or holds control characters.
    pub fn new(text: &str) -> Result<Self, NameError> {
        check_name(text, Self::MAX_BYTES)?;
        Ok(Self(Arc::from(text)))
    }

    /// The id made of 64 random bits: 16 hexadecimal digits.
    #[must_use]
    pub fn from_random(random: [u8; 8]) -> Self {
        Self(Arc::from(hex(&random)))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ApiId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The secret half of a credential. It cannot be printed by accident: its `Debug` shows nothing, it
/// has no `Display`.
#[derive(Clone)]
pub struct ApiKey(Box<str>);

impl ApiKey {
    /// The longest key that is looked at, in bytes.
    pub const MAX_BYTES: usize = 256;

    /// The key that `text` spells.
    ///
    /// # Errors
    /// [`NameError`] where it is empty, longer than [`Self::MAX_BYTES`] or holds control characters.
    pub fn new(text: &str) -> Result<Self, NameError> {
        check_name(text, Self::MAX_BYTES)?;
        Ok(Self(Box::from(text)))
    }

    /// The key made of 160 random bits: 40 hexadecimal digits.
    #[must_use]
    pub fn from_random(random: [u8; 20]) -> Self {
        Self(hex(&random).into_boxed_str())
    }

    /// The secret itself, for the one time that it is shown.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
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

/// SHA-256 of an [`ApiKey`]. A plain hash is enough for a secret of 160 random bits: there is no
/// dictionary of those, and each request is checked in a microsecond.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Whether both are hashes of the same key; takes as long for a near miss as for a far one.
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

/// A credential: who shows its key acts for its account, within its scope.
#[derive(Clone, Debug)]
pub struct Credential {
    /// Its public half, which identifies it.
    pub api_id: ApiId,
    /// The account it speaks for.
    pub account: AccountName,
    /// What it allows.
    pub scope: Scope,
    /// What people call it; may be empty.
    pub label: String,
    /// What is kept of its secret half.
    pub key_hash: KeyHash,
    /// When it was made.
    pub created: Timestamp,
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
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

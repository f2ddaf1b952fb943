//! The administrator's password: which ones are allowed, and its hash.

use std::fmt;

use argon2::password_hash::phc;
use argon2::{Algorithm, Argon2, Params, PasswordVerifier as _, Version};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

/// The cost of a hash: two passes over 19 MiB of memory, on one thread. It is the minimum for argon2id in OWASP's "Password
/// Storage Cheat Sheet"; a Raspberry Pi takes some tenths of a second for it.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// The highest cost of checking a hash that comes from outside, such as from a backup.
const MAX_MEMORY_KIB: u32 = 64 * 1024;
const MAX_PASSES: u32 = 16;

/// An allowed password: at least 10 characters, at most 256 bytes. It cannot be printed by accident: its `Debug` hides it, and it
/// has no `Display`.
pub struct Password(Box<str>);

/// Why a text is not allowed as the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasswordError {
    /// It is easy to guess.
    #[error(
        "the password is too short: it needs at least {} characters",
        Password::MIN_CHARS
    )]
    TooShort,
    /// It is longer than any sensible password.
    #[error(
        "the password is too long: it may have at most {} bytes",
        Password::MAX_BYTES
    )]
    TooLong,
}

impl Password {
    /// The fewest characters.
    pub const MIN_CHARS: usize = 10;
    /// The longest password, in bytes of UTF-8.
    pub const MAX_BYTES: usize = 256;

    /// The password that `text` spells.
    ///
    /// # Errors
    /// [`PasswordError`].
    pub fn new(text: &str) -> Result<Self, PasswordError> {
        if text.len() > Self::MAX_BYTES {
            return Err(PasswordError::TooLong);
        }
        if text.chars().count() < Self::MIN_CHARS {
            return Err(PasswordError::TooShort);
        }
        Ok(Self(Box::from(text)))
    }

    /// Whether `other` is the same password, in constant time.
    #[must_use]
    pub fn is(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }

    /// Its hash, with 128 random bits as the salt. Takes some tenths of a second and 19 MiB of memory.
    ///
    /// # Errors
    /// [`HashingError`] if there is not enough memory.
    pub fn hash(&self, salt: [u8; 16]) -> Result<PasswordHash, HashingError> {
        use argon2::CustomizedPasswordHasher as _;
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|_| HashingError)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
        let hashed = argon2.hash_password_with_params(self.0.as_bytes(), &salt, params);
        let hashed = hashed.map_err(|_| HashingError)?;
        Ok(PasswordHash(hashed.to_string()))
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// A password could not be hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the password could not be hashed; there may be too little free memory")]
pub struct HashingError;

/// The argon2id hash of a [`Password`] with its salt and cost: a string in the PHC format
/// (<https://github.com/P-H-C/phc-string-format>).
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// The hash that `text` spells; `None` if it is not one of argon2id, or would cost too much to check.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hash = phc::PasswordHash::new(text).ok()?;
        let params = Params::try_from(&hash).ok()?;
        let is_ours = hash.algorithm.as_str() == Algorithm::Argon2id.as_str()
            // A PHC string may lack both.
            && hash.salt.is_some()
            && hash.hash.is_some()
            // Lanes need no limit of their own: argon2 demands 8 KiB of memory for each.
            && params.m_cost() <= MAX_MEMORY_KIB
            && params.t_cost() <= MAX_PASSES;
        is_ours.then(|| Self(text.to_owned()))
    }

    /// The string, to store it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `candidate` is the password. Always takes as long as hashing a password.
    #[must_use]
    pub fn is_of(&self, candidate: &str) -> bool {
        phc::PasswordHash::new(&self.0).is_ok_and(|hash| {
            // argon2 takes the cost from the hash here, not from its defaults.
            let verified = Argon2::default().verify_password(candidate.as_bytes(), &hash);
            verified.is_ok()
        })
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_neither_short_nor_endless() {
        assert_eq!(
            Password::new("123456789").err(),
            Some(PasswordError::TooShort)
        );
        // Nine characters in 18 bytes.
        assert_eq!(
            Password::new("äöüäöüäöü").err(),
            Some(PasswordError::TooShort)
        );
        assert!(Password::new("1234567890").is_ok());
        assert!(Password::new(&"x".repeat(256)).is_ok());
        assert_eq!(
            Password::new(&"x".repeat(257)).err(),
            Some(PasswordError::TooLong)
        );
    }

    #[test]
    fn only_the_password_matches_its_hash() {
        let password = Password::new("correct horse").unwrap();
        let hash = password.hash([7; 16]).unwrap();
        assert!(
            hash.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{}",
            hash.as_str()
        );
        assert!(hash.is_of("correct horse"));
        assert!(!hash.is_of("correct horsf"));
        assert!(!hash.is_of(""));
        assert_eq!(PasswordHash::parse(hash.as_str()), Some(hash.clone()));
        assert!(!format!("{password:?} {hash:?}").contains("correct"));
        assert!(!format!("{hash:?}").contains("argon2id"));
    }

    #[test]
    fn hashes_of_others_are_refused() {
        let hash = Password::new("correct horse")
            .unwrap()
            .hash([7; 16])
            .unwrap();
        let text = hash.as_str();
        for other in [
            "",
            "correct horse",
            "$argon2id$v=19$m=19456,t=2,p=1",
            &text.replace("argon2id", "argon2i"),
            &text.replace("m=19456", "m=4194304"),
            &text.replace("t=2", "t=1000"),
        ] {
            assert_eq!(PasswordHash::parse(other), None, "{other}");
        }
    }
}

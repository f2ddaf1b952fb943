//! Passwords: which ones are allowed, and their hashes.

use std::fmt;

use argon2::password_hash::phc;
use argon2::{Algorithm, Argon2, Block, Params, Version};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

/// The cost of a hash: two passes over 19 MiB of memory, on one thread. It is the minimum for
/// argon2id in OWASP's "Password Storage Cheat Sheet"; a Raspberry Pi takes some tenths of a second
/// for it.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// The highest accepted cost of a hash from outside, such as from a backup.
const MAX_MEMORY_KIB: u32 = 64 * 1024;
const MAX_PASSES: u32 = 16;
/// The memory reserved for a hash, although only its cost is used. glibc keeps freed memory for
/// each thread, so each thread that ever checked a password would keep 19 MiB; pieces over 32 MiB
/// are returned to the system (`M_MMAP_THRESHOLD`, `mallopt(3)`).
const RESERVED_BYTES: usize = 33 << 20;

/// An allowed password: at least 10 characters, at most 256 bytes. It cannot be printed by
/// accident: its `Debug` hides it, and it has no `Display`.
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
    /// The minimum number of characters.
    pub const MIN_CHARS: usize = 10;
    /// The longest password, in bytes of UTF-8.
    pub const MAX_BYTES: usize = 256;

    /// Parses a password.
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

    /// Its hash, with 128 random bits as the salt. Takes some tenths of a second and 19 MiB of
    /// memory.
    ///
    /// # Errors
    /// [`HashingError`] if there is not enough memory.
    pub fn hash(&self, salt: [u8; 16]) -> Result<PasswordHash, HashingError> {
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|_| HashingError)?;
        let salt = phc::Salt::new(&salt).map_err(|_| HashingError)?;
        let mut hash = [0; Params::DEFAULT_OUTPUT_LEN];
        hash_into(&mut hash, &self.0, &salt, Version::V0x13, &params)?;
        let hash = phc::PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: phc::ParamsString::try_from(&params).map_err(|_| HashingError)?,
            salt: Some(salt),
            hash: Some(phc::Output::new(&hash).map_err(|_| HashingError)?),
        };
        Ok(PasswordHash(hash.to_string()))
    }
}

/// Fills `hash` with the argon2id hash of `password`.
fn hash_into(
    hash: &mut [u8],
    password: &str,
    salt: &phc::Salt,
    version: Version,
    params: &Params,
) -> Result<(), HashingError> {
    let blocks = params.block_count();
    let mut memory = Vec::new();
    let reserved = memory.try_reserve_exact(blocks.max(RESERVED_BYTES.div_ceil(Block::SIZE)));
    reserved.map_err(|_| HashingError)?;
    memory.resize(blocks, Block::default());
    let argon2 = Argon2::new(Algorithm::Argon2id, version, params.clone());
    let hashed =
        argon2.hash_password_into_with_memory(password.as_bytes(), salt.as_ref(), hash, memory);
    hashed.map_err(|_| HashingError)
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// The error for a password that could not be hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the password could not be hashed; there may be too little free memory")]
pub struct HashingError;

/// The argon2id hash of a [`Password`] with its salt and cost: a string in the PHC format
/// (<https://github.com/P-H-C/phc-string-format>).
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Parses a hash; `None` if it is not argon2id, or would cost too much to check.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hash = phc::PasswordHash::new(text).ok()?;
        let params = Params::try_from(&hash).ok()?;
        let is_ours = hash.algorithm.as_str() == Algorithm::Argon2id.as_str()
            // A PHC string may lack both.
            && hash.salt.is_some()
            && hash.hash.is_some()
            // Lanes need no separate limit, because argon2 demands 8 KiB of memory for each.
            && params.m_cost() <= MAX_MEMORY_KIB
            && params.t_cost() <= MAX_PASSES;
        is_ours.then(|| Self(text.to_owned()))
    }

    /// The hash of no password: checking against it takes as long as for a known name, and always
    /// fails.
    #[must_use]
    pub fn of_nobody() -> Self {
        // With our own cost; its hash is all zeros, which no known password has.
        let (salt, hash) = ("A".repeat(22), "A".repeat(43));
        Self(format!(
            "$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${salt}${hash}"
        ))
    }

    /// The string to store.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `candidate` is the password. Always takes as long as hashing a password.
    #[must_use]
    pub fn is_of(&self, candidate: &str) -> bool {
        self.check(candidate).unwrap_or(false)
    }

    /// `None` without enough memory.
    fn check(&self, candidate: &str) -> Option<bool> {
        let known = phc::PasswordHash::new(&self.0).ok()?;
        let params = Params::try_from(&known).ok()?;
        let version = known.version.map(Version::try_from).transpose().ok()?;
        let (salt, expected) = (known.salt?, known.hash?);
        let mut hash = vec![0; expected.len()];
        let version = version.unwrap_or_default();
        hash_into(&mut hash, candidate, &salt, version, &params).ok()?;
        Some(hash.ct_eq(expected.as_bytes()).into())
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
    fn the_librarys_own_check_agrees() {
        use argon2::PasswordVerifier as _;
        let hash = Password::new("correct horse")
            .unwrap()
            .hash([7; 16])
            .unwrap();
        let verify =
            |password: &str| Argon2::default().verify_password(password.as_bytes(), hash.as_str());
        assert!(verify("correct horse").is_ok());
        assert!(verify("incorrect horse").is_err());
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
    fn nobody_has_a_hash_of_the_same_cost() {
        let nobody = PasswordHash::of_nobody();
        assert_eq!(PasswordHash::parse(nobody.as_str()), Some(nobody.clone()));
        let own = Password::new("correct horse").unwrap().hash([7; 16]);
        let cost = |hash: &PasswordHash| hash.as_str()[..30].to_owned();
        let own = own.unwrap();
        assert_eq!((cost(&nobody), nobody.0.len()), (cost(&own), own.0.len()));
        assert!(!nobody.is_of("correct horse") && !nobody.is_of(""));
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

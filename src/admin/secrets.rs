//! New credentials, and the randomness for them. The caller makes one, shows it once, and passes on
//! only its hash.

use std::io;

use crate::domain::{ApiId, ApiKey};

/// A random api_id.
///
/// # Errors
/// If the system has no randomness.
pub fn new_api_id() -> io::Result<ApiId> {
    random().map(ApiId::from_random)
}

/// A random api_key.
///
/// # Errors
/// If the system has no randomness.
pub fn new_api_key() -> io::Result<ApiKey> {
    random().map(ApiKey::from_random)
}

/// Random bytes that nobody can guess.
///
/// # Errors
/// If the system has no randomness.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

//! New credentials. The caller makes one, shows it once, and passes only its hash on.

use std::io;

use crate::domain::{ApiId, ApiKey};

/// A random api_id.
///
/// # Errors
/// If the system has no randomness.
pub fn new_api_id() -> io::Result<ApiId> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    Ok(ApiId::from_random(random))
}

/// A random api_key.
///
/// # Errors
/// If the system has no randomness.
pub fn new_api_key() -> io::Result<ApiKey> {
    let mut random = [0; 20];
    getrandom::fill(&mut random)?;
    Ok(ApiKey::from_random(random))
}

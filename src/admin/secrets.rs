//! New credentials. Who asks for one makes it, shows it once, and hands on its hash only.

use std::io;

use crate::domain::account::{ApiId, ApiKey};

/// A random api_id.
///
/// # Errors
/// Where the system has no randomness.
pub fn new_api_id() -> io::Result<ApiId> {
    let mut random = [0; 8];
    getrandom::fill(&mut random)?;
    Ok(ApiId::from_random(random))
}

/// A random api_key.
///
/// # Errors
/// Where the system has no randomness.
pub fn new_api_key() -> io::Result<ApiKey> {
    let mut random = [0; 20];
    getrandom::fill(&mut random)?;
    Ok(ApiKey::from_random(random))
}

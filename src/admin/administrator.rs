//! The administrator. Only the hash of the password reaches this room, never the password.

use super::error::AdminError;
use crate::domain::PasswordHash;
use crate::store::Store;

pub(super) fn set_password(store: &Store, hash: &str) -> Result<(), AdminError> {
    let hash = password_hash(hash)?;
    // No session is kept: the administrator is signed out of all browsers (docs/CLI.md).
    Ok(store.edit(move |edit| edit.put_administrator(hash))?)
}

/// Sets the administrator's password, unless there is one. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] if there is one, [`AdminError::Store`].
pub fn set_first_password(store: &Store, hash: PasswordHash) -> Result<(), AdminError> {
    Ok(store.edit(move |edit| edit.put_first_administrator(hash))?)
}

pub(super) fn password_hash(text: &str) -> Result<PasswordHash, AdminError> {
    let hash = PasswordHash::parse(text);
    hash.ok_or_else(|| AdminError::Refused("expected an argon2id hash of a password".into()))
}

//! The administrator. Only the hash of the password comes here, never the password.

use super::error::AdminError;
use crate::domain::PasswordHash;
use crate::store::Store;

pub(super) fn set_password(store: &Store, hash: &str) -> Result<(), AdminError> {
    let hash = PasswordHash::parse(hash)
        .ok_or_else(|| AdminError("expected an argon2id hash of a password".into()))?;
    // `None` keeps no session: all browsers are signed out (docs/CLI.md).
    Ok(store.edit(move |edit| edit.put_administrator(hash))?)
}

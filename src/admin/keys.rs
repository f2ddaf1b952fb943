//! Credentials. Only hashes of keys reach this room, never keys.

use super::error::AdminError;
use super::message::NewKey;
use super::names::{account_name, api_id, check_label};
use super::rows::KeyRow;
use crate::domain::{Credential, KeyHash, Timestamp};
use crate::store::Store;

pub(super) fn list(store: &Store) -> Vec<KeyRow> {
    store
        .registry()
        .credentials()
        .map(|credential| KeyRow::new(credential, store.last_use(&credential.api_id)))
        .collect()
}

pub(super) fn add(store: &Store, key: NewKey, now: Timestamp) -> Result<KeyRow, AdminError> {
    let api_id = api_id(&key.api_id)?;
    check_label("label", &key.label)?;
    let credential = Credential {
        api_id,
        account: account_name(&key.account)?,
        scope: key.scope,
        label: key.label,
        key_hash: key.key_hash,
        created: now,
    };
    let row = KeyRow::new(&credential, None);
    if !store.edit(move |edit| edit.add_credential(credential))? {
        return Err(AdminError::Refused(format!(
            "the credential {:?} exists already: give it a new key with `wattkeeper key rotate`, or revoke it first",
            key.api_id
        )));
    }
    Ok(row)
}

pub(super) fn rotate(store: &Store, id: &str, key_hash: KeyHash) -> Result<KeyRow, AdminError> {
    let id = api_id(id)?;
    let change = move |credential: &mut Credential| credential.key_hash = key_hash;
    let credential = store.edit(move |edit| edit.update_credential(&id, change))?;
    Ok(KeyRow::new(&credential, store.last_use(&credential.api_id)))
}

pub(super) fn revoke(store: &Store, id: &str) -> Result<(), AdminError> {
    let id = api_id(id)?;
    Ok(store.edit(move |edit| edit.remove_credential(&id))?)
}

//! Credentials. Only hashes of keys come here, never keys.

use super::error::AdminError;
use super::message::NewKey;
use super::names::{account_name, api_id, check_label};
use super::rows::KeyRow;
use crate::domain::{Credential, KeyHash, Timestamp};
use crate::store::{Store, StoreError};

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
    if store.registry().credential(&api_id).is_some() {
        let text = format!(
            "the credential {:?} exists already: give it a new key with `wattkeeper key rotate`, or revoke it first",
            api_id.as_str()
        );
        return Err(AdminError(text));
    }
    put(
        store,
        Credential {
            api_id,
            account: account_name(&key.account)?,
            scope: key.scope,
            label: key.label,
            key_hash: key.key_hash,
            created: now,
        },
    )
}

pub(super) fn rotate(store: &Store, id: &str, key_hash: KeyHash) -> Result<KeyRow, AdminError> {
    let known = store.registry().credential(&api_id(id)?).cloned();
    let credential = known.ok_or_else(|| StoreError::UnknownCredential(id.to_owned()))?;
    put(
        store,
        Credential {
            key_hash,
            ..credential
        },
    )
}

pub(super) fn revoke(store: &Store, id: &str) -> Result<(), AdminError> {
    Ok(store.remove_credential_durably(&api_id(id)?)?)
}

fn put(store: &Store, credential: Credential) -> Result<KeyRow, AdminError> {
    let row = KeyRow::new(&credential, store.last_use(&credential.api_id));
    store.put_credential_durably(credential)?;
    Ok(row)
}

//! Records: a version byte, then a struct in bincode (standard configuration).

use bincode::config;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::store::error::StoreError;

/// The maximum length of a record, in bytes. A greater length is damage, and must not reserve
/// memory.
const MAX_BYTES: usize = 64 * 1024;

/// Encodes `record`.
pub(crate) fn encode<R: Serialize>(version: u8, record: &R) -> Result<Vec<u8>, StoreError> {
    let mut value = vec![version];
    // No limit as in `decode`: limits on texts (`registry/edit.rs`) keep all records far shorter.
    bincode::serde::encode_into_std_write(record, &mut value, config::standard())
        .map_err(|error| StoreError::io("writing a record", &error))?;
    Ok(value)
}

/// Decodes a record; `None` if it has another version or is invalid.
pub(crate) fn decode<R: DeserializeOwned>(version: u8, value: &[u8]) -> Option<R> {
    let (found, rest) = value.split_first()?;
    if *found != version {
        return None;
    }
    let config = config::standard().with_limit::<MAX_BYTES>();
    let (record, read) = bincode::serde::decode_from_slice(rest, config).ok()?;
    // Bytes after the record mean that something else was written.
    (read == rest.len()).then_some(record)
}

/// Converts an optional part of a record; `None` if it is present, but invalid.
#[expect(clippy::option_option, reason = "invalid, missing, or there")]
pub(crate) fn optional<P, T>(
    part: Option<P>,
    convert: impl FnOnce(P) -> Option<T>,
) -> Option<Option<T>> {
    match part {
        None => Some(None),
        // Two levels, to distinguish an invalid part from a missing one.
        Some(part) => convert(part).map(Some),
    }
}

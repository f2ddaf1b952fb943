//! Answers that cross the socket as JSON: their rows share fields, which bincode cannot put into one
//! row.

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(answer: &impl Serialize, to: S) -> Result<S::Ok, S::Error> {
    let text = serde_json::to_string(answer).map_err(S::Error::custom)?;
    to.serialize_str(&text)
}

pub(super) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    from: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(from)?;
    serde_json::from_str(&text).map_err(D::Error::custom)
}

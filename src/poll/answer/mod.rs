//! What devices answer over HTTP, as channels.
//!
//! - `shelly`: Shellys of all generations
//! - `homewizard`: HomeWizard
//! - `fronius`: the Solar API

mod fronius;
mod homewizard;
mod shelly;

use serde_json::Value;

pub(super) use self::fronius::{inverter as fronius_inverter, meters as fronius_meters};
pub(super) use self::homewizard::meter as homewizard;
pub(super) use self::shelly::{
    first as shelly_gen1, later as shelly, three_phases as shelly_gen1_3em,
};
use super::channel::PolledChannel;
use super::error::PollError;

/// The channels in the answer of a device. There may be none while it starts. It is an error if the answer is another one than such a
/// device gives.
pub(super) type AnswerReader = fn(&Value) -> Result<Vec<PolledChannel>, PollError>;

/// The channels in this body.
pub(super) fn channels(read: AnswerReader, body: &[u8]) -> Result<Vec<PolledChannel>, PollError> {
    let json = serde_json::from_slice(body).map_err(|_| PollError::NotJson)?;
    read(&json)
}

/// # Panics
/// Where a reading is not finite.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz(body: &[u8]) {
    for read in READERS {
        for channel in channels(read, body).unwrap_or_default() {
            channel.fuzz();
        }
    }
}

#[cfg(any(test, fuzzing))]
const READERS: [AnswerReader; 6] = [
    shelly,
    shelly_gen1,
    shelly_gen1_3em,
    homewizard,
    fronius_meters,
    fronius_inverter,
];

/// The number at a JSON pointer; `None` if it is missing or null.
fn number(json: &Value, place: &str) -> Result<Option<f64>, PollError> {
    let not_number = || PollError::NotNumber(place.to_owned());
    match json.pointer(place) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_f64().filter(|number| number.is_finite());
            number.map(Some).ok_or_else(not_number)
        }
    }
}

/// The channels that show something, if there are any.
fn some(mut channels: Vec<PolledChannel>) -> Result<Vec<PolledChannel>, PollError> {
    channels.retain(|channel| !channel.is_empty());
    if channels.is_empty() {
        return Err(PollError::NoNumbers);
    }
    Ok(channels)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn null_is_no_number_and_text_is_an_error() {
        let json = json!({"a": null, "b": "5", "c": 5, "d": {}});
        assert_eq!(number(&json, "/a"), Ok(None));
        assert_eq!(number(&json, "/none"), Ok(None));
        assert_eq!(number(&json, "/c"), Ok(Some(5.0)));
        for place in ["/b", "/d"] {
            let error = PollError::NotNumber(place.to_owned());
            assert_eq!(number(&json, place), Err(error));
        }
    }

    #[test]
    fn other_answers_are_errors() {
        for read in READERS {
            assert_eq!(channels(read, b"<html>"), Err(PollError::NotJson));
            for body in ["{}", "[]", "5", "null"] {
                assert!(channels(read, body.as_bytes()).is_err(), "{body}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_answer_panics(
            body in "\\{\"(switch:0|emeters|total_power_import_kwh|Body)\":[0-9e.\"\\[\\]{}:,a-z_-]{0,40}\\}",
        ) {
            fuzz(body.as_bytes());
        }
    }
}

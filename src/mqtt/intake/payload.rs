//! Numbers and times in messages of devices: JSON, or a plain number, which is JSON too.

use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

use crate::domain::{NameError, Timestamp};

/// The most numbers in a list: the channels of one device.
const MAX_CHANNELS: usize = 16;
/// The longest pointer, in bytes.
const MAX_POINTER_BYTES: usize = 256;
/// Unix times from here on are milliseconds: as seconds they are in the year 5138.
const MILLISECONDS_FROM: f64 = 1e11;
/// 2000-01-01T00:00:00Z. A device that sends an earlier time has a clock that is not set.
const CLOCKS_ARE_SET_FROM_MS: i64 = 946_684_800_000;

/// Why nothing can be read from a message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PayloadError {
    /// Neither JSON nor a number.
    #[error("expected JSON or a number")]
    NotJson,
    /// Something else is in the place of a number.
    #[error("expected a number at {0:?}")]
    NotNumber(String),
    /// Something else is in the place of the time.
    #[error(
        "expected a time at {0:?}, as text such as 2026-01-05T10:00:00Z or in seconds or milliseconds since 1970"
    )]
    NotTime(String),
    /// A list of more than `MAX_CHANNELS` numbers.
    #[error("expected at most 16 numbers at {0:?}")]
    TooMany(String),
    /// The id made from the topic is invalid.
    #[error("the topic does not give a valid sensor id: {0}")]
    SensorId(#[from] NameError),
}

/// The place of a value in JSON.
///
/// Format: a JSON pointer, RFC 6901: `/ENERGY/Power`; an empty one means the whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer(String);

/// The text is not a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a JSON pointer such as \"/ENERGY/Power\", or \"\" for the whole message")]
pub struct PointerError;

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Self, PointerError> {
        let has_start = text.is_empty() || text.starts_with('/');
        // RFC 6901 has only the escapes `~0` and `~1`.
        let is_escape = |after: &str| after.starts_with(['0', '1']);
        let has_escapes = text.split('~').skip(1).all(is_escape);
        if has_start && has_escapes && text.len() <= MAX_POINTER_BYTES {
            Ok(Self(text.into()))
        } else {
            Err(PointerError)
        }
    }
}

/// Which texts are a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeForm {
    /// Those with `Z` or an offset. Others are in the device's own zone, which is unknown, and are ignored.
    Zoned,
    /// Those without, too: they are UTC. Anything else is an error.
    Utc,
}

impl Pointer {
    /// The numbers in `message`: one, or those of a list, each with its place there, from 1. What is missing or null is left
    /// out. A text that holds a number counts as the number, as in uploads over HTTP.
    ///
    /// # Errors
    /// [`PayloadError::NotNumber`], [`PayloadError::TooMany`].
    pub fn numbers(&self, message: &Value) -> Result<Vec<(Option<usize>, f64)>, PayloadError> {
        match message.pointer(&self.0) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) if list.len() > MAX_CHANNELS => {
                Err(PayloadError::TooMany(self.0.clone()))
            }
            Some(Value::Array(list)) => {
                let numbers = (1..).zip(list).filter_map(|(place, value)| {
                    let number = self.number(value).transpose()?;
                    Some(number.map(|number| (Some(place), number)))
                });
                numbers.collect()
            }
            Some(value) => {
                let number = self.number(value)?;
                Ok(number.map(|number| (None, number)).into_iter().collect())
            }
        }
    }

    fn number(&self, value: &Value) -> Result<Option<f64>, PayloadError> {
        let number = match value {
            Value::Null => return Ok(None),
            Value::Number(number) => number.as_f64(),
            // Rust's parser accepts `inf` and `nan`, too; they are refused below.
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| number.is_finite());
        number.map(Some).ok_or_else(|| self.not_number())
    }

    pub(super) fn not_number(&self) -> PayloadError {
        PayloadError::NotNumber(self.0.clone())
    }

    /// The time in `message`; `None` if there is none, or if the device's clock is not set.
    ///
    /// # Errors
    /// [`PayloadError::NotTime`], of [`TimeForm::Utc`] only.
    pub fn time(&self, message: &Value, form: TimeForm) -> Result<Option<Timestamp>, PayloadError> {
        let time = match message.pointer(&self.0) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) => number.as_f64().and_then(unix_time),
            Some(Value::String(text)) if form == TimeForm::Zoned && !has_zone(text) => None,
            Some(Value::String(text)) => Timestamp::parse(text.trim()).ok(),
            Some(_) => None,
        };
        if time.is_none() && form == TimeForm::Utc {
            return Err(PayloadError::NotTime(self.0.clone()));
        }
        Ok(time.filter(|time| time.millis() >= CLOCKS_ARE_SET_FROM_MS))
    }
}

/// The message as JSON.
///
/// # Errors
/// [`PayloadError::NotJson`].
pub fn parse(payload: &[u8]) -> Result<Value, PayloadError> {
    serde_json::from_slice(payload).map_err(|_| PayloadError::NotJson)
}

/// The time of seconds or milliseconds since 1970.
fn unix_time(number: f64) -> Option<Timestamp> {
    let ms = if number.abs() < MILLISECONDS_FROM {
        number * 1e3
    } else {
        number
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates; the ends of i64 are not valid times"
    )]
    let ms = ms.round() as i64;
    Timestamp::from_millis(ms)
}

fn has_zone(text: &str) -> bool {
    // Only behind the `T`: the hyphens of a date are no offset.
    let clock = text.split_once('T').map_or("", |(_, clock)| clock);
    clock.contains(['Z', '+', '-'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn pointer(text: &str) -> Pointer {
        text.parse().unwrap()
    }

    #[test]
    fn pointers_find_numbers() {
        let message =
            json!({"ENERGY": {"Power": [5, 7.5, null], "Total": "3.705 "}, "on": true, "a/b": 1});
        let numbers = |text: &str| pointer(text).numbers(&message);
        assert_eq!(
            numbers("/ENERGY/Power"),
            Ok(vec![(Some(1), 5.0), (Some(2), 7.5)])
        );
        assert_eq!(numbers("/ENERGY/Power/1"), Ok(vec![(None, 7.5)]));
        assert_eq!(numbers("/ENERGY/Total"), Ok(vec![(None, 3.705)]));
        assert_eq!(numbers("/a~1b"), Ok(vec![(None, 1.0)]));
        assert_eq!(numbers("/nothing"), Ok(vec![]));
        assert_eq!(numbers("/on"), Err(PayloadError::NotNumber("/on".into())));
        assert_eq!(
            pointer("").numbers(&json!("nan")),
            Err(PayloadError::NotNumber(String::new()))
        );
        let long = json!(vec![0; 17]);
        assert_eq!(
            pointer("").numbers(&long),
            Err(PayloadError::TooMany(String::new()))
        );
    }

    #[test]
    fn a_plain_number_is_a_message() {
        let message = parse(b" 12.34\n").unwrap();
        assert_eq!(pointer("").numbers(&message), Ok(vec![(None, 12.34)]));
        for payload in [&b"on"[..], b"", b"1e999", b"\xff", b"1 W", b"{"] {
            assert_eq!(parse(payload), Err(PayloadError::NotJson), "{payload:?}");
        }
    }

    #[test]
    fn times_come_as_text_or_as_numbers() {
        let time = |value: Value, form| {
            let time = pointer("").time(&value, form);
            time.map(|time| time.map(|time| time.to_string()))
        };
        let at = |text: &str| Ok(Some(text.to_owned()));
        let (zoned, utc) = (TimeForm::Zoned, TimeForm::Utc);
        assert_eq!(
            time(json!("2026-01-05T10:00:00"), utc),
            at("2026-01-05T10:00:00.000Z")
        );
        assert_eq!(time(json!("2026-01-05T10:00:00"), zoned), Ok(None));
        assert_eq!(
            time(json!("2026-01-05T10:00:00+01:00"), zoned),
            at("2026-01-05T09:00:00.000Z")
        );
        assert_eq!(
            time(json!(1_767_607_200), zoned),
            at("2026-01-05T10:00:00.000Z")
        );
        assert_eq!(
            time(json!(1_767_607_200.25), utc),
            at("2026-01-05T10:00:00.250Z")
        );
        assert_eq!(
            time(json!(1_767_607_200_250_i64), utc),
            at("2026-01-05T10:00:00.250Z")
        );
        // A clock that is not set: 1970, and the 0 that Shellys send before they know the time.
        assert_eq!(time(json!("1970-01-01T00:00:12Z"), utc), Ok(None));
        assert_eq!(time(json!(0), utc), Ok(None));
        assert_eq!(time(json!(null), utc), Ok(None));
        assert_eq!(
            time(json!("noon"), utc),
            Err(PayloadError::NotTime(String::new()))
        );
        assert_eq!(
            time(json!(1e300), utc),
            Err(PayloadError::NotTime(String::new()))
        );
        assert_eq!(time(json!([1]), zoned), Ok(None));
    }

    #[test]
    fn other_texts_are_not_pointers() {
        for text in ["ENERGY", "/a~", "/a~2", &"/x".repeat(129)] {
            assert_eq!(text.parse::<Pointer>(), Err(PointerError), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_payload_panics(bytes in proptest::collection::vec(any::<u8>(), 0..60), text in "(/[a-c~0-9]{0,3}){0,3}") {
            if let (Ok(message), Ok(pointer)) = (parse(&bytes), text.parse::<Pointer>()) {
                let _ = pointer.numbers(&message);
                let _ = pointer.time(&message, TimeForm::Utc);
            }
        }

        #[test]
        fn numbers_are_read_to_the_last_digit(number in proptest::num::f64::NORMAL) {
            let message = parse(number.to_string().as_bytes()).unwrap();
            prop_assert_eq!(pointer("").numbers(&message), Ok(vec![(None, number)]));
        }
    }
}

//! Numbers and times in messages of devices: JSON, or a plain number, optionally with its unit.

use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::text_number::{self, TextNumber, TextUnit};
use crate::domain::{NameError, Timestamp};
use crate::ingest::wanted::WantedPlaces;
use crate::ingest::{Quantity, tolerant};
use crate::store::Measure;

/// The maximum number of elements in a list: the channels of one device.
const MAX_CHANNELS: usize = 16;
/// The longest pointer, in bytes.
const MAX_POINTER_BYTES: usize = 256;
/// Unix times below this are in seconds: it is the year 5138.
const SECONDS_BELOW: f64 = 1e11;
/// The limit for milliseconds is a thousand times as much, and again for microseconds. Larger
/// numbers are nanoseconds.
const NEXT_UNIT: f64 = 1e3;

/// Why nothing can be read from a message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PayloadError {
    /// Neither JSON nor a number.
    #[error("expected JSON or a number")]
    NotJson,
    /// There is something else where a number is expected.
    #[error("expected a number at {0:?}")]
    NotNumber(String),
    /// The message has a word for no number: `nan`, `unavailable`.
    #[error("there is no number at {0:?}")]
    NoNumber(String),
    /// Neither the message nor an announcement of the device contains the unit.
    #[error(
        "the unit of its {0} is unknown: it announces none to Home Assistant; set the unit in the subscription"
    )]
    NoUnit(&'static str),
    /// The unit of the number belongs to another quantity.
    #[error("expected {expected} at {place:?}, but the unit is of another quantity")]
    WrongUnit {
        /// The place in the message.
        place: String,
        /// The kind of unit.
        expected: &'static str,
    },
    /// There is something else where a time is expected.
    #[error(
        "expected a time at {0:?}, as text such as 2026-01-05T10:00:00Z or in seconds or milliseconds since 1970"
    )]
    NotTime(String),
    /// A list of more than `MAX_CHANNELS` numbers.
    #[error("expected at most 16 numbers at {0:?}")]
    TooMany(String),
    /// A part of the sensor's id is missing.
    #[error("expected a text or a number at {0:?}, for the id of the sensor")]
    NoId(String),
    /// The id made from the topic and the message is invalid.
    #[error("the topic and the message do not give a valid sensor id: {0}")]
    SensorId(#[from] NameError),
}

/// A received message.
#[derive(Clone, Copy, Debug)]
pub struct ArrivedMessage<'m> {
    /// Its topic.
    pub topic: &'m str,
    /// Its content.
    pub message: &'m Value,
    /// Whether it was just sent. The age of a message that the broker had retained or queued is
    /// unknown.
    pub is_new: bool,
    /// The time since the start of this run.
    pub elapsed: Duration,
    /// The unit that the device announces for the topic, if any.
    pub unit: Option<TextUnit>,
}

/// The place of a value in JSON.
///
/// Format: a JSON pointer, RFC 6901: `/ENERGY/Power`; an empty one means the whole message.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Pointer(String);

/// The error for a text that is not a pointer.
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

impl TryFrom<String> for Pointer {
    type Error = PointerError;

    fn try_from(text: String) -> Result<Self, PointerError> {
        text.parse()
    }
}

/// A number in a message, in watts or watt-hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedNumber {
    /// The place in a list, from 1; `None` if there is no list.
    pub place: Option<usize>,
    /// The measure.
    pub measure: Measure,
    /// The value, always finite.
    pub value: f64,
}

/// The accepted forms of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeForm {
    /// Times with `Z` or an offset. Others are in the device's own zone, which is unknown, and are
    /// ignored.
    Zoned,
    /// Also times without an offset, as UTC. Anything else is an error.
    Utc,
}

impl Pointer {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it means the whole message.
    pub(super) fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the message has a value at this place.
    pub(super) fn is_in(&self, message: &Value) -> bool {
        message.pointer(&self.0).is_some()
    }

    /// Whether the message has `false` at this place.
    pub(super) fn is_false(&self, message: &Value) -> bool {
        message.pointer(&self.0) == Some(&Value::Bool(false))
    }

    /// Whether the message has a null at this place.
    pub(super) fn is_null(&self, message: &Value) -> bool {
        message.pointer(&self.0).is_some_and(Value::is_null)
    }

    /// The value at this place as a part of an id: a text, or a whole number.
    pub(super) fn text(&self, message: &Value) -> Result<String, PayloadError> {
        match message.pointer(&self.0) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            _ => Err(PayloadError::NoId(self.0.clone())),
        }
    }

    /// The numbers in `message`, in watts or watt-hours: one, or those of a list, each with its
    /// position there, from 1. Missing values and nulls are left out. A number in text counts like
    /// a number. If it has a unit, that unit counts, otherwise the one of `quantity`. Without a
    /// `quantity`, only numbers with a unit count. Each unreadable number is a separate error:
    /// [`PayloadError::NotNumber`], [`PayloadError::NoNumber`], [`PayloadError::TooMany`],
    /// [`PayloadError::WrongUnit`].
    pub fn numbers(
        &self,
        message: &Value,
        quantity: Option<Quantity>,
    ) -> Vec<Result<PlacedNumber, PayloadError>> {
        let values = match message.pointer(&self.0) {
            None => Vec::new(),
            Some(Value::Array(list)) if list.len() > MAX_CHANNELS => {
                return vec![Err(PayloadError::TooMany(self.0.clone()))];
            }
            Some(Value::Array(list)) => (1..).map(Some).zip(list).collect(),
            Some(value) => vec![(None, value)],
        };
        let numbers = values.into_iter().filter_map(|(place, value)| {
            let number = self.number(value, quantity).transpose()?;
            Some(number.map(|(measure, value)| PlacedNumber {
                place,
                measure,
                value,
            }))
        });
        numbers.collect()
    }

    fn number(
        &self,
        value: &Value,
        quantity: Option<Quantity>,
    ) -> Result<Option<(Measure, f64)>, PayloadError> {
        let TextNumber { number, unit } = match value {
            Value::Null => return Ok(None),
            Value::Number(number) => TextNumber {
                number: number.as_f64().ok_or_else(|| self.not_number())?,
                unit: TextUnit::Unsaid,
            },
            Value::String(text) => {
                let read = text_number::read(text).map_err(|_| self.not_number())?;
                read.ok_or_else(|| PayloadError::NoNumber(self.0.clone()))?
            }
            _ => return Err(self.not_number()),
        };
        let said = match (unit, quantity) {
            (TextUnit::Unsaid, said) => said,
            (TextUnit::Of(said), Some(expected)) if said.measure() != expected.measure() => {
                return Err(self.wrong_unit(expected));
            }
            (TextUnit::Other, Some(expected)) => return Err(self.wrong_unit(expected)),
            (TextUnit::Other, None) => None,
            (TextUnit::Of(said), _) => Some(said),
        };
        let Some(said) = said else {
            return Ok(None);
        };
        let measures = said.measures(number).ok_or_else(|| self.not_number())?;
        let value = measures.watts().or(measures.watthours());
        Ok(value.map(|value| (said.measure(), value)))
    }

    /// The number in `message` without its unit; `None` if there is none.
    pub(super) fn plain_number(&self, message: &Value) -> Option<f64> {
        match message.pointer(&self.0)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => Some(text_number::read(text).ok()??.number),
            _ => None,
        }
    }

    fn wrong_unit(&self, expected: Quantity) -> PayloadError {
        PayloadError::WrongUnit {
            place: self.0.clone(),
            expected: match expected {
                Quantity::Power(_) => "power",
                Quantity::Register(_) => "energy",
            },
        }
    }

    pub(super) fn not_number(&self) -> PayloadError {
        PayloadError::NotNumber(self.0.clone())
    }

    /// The time in `message`; `None` if there is none. Whether the device's clock is right is not
    /// checked here.
    ///
    /// # Errors
    /// [`PayloadError::NotTime`], for [`TimeForm::Utc`] only.
    pub fn time(&self, message: &Value, form: TimeForm) -> Result<Option<Timestamp>, PayloadError> {
        let time = match message.pointer(&self.0) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) => number.as_f64().and_then(unix_time),
            Some(Value::String(text)) => time_in_text(text.trim(), form),
            Some(_) => None,
        };
        if time.is_none() && form == TimeForm::Utc {
            return Err(PayloadError::NotTime(self.0.clone()));
        }
        Ok(time)
    }
}

/// The wanted places of the message as JSON, as far as it is JSON. Numbers that JSON does not allow,
/// such as `0012.5` or `123.4 W`, become texts, and so do words for no number, such as
/// `unavailable`; an empty message becomes null.
///
/// # Errors
/// [`PayloadError::NotJson`].
pub(crate) fn parse(payload: &[u8], wanted: &WantedPlaces) -> Result<Value, PayloadError> {
    if tolerant::unpadded(payload).trim_ascii().is_empty() {
        return Ok(Value::Null);
    }
    let value = tolerant::read(payload, wanted).map_err(|_| PayloadError::NotJson)?;
    match &value {
        Value::String(text) if text_number::read(text).is_err() => Err(PayloadError::NotJson),
        _ => Ok(value),
    }
}

/// The time of a number of seconds since 1970, or of thousandths, millionths or billionths of them.
fn unix_time(number: f64) -> Option<Timestamp> {
    let (mut ms, mut bound) = (number * 1e3, SECONDS_BELOW);
    while number.abs() >= bound && bound < SECONDS_BELOW * NEXT_UNIT.powi(3) {
        (ms, bound) = (ms / NEXT_UNIT, bound * NEXT_UNIT);
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates; the ends of i64 are not valid times"
    )]
    let ms = ms.round() as i64;
    Timestamp::from_millis(ms)
}

/// A time in text: a date and time, or a number since 1970.
fn time_in_text(text: &str, form: TimeForm) -> Option<Timestamp> {
    if let Ok(number) = text.parse() {
        return unix_time(number);
    }
    // Some devices write a space instead of the `T`, and another one before the offset.
    let mut civil = text.to_owned();
    if civil.as_bytes().get(10) == Some(&b' ') {
        civil.replace_range(10..11, "T");
    }
    civil.retain(|character| character != ' ');
    if form == TimeForm::Zoned && !has_zone(&civil) {
        return None;
    }
    Timestamp::parse(&civil).ok()
}

fn has_zone(text: &str) -> bool {
    // Only after the `T`, because the hyphens of a date are not an offset.
    let clock = text.split_once('T').map_or("", |(_, clock)| clock);
    clock.contains(['Z', '+', '-'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// A message at the places of these tests.
    fn whole(payload: &[u8]) -> Result<Value, PayloadError> {
        let at = ["", "/p", "/power", "/value", "/t", "/a", "/a/b", "/0"];
        parse(payload, &WantedPlaces::at(at))
    }

    fn pointer(text: &str) -> Pointer {
        text.parse().unwrap()
    }

    /// Numbers without a unit, each with its position.
    fn plain(text: &str, message: &Value) -> Result<Vec<(Option<usize>, f64)>, PayloadError> {
        let numbers = pointer(text).numbers(message, Some(Quantity::WATTS));
        let plain = numbers.into_iter();
        plain
            .map(|number| number.map(|number| (number.place, number.value)))
            .collect()
    }

    #[test]
    fn pointers_find_numbers() {
        let message =
            json!({"ENERGY": {"Power": [5, 7.5, null], "Total": "3.705 "}, "on": true, "a/b": 1});
        let numbers = |text: &str| plain(text, &message);
        assert_eq!(
            numbers("/ENERGY/Power"),
            Ok(vec![(Some(1), 5.0), (Some(2), 7.5)])
        );
        assert_eq!(numbers("/ENERGY/Power/1"), Ok(vec![(None, 7.5)]));
        assert_eq!(numbers("/ENERGY/Total"), Ok(vec![(None, 3.705)]));
        assert_eq!(numbers("/a~1b"), Ok(vec![(None, 1.0)]));
        assert_eq!(numbers("/nothing"), Ok(vec![]));
        assert_eq!(numbers("/on"), Err(PayloadError::NotNumber("/on".into())));
        let long = json!(vec![0; 17]);
        assert_eq!(plain("", &long), Err(PayloadError::TooMany(String::new())));
    }

    #[test]
    fn a_unit_in_the_text_counts() {
        let message =
            json!({"p": "1.5 kW", "e": "1,234.5 kWh", "t": "21.5 °C", "n": 5, "l": ["1 W", null]});
        let read = |text: &str, quantity| {
            let numbers = pointer(text).numbers(&message, quantity).into_iter();
            let value = |number: PlacedNumber| (number.measure, number.value);
            numbers
                .map(|number| number.map(value))
                .collect::<Result<Vec<_>, _>>()
        };
        let (watts, watthours) = (Some(Quantity::WATTS), Some(Quantity::WATTHOURS));
        assert_eq!(read("/p", watts), Ok(vec![(Measure::Watts, 1_500.0)]));
        assert_eq!(
            read("/e", watthours),
            Ok(vec![(Measure::Watthours, 1_234_500.0)])
        );
        assert_eq!(read("/l", watts), Ok(vec![(Measure::Watts, 1.0)]));
        let wrong = |place: &str, expected| {
            let place = place.to_owned();
            Err(PayloadError::WrongUnit { place, expected })
        };
        assert_eq!(read("/e", watts), wrong("/e", "power"));
        assert_eq!(read("/p", watthours), wrong("/p", "energy"));
        assert_eq!(read("/t", watts), wrong("/t", "power"));
        // Without a quantity, the unit determines it, and a number without a unit is ignored.
        assert_eq!(read("/p", None), Ok(vec![(Measure::Watts, 1_500.0)]));
        assert_eq!(
            read("/e", None),
            Ok(vec![(Measure::Watthours, 1_234_500.0)])
        );
        assert_eq!(read("/t", None), Ok(vec![]));
        assert_eq!(read("/n", None), Ok(vec![]));
    }

    #[test]
    fn a_plain_number_is_a_message() {
        let message = whole(b" 12.34\n").unwrap();
        assert_eq!(plain("", &message), Ok(vec![(None, 12.34)]));
        for (payload, watts) in [
            ("1 W", 1.0),
            ("0000.43", 0.43),
            ("+5", 5.0),
            ("2 kW\n", 2_000.0),
        ] {
            let message = whole(payload.as_bytes()).unwrap();
            assert_eq!(plain("", &message), Ok(vec![(None, watts)]), "{payload}");
        }
        for payload in ["", " ", "null"] {
            let message = whole(payload.as_bytes()).unwrap();
            assert_eq!(plain("", &message), Ok(vec![]), "{payload}");
        }
        for payload in [
            "nan",
            "-inf",
            "None",
            "unavailable",
            "\"unknown\"",
            "n/a",
            "--",
            "error",
        ] {
            let message = whole(payload.as_bytes()).unwrap();
            let nothing = PayloadError::NoNumber(String::new());
            assert_eq!(plain("", &message), Err(nothing), "{payload}");
        }
        for payload in [&b"on"[..], b"1e999", b"\xff", b"{"] {
            assert_eq!(whole(payload), Err(PayloadError::NotJson), "{payload:?}");
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
        assert_eq!(
            time(json!(1_767_607_200_250_999_i64), utc),
            at("2026-01-05T10:00:00.251Z")
        );
        assert_eq!(
            time(json!(1_767_607_200_250_999_123_i64), utc),
            at("2026-01-05T10:00:00.251Z")
        );
        // As text, with a space instead of the `T`, and from a clock that is not set.
        for (text, form) in [
            ("1767607200", zoned),
            (" 1767607200000 ", zoned),
            ("1767607200.0", utc),
            ("2026-01-05 10:00:00", utc),
            ("2026-01-05 11:00:00+01:00", zoned),
            ("2026-01-05 11:00:00 +01:00", zoned),
        ] {
            assert_eq!(
                time(json!(text), form),
                at("2026-01-05T10:00:00.000Z"),
                "{text}"
            );
        }
        assert_eq!(time(json!("2026-01-05 10:00:00"), zoned), Ok(None));
        assert_eq!(time(json!(0), utc), at("1970-01-01T00:00:00.000Z"));
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
            if let (Ok(message), Ok(pointer)) = (whole(&bytes), text.parse::<Pointer>()) {
                let _ = pointer.numbers(&message, None);
                let _ = pointer.numbers(&message, Some(Quantity::WATTS));
                let _ = pointer.time(&message, TimeForm::Utc);
            }
        }

        #[test]
        fn numbers_are_read_to_the_last_digit(number in proptest::num::f64::NORMAL) {
            let message = whole(number.to_string().as_bytes()).unwrap();
            prop_assert_eq!(plain("", &message), Ok(vec![(None, number)]));
        }
    }
}

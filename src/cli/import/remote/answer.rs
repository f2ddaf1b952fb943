//! The API's answer for a range:
//! `{"units":"watts","data":[{"t":"2026-01-05T10:00:00.000Z","v":234}]}`.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::domain::Timestamp;

/// An answer to `type=rate` or `type=consumption`.
#[derive(Debug, Deserialize)]
pub(super) struct ElecAnswer {
    pub(super) units: String,
    pub(super) data: Vec<ElecPoint>,
}

/// A time, and a value.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(super) struct ElecPoint {
    #[serde(rename = "t", deserialize_with = "time")]
    pub(super) time: Timestamp,
    #[serde(rename = "v", deserialize_with = "number")]
    pub(super) value: f64,
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    Timestamp::parse(&text)
        .map_err(|_| D::Error::invalid_value(Unexpected::Str(&text), &"a date and time"))
}

/// A number, or a text with one.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = deserializer.deserialize_any(NumberOrText)?;
    if number.is_finite() {
        Ok(number)
    } else {
        Err(D::Error::invalid_value(
            Unexpected::Float(number),
            &"a finite number",
        ))
    }
}

/// Anything else is an error as soon as it begins.
struct NumberOrText;

impl Visitor<'_> for NumberOrText {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "as a number with a point is read"
    )]
    fn visit_i64<E: Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "as a number with a point is read"
    )]
    fn visit_u64<E: Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        let number = text.parse();
        number.map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_or_refused() {
        let read = |text: &str| serde_json::from_str::<ElecPoint>(text);
        let point = read(r#"{"t":"2026-01-05T10:00:00.123Z","v":-5,"x":1}"#).unwrap();
        assert_eq!(
            (point.time.to_string().as_str(), point.value),
            ("2026-01-05T10:00:00.123Z", -5.0)
        );
        assert_eq!(
            read(r#"{"t":"2026-01-05T10:00:00","v":"70.3"}"#)
                .unwrap()
                .value,
            70.3
        );
        for text in [
            r#"{"t":"then","v":1}"#,
            r#"{"t":"2026-01-05T10:00:00","v":"x"}"#,
            r#"{"t":"2026-01-05T10:00:00","v":"inf"}"#,
            r#"{"t":"2026-01-05T10:00:00","v":null}"#,
            r#"{"v":1}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

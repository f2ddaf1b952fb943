//! The readings of a request, from named inputs.

use std::collections::BTreeMap;

use thiserror::Error;

use super::input::{InputValue, MAX_INPUTS, NamedInputs};
use super::mapping::InputMapping;
use crate::domain::{Measures, SensorId, Timestamp};
use crate::ingest::batch::{Refusals, SensorBatch, TooManyReadings};
use crate::ingest::table::TimeReader;

/// Why a request is refused, in Emoncms' words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// `fulljson` is not an object. The misspelling is Emoncms'.
    #[error("Input in not a valid JSON object")]
    NoObject,
    /// A name is missing.
    #[error("Format error, json key missing or invalid character")]
    NoKey,
    /// A value is not a number.
    #[error("Format error, value of input {0} is not numeric")]
    NotNumeric(String),
    /// There are too many inputs.
    #[error("Format error, more than {MAX_INPUTS} inputs")]
    TooMany,
    /// A time is invalid.
    #[error(
        "Format error, time is not in seconds since 1970, nor a date and time such as 2026-01-05 10:00:00"
    )]
    Time,
    /// The bulk is not a list.
    #[error("Format error, json string supplied is not valid")]
    NoList,
    /// The last item of a bulk has no time.
    #[error("Format error, last item in bulk data does not contain any data")]
    NoTime,
    /// There are too many readings, or items of a bulk.
    #[error(transparent)]
    TooManyReadings(#[from] TooManyReadings),
    /// An item of a bulk is invalid: its index from 0, and the reason.
    #[error("Format error in item {0} of bulk data: {1}")]
    Item(usize, &'static str),
}

/// The readings of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputReadings {
    /// The readings.
    pub batch: SensorBatch,
    /// Items and values that are invalid.
    pub refused: Refusals,
    /// The number of mapped inputs with a word such as `NaN` instead of a number.
    pub dropped: usize,
    /// The first few nodes without a mapped input, without repetition.
    pub unmapped: Vec<String>,
}

/// The maximum number of unmapped nodes reported for one request.
const MAX_UNMAPPED: usize = 8;

impl InputReadings {
    /// Adds the readings of a node at one time. A mapped input that is not a number affects only
    /// itself.
    pub(super) fn add(
        &mut self,
        mapping: &InputMapping,
        node: &str,
        time: Option<Timestamp>,
        inputs: &NamedInputs,
    ) {
        // One reading for each sensor, even if the inputs have no time, because several inputs may
        // be the same measure.
        let mut found: BTreeMap<SensorId, Measures> = BTreeMap::new();
        let mut is_mapped = mapping.is_ignored(node);
        for (name, input) in inputs {
            let Some((sensor, quantity)) = mapping.target(node, name) else {
                continue;
            };
            is_mapped = true;
            let number = match input {
                InputValue::Number(number) => Some(*number),
                // The node still counts as mapped: it measured nothing.
                InputValue::Nothing => continue,
                InputValue::NoNumber => {
                    self.dropped += 1;
                    continue;
                }
                InputValue::Other => None,
            };
            let measures = number.and_then(|number| quantity.measures(number));
            let Some(measures) = measures else {
                self.refused.add(1, FormatError::NotNumeric(short(name)));
                continue;
            };
            let of_sensor = found.entry(sensor).or_insert(measures);
            *of_sensor = of_sensor.overlaid_by(measures);
        }
        for (sensor, measures) in found {
            self.batch.push(&sensor, time, measures);
        }
        if !is_mapped
            && self.unmapped.len() < MAX_UNMAPPED
            && !self.unmapped.iter().any(|known| known == node)
        {
            self.unmapped.push(short(node));
        }
    }
}

/// A name, shortened for messages.
pub(super) fn short(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(40).map(plain).collect()
}

/// The time `seconds` after 1970, which are finite.
pub(super) fn time_of(seconds: f64) -> Result<Timestamp, FormatError> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounded before; what saturates is outside the supported years"
    )]
    let ms = (seconds * 1_000.0).round() as i64;
    Timestamp::from_millis(ms).ok_or(FormatError::Time)
}

/// Parses a time: seconds since 1970, or a date and time. One without an offset is UTC.
///
/// # Errors
/// [`FormatError::Time`].
pub fn time(text: &str) -> Result<Timestamp, FormatError> {
    seconds(text).and_then(time_of).or_else(|error| {
        // Emoncms reads every date that PHP reads. An ambiguous date is refused here.
        let mut dates = TimeReader::new(None, None, Timestamp::MAX);
        let is_date = text.contains(['-', '/']) || text.matches('.').count() > 1;
        let read = is_date.then(|| dates.read(text.as_bytes()).ok());
        read.flatten().ok_or(error)
    })
}

/// Parses seconds.
///
/// # Errors
/// [`FormatError::Time`] if they are not a finite number.
pub fn seconds(text: &str) -> Result<f64, FormatError> {
    match InputValue::of_text(text) {
        InputValue::Number(number) if number.is_finite() => Ok(number),
        _ => Err(FormatError::Time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_dates() {
        let ms = |text| time(text).map(Timestamp::millis);
        for text in [
            "1767607200",
            " 1767607200.0 ",
            "2026-01-05 10:00:00",
            "2026-01-05 10:00",
            "2026-01-05T10:00:00Z",
            "2026-01-05 11:00:00+01:00",
            "2026-01-05 11:00:00 +0100",
            "2026/01/05 10:00:00",
            "05.01.2026 10:00:00",
            "2026-01-05 10:00:00 UTC",
        ] {
            assert_eq!(ms(text), Ok(1_767_607_200_000), "{text}");
        }
        assert_eq!(ms("-1.5"), Ok(-1_500));
        for text in [
            "",
            "now",
            "noon",
            "1e300",
            "01/05/2026 10:00",
            "2026-01-05 25:00",
            "2026-01-05 11:00 01:00",
        ] {
            assert_eq!(ms(text), Err(FormatError::Time), "{text}");
        }
    }

    #[test]
    fn seconds_are_numbers() {
        assert_eq!(seconds(" 5 "), Ok(5.0));
        assert_eq!(seconds("-1.5"), Ok(-1.5));
        for text in ["", "null", "x", "1e999"] {
            assert_eq!(seconds(text), Err(FormatError::Time), "{text:?}");
        }
    }
}

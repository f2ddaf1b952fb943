//! The readings of a request, from inputs by name.

use std::collections::BTreeMap;

use thiserror::Error;

use super::input::{InputValue, MAX_INPUTS, NamedInputs};
use super::mapping::InputMapping;
use crate::domain::{Measures, SensorId, Timestamp};
use crate::ingest::batch::{Refusals, SensorBatch, TooManyReadings};

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
    #[error("Format error, time is not in seconds since 1970")]
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
    /// An item of a bulk is invalid: its index from 0, and why.
    #[error("Format error in item {0} of bulk data: {1}")]
    Item(usize, &'static str),
}

/// The readings of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputReadings {
    /// The readings.
    pub batch: SensorBatch,
    /// Items that are invalid.
    pub refused: Refusals,
    /// The first few nodes without a mapped input, each once.
    pub unmapped: Vec<String>,
}

/// The most unmapped nodes reported for one request.
const MAX_UNMAPPED: usize = 8;

impl InputReadings {
    /// Adds the readings of a node at one time.
    ///
    /// # Errors
    /// [`FormatError::NotNumeric`] if a mapped input is not a number; then none of the node's readings is added.
    pub(super) fn add(
        &mut self,
        mapping: &InputMapping,
        node: &str,
        time: Option<Timestamp>,
        inputs: &NamedInputs,
    ) -> Result<(), FormatError> {
        // One reading of each sensor, even if the inputs have no time: several inputs may be the same measure of it.
        let mut found: BTreeMap<SensorId, Measures> = BTreeMap::new();
        let mut is_mapped = mapping.is_ignored(node);
        for (name, input) in inputs {
            let Some((sensor, quantity)) = mapping.target(node, name) else {
                continue;
            };
            is_mapped = true;
            let number = match input {
                InputValue::Number(number) => Some(*number),
                // The node is mapped all the same: it measured nothing.
                InputValue::Nothing => continue,
                InputValue::Other => None,
            };
            let measures = number.and_then(|number| quantity.measures(number));
            let measures = measures.ok_or_else(|| FormatError::NotNumeric(short(name)))?;
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
        Ok(())
    }
}

/// A name, made fit for messages.
pub(super) fn short(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(40).map(plain).collect()
}

/// The time `seconds` after 1970; they are finite.
pub(super) fn time_of(seconds: f64) -> Result<Timestamp, FormatError> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounded before; what saturates is outside the supported years"
    )]
    let ms = (seconds * 1_000.0).round() as i64;
    Timestamp::from_millis(ms).ok_or(FormatError::Time)
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
    fn seconds_are_numbers() {
        assert_eq!(seconds(" 5 "), Ok(5.0));
        assert_eq!(seconds("-1.5"), Ok(-1.5));
        for text in ["", "null", "x", "1e999"] {
            assert_eq!(seconds(text), Err(FormatError::Time), "{text:?}");
        }
    }
}

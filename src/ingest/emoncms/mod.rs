//! Readings as Emoncms' clients send them: `input/post` and `input/bulk`, after
//! [its source](https://github.com/emoncms/emoncms/blob/master/Modules/input/input_methods.php).
//!
//! Where Emoncms takes what is no number for 0, it is refused here: a meter never said 0.

mod bulk;
mod input;
mod mapping;
mod post;

use thiserror::Error;

pub use self::bulk::{Reference, read_bulk};
use self::input::{INPUTS_AT_MOST, Input};
pub use self::mapping::{InputMapping, InputRule, KnownInput};
pub use self::post::{Form, read_post};
use super::{Batch, Refusals};
use crate::domain::time::Timestamp;

/// Why nothing of a request can be read, in the words of Emoncms.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// `fulljson` is no object.
    #[error("Input in not a valid JSON object")]
    NoObject,
    /// A name is missing.
    #[error("Format error, json key missing or invalid character")]
    NoKey,
    /// A value is no number.
    #[error("Format error, value of input {0} is not numeric")]
    NotNumeric(String),
    /// There are too many inputs.
    #[error("Format error, more than {INPUTS_AT_MOST} inputs")]
    TooMany,
    /// A time is none.
    #[error("Format error, time is not in seconds since 1970")]
    Time,
    /// The bulk is no list.
    #[error("Format error, json string supplied is not valid")]
    NoList,
    /// The last item of a bulk has no time.
    #[error("Format error, last item in bulk data does not contain any data")]
    NoTime,
    /// An item of a bulk cannot be read; which one, from 0, and why.
    #[error("Format error in item {0} of bulk data: {1}")]
    Item(usize, &'static str),
}

/// What a request says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// The readings in it.
    pub batch: Batch,
    /// What cannot be a reading.
    pub refused: Refusals,
    /// The nodes of which nothing is a reading by the settings, once each, the first few.
    pub unmapped: Vec<String>,
}

/// The most nodes without readings that are told of one request.
const UNMAPPED_AT_MOST: usize = 8;

impl Read {
    /// Takes the readings of a node at a time.
    ///
    /// # Errors
    /// [`FormatError::NotNumeric`] where a reading is no number; then nothing of the node was taken.
    fn take(
        &mut self,
        mapping: &InputMapping,
        node: &str,
        time: Option<Timestamp>,
        inputs: &[(String, Input)],
    ) -> Result<(), FormatError> {
        let mut found = Vec::new();
        let mut is_mapped = mapping.is_ignored(node);
        for (name, input) in inputs {
            let Some((sensor, quantity)) = mapping.target(node, name) else {
                continue;
            };
            is_mapped = true;
            let number = match input {
                Input::Number(number) => Some(*number),
                Input::Nothing => continue,
                Input::Other => None,
            };
            let measures = number.and_then(|number| quantity.measures(number));
            let measures = measures.ok_or_else(|| FormatError::NotNumeric(short(name)))?;
            found.push((sensor, measures));
        }
        for (sensor, measures) in found {
            self.batch.push(&sensor, time, measures);
        }
        if !is_mapped
            && self.unmapped.len() < UNMAPPED_AT_MOST
            && !self.unmapped.iter().any(|known| known == node)
        {
            self.unmapped.push(short(node));
        }
        Ok(())
    }
}

/// A name as it may be shown.
fn short(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(40).map(plain).collect()
}

/// The time so many seconds after 1970; they are finite.
fn time_of(seconds: f64) -> Result<Timestamp, FormatError> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounded before; what saturates lies outside of the years that there are"
    )]
    let ms = (seconds * 1_000.0).round() as i64;
    Timestamp::from_millis(ms).ok_or(FormatError::Time)
}

/// Seconds as a parameter or a member says them.
///
/// # Errors
/// [`FormatError::Time`] where they are no finite number.
pub fn seconds(text: &str) -> Result<f64, FormatError> {
    match Input::of_text(text) {
        Input::Number(number) if number.is_finite() => Ok(number),
        _ => Err(FormatError::Time),
    }
}

/// What a fuzzer calls: whatever a request says, it is read or refused.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(text: &str) {
    let mapping = InputMapping {
        watts_inputs: vec!["power".into(), "1".into()],
        watthours_inputs: vec!["energy".into()],
        ..InputMapping::default()
    };
    let now = Timestamp::from_millis(1_767_607_200_000).unwrap_or(Timestamp::MIN);
    for form in [Form::Pairs(text), Form::Object(text)] {
        drop(read_post(form, "house", None, &mapping));
    }
    drop(read_post(
        Form::Pairs("power:1"),
        text,
        Some(text),
        &mapping,
    ));
    for reference in [Reference::LastItem, Reference::SentAt(9.0)] {
        drop(read_bulk(text, reference, now, &mapping));
    }
    drop(seconds(text));
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

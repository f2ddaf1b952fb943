//! What is wrong with a line.

use thiserror::Error;

/// What is wrong with a line, in InfluxDB's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum LineProblem {
    /// Nothing comes before the first comma or space.
    #[error("missing measurement")]
    Measurement,
    /// A tag has no name.
    #[error("missing tag key")]
    TagKey,
    /// A tag has no value.
    #[error("missing tag value")]
    TagValue,
    /// A second `=` in a tag.
    #[error("invalid tag format")]
    TagFormat,
    /// The line ends before its fields.
    #[error("missing fields")]
    Fields,
    /// A field has no name.
    #[error("missing field key")]
    FieldKey,
    /// A field has no value.
    #[error("missing field value")]
    FieldValue,
    /// A value is neither a number nor a boolean nor a text in quotes.
    #[error("invalid number or boolean")]
    Number,
    /// A text has no end.
    #[error("unbalanced quotes")]
    Quotes,
    /// Something follows a text's end.
    #[error("invalid field format")]
    FieldFormat,
    /// What follows the fields is no integer.
    #[error("bad timestamp")]
    Timestamp,
    /// The bytes are no UTF-8.
    #[error("not UTF-8")]
    Encoding,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unable to parse '{text}': {problem} (line {number})")]
pub(super) struct LineError {
    /// Which line of the body, from 1.
    pub(super) number: usize,
    /// What is wrong with it.
    pub(super) problem: LineProblem,
    /// How it begins.
    text: String,
}

impl LineError {
    /// A problem with the line that `rest` begins with.
    pub(super) fn new(number: usize, problem: LineProblem, rest: &[u8]) -> Self {
        Self {
            number,
            problem,
            text: begin_of(rest),
        }
    }
}

/// The first characters of a line, as they may be shown.
fn begin_of(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    let line = bytes
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    // A character takes four bytes at most.
    let begin = line.get(..4 * LONGEST).unwrap_or(line);
    let text = String::from_utf8_lossy(begin);
    let mut shown = String::new();
    for character in text.trim_end().chars().take(LONGEST) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if text.trim_end().chars().nth(LONGEST).is_some() || begin.len() < line.len() {
        shown.push('…');
    }
    shown
}

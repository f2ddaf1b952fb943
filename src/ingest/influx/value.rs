//! The values of fields.

use std::borrow::Cow;
use std::fmt;

use super::problem::LineProblem;
use crate::ingest::quantity::decimal;
use crate::ingest::tolerant::is_no_number;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue<'a> {
    /// A finite number, including integers such as `5i` and `5u`.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// A text.
    Text(Cow<'a, str>),
    /// None of these, and not in quotes.
    Unreadable(&'a str),
}

impl<'a> FieldValue<'a> {
    /// Whether it is a word such as `NaN` instead of a number, with or without quotes.
    pub(super) fn is_no_number(&self) -> bool {
        match self {
            Self::Text(text) => is_no_number(text),
            Self::Unreadable(text) => is_no_number(text),
            Self::Number(_) | Self::Boolean(_) => false,
        }
    }

    /// Parses a value without quotes.
    ///
    /// # Errors
    /// [`LineProblem`] if there is none, or if it is not UTF-8.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a reading is an `f64`; no measurement has so many digits"
    )]
    pub(super) fn plain(bytes: &'a [u8]) -> Result<Self, LineProblem> {
        let text = str::from_utf8(bytes).map_err(|_| "not UTF-8")?;
        let number = match text {
            "" => return Err("missing field value"),
            "t" | "T" | "true" | "True" | "TRUE" => return Ok(Self::Boolean(true)),
            "f" | "F" | "false" | "False" | "FALSE" => return Ok(Self::Boolean(false)),
            _ => match (text.strip_suffix('i'), text.strip_suffix('u')) {
                (Some(digits), _) => digits.parse::<i64>().ok().map(|number| number as f64),
                (_, Some(digits)) => digits.parse::<u64>().ok().map(|number| number as f64),
                (None, None) => decimal(text).filter(|number| number.is_finite()),
            },
        };
        Ok(number.map_or(Self::Unreadable(text), Self::Number))
    }
}

/// The value in the form of a line.
impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Boolean(value) => value.fmt(f),
            Self::Text(text) => {
                write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
            Self::Unreadable(text) => f.write_str(text),
        }
    }
}

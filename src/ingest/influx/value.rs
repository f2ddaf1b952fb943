//! The values of fields.

use std::borrow::Cow;
use std::fmt;

use super::problem::LineProblem;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FieldValue<'a> {
    /// A finite number.
    Float(f64),
    /// An integer, `5i`.
    Integer(i64),
    /// An unsigned integer, `5u`.
    Unsigned(u64),
    /// True or false.
    Boolean(bool),
    /// A text.
    Text(Cow<'a, str>),
}

impl FieldValue<'_> {
    /// Parses a value without quotes.
    ///
    /// # Errors
    /// [`LineProblem`] if it is not a value.
    pub(super) fn plain(bytes: &[u8]) -> Result<Self, LineProblem> {
        let text = str::from_utf8(bytes).map_err(|_| LineProblem::Encoding)?;
        let value = match text {
            "" => return Err(LineProblem::FieldValue),
            "t" | "T" | "true" | "True" | "TRUE" => Some(Self::Boolean(true)),
            "f" | "F" | "false" | "False" | "FALSE" => Some(Self::Boolean(false)),
            _ => match (text.strip_suffix('i'), text.strip_suffix('u')) {
                (Some(digits), _) => digits.parse().ok().map(Self::Integer),
                (_, Some(digits)) => digits.parse().ok().map(Self::Unsigned),
                (None, None) => float(text).map(Self::Float),
            },
        };
        value.ok_or(LineProblem::Number)
    }

    /// The value as a number; `None` for a text and a boolean.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a reading is an `f64`; no measurement has so many digits"
    )]
    pub(super) const fn number(&self) -> Option<f64> {
        match self {
            Self::Float(number) => Some(*number),
            Self::Integer(number) => Some(*number as f64),
            Self::Unsigned(number) => Some(*number as f64),
            Self::Boolean(_) | Self::Text(_) => None,
        }
    }
}

/// As in a line.
impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float(number) => number.fmt(f),
            Self::Integer(number) => write!(f, "{number}i"),
            Self::Unsigned(number) => write!(f, "{number}u"),
            Self::Boolean(value) => value.fmt(f),
            Self::Text(text) => {
                write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
        }
    }
}

fn float(text: &str) -> Option<f64> {
    // The standard parser accepts `inf` and `nan`, too.
    let is_plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let number: f64 = text
        .bytes()
        .all(is_plain)
        .then(|| text.parse().ok())
        .flatten()?;
    number.is_finite().then_some(number)
}

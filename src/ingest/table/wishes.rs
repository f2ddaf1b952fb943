//! The user's choices about a table.

use std::str::FromStr;

use super::number::DecimalMark;
use super::unit::ImportMeasure;
use crate::domain::words::UnknownWord;

/// The user's choices. Columns have names, or numbers from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wishes {
    /// The column of times.
    pub(crate) time: Option<String>,
    /// The column of power; with one row per value, the key of the values.
    pub(crate) watts: Option<String>,
    /// The column of the meter's register; likewise.
    pub(crate) watthours: Option<String>,
    /// More columns, whose values are added to those of power, or of the register.
    pub(crate) more: Vec<(ImportMeasure, String)>,
    /// Columns, each with the value of the rows to take.
    pub(crate) filters: Vec<(String, String)>,
    /// Whether times are starts or ends of intervals.
    pub(crate) times: Option<TimesAre>,
    /// The mark before decimals.
    pub(crate) decimals: Option<DecimalMark>,
    /// Whether its energies are those of a register, for a sensor of intervals: their differences
    /// are stored.
    pub(crate) from_registers: bool,
}

/// A text as one word of a command line.
pub(crate) fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The option that takes rows with this value.
pub(crate) fn where_option(column: &str, value: &str) -> String {
    format!("--where {}", shell_word(&format!("{column}={value}")))
}

/// Whether times are starts or ends of intervals, by the user's choice or the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimesAre {
    Starts,
    Ends,
}

impl TimesAre {
    /// The word of the option.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Starts => "start",
            Self::Ends => "end",
        }
    }
}

impl FromStr for TimesAre {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "start" => Ok(Self::Starts),
            "end" => Ok(Self::Ends),
            _ => Err(UnknownWord {
                expected: "start or end",
            }),
        }
    }
}

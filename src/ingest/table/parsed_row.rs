//! A row of a file: the values of a series, or the reason for having none.

use super::number::Cell;
use super::times::{RowWhen, When, WhenDoubt};
use crate::domain::Timestamp;

/// The values of a row: power in watts, energy or a register in watt-hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FileValue {
    pub(crate) when: When,
    /// The other time that it may have, until all rows are read.
    pub(crate) doubt: Option<WhenDoubt>,
    pub(crate) watts: Option<f64>,
    pub(crate) watthours: Option<f64>,
    /// The other columns, a byte for each of up to eight. Equal cells have equal bytes.
    pub(crate) traits: u64,
    /// Whether the separator in each measure's number may separate thousands.
    pub(crate) doubtful: [bool; 2],
}

impl FileValue {
    /// Power or a register at a moment.
    pub(crate) const fn at(time: Timestamp, watts: Option<f64>, watthours: Option<f64>) -> Self {
        Self::new(When::At(time), watts, watthours)
    }

    /// Values without traits and doubts.
    pub(crate) const fn new(when: When, watts: Option<f64>, watthours: Option<f64>) -> Self {
        Self {
            when,
            doubt: None,
            watts,
            watthours,
            traits: 0,
            doubtful: [false; 2],
        }
    }
}

/// The result of a row.
#[derive(Debug, PartialEq)]
pub(crate) enum ParsedRow {
    /// Values, at least one.
    Value(FileValue),
    /// Nothing was measured: the row has a word for that, or it is empty in a format where that is
    /// usual.
    NoValue,
    /// The same, of a row in an hour that comes twice: the order of such rows tells their passes.
    Empty(RowWhen),
    /// A row of a series that was not requested.
    Other,
    /// An invalid row, with the reason.
    Bad(String),
}

impl ParsedRow {
    /// The row with `cells` for power and register. `neither` is the reason why a row with neither
    /// is invalid, unless that is usual.
    pub(crate) fn new(
        at: RowWhen,
        cells: [Cell; 2],
        is_empty_usual: bool,
        neither: impl FnOnce() -> String,
    ) -> Self {
        let [watts, watthours] = cells.map(Cell::value);
        if watts.is_some() || watthours.is_some() {
            return Self::Value(FileValue {
                doubt: at.doubt,
                ..FileValue::new(at.when, watts, watthours)
            });
        }
        if is_empty_usual || cells.contains(&Cell::NoValue) {
            return at.doubt.map_or(Self::NoValue, |_| Self::Empty(at));
        }
        Self::Bad(neither())
    }
}

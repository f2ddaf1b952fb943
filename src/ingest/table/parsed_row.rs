//! The result of parsing a row of a file.

use super::number::Cell;
use crate::domain::{Measures, Reading, Timestamp};

/// The result of a row.
#[derive(Debug, PartialEq)]
pub(crate) enum ParsedRow {
    /// A reading.
    Reading(Reading),
    /// Nothing was measured: the row has a word for that, or it is empty in a format where that is
    /// usual.
    NoValue,
    /// A row of a series that was not requested.
    Other,
    /// An invalid row, with the reason.
    Bad(String),
}

impl ParsedRow {
    /// The row with `cells` for power and register. `neither` is the reason why a row with neither
    /// is invalid, unless that is usual.
    pub(crate) fn new(
        time: Timestamp,
        cells: [Cell; 2],
        is_empty_usual: bool,
        neither: impl FnOnce() -> String,
    ) -> Self {
        let [watts, watthours] = cells.map(Cell::value);
        match Measures::new(watts, watthours) {
            Ok(measures) => Self::Reading(Reading { time, measures }),
            Err(_) if is_empty_usual || cells.contains(&Cell::NoValue) => Self::NoValue,
            Err(_) => Self::Bad(neither()),
        }
    }
}

/// The measures that the file has in thousands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scales {
    pub(crate) kilowatts: bool,
    pub(crate) kilowatthours: bool,
}

//! What a row of a file becomes.

use super::number::Cell;
use crate::domain::{Measures, Reading, Timestamp};

/// What a row turned out to be.
#[derive(Debug, PartialEq)]
pub(crate) enum ParsedRow {
    /// A reading.
    Reading(Reading),
    /// Nothing was measured: the row says so, or it is empty in a format where that is usual.
    NoValue,
    /// Of a series that was not asked for.
    Other,
    /// Wrong, with the reason.
    Bad(String),
}

impl ParsedRow {
    /// The row with `cells` for power and register; `neither` is the reason why one with neither is wrong, unless that is
    /// usual.
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

/// Which measures the file has in thousands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scales {
    pub(crate) kilowatts: bool,
    pub(crate) kilowatthours: bool,
}

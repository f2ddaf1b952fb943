//! What all formats have in common: a file is read row by row.

use anyhow::Result;

use super::number::Cell;
use crate::domain::{Measures, Reading, Timestamp};

/// A file that is read row by row.
pub(super) trait ReadRows {
    /// The next row; `None` after the last.
    fn next_row(&mut self) -> Result<Option<ParsedRow>>;

    /// The line on which it begins.
    fn line(&self) -> u64;

    /// After the last row: what was asked for and not found, in words.
    fn missing(&self) -> Option<String> {
        None
    }
}

/// What a row turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum ParsedRow {
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
    pub(super) fn new(
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
pub(super) struct Scales {
    pub kilowatts: bool,
    pub kilowatthours: bool,
}

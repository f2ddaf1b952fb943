//! What all formats have in common: a file is read row by row.

use anyhow::Result;

use super::source::RowBytes;
use crate::domain::Timestamp;
use crate::ingest::table::{ParsedRow, TableRows};

/// A file that is read row by row.
pub(super) trait ReadRows {
    /// The next row; `None` after the last.
    fn next_row(&mut self) -> Result<Option<ParsedRow>>;

    /// Where it begins, such as `line 4`.
    fn place(&self) -> String;

    /// After the last row: what was asked for and not found, in words.
    fn missing(&self) -> Option<String> {
        None
    }

    /// `None` of rows with power and registers. If the registers are energies of intervals: where those begin that follow none, which
    /// are to be stored as zero.
    fn starts(&self) -> Option<Vec<Timestamp>> {
        None
    }

    /// After the last row: what the user should know about what was read, a sentence each.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

impl ReadRows for TableRows<RowBytes> {
    fn next_row(&mut self) -> Result<Option<ParsedRow>> {
        Ok(Self::next_row(self)?)
    }

    fn place(&self) -> String {
        Self::place(self)
    }

    fn missing(&self) -> Option<String> {
        Self::missing(self)
    }
}

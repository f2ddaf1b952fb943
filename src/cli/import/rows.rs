//! The interface of all formats: a file is read row by row.

use anyhow::Result;

use super::source::RowBytes;
use crate::domain::Timestamp;
use crate::ingest::table::{ParsedRow, TableRows};

/// A file that is read row by row.
pub(super) trait ReadRows {
    /// Returns the next row; `None` after the last.
    fn next_row(&mut self) -> Result<Option<ParsedRow>>;

    /// The place where it begins, such as `line 4`.
    fn place(&self) -> String;

    /// After the last row: requested series that were not found, in words.
    fn missing(&self) -> Option<String> {
        None
    }

    /// `None` for rows with power and registers. For energies of intervals: the starts of those
    /// that do not follow another one, which must be stored as zero.
    fn starts(&self) -> Option<Vec<Timestamp>> {
        None
    }

    /// After the last row: remarks for the user about the file, one sentence each.
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

//! Tables for spreadsheets, with the separator and the decimal mark that a language's spreadsheets
//! expect.

use actix_web::HttpResponse;
use csv::{Terminator, Writer, WriterBuilder};

use crate::texts::Language;

/// Characters that a spreadsheet takes for the start of a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A table that is written row by row.
pub(crate) struct Spreadsheet {
    rows: Writer<Vec<u8>>,
    decimal_mark: String,
}

impl Spreadsheet {
    pub(crate) fn new(language: &Language) -> Self {
        let decimal_mark = language.decimal_mark();
        // If the decimal mark is a comma, spreadsheets expect another separator.
        let between = if decimal_mark == "," { b';' } else { b',' };
        // Without this mark, spreadsheets assume an old encoding.
        let begun = "\u{FEFF}".as_bytes().to_vec();
        let rows = WriterBuilder::new()
            .delimiter(between)
            .terminator(Terminator::CRLF)
            .from_writer(begun);
        Self { rows, decimal_mark }
    }

    /// Adds a row. All rows have the same number of cells.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        // Writing to memory does not fail.
        drop(self.rows.write_record(cells));
    }

    /// A number, given with a decimal point, as a cell.
    pub(crate) fn number(&self, plain: &str) -> String {
        plain.replace('.', &self.decimal_mark)
    }

    /// Any other text as a cell. It always stays text, because a formula could send other cells of
    /// the sheet to somebody.
    pub(crate) fn text(text: impl Into<String>) -> String {
        let mut text = text.into();
        if text.starts_with(FORMULA) {
            text.insert(0, '\'');
        }
        text
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.rows.into_inner().unwrap_or_default()
    }

    pub(crate) fn respond(table: Vec<u8>) -> HttpResponse {
        HttpResponse::Ok()
            .content_type("text/csv; charset=utf-8")
            .body(table)
    }
}

//! The bytes of a table, with a bound on its rows.

use std::io::{self, Read};

use csv::Terminator;

/// The bytes of a table. Its last line ends like all others.
pub(crate) trait TableBytes: Read {
    /// Notes that a row ended here. The buffer above may be further ahead, so this bounds the
    /// length of a row only approximately.
    fn row_ended(&mut self);
}

/// The longest row of a text, in bytes, plus one buffer of the reader. It also bounds columns and
/// cells: each takes at least a byte, and many times that once it is read.
const ROW_OF_TEXT: usize = 256 * 1024;

/// A text in memory that ends with a newline.
pub(crate) struct TextRows<'a> {
    rest: &'a [u8],
    since_row: usize,
}

impl<'a> TextRows<'a> {
    /// Reads all of a text.
    pub(crate) const fn new(text: &'a [u8]) -> Self {
        Self {
            rest: text,
            since_row: 0,
        }
    }
}

impl TableBytes for TextRows<'_> {
    fn row_ended(&mut self) {
        self.since_row = 0;
    }
}

impl Read for TextRows<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.rest.read(buffer)?;
        self.since_row += count;
        if self.since_row > ROW_OF_TEXT + buffer.len() {
            let text = format!("a row is longer than {ROW_OF_TEXT} bytes: is a quote missing?");
            return Err(io::Error::other(text));
        }
        Ok(count)
    }
}

/// A reader of the rows of `source`.
pub(crate) fn records<R: Read>(source: R, delimiter: u8) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        // A row of another width is reported as a bad row; otherwise the reader would end the
        // import.
        .flexible(true)
        .delimiter(delimiter)
        // CR LF as a terminator would count lines wrongly; instead, the CR is trimmed from cells.
        .terminator(Terminator::Any(b'\n'))
        .buffer_capacity(64 * 1024)
        .from_reader(source)
}

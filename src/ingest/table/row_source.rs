//! The rows of a table with their lines. Some are read ahead, to find the order of dates.

use std::collections::VecDeque;

use csv::ByteRecord;

use super::date_orders::DateOrders;
use super::text_rows::TableBytes;
use super::times::DateOrder;

/// The maximum size of rows that wait for a date that shows the order of day and month, in bytes as
/// they are in memory.
const LOOK_AHEAD: usize = 16 * 1024 * 1024;

/// Reads rows, one after another.
pub(super) struct RowSource<R> {
    reader: csv::Reader<R>,
    /// The line where the row begins that was returned last.
    line: u64,
    /// The rows that were read ahead, with their lines.
    ahead: VecDeque<(ByteRecord, u64)>,
}

impl<R: TableBytes> RowSource<R> {
    /// The rows of a table.
    pub(super) const fn new(reader: csv::Reader<R>) -> Self {
        Self {
            reader,
            line: 0,
            ahead: VecDeque::new(),
        }
    }

    /// The line where the row begins that was returned last.
    pub(super) const fn line(&self) -> u64 {
        self.line
    }

    /// Reads the next row into `record`; false after the last.
    pub(super) fn next(&mut self, record: &mut ByteRecord) -> csv::Result<bool> {
        if let Some(ahead) = self.ahead.pop_front() {
            (*record, self.line) = ahead;
            return Ok(true);
        }
        let is_read = self.read(record)?;
        self.line = self.line_of(record);
        Ok(is_read)
    }

    /// The order of the dates in `column`, if one of them shows it.
    pub(super) fn find_order(&mut self, column: usize) -> csv::Result<Option<DateOrder>> {
        let (mut orders, mut record, mut size) = (DateOrders::default(), ByteRecord::new(), 0);
        while size < LOOK_AHEAD && orders.found().is_none() && self.read(&mut record)? {
            orders.see(record.get(column).unwrap_or_default());
            size += record.as_slice().len() + (record.len() + 16) * size_of::<usize>();
            let line = self.line_of(&record);
            self.ahead.push_back((record.clone(), line));
        }
        Ok(orders.found())
    }

    fn read(&mut self, record: &mut ByteRecord) -> csv::Result<bool> {
        loop {
            self.reader.get_mut().row_ended();
            if !self.reader.read_byte_record(record)? {
                return Ok(false);
            }
            // A line with only a CR is also empty.
            if record.len() > 1 || !record.as_slice().trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The line where a row begins that was just read. Counted back from its end, because the
    /// reader's position before a row includes empty lines.
    fn line_of(&self, record: &ByteRecord) -> u64 {
        let inside = record.as_slice().iter().filter(|byte| **byte == b'\n');
        let after = self.reader.position().line();
        let lines = u64::try_from(inside.count()).unwrap_or_default() + 1;
        after.saturating_sub(lines)
    }
}

//! Lists as streamed JSON: some rows at a time, looked up anew, so that nothing is kept for a client
//! that does not read.

use serde::Serialize;

use super::stream::ResultText;
use crate::store::StoreError;

/// A list as text: `{"offers":[..]}`.
pub(crate) struct ListText<F> {
    /// All before the rows; empty once it is written.
    head: String,
    next: F,
    has_rows: bool,
}

/// Takes the rows of a run.
pub(crate) struct ListRows<'a> {
    out: &'a mut Vec<u8>,
    has_rows: &'a mut bool,
}

impl<F> ListText<F> {
    /// The list after this beginning, such as `{"offers":[`. Each call of `next` adds some rows, some
    /// kilobytes, and returns whether there are more.
    pub(crate) fn new(head: impl Into<String>, next: F) -> Self {
        Self {
            head: head.into(),
            next,
            has_rows: false,
        }
    }
}

impl<F> ResultText for ListText<F>
where
    F: FnMut(&mut ListRows<'_>) -> Result<bool, StoreError> + Send + 'static,
{
    fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        out.extend_from_slice(std::mem::take(&mut self.head).as_bytes());
        let mut rows = ListRows {
            out,
            has_rows: &mut self.has_rows,
        };
        let is_more = (self.next)(&mut rows)?;
        if !is_more {
            out.extend_from_slice(b"]}");
        }
        Ok(is_more)
    }
}

impl ListRows<'_> {
    /// Adds a row, which has only text and finite numbers.
    pub(crate) fn add(&mut self, row: &impl Serialize) {
        self.separate();
        // Writing to memory does not fail.
        drop(serde_json::to_writer(&mut *self.out, row));
    }

    /// Adds a row that is JSON already.
    pub(crate) fn add_json(&mut self, row: &str) {
        self.separate();
        self.out.extend_from_slice(row.as_bytes());
    }

    fn separate(&mut self) {
        if std::mem::replace(self.has_rows, true) {
            self.out.push(b',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_all_runs_are_one_list() {
        for (count, expected) in [(0, "{\"n\":[]}"), (3, "{\"n\":[0,\"one\",2]}")] {
            let mut nth = 0;
            let mut text = ListText::new("{\"n\":[", move |rows: &mut ListRows<'_>| {
                match nth {
                    _ if nth >= count => return Ok(false),
                    1 => rows.add_json("\"one\""),
                    nth => rows.add(&nth),
                }
                nth += 1;
                Ok(true)
            });
            let mut out = Vec::new();
            while text.write_run(&mut out).unwrap() {}
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}

//! Counts of the rows of a file, by outcome.

use crate::cli::output::note;
use crate::domain::Reading;
use crate::ingest::table::ParsedRow;

/// The number of bad rows shown.
const SHOWN: usize = 20;

/// Counts rows, and keeps the reasons of the first bad ones.
#[derive(Debug, Default)]
pub(super) struct RowTally {
    /// All rows with content.
    pub read: u64,
    /// Rows that became readings.
    pub good: u64,
    /// Rows without a value.
    pub no_value: u64,
    /// Rows of other series.
    pub other: u64,
    /// Bad rows.
    pub bad: u64,
    /// The first bad rows, each in words.
    pub shown: Vec<String>,
}

impl RowTally {
    /// Counts a row; returns its reading. `place` is where it begins.
    pub(super) fn count(
        &mut self,
        row: ParsedRow,
        place: impl FnOnce() -> String,
    ) -> Option<Reading> {
        self.read += 1;
        match row {
            ParsedRow::Reading(reading) => {
                self.good += 1;
                return Some(reading);
            }
            ParsedRow::NoValue => self.no_value += 1,
            ParsedRow::Other => self.other += 1,
            ParsedRow::Bad(reason) => {
                self.bad += 1;
                if self.shown.len() < SHOWN {
                    self.shown.push(format!("{}: {reason}", place()));
                }
            }
        }
        None
    }

    /// Lists the bad rows on stderr.
    pub(super) fn list_bad(&self) {
        for text in &self.shown {
            note(text);
        }
        let more = self.bad - u64::try_from(self.shown.len()).unwrap_or_default();
        if more > 0 {
            note(&format!("… and {more} more"));
        }
    }

    /// The rows that were left out, with reasons in words; `None` if there are none.
    pub(super) fn left_out(&self) -> Option<String> {
        let parts: Vec<_> = [
            (self.bad, "bad"),
            (self.no_value, "without a value"),
            (self.other, "of other series"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
        (!parts.is_empty()).then(|| format!("left out: {}", parts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Measures, Timestamp};

    #[test]
    fn rows_are_counted() {
        let mut tally = RowTally::default();
        let reading = Reading {
            time: Timestamp::MIN,
            measures: Measures::new(Some(7.0), None).unwrap(),
        };
        assert_eq!(
            tally.count(ParsedRow::Reading(reading), String::new),
            Some(reading)
        );
        assert_eq!(tally.count(ParsedRow::NoValue, String::new), None);
        assert_eq!(tally.left_out().unwrap(), "left out: 1 without a value");
        for line in 4..30 {
            assert_eq!(
                tally.count(ParsedRow::Bad("no".into()), || format!("line {line}")),
                None
            );
        }
        assert_eq!((tally.read, tally.good, tally.bad), (28, 1, 26));
        assert_eq!(tally.shown.len(), 20);
        assert_eq!(tally.shown[0], "line 4: no");
    }
}

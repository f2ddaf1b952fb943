//! Counts of the rows of a file, by outcome.

use crate::ingest::table::{BadEnergy, FileValue, ParsedRow};

/// The number of bad rows shown.
const SHOWN: usize = 20;

/// Counts rows, and keeps the reasons of the first bad ones.
#[derive(Debug, Default)]
pub(crate) struct RowTally {
    /// All rows with content.
    pub(crate) read: u64,
    /// Rows that became readings.
    pub(crate) good: u64,
    /// Rows without a value.
    pub(crate) no_value: u64,
    /// Rows of other series.
    pub(crate) other: u64,
    /// Bad rows.
    pub(crate) bad: u64,
    /// Their energy, where it is readable.
    pub(crate) bad_energy: BadEnergy,
    /// The first bad rows, each in words.
    pub(crate) shown: Vec<String>,
}

impl RowTally {
    /// Counts a row that begins at `place`, and returns its value.
    pub(crate) fn count(
        &mut self,
        row: ParsedRow,
        place: impl FnOnce() -> String,
    ) -> Option<FileValue> {
        self.read += 1;
        match row {
            ParsedRow::Value(value) => {
                self.good += 1;
                return Some(value);
            }
            ParsedRow::NoValue | ParsedRow::Empty(_) => self.no_value += 1,
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

    /// Why bad rows may not be left out, in words; `None` if they may. With so many of them, the rows
    /// are probably read in the wrong way. A single one may be left out of any good ones.
    pub(crate) fn too_many_bad(&self) -> Option<String> {
        let is_single = self.bad == 1 && self.good > 0;
        let is_many = !is_single && self.bad.saturating_mul(10) > self.read;
        is_many.then(|| {
            format!(
                "{} of {} rows are bad, nothing was stored: with more than a tenth, the options are probably wrong, such as --time-column, --dates or --decimals; correct them, or the rows",
                self.bad, self.read
            )
        })
    }

    /// The first bad rows, and the number of others.
    pub(crate) fn bad_rows(&self) -> Vec<String> {
        let more = self.bad - u64::try_from(self.shown.len()).unwrap_or_default();
        let more = (more > 0).then(|| format!("… and {more} more"));
        self.shown.iter().cloned().chain(more).collect()
    }

    /// The rows that were left out, with reasons in words; `None` if there are none.
    pub(crate) fn left_out(&self, duplicates: u64) -> Option<String> {
        let energy = self.bad_energy;
        let of_bad = match energy.rows {
            0 => "bad".to_owned(),
            rows if rows == self.bad => format!("bad (together {} kWh)", energy.watthours / 1e3),
            rows => format!(
                "bad ({rows} of them have together {} kWh)",
                energy.watthours / 1e3
            ),
        };
        let parts: Vec<_> = [
            (self.bad, of_bad.as_str()),
            (self.no_value, "without a value"),
            (self.other, "of other series"),
            (duplicates, "that come twice"),
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
    use crate::domain::Timestamp;

    #[test]
    fn rows_are_counted() {
        let mut tally = RowTally::default();
        let value = FileValue::at(Timestamp::MIN, Some(7.0), None);
        assert_eq!(
            tally.count(ParsedRow::Value(value), String::new),
            Some(value)
        );
        assert_eq!(tally.count(ParsedRow::NoValue, String::new), None);
        assert_eq!(tally.left_out(0).unwrap(), "left out: 1 without a value");
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

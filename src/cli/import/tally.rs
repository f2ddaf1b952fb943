//! What became of the rows of a file.

use super::super::output::note;

/// How many bad rows are shown.
const SHOWN: usize = 20;

/// What a row turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Row<T> {
    /// A reading.
    Reading(T),
    /// Nothing was measured: it says so, or all its measures are empty where that is usual.
    NoValue,
    /// Of another series than those that are asked for.
    Other,
    /// Wrong; with the reason.
    Bad(String),
}

/// Counts rows, and keeps what the first bad ones suffer from.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// All rows with content.
    pub read: u64,
    /// Those that became readings.
    pub good: u64,
    /// Those that say that there was no value.
    pub no_value: u64,
    /// Those of other series.
    pub other: u64,
    /// Those that are wrong.
    pub bad: u64,
    shown: Vec<String>,
}

impl Tally {
    /// Counts a row; gives its reading. `line` says where it begins.
    pub(super) fn count<T>(&mut self, row: Row<T>, line: impl FnOnce() -> u64) -> Option<T> {
        self.read += 1;
        match row {
            Row::Reading(reading) => {
                self.good += 1;
                return Some(reading);
            }
            Row::NoValue => self.no_value += 1,
            Row::Other => self.other += 1,
            Row::Bad(reason) => {
                self.bad += 1;
                if self.shown.len() < SHOWN {
                    self.shown.push(format!("line {}: {reason}", line()));
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

    /// The first bad rows, each in words.
    #[cfg(test)]
    pub(super) fn shown(&self) -> &[String] {
        &self.shown
    }

    /// What was left out and why, in words; nothing where everything was taken.
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

    #[test]
    fn rows_are_counted() {
        let mut tally = Tally::default();
        assert_eq!(tally.count(Row::Reading(7), || 2), Some(7));
        assert_eq!(tally.count::<u8>(Row::NoValue, || 3), None);
        assert_eq!(tally.left_out().unwrap(), "left out: 1 without a value");
        for line in 4..30 {
            assert_eq!(tally.count::<u8>(Row::Bad("no".into()), || line), None);
        }
        assert_eq!((tally.read, tally.good, tally.bad), (28, 1, 26));
        assert_eq!(tally.shown.len(), 20);
        assert_eq!(tally.shown[0], "line 4: no");
    }
}

//! Counts the values of the series of a stream, to list them.

use std::collections::BTreeMap;

use super::listing::FileSeries;
use crate::domain::Timestamp;

/// The maximum number of series listed. Each has its own name, so this bounds memory.
const LISTED: usize = 10_000;
/// The longest name, in bytes. A longer one was not chosen by a person.
const NAME_BYTES: usize = 1_024;

/// The series of a stream that is read from beginning to end.
#[derive(Debug, Default)]
pub(super) struct SeriesCounts {
    series: BTreeMap<String, SeriesCount>,
    /// Whether there are more series than listed.
    more: bool,
}

/// The values of a series.
#[derive(Debug)]
struct SeriesCount {
    unit: Option<String>,
    values: u64,
    first: Timestamp,
    last: Timestamp,
}

impl SeriesCounts {
    /// Counts a value of the series with that name.
    pub(super) fn see(
        &mut self,
        name: &str,
        unit: Option<&str>,
        first: Timestamp,
        last: Timestamp,
    ) {
        if let Some(count) = self.series.get_mut(name) {
            count.values += 1;
            count.first = first.min(count.first);
            count.last = last.max(count.last);
        } else if self.series.len() < LISTED && name.len() <= NAME_BYTES {
            let count = SeriesCount {
                unit: unit.map(str::to_owned),
                values: 1,
                first,
                last,
            };
            self.series.insert(name.to_owned(), count);
        } else {
            self.more = true;
        }
    }

    /// The series, by name, and whether some were left out.
    pub(super) fn finish(self) -> (Vec<FileSeries>, bool) {
        let series = self.series.into_iter().map(|(series, count)| FileSeries {
            series,
            unit: count.unit,
            values: count.values,
            first: Some(count.first.to_string()),
            last: Some(count.last.to_string()),
        });
        (series.collect(), self.more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_in_bounded_memory() {
        let mut counts = SeriesCounts::default();
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        for ms in [5, 1, 9] {
            counts.see("a", Some("W"), at(ms), at(ms));
        }
        counts.see(&"x".repeat(NAME_BYTES + 1), None, at(0), at(0));
        for n in 0..LISTED {
            counts.see(&format!("b{n}"), None, at(0), at(0));
        }
        let (series, more) = counts.finish();
        assert_eq!((series.len(), more), (LISTED, true));
        let first = &series[0];
        let times = [&first.first, &first.last].map(|it| it.as_deref().unwrap());
        assert_eq!((first.series.as_str(), first.values), ("a", 3));
        assert_eq!(
            times,
            ["1970-01-01T00:00:00.001Z", "1970-01-01T00:00:00.009Z"]
        );
    }
}

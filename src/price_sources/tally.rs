//! Counts and the last outcome of each source since the start, for the metrics and the pages.

use super::error::SourceError;
use super::settings::PriceSourceSettings;
use crate::domain::{TimeRange, Timestamp};
use crate::tally::{Tallies, Tally};

/// The sources that are asked, with their counts.
pub type PriceSources = Tallies<PriceSourceSettings, LastFetches>;

/// Counts and the last outcome of one source since the start.
pub type SourceTally = Tally<PriceSourceSettings, LastFetches>;

/// The outcome of the last request, and the last differences from stored prices.
#[derive(Clone, Debug, Default)]
pub struct LastFetches {
    first: Option<Timestamp>,
    answered: Option<Timestamp>,
    outcome: Option<(Timestamp, Result<FetchOutcome, SourceError>)>,
    conflicts: Option<(usize, Timestamp)>,
    /// The stored value at the time of the first of these.
    contradicted: Option<String>,
    /// The rates of the last answer that were not taken.
    others: Vec<String>,
    /// The days of the last answer that agreed with all stored prices.
    agreed: Option<TimeRange>,
}

/// The outcome of a request with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchOutcome {
    /// The days that were asked for, without the end.
    pub range: TimeRange,
    /// The number of prices or days in the answer.
    pub count: usize,
    /// The number of those that were stored.
    pub stored: usize,
}

impl SourceTally {
    /// The time and the outcome of the last request; `None` before the first one.
    #[must_use]
    pub fn last(&self) -> Option<(Timestamp, Result<FetchOutcome, SourceError>)> {
        self.with_last(|last| last.outcome.clone())
    }

    /// The time of the first request since the start.
    #[must_use]
    pub fn asked_since(&self) -> Option<Timestamp> {
        self.with_last(|last| last.first)
    }

    /// The time of the last usable answer since the start.
    #[must_use]
    pub fn answered(&self) -> Option<Timestamp> {
        self.with_last(|last| last.answered)
    }

    /// The stored value where the source differed first; `None` if it did not since the start.
    pub(super) fn contradicted_value(&self) -> Option<String> {
        self.with_last(|last| last.contradicted.clone())
    }

    /// Whether the last answer without differences was about this time.
    pub(super) fn agrees_at(&self, time: Timestamp) -> bool {
        self.with_last(|last| last.agreed.is_some_and(|range| range.contains(time)))
    }

    /// The last answer with prices that differ from stored ones: their number, and the time of the
    /// first.
    #[must_use]
    pub fn conflicts(&self) -> Option<(usize, Timestamp)> {
        self.with_last(|last| last.conflicts)
    }

    /// The rates of the last answer that the description does not name.
    #[must_use]
    pub fn others(&self) -> Vec<String> {
        self.with_last(|last| last.others.clone())
    }

    pub(super) fn note_others(&self, others: &[String]) {
        self.with_last(|last| others.clone_into(&mut last.others));
    }

    pub(super) fn count_fetch(&self, time: Timestamp, outcome: Result<FetchOutcome, SourceError>) {
        self.count(outcome.is_ok());
        self.with_last(|last| {
            last.first.get_or_insert(time);
            if outcome.is_ok() {
                last.answered = Some(time);
            }
            last.outcome = Some((time, outcome));
        });
    }

    /// Notes the differences in the answer for a range, with the stored value at the first; returns
    /// them if they are news. An answer without any ends earlier ones in its range.
    pub(super) fn note_conflicts(
        &self,
        range: TimeRange,
        (found, stored): (Option<(usize, Timestamp)>, Option<String>),
    ) -> Option<(usize, Timestamp)> {
        self.with_last(|last| {
            if found.is_none() {
                last.agreed = Some(range);
            }
            let known = last.conflicts;
            let is_over = known.is_some_and(|(_, first)| range.contains(first));
            if found == known || (found.is_none() && !is_over) {
                return None;
            }
            last.conflicts = found;
            last.contradicted = stored;
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toml::Table;

    use super::*;
    use crate::domain::time::at;
    use crate::ledger::contract::Label;
    use crate::price_sources::known::KnownSource;

    fn source(series: &str) -> PriceSourceSettings {
        let known = KnownSource::with_id("awattar-de").unwrap();
        PriceSourceSettings {
            source: Some(known),
            form: Arc::new(known.form_with(&Table::new()).unwrap()),
            zone: String::new(),
            account: None,
            series: Label::new(series).unwrap(),
            since: None,
            key: None,
            allow_private: false,
        }
    }

    #[test]
    fn a_source_keeps_its_counts_while_others_come_and_go() {
        let sources = PriceSources::default();
        let one = sources.follow(&[source("a")]);
        one[0].count_fetch(at(1), Err(SourceError::NotHttp));
        let two = sources.follow(&[source("b"), source("a")]);
        assert_eq!((two[0].failures(), two[0].last()), (0, None));
        let failed = Some((at(1), Err(SourceError::NotHttp)));
        assert_eq!((two[1].failures(), two[1].last()), (1, failed));
        one[0].count_fetch(at(2), Err(SourceError::NotHttp));
        assert_eq!(
            (one[0].asked_since(), one[0].answered()),
            (Some(at(1)), None)
        );
        assert_eq!(sources.list().len(), 2);
    }

    #[test]
    fn differences_are_news_once_and_end() {
        let sources = PriceSources::default();
        let tally = &sources.follow(&[source("a")])[0];
        let range = |from, to| TimeRange::new(at(from), at(to)).unwrap();
        let found = Some((2, at(5)));
        assert_eq!(tally.note_conflicts(range(0, 10), (found, None)), found);
        assert_eq!(tally.note_conflicts(range(0, 10), (found, None)), None);
        // An answer for other days says nothing about them.
        assert_eq!(tally.note_conflicts(range(20, 30), (None, None)), None);
        assert_eq!(tally.conflicts(), found);
        assert!(tally.agrees_at(at(20)) && !tally.agrees_at(at(5)));
        assert_eq!(tally.note_conflicts(range(0, 10), (None, None)), None);
        assert_eq!(tally.conflicts(), None);
        assert!(tally.agrees_at(at(5)));
    }
}

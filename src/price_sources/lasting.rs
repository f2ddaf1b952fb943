//! Faults of a source that last, for notices: it is late, or differs from stored prices.

use std::time::Duration;

use super::keep::{account, first_missing, stored_value};
use super::plan::Known;
use super::tally::SourceTally;
use crate::domain::{AccountName, TimeRange, Timestamp};
use crate::store::{Registry, Store, StoreError};

/// Prices are late so long after they should have been published. Markets publish at about 13:00,
/// so those of tomorrow are late at 20:00.
const LATE_AFTER: Duration = Duration::from_hours(7);
/// A source is judged after it was asked for so long: after a start, it may only need a moment.
const ASKED_FOR: Duration = Duration::from_hours(1);

impl SourceTally {
    /// The account that it is for; `None` if its settings name none that exists.
    #[must_use]
    pub fn account(&self, registry: &Registry) -> Option<AccountName> {
        account(registry, self.settings()).ok()
    }

    /// The first time from today on that lacks a price although it was published long ago. `None`
    /// if all are there, or if it was not asked for long and the lack is news. May block on disk
    /// reads.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn late(
        &self,
        (store, account): (&Store, &AccountName),
        now: Timestamp,
        is_news: bool,
    ) -> Result<Option<Timestamp>, StoreError> {
        let asked = self.asked_since();
        if is_news && asked.is_none_or(|since| now < since.saturating_add(ASKED_FOR)) {
            return Ok(None);
        }
        let settings = self.settings();
        let known = |time| Known::at(&settings.form, time, Duration::ZERO);
        let since = settings.since.map(|day| settings.form.start_of(day));
        let start = known(now).today.max(since.unwrap_or(Timestamp::MIN));
        let long_ago = now.saturating_add_millis(-millis(LATE_AFTER));
        match TimeRange::new(start, known(long_ago).end) {
            Some(range) => first_missing(store, account, settings, range),
            None => Ok(None),
        }
    }

    /// The time of the first stored price that differs from the source's, until the price is removed
    /// or changed, or the source agrees. `open_since` is that of a difference that is known from
    /// before the start. May block on disk reads.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn contradicted(
        &self,
        (store, account): (&Store, &AccountName),
        open_since: Option<Timestamp>,
    ) -> Result<Option<Timestamp>, StoreError> {
        let kept = open_since.filter(|time| !self.agrees_at(*time));
        let Some(time) = self.conflicts().map(|(_, first)| first).or(kept) else {
            return Ok(None);
        };
        let stored = stored_value(store, account, self.settings(), time)?;
        // The value before a restart is not known any more.
        let was = self.contradicted_value().or_else(|| stored.clone());
        Ok((stored.is_some() && stored == was).then_some(time))
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

//! Days and nights by the clock of an account.

use std::ops::Range;

use crate::domain::{LocalDate, LocalTime, Timestamp, Zone};

/// The clock of an account at a time.
pub struct AccountDays {
    zone: Zone,
    today: LocalDate,
}

impl AccountDays {
    /// The clock of `zone` at `now`.
    #[must_use]
    pub fn new(zone: Zone, now: Timestamp) -> Self {
        let today = LocalDate::of_shown(zone.shown_at(now));
        Self { zone, today }
    }

    /// When the day so many days before today began; `None` before the first year.
    #[must_use]
    pub fn start(&self, days_ago: i32) -> Option<Timestamp> {
        Some(self.date(days_ago)?.start(&self.zone))
    }

    /// When the clock showed this hour on the day so many days before today.
    #[must_use]
    pub fn hour(&self, days_ago: i32, hour: i64) -> Option<Timestamp> {
        const HOUR_MS: i64 = 3_600_000;
        let shown = self.date(days_ago)?.midnight();
        let shown = shown.saturating_add_millis(hour * HOUR_MS);
        Some(match self.zone.local(shown) {
            LocalTime::Once(time) | LocalTime::Twice(time, _) | LocalTime::Skipped(time) => time,
        })
    }

    /// The night from 22:00 until 06:00 that ended on the day so many days before today.
    #[must_use]
    pub fn night(&self, days_ago: i32) -> Option<Range<Timestamp>> {
        Some(self.hour(days_ago.checked_add(1)?, 22)?..self.hour(days_ago, 6)?)
    }

    /// The last seven nights that are over at `now`, the oldest first.
    #[must_use]
    pub fn last_nights(&self, now: Timestamp) -> Vec<Range<Timestamp>> {
        const NIGHTS: usize = 7;
        // Tonight may be one of them, or not yet.
        let all = (0..=7).filter_map(|days_ago| self.night(days_ago));
        let over = all.filter(|night| night.end <= now).take(NIGHTS);
        let mut nights: Vec<_> = over.collect();
        nights.reverse();
        nights
    }

    fn date(&self, days_ago: i32) -> Option<LocalDate> {
        self.today.plus_days(days_ago.checked_neg()?)
    }
}

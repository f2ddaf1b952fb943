//! Today, yesterday, this week, month and year as times, each with the time before it.

use crate::domain::calendar::Zone;
use crate::domain::interval::{Calendar, Interval, SoFar};
use crate::domain::time::{TimeRange, Timestamp};

/// The periods as times.
pub(super) struct Periods {
    /// Today, yesterday, this week, month, year.
    pub(super) each: [SoFar; 5],
}

impl Periods {
    pub(super) fn new(zone: &Zone, now: Timestamp) -> Self {
        let so_far = |interval| Calendar::new(zone.clone(), interval).so_far(now);
        let mut days = Calendar::new(zone.clone(), Interval::Day);
        let today = so_far(Interval::Day);
        // A day's energy is that of the registers after its midnight, up to and with the next midnight.
        let mut day_before = |midnight: Timestamp| {
            let day = days.bucket(midnight.saturating_add_millis(-1));
            TimeRange::new(day.start(), midnight).unwrap_or(day)
        };
        let yesterday = day_before(today.now.start());
        let yesterday = SoFar {
            now: yesterday,
            before: day_before(yesterday.start()),
        };
        Self {
            each: [
                today,
                yesterday,
                so_far(Interval::Week),
                so_far(Interval::Month),
                so_far(Interval::Year),
            ],
        }
    }

    /// The ends of all periods, ascending.
    pub(super) fn ends(&self) -> Vec<Timestamp> {
        let ranges = self.each.iter().flat_map(|it| [it.now, it.before]);
        let mut ends: Vec<Timestamp> = ranges.flat_map(|it| [it.start(), it.end()]).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }
}

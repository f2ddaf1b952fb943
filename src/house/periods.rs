//! Today, yesterday, this week, month and year as times, each with the time before it.

use crate::domain::{Calendar, Interval, SoFar, TimeRange, Timestamp, WeekStart, Zone};

/// Today, yesterday, this week, month and year at `now`.
pub(super) fn periods(zone: &Zone, now: Timestamp, weeks: WeekStart) -> [SoFar; 5] {
    let calendar = |interval| Calendar::new(zone.clone(), interval).with_weeks_from(weeks);
    let so_far = |interval| calendar(interval).so_far(now);
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
    [
        today,
        yesterday,
        so_far(Interval::Week),
        so_far(Interval::Month),
        so_far(Interval::Year),
    ]
}

/// The ends of all `periods`, ascending.
pub(super) fn ends(periods: &[SoFar]) -> Vec<Timestamp> {
    let ranges = periods.iter().flat_map(|it| [it.now, it.before]);
    let mut ends: Vec<Timestamp> = ranges.flat_map(|it| [it.start(), it.end()]).collect();
    // Periods overlap, and some begin at the same midnight: `counted_at` wants ascending times.
    ends.sort_unstable();
    ends.dedup();
    ends
}

//! Today, yesterday, this week, month and year as times, each with the time that it is compared with.

use crate::domain::{
    Against, Calendar, Interval, SoFar, TimeRange, Timestamp, WeekStart, YearStep, Zone,
};

/// The lengths of the periods; the second one is yesterday.
const LENGTHS: [Interval; 5] = [
    Interval::Day,
    Interval::Day,
    Interval::Week,
    Interval::Month,
    Interval::Year,
];

/// Today, yesterday, this week, month and year at `now`.
pub(super) fn periods(
    zone: &Zone,
    (now, weeks): (Timestamp, WeekStart),
    against: Against,
) -> [SoFar; 5] {
    let periods = with_before(zone, now, weeks);
    match against {
        Against::Before => periods,
        Against::Year => {
            let mut lengths = LENGTHS.into_iter();
            periods.map(|it| {
                let length = lengths.next().unwrap_or(Interval::Day);
                YearStep::of(length).compared(it.now, zone)
            })
        }
    }
}

/// The comparison of periods if nobody asked: with last year if the history, which begins at
/// `first`, has all of them.
pub(super) fn usual_against(
    zone: &Zone,
    now: (Timestamp, WeekStart),
    first: Option<Timestamp>,
) -> Against {
    // A year is compared with the year before anyway.
    let [periods @ .., _] = periods(zone, now, Against::Year);
    let needed = periods.iter().map(|it| it.before.start()).min();
    let is_known = first
        .zip(needed)
        .is_some_and(|(first, needed)| first <= needed);
    if is_known {
        Against::Year
    } else {
        Against::Before
    }
}

fn with_before(zone: &Zone, now: Timestamp, weeks: WeekStart) -> [SoFar; 5] {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::tests::at;

    #[test]
    fn last_year_needs_a_year_of_history() {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        // A Sunday, 13:00 in Berlin.
        let now = (at("2026-03-29T11:00:00"), WeekStart::Monday);
        let usual = |first: Option<&str>| usual_against(&zone, now, first.map(at));
        assert_eq!(usual(None), Against::Before);
        // The month began on 1 March.
        assert_eq!(usual(Some("2025-02-28T23:00:00")), Against::Year);
        assert_eq!(usual(Some("2025-02-28T23:00:01")), Against::Before);
        // On the first of a month, the week or yesterday reaches further back.
        let now = (at("2026-04-01T11:00:00"), WeekStart::Monday);
        let usual = |first: &str| usual_against(&zone, now, Some(at(first)));
        assert_eq!(usual("2025-03-30T22:00:00"), Against::Year);
        assert_eq!(usual("2025-03-31T22:00:00"), Against::Before);
    }

    #[test]
    fn periods_are_those_of_last_year() {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        // Leap day, a Tuesday, at 15:00.
        let now = (at("2028-02-29T14:00:00"), WeekStart::Monday);
        let ends = periods(&zone, now, Against::Year).map(|it| {
            let ends = [it.before.start(), it.before.end()];
            ends.map(|time| zone.shown_at(time).to_string()[..16].to_owned())
        });
        let expected = [
            ["2027-03-02T00:00", "2027-03-02T15:00"],
            ["2027-03-01T00:00", "2027-03-02T00:00"],
            ["2027-03-01T00:00", "2027-03-02T15:00"],
            ["2027-02-01T00:00", "2027-02-28T15:00"],
            ["2027-01-01T00:00", "2027-02-28T15:00"],
        ];
        assert_eq!(ends, expected.map(|ends| ends.map(str::to_owned)));
        let [.., year] = periods(&zone, now, Against::Before);
        assert_eq!(year, periods(&zone, now, Against::Year)[4]);
    }
}

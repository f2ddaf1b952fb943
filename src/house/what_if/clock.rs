//! The quarters of an hour of a range, by the clock of an account.

use std::ops::Range;

use crate::domain::time::MS_PER_DAY;
use crate::domain::{OffsetPeriod, Timestamp, Zone};
use crate::ledger::scenario::HouseQuarter;

/// A quarter of an hour as the clock shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShownQuarter {
    /// Its number, as [`HouseQuarter::number`] counts.
    pub(super) number: i64,
    /// The day on the calendar: days since 1970.
    pub(super) day: i64,
    /// Milliseconds after midnight, when it begins.
    pub(super) time_ms: i64,
}

/// The quarters of a range: also those that begin before it, or end after it.
pub(super) fn quarters(
    range: &Range<Timestamp>,
    zone: &Zone,
) -> impl Iterator<Item = ShownQuarter> {
    let mut period: Option<OffsetPeriod> = None;
    numbers(range).map(move |number| {
        let time = start_of(number);
        let known = period.filter(|it| it.start <= time && time <= it.last);
        let found = known.unwrap_or_else(|| zone.period_at(time));
        period = Some(found);
        let shown_ms = time.millis() + found.ahead_ms;
        ShownQuarter {
            number,
            day: shown_ms.div_euclid(MS_PER_DAY),
            time_ms: shown_ms.rem_euclid(MS_PER_DAY),
        }
    })
}

/// The numbers of the quarters that a range touches.
pub(super) fn numbers(range: &Range<Timestamp>) -> Range<i64> {
    let first = HouseQuarter::number_of(range.start);
    if range.is_empty() {
        return first..first;
    }
    let last = HouseQuarter::number_of(range.end.saturating_add_millis(-1));
    first..last + 1
}

/// When a quarter begins.
pub(super) fn start_of(number: i64) -> Timestamp {
    let start = Timestamp::from_millis(number.saturating_mul(HouseQuarter::LENGTH_MS));
    start.unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    #[test]
    fn a_day_has_as_many_quarters_as_it_has_hours() {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        let of_day = |from: &str, to: &str| {
            let all: Vec<_> = quarters(&(at(from)..at(to)), &zone).collect();
            let days: Vec<i64> = all.iter().map(|it| it.day).collect();
            assert_eq!(days.first(), days.last());
            assert_eq!(all[0].time_ms, 0);
            all
        };
        let spring = of_day("2026-03-28T23:00:00", "2026-03-29T22:00:00");
        assert_eq!((spring.len(), spring[8].time_ms), (92, 3 * 3_600_000));
        let autumn = of_day("2026-10-24T22:00:00", "2026-10-25T23:00:00");
        assert_eq!((autumn.len(), autumn[12].time_ms), (100, 2 * 3_600_000));
        let cut = numbers(&(at("2026-01-01T00:07:00")..at("2026-01-01T00:16:00")));
        assert_eq!(cut.end - cut.start, 2);
        let none = at("2026-01-01T00:15:00");
        assert!(numbers(&(none..none)).is_empty());
    }
}

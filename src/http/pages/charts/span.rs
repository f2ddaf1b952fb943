//! Ranges of time to look at: what was asked for, what it is called, and what comes before and after it.

use crate::chart::{bucket_name, date, moment};
use crate::domain::calendar::Zone;
use crate::domain::interval::{Calendar, Interval};
use crate::domain::time::{MS_PER_DAY, TimeRange, Timestamp};

/// A range, as it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The last 24 hours.
    LastDay,
    /// A unit of the calendar with this time in it, or with now.
    Unit(Unit, Option<Timestamp>),
    /// From the first reading on.
    All,
    /// From one time to another, which does not belong to it.
    Between(TimeRange),
}

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// A range to be looked at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) from: Timestamp,
    /// Does not belong to it.
    pub(crate) to: Timestamp,
    /// What it is called.
    pub(crate) title: String,
    pub(crate) before: Option<Asked>,
    /// None where it would be to come.
    pub(crate) after: Option<Asked>,
}

/// The shortest range that can be asked for.
const SHORTEST_MS: i64 = 1_000;

impl Unit {
    pub(crate) const ALL: [Self; 5] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Hour => "Hour",
            Self::Day => "Day",
            Self::Week => "Week",
            Self::Month => "Month",
            Self::Year => "Year",
        }
    }

    const fn interval(self) -> Interval {
        match self {
            Self::Hour => Interval::Hour,
            Self::Day => Interval::Day,
            Self::Week => Interval::Week,
            Self::Month => Interval::Month,
            Self::Year => Interval::Year,
        }
    }

    /// `at` as an address says it: an hour may come twice by the clocks, a date does not.
    pub(crate) fn at_text(self, at: Timestamp, zone: &Zone) -> String {
        match self {
            Self::Hour => at.to_string(),
            _ => date_text(at, zone),
        }
    }
}

/// A date by the clocks of `zone`: `2026-07-08`.
fn date_text(time: Timestamp, zone: &Zone) -> String {
    let text = zone.shown_at(time).to_string();
    text.get(..10).unwrap_or_default().to_owned()
}

impl Asked {
    /// From `from` to `to`; `None` where that is shorter than a second.
    pub(crate) fn between(from: Timestamp, to: Timestamp) -> Option<Self> {
        let range = TimeRange::new(from, to)?;
        (to.millis() - from.millis() >= SHORTEST_MS).then_some(Self::Between(range))
    }

    /// A time to look at when the range is changed: in the middle of what was asked for, where it is not about now.
    pub(crate) fn at(self) -> Option<Timestamp> {
        match self {
            Self::Unit(_, at) => at,
            Self::Between(range) => {
                let half_ms = (range.end().millis() - range.start().millis()) / 2;
                Some(range.start().saturating_add_millis(half_ms))
            }
            Self::LastDay | Self::All => None,
        }
    }

    /// The range at `now`, of readings of which `first` is the first.
    pub(crate) fn span(self, now: Timestamp, first: Option<Timestamp>, zone: &Zone) -> Span {
        let day_ago = now.saturating_add_millis(-MS_PER_DAY);
        match self {
            Self::LastDay => Span {
                title: "Last 24 hours".into(),
                after: None,
                ..Span::between(day_ago, now, now, zone)
            },
            Self::Unit(unit, at) => Span::of_unit(unit, at.unwrap_or(now), now, zone),
            Self::All => {
                let from = first.unwrap_or(day_ago).min(day_ago);
                Span {
                    from,
                    to: now,
                    title: format!("Since {}", date(from, zone)),
                    before: None,
                    after: None,
                }
            }
            Self::Between(range) => Span::between(range.start(), range.end(), now, zone),
        }
    }
}

impl Span {
    fn of_unit(unit: Unit, at: Timestamp, now: Timestamp, zone: &Zone) -> Self {
        let interval = unit.interval();
        let mut calendar = Calendar::new(zone.clone(), interval);
        let bucket = calendar.bucket(at);
        let to = bucket.end().saturating_add_millis(1);
        let before = calendar.bucket(bucket.start().saturating_add_millis(-1));
        let asked = |at: Timestamp| Asked::Unit(unit, Some(at));
        let title = match unit {
            Unit::Week => format!("Week of {}", date(bucket.start(), zone)),
            _ => bucket_name(bucket.start(), interval, zone),
        };
        Self {
            from: bucket.start(),
            to,
            title,
            before: Some(asked(before.start())),
            after: (to <= now).then(|| {
                let next = calendar.bucket(to);
                // About now, as time goes on.
                if next.contains(now) {
                    Asked::Unit(unit, None)
                } else {
                    asked(to)
                }
            }),
        }
    }

    fn between(from: Timestamp, to: Timestamp, now: Timestamp, zone: &Zone) -> Self {
        let span_ms = to.millis() - from.millis();
        let after = Asked::between(to, to.saturating_add_millis(span_ms));
        Self {
            from,
            to,
            title: format!("{} – {}", moment(from, zone), moment(to, zone)),
            before: Asked::between(from.saturating_add_millis(-span_ms), from),
            after: after.filter(|_| to <= now),
        }
    }

    /// The range for power: readings at its very end are of what comes after.
    pub(crate) fn of_power(&self) -> TimeRange {
        let last = self.to.saturating_add_millis(-1);
        TimeRange::new(self.from, last).unwrap_or(TimeRange::at(self.from))
    }

    /// The range for energy: the register at its very end tells what was used until then.
    pub(crate) fn of_energy(&self) -> TimeRange {
        TimeRange::new(self.from, self.to).unwrap_or(TimeRange::at(self.from))
    }

    /// Its dates, for the name of a file.
    pub(crate) fn dates(&self, zone: &Zone) -> String {
        let last = self.to.saturating_add_millis(-1);
        let (from, to) = (date_text(self.from, zone), date_text(last, zone));
        if from == to {
            from
        } else {
            format!("{from}-to-{to}")
        }
    }

    /// The same in whole buckets of `interval`, so that no bar is cut.
    pub(crate) fn in_whole(self, interval: Interval, zone: &Zone) -> Self {
        let mut calendar = Calendar::new(zone.clone(), interval);
        let from = calendar.bucket(self.from).start();
        let last = self.to.saturating_add_millis(-1);
        let to = calendar.bucket(last).end().saturating_add_millis(1);
        Self { from, to, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn berlin() -> Zone {
        Zone::parse("Europe/Berlin").unwrap()
    }

    fn span(asked: Asked) -> Span {
        asked.span(at("2026-03-30T08:00:00"), None, &berlin())
    }

    #[test]
    fn units_follow_each_other_over_changes_of_clocks() {
        let today = span(Asked::Unit(Unit::Day, None));
        assert_eq!(today.title, "30 Mar 2026");
        assert_eq!(today.after, None);
        // A day of 23 hours.
        let before = span(today.before.unwrap());
        assert_eq!(
            (before.from, before.to, before.title.as_str()),
            (
                at("2026-03-28T23:00:00"),
                at("2026-03-29T22:00:00"),
                "29 Mar 2026"
            )
        );
        assert_eq!(before.after, Some(Asked::Unit(Unit::Day, None)));
        for unit in Unit::ALL {
            let mut asked = Asked::Unit(unit, None);
            for _ in 0..30 {
                let here = span(asked);
                asked = here.before.unwrap();
                let there = span(asked);
                assert_eq!(there.to, here.from, "{unit:?}");
                assert_eq!(span(there.after.unwrap()).from, here.from, "{unit:?}");
            }
        }
    }

    #[test]
    fn ranges_of_their_own_are_moved_by_their_length() {
        let asked = Asked::between(at("2026-03-29T00:00:00"), at("2026-03-29T06:00:00")).unwrap();
        let here = span(asked);
        assert_eq!(here.title, "29 Mar 2026 01:00 – 29 Mar 2026 08:00");
        let after = span(here.after.unwrap());
        assert_eq!((after.from, after.to), (here.to, at("2026-03-29T12:00:00")));
        assert_eq!(after.before, Some(asked));
        let last_day = span(Asked::LastDay);
        assert_eq!(last_day.after, None);
        assert_eq!(span(last_day.before.unwrap()).to, last_day.from);
        let time = at("2026-01-01T00:00:00");
        assert_eq!(Asked::between(time, time), None);
    }

    #[test]
    fn all_begins_with_the_first_reading() {
        let now = at("2026-03-30T08:00:00");
        let first = at("2020-05-05T12:00:00");
        let all = Asked::All.span(now, Some(first), &berlin());
        assert_eq!((all.from, all.to), (first, now));
        let whole = all.in_whole(Interval::Month, &berlin());
        assert_eq!(
            (whole.from, whole.to),
            (at("2020-04-30T22:00:00"), at("2026-03-31T22:00:00"))
        );
        // A day at least.
        let recent = Asked::All.span(now, Some(now), &berlin());
        assert_eq!(recent.to.millis() - recent.from.millis(), MS_PER_DAY);
    }

    #[test]
    fn ends_of_time_do_not_panic() {
        for time in [Timestamp::MIN, Timestamp::MAX] {
            for unit in Unit::ALL {
                let span = Asked::Unit(unit, Some(time)).span(time, None, &berlin());
                assert!(span.from <= span.to);
                drop(span.in_whole(Interval::Year, &berlin()));
            }
        }
        let all = Asked::between(Timestamp::MIN, Timestamp::MAX).unwrap();
        assert!(span(all).from < span(all).to);
    }
}

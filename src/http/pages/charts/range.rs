//! The range of time that a chart shows: the choice, its name, and the ranges before and after it.

use crate::chart::{bucket_name, date, moment};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Calendar, Interval, LocalDate, TimeRange, Timestamp, Zone};
use crate::texts::Language;

/// A choice of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RangeChoice {
    /// The last 24 hours.
    LastDay,
    /// A unit of the calendar: the one that contains this time, or now.
    Unit(Interval, Option<Timestamp>),
    /// From the first reading until now.
    All,
    /// From one time to another; its end does not belong to it.
    Between(TimeRange),
}

/// The range that a chart shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownRange {
    pub(crate) from: Timestamp,
    /// Its end, which does not belong to it.
    pub(crate) to: Timestamp,
    /// Its name.
    pub(crate) title: String,
    pub(crate) before: Option<RangeChoice>,
    /// `None` if that lies in the future.
    pub(crate) after: Option<RangeChoice>,
}

/// The shortest range that can be chosen.
const SHORTEST_MS: i64 = 1_000;

/// `at` as an address has it. An hour may come twice by the clocks, so it needs the time in UTC; a date comes once.
pub(crate) fn at_text(unit: Interval, at: Timestamp, zone: &Zone) -> String {
    match unit {
        Interval::Hour => at.to_string(),
        _ => date_text(at, zone),
    }
}

/// A date by the clocks of `zone`: `2026-07-08`.
pub(crate) fn date_text(time: Timestamp, zone: &Zone) -> String {
    LocalDate::of_shown(zone.shown_at(time)).to_string()
}

impl RangeChoice {
    /// The choices that have a word in an address, each with its word; of a unit the one that contains `at`.
    pub(crate) const fn named(at: Option<Timestamp>) -> [(&'static str, Self); 7] {
        [
            ("24h", Self::LastDay),
            ("hour", Self::Unit(Interval::Hour, at)),
            ("day", Self::Unit(Interval::Day, at)),
            ("week", Self::Unit(Interval::Week, at)),
            ("month", Self::Unit(Interval::Month, at)),
            ("year", Self::Unit(Interval::Year, at)),
            ("all", Self::All),
        ]
    }

    /// Its name for people.
    pub(crate) fn name(self, language: &Language) -> String {
        match self {
            Self::LastDay => language.say("chart-24-hours"),
            Self::Unit(Interval::Hour, _) => language.say("chart-hour"),
            Self::Unit(Interval::Day, _) => language.say("chart-day"),
            Self::Unit(Interval::Week, _) => language.say("chart-week"),
            Self::Unit(Interval::Month, _) => language.say("chart-month"),
            Self::Unit(..) => language.say("chart-year"),
            Self::All | Self::Between(_) => language.say("chart-all"),
        }
    }

    /// From `from` to `to`; `None` if that is shorter than a second.
    pub(crate) fn between(from: Timestamp, to: Timestamp) -> Option<Self> {
        let range = TimeRange::new(from, to)?;
        (range.length_ms() >= SHORTEST_MS).then_some(Self::Between(range))
    }

    /// The time to keep in view when another unit is chosen; `None` for a choice that ends now.
    pub(crate) fn at(self) -> Option<Timestamp> {
        match self {
            Self::Unit(_, at) => at,
            Self::Between(range) => {
                // Its middle: most of what is in view stays in view.
                let half_ms = range.length_ms() / 2;
                Some(range.start().saturating_add_millis(half_ms))
            }
            Self::LastDay | Self::All => None,
        }
    }

    /// The same one where the newest reading is, if this one ends now and has none.
    pub(crate) const fn at_newest(self, newest: Timestamp) -> Self {
        match self {
            Self::LastDay => Self::Unit(Interval::Day, Some(newest)),
            Self::Unit(unit, None) => Self::Unit(unit, Some(newest)),
            other => other,
        }
    }

    /// Whether it ends now, or with the unit of now, as time goes on.
    pub(crate) const fn is_now(self) -> bool {
        matches!(self, Self::LastDay | Self::Unit(_, None))
    }

    /// Its length, or nearly; `None` for all there is.
    pub(crate) const fn length_ms(self) -> Option<i64> {
        match self {
            Self::LastDay => Some(MS_PER_DAY),
            Self::Unit(unit, _) => Some(unit.length_ms()),
            Self::Between(range) => Some(range.length_ms()),
            Self::All => None,
        }
    }

    /// The next wider one around it; `None` if there is none.
    pub(crate) fn wider(self) -> Option<Self> {
        const UNITS: [Interval; 5] = [
            Interval::Hour,
            Interval::Day,
            Interval::Week,
            Interval::Month,
            Interval::Year,
        ];
        let length_ms = self.length_ms()?;
        let unit = UNITS.into_iter().find(|it| it.length_ms() > length_ms);
        Some(unit.map_or(Self::All, |unit| Self::Unit(unit, self.at())))
    }

    /// The range that is shown at `now`; `first` is the time of the first reading.
    pub(crate) fn shown(
        self,
        now: Timestamp,
        first: Option<Timestamp>,
        (zone, language): (&Zone, &Language),
    ) -> ShownRange {
        let day_ago = now.saturating_add_millis(-MS_PER_DAY);
        match self {
            Self::LastDay => ShownRange {
                title: language.say("chart-last-24-hours"),
                after: None,
                ..ShownRange::between(day_ago, now, now, (zone, language))
            },
            Self::Unit(unit, at) => {
                ShownRange::of_unit(unit, at.unwrap_or(now), now, (zone, language))
            }
            Self::All => {
                // A day at least, so that there is something to see from the first minute on.
                let from = first.unwrap_or(day_ago).min(day_ago);
                ShownRange {
                    from,
                    to: now,
                    title: language
                        .fill("chart-since", [("date", date(from, zone, language).into())]),
                    before: None,
                    after: None,
                }
            }
            Self::Between(range) => {
                ShownRange::between(range.start(), range.end(), now, (zone, language))
            }
        }
    }
}

impl ShownRange {
    fn of_unit(
        unit: Interval,
        at: Timestamp,
        now: Timestamp,
        (zone, language): (&Zone, &Language),
    ) -> Self {
        let mut calendar = Calendar::new(zone.clone(), unit);
        let bucket = calendar.bucket(at);
        // A bucket ends with its last millisecond, the range after it.
        let to = bucket.end().saturating_add_millis(1);
        // Units have no common length: those beside this one are found by the calendar.
        let before = calendar.bucket(bucket.start().saturating_add_millis(-1));
        let around = |at: Timestamp| RangeChoice::Unit(unit, Some(at));
        let title = match unit {
            Interval::Week => {
                let date = date(bucket.start(), zone, language);
                language.fill("chart-week-of", [("date", date.into())])
            }
            _ => bucket_name(bucket.start(), unit, zone, language),
        };
        Self {
            from: bucket.start(),
            to,
            title,
            before: Some(around(before.start())),
            after: (to <= now).then(|| {
                let next = calendar.bucket(to);
                // Without a time it stays the current one as time goes on.
                if next.contains(now) {
                    RangeChoice::Unit(unit, None)
                } else {
                    around(to)
                }
            }),
        }
    }

    fn between(
        from: Timestamp,
        to: Timestamp,
        now: Timestamp,
        (zone, language): (&Zone, &Language),
    ) -> Self {
        let span_ms = to.millis() - from.millis();
        let after = RangeChoice::between(to, to.saturating_add_millis(span_ms));
        Self {
            from,
            to,
            title: format!(
                "{} – {}",
                moment(from, zone, language),
                moment(to, zone, language)
            ),
            before: RangeChoice::between(from.saturating_add_millis(-span_ms), from),
            after: after.filter(|_| to <= now),
        }
    }

    /// The range for power, without its very end: a reading there belongs to what comes after.
    pub(crate) fn of_power(&self) -> TimeRange {
        let last = self.to.saturating_add_millis(-1);
        TimeRange::new(self.from, last).unwrap_or(TimeRange::at(self.from))
    }

    /// The range for energy, with its very end: the register there counts what was used until then.
    pub(crate) fn of_energy(&self) -> TimeRange {
        TimeRange::new(self.from, self.to).unwrap_or(TimeRange::at(self.from))
    }

    /// Its dates, for a file name.
    pub(crate) fn dates(&self, zone: &Zone) -> String {
        let last = self.to.saturating_add_millis(-1);
        let (from, to) = (date_text(self.from, zone), date_text(last, zone));
        if from == to {
            from
        } else {
            format!("{from}-to-{to}")
        }
    }

    /// The range widened to whole buckets of `interval`, so that no bar is cut; its title says so.
    pub(crate) fn in_whole(self, interval: Interval, (zone, language): (&Zone, &Language)) -> Self {
        let mut calendar = Calendar::new(zone.clone(), interval);
        let from = calendar.bucket(self.from).start();
        let last = self.to.saturating_add_millis(-1);
        let to = calendar.bucket(last).end().saturating_add_millis(1);
        let title = if (from, to) == (self.from, self.to) {
            self.title
        } else {
            let whole = match interval {
                Interval::QuarterHour => language.say("chart-whole-quarters"),
                Interval::Hour => language.say("chart-whole-hours"),
                Interval::Day => language.say("chart-whole-days"),
                Interval::Month => language.say("chart-whole-months"),
                _ => language.say("chart-whole-years"),
            };
            format!("{}, {whole}", self.title)
        };
        Self {
            from,
            to,
            title,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    fn berlin() -> Zone {
        Zone::parse("Europe/Berlin").unwrap()
    }

    fn shown(choice: RangeChoice) -> ShownRange {
        choice.shown(
            at("2026-03-30T08:00:00"),
            None,
            (&berlin(), Language::english()),
        )
    }

    #[test]
    fn units_follow_each_other_over_changes_of_clocks() {
        let today = shown(RangeChoice::Unit(Interval::Day, None));
        assert_eq!(today.title, "30 Mar 2026");
        assert_eq!(today.after, None);
        // A day of 23 hours.
        let before = shown(today.before.unwrap());
        assert_eq!(
            (before.from, before.to, before.title.as_str()),
            (
                at("2026-03-28T23:00:00"),
                at("2026-03-29T22:00:00"),
                "29 Mar 2026"
            )
        );
        assert_eq!(before.after, Some(RangeChoice::Unit(Interval::Day, None)));
        for (word, named) in RangeChoice::named(None) {
            let mut choice = named;
            if !matches!(choice, RangeChoice::Unit(..)) {
                continue;
            }
            for _ in 0..30 {
                let here = shown(choice);
                choice = here.before.unwrap();
                let there = shown(choice);
                assert_eq!(there.to, here.from, "{word}");
                assert_eq!(shown(there.after.unwrap()).from, here.from, "{word}");
            }
        }
    }

    #[test]
    fn ranges_of_their_own_are_moved_by_their_length() {
        let choice =
            RangeChoice::between(at("2026-03-29T00:00:00"), at("2026-03-29T06:00:00")).unwrap();
        let here = shown(choice);
        assert_eq!(here.title, "29 Mar 2026 01:00 – 29 Mar 2026 08:00");
        let after = shown(here.after.unwrap());
        assert_eq!((after.from, after.to), (here.to, at("2026-03-29T12:00:00")));
        assert_eq!(after.before, Some(choice));
        let last_day = shown(RangeChoice::LastDay);
        assert_eq!(last_day.after, None);
        assert_eq!(shown(last_day.before.unwrap()).to, last_day.from);
        let time = at("2026-01-01T00:00:00");
        assert_eq!(RangeChoice::between(time, time), None);
    }

    #[test]
    fn all_begins_with_the_first_reading() {
        let now = at("2026-03-30T08:00:00");
        let first = at("2020-05-05T12:00:00");
        let all = RangeChoice::All.shown(now, Some(first), (&berlin(), Language::english()));
        assert_eq!((all.from, all.to), (first, now));
        let whole = all
            .clone()
            .in_whole(Interval::Month, (&berlin(), Language::english()));
        assert_eq!(
            (whole.from, whole.to),
            (at("2020-04-30T22:00:00"), at("2026-03-31T22:00:00"))
        );
        // A day at least.
        let recent = RangeChoice::All.shown(now, Some(now), (&berlin(), Language::english()));
        assert_eq!(recent.to.millis() - recent.from.millis(), MS_PER_DAY);
    }

    #[test]
    fn ends_of_time_do_not_panic() {
        for time in [Timestamp::MIN, Timestamp::MAX] {
            for (_, choice) in RangeChoice::named(Some(time)) {
                let range = choice.shown(time, None, (&berlin(), Language::english()));
                assert!(range.from <= range.to);
                drop(range.in_whole(Interval::Year, (&berlin(), Language::english())));
            }
        }
        let all = RangeChoice::between(Timestamp::MIN, Timestamp::MAX).unwrap();
        assert!(shown(all).from < shown(all).to);
    }

    #[test]
    fn wider_ranges_are_around_narrower_ones() {
        let time = at("2026-03-30T08:00:00");
        let mut choice = RangeChoice::Unit(Interval::Hour, Some(time));
        let mut words = Vec::new();
        while let Some(wider) = choice.wider() {
            let (here, there) = (shown(choice), shown(wider));
            // A week may begin in the month before, and a month in the middle of a week.
            assert!(there.from <= here.to && here.from <= there.to);
            words.push(wider.name(Language::english()));
            choice = wider;
        }
        assert_eq!(words, ["Day", "Week", "Month", "Year", "All"]);
        let week = Some(RangeChoice::Unit(Interval::Week, None));
        assert_eq!(RangeChoice::LastDay.wider(), week);
        let days = |days: i64| {
            let end = time.saturating_add_millis(days * MS_PER_DAY);
            RangeChoice::between(time, end).unwrap().wider().unwrap()
        };
        let middle = Some(at("2026-03-31T20:00:00"));
        assert_eq!(days(3), RangeChoice::Unit(Interval::Week, middle));
        assert_eq!(days(1_000), RangeChoice::All);
    }

    #[test]
    fn a_title_says_that_a_range_was_widened_to_whole_bars() {
        let whole = |choice, interval| {
            let range = shown(choice);
            range
                .in_whole(interval, (&berlin(), Language::english()))
                .title
        };
        let day = RangeChoice::Unit(Interval::Day, None);
        assert_eq!(whole(day, Interval::QuarterHour), "30 Mar 2026");
        assert_eq!(whole(day, Interval::Month), "30 Mar 2026, whole months");
        let now = at("2026-03-30T08:20:00");
        let day = RangeChoice::LastDay.shown(now, None, (&berlin(), Language::english()));
        let day = day.in_whole(Interval::Hour, (&berlin(), Language::english()));
        assert_eq!(day.title, "Last 24 hours, whole hours");
    }
}

//! The range requested by an address.

use crate::domain::time::MS_PER_DAY;
use crate::domain::words::words;
use crate::domain::{Interval, LocalDate, TimeRange, Timestamp, Zone};
use crate::http::pages::frame::address::query_string;
use crate::texts::Language;

/// A choice of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RangeChoice {
    /// A named range; for a calendar unit, the one that contains this time, or now.
    Named(RangeWord, Option<Timestamp>),
    /// A range between two times; its end is exclusive.
    Between(TimeRange),
}

/// A named range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RangeWord {
    /// The last 24 hours.
    LastDay,
    Hour,
    Day,
    Week,
    Month,
    Year,
    /// The year that begins at the month and day of the contract.
    Contract,
    /// From the first reading until now.
    All,
}

words! {
    RangeWord: LastDay "24h", Hour "hour", Day "day", Week "week", Month "month", Year "year", Contract "contract", All "all";
    "24h, hour, day, week, month, year, contract or all"
}

/// The shortest range that can be chosen.
const SHORTEST_MS: i64 = 1_000;

impl RangeWord {
    /// Its name for people.
    pub(crate) fn name(self, language: &Language) -> String {
        language.word("span-unit", RangeWord::as_str(self))
    }

    /// The calendar unit that it is, or nearly; `None` for ranges that end now.
    pub(super) const fn unit(self) -> Option<Interval> {
        match self {
            Self::Hour => Some(Interval::Hour),
            Self::Day => Some(Interval::Day),
            Self::Week => Some(Interval::Week),
            Self::Month => Some(Interval::Month),
            Self::Year | Self::Contract => Some(Interval::Year),
            Self::LastDay | Self::All => None,
        }
    }

    /// Its approximate length; `None` for all readings.
    const fn length_ms(self) -> Option<i64> {
        match (self, self.unit()) {
            (Self::LastDay, _) => Some(MS_PER_DAY),
            (_, Some(unit)) => Some(unit.length_ms()),
            (_, None) => None,
        }
    }
}

impl RangeChoice {
    /// The last 24 hours.
    pub(crate) const LAST_DAY: Self = Self::Named(RangeWord::LastDay, None);

    /// A named range, around a time if one is given.
    pub(crate) fn named(word: RangeWord, at: Option<Timestamp>) -> Self {
        Self::Named(word, at.filter(|_| word.unit().is_some()))
    }

    /// The range from `from` to `to`; `None` if it is shorter than a second.
    pub(crate) fn between(from: Timestamp, to: Timestamp) -> Option<Self> {
        let range = TimeRange::new(from, to)?;
        (range.length_ms() >= SHORTEST_MS).then_some(Self::Between(range))
    }

    /// Its name, if it has one.
    pub(crate) const fn word(self) -> Option<RangeWord> {
        match self {
            Self::Named(word, _) => Some(word),
            Self::Between(_) => None,
        }
    }

    /// The time to keep in view when another unit is chosen; `None` for a choice that ends now.
    pub(crate) fn at(self) -> Option<Timestamp> {
        match self {
            Self::Named(_, at) => at,
            Self::Between(range) => {
                // The middle, so that most of the view stays in view.
                let half_ms = range.length_ms() / 2;
                Some(range.start().saturating_add_millis(half_ms))
            }
        }
    }

    /// The range with its hours by days: a month or a year around it if it has no such picture.
    pub(crate) fn in_hours(self) -> Self {
        use RangeWord::{Month, Week, Year};
        match self {
            Self::Named(Week | Month | Year, _) => self,
            Self::Named(RangeWord::Contract, _) => Self::named(Year, self.at()),
            _ => Self::named(Month, self.at()),
        }
    }

    /// The same range around the newest reading, if this one ends now and has no readings.
    pub(crate) const fn at_newest(self, newest: Timestamp) -> Self {
        match self {
            Self::Named(RangeWord::LastDay, _) => Self::Named(RangeWord::Day, Some(newest)),
            Self::Named(word, None) if word.unit().is_some() => Self::Named(word, Some(newest)),
            other => other,
        }
    }

    /// Whether it ends now, or with the current unit, as time passes.
    pub(crate) fn is_now(self) -> bool {
        matches!(self, Self::Named(word, None) if word != RangeWord::All)
    }

    /// Its approximate length; `None` for all readings.
    pub(crate) const fn length_ms(self) -> Option<i64> {
        match self {
            Self::Named(word, _) => word.length_ms(),
            Self::Between(range) => Some(range.length_ms()),
        }
    }

    /// Its parameters in an address.
    pub(crate) fn parameters(self, zone: &Zone) -> Vec<(&'static str, String)> {
        match self {
            Self::Named(word, at) => {
                let at = at.map(|at| match word {
                    // A local hour may occur twice; a date occurs once.
                    RangeWord::Hour => at.to_string(),
                    _ => LocalDate::at(at, zone).to_string(),
                });
                let range = ("range", word.as_str().to_owned());
                let at = at.map(|at| ("at", at));
                [range].into_iter().chain(at).collect()
            }
            Self::Between(range) => {
                let (from, to) = match whole_days(range.start(), range.end(), zone) {
                    Some([first, last]) => (first.to_string(), last.to_string()),
                    None => (range.start().to_string(), range.end().to_string()),
                };
                vec![("from", from), ("to", to)]
            }
        }
    }

    /// The address of this range of an account, on the page at `path`.
    pub(crate) fn address(self, path: &str, account: Option<&str>, zone: &Zone) -> String {
        let account = account.map(|name| ("account", name.to_owned()));
        let all: Vec<_> = account.into_iter().chain(self.parameters(zone)).collect();
        format!("{path}{}", query_string(&all))
    }
}

/// The first and the last day of a range from `from` until before `to`.
pub(super) fn days_of(from: Timestamp, to: Timestamp, zone: &Zone) -> [LocalDate; 2] {
    [from, to.saturating_add_millis(-1)].map(|time| LocalDate::at(time, zone))
}

/// The same, unless the range covers only part of one of these days.
pub(super) fn whole_days(from: Timestamp, to: Timestamp, zone: &Zone) -> Option<[LocalDate; 2]> {
    let [first, last] = days_of(from, to, zone);
    (first.start(zone) == from && end_of(last, zone) == to).then_some([first, last])
}

/// The end of a day.
pub(crate) fn end_of(date: LocalDate, zone: &Zone) -> Timestamp {
    let next = date.plus_days(1);
    next.map_or(Timestamp::MAX, |next| next.start(zone))
}

/// The days from one date to another, both included.
pub(super) fn count_of_days([first, last]: [LocalDate; 2]) -> i64 {
    (last.midnight().millis() - first.midnight().millis()) / MS_PER_DAY + 1
}

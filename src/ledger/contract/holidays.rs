//! Public holidays, as a person lists them: no data of countries.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::sets::MONTHS;
use crate::domain::{LocalDate, Weekday};

/// A rule for a holiday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holiday {
    /// `2026-06-04`: this date alone.
    On(LocalDate),
    /// `12-25`: a month and a day of it, each year.
    Yearly { month: u8, day: u8 },
    /// `easter+1`: so many days after Easter Sunday.
    Easter(i16),
    /// `last mon of may`, `1st fri of oct`; -1 is the last.
    Nth {
        nth: i8,
        weekday: Weekday,
        month: u8,
    },
}

/// The holidays of a contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Holidays(Vec<Holiday>);

/// Why a text is no holiday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a holiday such as \"2026-06-04\", \"12-25\", \"easter+1\" or \"last mon of may\"")]
pub(super) struct NoHoliday;

const NTH: [(&str, i8); 5] = [("1st", 1), ("2nd", 2), ("3rd", 3), ("4th", 4), ("last", -1)];
/// Easter's earliest day, 22 March, and days after it up to its latest, 25 April: so near to each
/// other that no month lies between.
const EASTERS: [i32; 3] = [0, 17, 34];
const FARTHEST_FROM_EASTER: i16 = 100;

impl Holidays {
    pub(super) fn new(rules: Vec<Holiday>) -> Self {
        Self(rules)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a date is one of them.
    pub(super) fn contains(&self, date: LocalDate) -> bool {
        self.0.iter().any(|holiday| holiday.is_on(date))
    }

    /// Whether one of them can come on a weekday of a month; the weekday is counted as
    /// [`Weekday::days_after_monday`] does.
    pub(super) fn may_come(&self, month: u8, weekday: u8) -> bool {
        self.0
            .iter()
            .any(|holiday| holiday.may_come(month, weekday))
    }

    /// Each as it is typed.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(ToString::to_string)
    }
}

impl Holiday {
    fn is_on(self, date: LocalDate) -> bool {
        match self {
            Self::On(other) => other == date,
            Self::Yearly { month, day } => (month, day) == (date.month(), date.day()),
            Self::Easter(days) => {
                let easter = date.plus_days(-i32::from(days));
                easter.is_some_and(|easter| LocalDate::easter(easter.year()) == Some(easter))
            }
            Self::Nth {
                nth,
                weekday,
                month,
            } => {
                date.month() == month
                    && LocalDate::nth_weekday(date.year(), month, nth, weekday) == Some(date)
            }
        }
    }

    fn may_come(self, month: u8, weekday: u8) -> bool {
        match self {
            Self::On(date) => {
                (date.month(), date.weekday().days_after_monday()) == (month, weekday)
            }
            Self::Yearly { month: own, .. } => own == month,
            Self::Easter(days) => {
                let comes_on = (6 + i32::from(days)).rem_euclid(7);
                let first = LocalDate::new(2025, 3, 22).into_iter();
                let days = first.flat_map(|first| {
                    EASTERS.map(|after| first.plus_days(after + i32::from(days)))
                });
                comes_on == i32::from(weekday) && days.flatten().any(|day| day.month() == month)
            }
            Self::Nth {
                weekday: own,
                month: own_month,
                ..
            } => (own_month, own.days_after_monday()) == (month, weekday),
        }
    }
}

impl FromStr for Holiday {
    type Err = NoHoliday;

    fn from_str(text: &str) -> Result<Self, NoHoliday> {
        Ok(if let Some(days) = text.strip_prefix("easter") {
            let has_sign = days.is_empty() || days.starts_with(['+', '-']);
            let days = if days.is_empty() { "0" } else { days };
            let days: Option<i16> = days.parse().ok().filter(|_| has_sign);
            let near = days.filter(|days| days.abs() <= FARTHEST_FROM_EASTER);
            Holiday::Easter(near.ok_or(NoHoliday)?)
        } else if let [nth, weekday, "of", month] = *text.split(' ').collect::<Vec<_>>() {
            let (_, nth) = *NTH.iter().find(|(word, _)| *word == nth).ok_or(NoHoliday)?;
            let month = (1..)
                .zip(MONTHS)
                .find(|(_, word)| *word == month)
                .ok_or(NoHoliday)?
                .0;
            let weekday = weekday.parse().map_err(|_| NoHoliday)?;
            Holiday::Nth {
                nth,
                weekday,
                month,
            }
        } else if text.len() == 5 {
            // 2024 has a 29 February.
            let date = LocalDate::parse(&format!("2024-{text}")).map_err(|_| NoHoliday)?;
            Holiday::Yearly {
                month: date.month(),
                day: date.day(),
            }
        } else {
            Holiday::On(LocalDate::parse(text).map_err(|_| NoHoliday)?)
        })
    }
}

impl fmt::Display for Holiday {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::On(date) => date.fmt(f),
            Self::Yearly { month, day } => write!(f, "{month:02}-{day:02}"),
            Self::Easter(days) => write!(f, "easter{days:+}"),
            Self::Nth {
                nth,
                weekday,
                month,
            } => {
                let nth = NTH
                    .iter()
                    .find(|(_, number)| *number == nth)
                    .map_or("", |(word, _)| word);
                let month = MONTHS
                    .get(usize::from(month).saturating_sub(1))
                    .copied()
                    .unwrap_or_default();
                write!(f, "{nth} {} of {month}", weekday.as_str())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holidays(texts: &[&str]) -> Holidays {
        Holidays(texts.iter().map(|text| text.parse().unwrap()).collect())
    }

    #[test]
    fn holidays_come_by_their_rules() {
        let all = holidays(&[
            "2026-06-04",
            "12-25",
            "easter-2",
            "easter+1",
            "last mon of may",
            "1st fri of oct",
        ]);
        for date in [
            "2026-06-04",
            "2026-12-25",
            "2031-12-25",
            "2026-04-03",
            "2026-04-06",
            "2025-04-21",
            "2026-05-25",
            "2026-10-02",
        ] {
            assert!(all.contains(LocalDate::parse(date).unwrap()), "{date}");
        }
        for date in [
            "2027-06-04",
            "2026-12-24",
            "2026-04-05",
            "2026-05-18",
            "2026-10-09",
        ] {
            assert!(!all.contains(LocalDate::parse(date).unwrap()), "{date}");
        }
        let printed: Vec<String> = all.texts().collect();
        assert_eq!(
            printed,
            [
                "2026-06-04",
                "12-25",
                "easter-2",
                "easter+1",
                "last mon of may",
                "1st fri of oct"
            ]
        );
    }

    #[test]
    fn what_is_no_holiday_is_refused() {
        for text in [
            "",
            "easter1",
            "easter+",
            "easter+101",
            "13-01",
            "02-30",
            "5th mon of may",
            "last mon of mai",
            "last mon in may",
            "2026-6-4",
        ] {
            assert!(text.parse::<Holiday>().is_err(), "{text}");
        }
        assert!("02-29".parse::<Holiday>().is_ok());
    }

    /// `may_come` covers every day that a holiday falls on; otherwise a needed holiday zone would
    /// be rejected.
    #[test]
    fn holidays_come_where_they_may() {
        let rules = [
            "2026-06-04",
            "02-29",
            "easter-51",
            "easter-48",
            "easter-23",
            "easter+6",
            "easter+8",
            "easter+39",
            "easter+60",
            "last mon of may",
        ];
        for rule in rules {
            let all = holidays(&[rule]);
            let mut date = LocalDate::new(2000, 1, 1).unwrap();
            while date.year() < 2100 {
                let weekday = date.weekday().days_after_monday();
                assert!(
                    !all.contains(date) || all.may_come(date.month(), weekday),
                    "{rule} {date}"
                );
                date = date.plus_days(1).unwrap();
            }
        }
        let monday = holidays(&["easter+1"]);
        assert!(monday.may_come(3, 0) && monday.may_come(4, 0));
        assert!(!monday.may_come(5, 0) && !monday.may_come(4, 1));
    }
}

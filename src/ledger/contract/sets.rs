//! Sets of months and weekdays, and hours of the clock, as a person types them: `11-3`,
//! `mon-fri,sun`, `22:00-06:00`.

use std::fmt;

use crate::domain::{LocalDate, Weekday};

/// The months as words.
pub(super) const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Some of `SIZE` months or weekdays, counted from 0; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CircleSet<const SIZE: u8>(u16);

/// A part of the day by the clock, in minutes after midnight; it crosses midnight if it ends before
/// it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClockHours {
    from: u16,
    /// 1 to 1440.
    to: u16,
}

/// A range of dates in each year, both ends included. It crosses the end of the year if it ends
/// before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DateRange {
    /// Month and day, from 1.
    first: (u8, u8),
    last: (u8, u8),
}

/// The minutes of a day without a change of the clocks.
pub(super) const MINUTES_OF_DAY: u16 = 24 * 60;

impl<const SIZE: u8> CircleSet<SIZE> {
    pub(super) const ALL: Self = Self((1 << SIZE) - 1);

    pub(super) const fn contains(self, index: u8) -> bool {
        self.0 >> index & 1 == 1
    }

    /// Those that `has` holds for; all if it holds for none.
    pub(super) fn of(has: impl Fn(u8) -> bool) -> Self {
        let bits = (0..SIZE).fold(0, |bits, index| bits | u16::from(has(index)) << index);
        if bits == 0 { Self::ALL } else { Self(bits) }
    }

    /// The set of single ones and ranges, separated by commas. A range may go over the end: from
    /// November to March.
    pub(super) fn parse(text: &str, index_of: impl Fn(&str) -> Option<u8>) -> Option<Self> {
        let mut set = 0;
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (mut index, last) = (index_of(first.trim())?, index_of(last.trim())?);
            set |= 1 << index;
            while index != last {
                index = (index + 1) % SIZE;
                set |= 1 << index;
            }
        }
        Some(Self(set))
    }

    fn print(self, name_of: impl Fn(u8) -> String) -> String {
        let mut parts = Vec::new();
        let mut index = 0;
        while index < SIZE {
            let length = u8::try_from((self.0 >> index).trailing_ones()).unwrap_or(SIZE);
            match length {
                0 => {}
                1 => parts.push(name_of(index)),
                _ => parts.push(format!(
                    "{}-{}",
                    name_of(index),
                    name_of(index + length - 1)
                )),
            }
            index += length + 1;
        }
        parts.join(",")
    }
}

/// Months, from January.
pub(super) type MonthSet = CircleSet<12>;
/// Weekdays, from Monday.
pub(super) type WeekdaySet = CircleSet<7>;

impl MonthSet {
    pub(super) fn parse_months(text: &str) -> Option<Self> {
        let index_of = |month: &str| {
            let number: u8 = month.parse().ok()?;
            number.checked_sub(1).filter(|index| *index < 12)
        };
        Self::parse(text, index_of)
    }
}

impl WeekdaySet {
    pub(super) fn parse_weekdays(text: &str) -> Option<Self> {
        let index_of = |day: &str| day.parse::<Weekday>().ok().map(Weekday::days_after_monday);
        Self::parse(text, index_of)
    }
}

impl fmt::Display for MonthSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print(|index| (index + 1).to_string()))
    }
}

impl fmt::Display for WeekdaySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print(|index| weekday_word(index).to_owned()))
    }
}

/// The word of a weekday, counted from Monday.
pub(super) fn weekday_word(index: u8) -> &'static str {
    Weekday::ALL
        .get(usize::from(index))
        .map_or("", |day| day.as_str())
}

impl ClockHours {
    /// The parts of the day that `text` lists, separated by commas.
    pub(super) fn parse_list(text: &str) -> Option<Vec<Self>> {
        text.split(',')
            .map(|part| Self::parse(part.trim()))
            .collect()
    }

    /// From one hour, 0 to 23, until before another, over midnight if that is not later.
    pub(super) fn whole(from: u8, to: u8) -> Self {
        let [from, to] = [from, to].map(|hour| u16::from(hour % 24) * 60);
        Self {
            from,
            to: if to == 0 { MINUTES_OF_DAY } else { to },
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let (from, to) = (minute(from)?, minute(to)?);
        // Until midnight is until the end of the day.
        let to = if to == 0 { MINUTES_OF_DAY } else { to };
        (from != to && from < MINUTES_OF_DAY).then_some(Self { from, to })
    }

    pub(super) const fn contains(self, minute: u16) -> bool {
        if self.from < self.to {
            self.from <= minute && minute < self.to
        } else {
            self.from <= minute || minute < self.to
        }
    }

    /// The minutes of its beginning and end.
    pub(super) const fn ends(self) -> [u16; 2] {
        [self.from, self.to]
    }
}

impl fmt::Display for ClockHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", clock(self.from), clock(self.to))
    }
}

impl DateRange {
    /// Parses ranges separated by commas.
    pub(super) fn parse_list(text: &str) -> Option<Vec<Self>> {
        let parse = |part: &str| {
            let part = part.trim();
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let (first, last) = (month_and_day(first)?, month_and_day(last)?);
            Some(Self { first, last })
        };
        text.split(',').map(parse).collect()
    }

    /// Whether it contains a day; the month is counted from 0.
    pub(super) fn contains(self, month: u8, day: u8) -> bool {
        let date = (month + 1, day);
        if self.first <= self.last {
            self.first <= date && date <= self.last
        } else {
            self.first <= date || date <= self.last
        }
    }
}

impl fmt::Display for DateRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (month, day) = self.first;
        write!(f, "{month:02}-{day:02}")?;
        if self.first == self.last {
            return Ok(());
        }
        let (month, day) = self.last;
        write!(f, "..{month:02}-{day:02}")
    }
}

/// Parses the month and day of `MM-DD`; 29 February is valid.
fn month_and_day(text: &str) -> Option<(u8, u8)> {
    // A leap year.
    let date = LocalDate::parse(&format!("2024-{}", text.trim())).ok()?;
    Some((date.month(), date.day()))
}

/// Minutes after midnight as `HH:MM`.
pub(super) fn clock(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

/// The minutes after midnight of `HH:MM`, up to 24:00.
pub(super) fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |text: &str| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| is_number)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minute = hours * 60 + minutes;
    (minutes < 60 && minute <= MINUTES_OF_DAY).then_some(minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_printed() {
        for (text, printed) in [
            ("7", "7"),
            ("11-3", "1-3,11-12"),
            ("1,2,3, 12", "1-3,12"),
            ("3-2", "1-12"),
        ] {
            assert_eq!(MonthSet::parse_months(text).unwrap().to_string(), printed);
        }
        assert_eq!(MonthSet::parse_months("1-12"), Some(MonthSet::ALL));
        for (text, printed) in [
            ("mon-fri", "mon-fri"),
            ("sat-mon", "mon,sat-sun"),
            ("sun", "sun"),
        ] {
            assert_eq!(
                WeekdaySet::parse_weekdays(text).unwrap().to_string(),
                printed
            );
        }
        for text in ["", "0", "13", "1-", "-1", "1,,2", "may", "1-2-3"] {
            assert_eq!(MonthSet::parse_months(text), None, "{text}");
        }
        assert_eq!(WeekdaySet::parse_weekdays("monday"), None);
    }

    #[test]
    fn hours_are_read_and_printed() {
        let minutes = |text: &str| {
            let hours = ClockHours::parse_list(text).unwrap();
            (0..MINUTES_OF_DAY)
                .filter(|minute| hours.iter().any(|part| part.contains(*minute)))
                .count()
        };
        assert_eq!(minutes("22:00-06:00"), 8 * 60);
        assert_eq!(minutes("06:00-22:30"), 16 * 60 + 30);
        assert_eq!(minutes("00:00-24:00"), 24 * 60);
        assert_eq!(minutes("23:00-00:00, 12:00-13:00"), 2 * 60);
        let night = ClockHours::parse("22:00-06:00").unwrap();
        assert!(
            night.contains(22 * 60)
                && night.contains(0)
                && !night.contains(6 * 60)
                && !night.contains(22 * 60 - 1)
        );
        assert_eq!(night.to_string(), "22:00-06:00");
        for text in [
            "",
            "6-22",
            "06:00",
            "06:00-06:00",
            "24:00-06:00",
            "06:60-07:00",
            "06:00-24:01",
            "+6:00-07:00",
            "00:00-00:0",
        ] {
            assert_eq!(ClockHours::parse_list(text), None, "{text}");
        }
    }
}

//! Times in the forms of other systems. Ambiguous times are errors, never guesses, because nobody
//! would find a reading at a wrong time.
//!
//! - `forms`: parts of a time
//! - `clock_label`: a time as it is written; `label`: labels become moments, with `steady_clock`

mod clock_label;
mod forms;
mod label;
mod steady_clock;

use std::fmt::Write as _;
use std::str::FromStr;

use self::forms::{
    compact, epoch, half_of_day, hour_of_day, spelled, split_offset, summer_mark,
    without_clock_word,
};

use self::steady_clock::SteadyClock;

pub(crate) use self::clock_label::ClockLabel;
pub(crate) use self::forms::{compact_clock, two_parts};
pub(crate) use self::label::{RowWhen, TimeFault, When, WhenDoubt, clock_text};
use crate::domain::words::UnknownWord;
use crate::domain::{TimeError, Timestamp, Zone};
use crate::ingest::times::AHEAD_AT_MOST;

/// The first part of a date such as 03/04/2026.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// The day: 3 April
    Dmy,
    /// The month: 4 March
    Mdy,
}

impl DateOrder {
    /// Its word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Dmy => "dmy",
            Self::Mdy => "mdy",
        }
    }
}

impl FromStr for DateOrder {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "dmy" => Ok(Self::Dmy),
            "mdy" => Ok(Self::Mdy),
            _ => Err(UnknownWord {
                expected: "dmy or mdy",
            }),
        }
    }
}

/// Reads the times of a file, row by row.
#[derive(Clone)]
pub(crate) struct TimeReader {
    zone: Option<Zone>,
    order: Option<DateOrder>,
    latest: Timestamp,
    /// The row's time in the form that [`Timestamp::parse`] reads.
    text: String,
    steady: SteadyClock,
}

const DAY_MS: i64 = 86_400_000;

/// Why a cell is not a time.
type Reason = String;

impl TimeReader {
    /// A reader for a file imported at `now`. Times without an offset are in `zone`, or UTC.
    pub(crate) fn new(zone: Option<Zone>, order: Option<DateOrder>, now: Timestamp) -> Self {
        Self {
            zone,
            order,
            latest: now,
            text: String::new(),
            steady: SteadyClock::default(),
        }
    }

    /// Whether a cell is a time; names of columns never are.
    pub(crate) fn looks_like_one(cell: &[u8]) -> bool {
        // Any order and any future will do, because only the form matters.
        if cell.len() > 200 || !cell.iter().any(u8::is_ascii_digit) {
            return false;
        }
        let is_time = |cell: &[u8]| {
            [DateOrder::Dmy, DateOrder::Mdy].into_iter().any(|order| {
                let mut any = Self::new(None, Some(order), Timestamp::MAX);
                any.read(cell).is_ok()
            })
        };
        is_time(cell)
            || two_parts(cell).is_some_and(|(from, to)| {
                let day = format!("2000-01-01 {to}");
                is_time(from.as_bytes()) && (is_time(to.as_bytes()) || is_time(day.as_bytes()))
            })
    }

    /// Whether a cell has the start and the end of an interval.
    pub(crate) fn is_range(cell: &[u8]) -> bool {
        two_parts(cell).is_some() && (Self::looks_like_one(cell) || Self::is_clock(cell))
    }

    /// Reads times in UTC, even if a zone is set.
    pub(crate) fn set_utc(&mut self) {
        self.set_zone(None);
    }

    fn set_zone(&mut self, zone: Option<Zone>) {
        self.zone = zone;
        self.steady = SteadyClock::default();
    }

    /// Whether a cell is a date without a time of day.
    pub(crate) fn is_date(cell: &[u8]) -> bool {
        let is_spelled = || spelled(&String::from_utf8_lossy(cell.trim_ascii())).is_some();
        Self::looks_like_one(cell)
            && !cell.contains(&b':')
            && (cell.trim_ascii().len() <= 10 || is_spelled())
    }

    /// Whether a cell is a time of day without a date.
    pub(crate) fn is_clock(cell: &[u8]) -> bool {
        cell.contains(&b':') && !Self::looks_like_one(cell) && {
            let is_one = |clock: &[u8]| Self::looks_like_one(&[b"2000-01-01 ", clock].concat());
            let parts = two_parts(cell);
            parts.map_or_else(
                || is_one(cell.trim_ascii()),
                |(from, to)| is_one(from.as_bytes()) && is_one(to.as_bytes()),
            )
        }
    }

    /// Whether a cell is a time only if the order of day and month is known.
    pub(crate) fn needs_order(cell: &[u8]) -> bool {
        let is_read = |order| Self::new(None, order, Timestamp::MAX).read(cell).is_ok();
        !is_read(None)
            && [DateOrder::Dmy, DateOrder::Mdy]
                .into_iter()
                .any(|order| is_read(Some(order)))
    }

    /// Returns the moment in a cell that has one, whatever its rows are.
    ///
    /// # Errors
    /// The reason why it cannot be the time of a reading.
    pub(crate) fn read(&mut self, cell: &[u8]) -> Result<Timestamp, Reason> {
        let label = self.label(cell)?;
        let found = self.start(label, When::At);
        let found = found.map_err(TimeFault::into_text)?;
        match found.doubt {
            None => Ok(found.when.first()),
            Some(_) => Err(format!(
                "the time {} came twice, when the clocks were set back: give times with an offset",
                clock_text(label.written())
            )),
        }
    }

    /// The time in a cell with the API's own form, which is the fastest to read.
    pub(crate) fn own_form(&self, cell: &[u8]) -> Option<ClockLabel> {
        let text = std::str::from_utf8(cell).ok()?;
        let time = Timestamp::parse(text).ok()?;
        match self.zone {
            Some(_) if is_without_offset(text) => Some(ClockLabel::Local(time)),
            Some(_) if !text.ends_with('Z') => None,
            _ => Some(ClockLabel::Moment(time)),
        }
    }

    /// Returns the time in a cell as it is written.
    ///
    /// # Errors
    /// The reason why it is none.
    pub(crate) fn label(&mut self, cell: &[u8]) -> Result<ClockLabel, Reason> {
        let text = std::str::from_utf8(cell)
            .map_err(|_| expected(cell))?
            .trim();
        // Java writes the zone behind the offset: `2026-01-05T10:00+01:00[Europe/Berlin]`.
        let text = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((time, _)) if time.contains(':') => time,
            _ => text,
        };
        let (text, is_summer) = summer_mark(text);
        let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'.';
        // With two dots it is a date, such as 05.01.2026.
        let is_number = || text.bytes().all(is_digit) && text.matches('.').count() < 2;
        match Timestamp::parse(text) {
            Ok(time) if self.zone.is_none() => Ok(ClockLabel::Moment(time)),
            Ok(time) if is_without_offset(text) => Ok(if is_summer {
                ClockLabel::Summer(time)
            } else {
                ClockLabel::Local(time)
            }),
            _ if text.is_empty() => Err("the time is missing".into()),
            _ => match compact(text).or_else(|| spelled(text)) {
                Some(spaced) => self.civil(&spaced),
                None if is_number() => epoch(text).map(ClockLabel::Moment),
                None => self.civil(text),
            }
            .map(|label| if is_summer { label.of_summer() } else { label }),
        }
    }

    /// Sets the zone for times without one, unless it is set.
    pub(crate) fn or_zone(&mut self, zone: Option<Zone>) {
        let zone = self.zone.take().or(zone);
        self.set_zone(zone);
    }

    /// Whether the order of day and month is unknown, and needed for a cell.
    pub(crate) fn lacks_order(&self, cell: &[u8]) -> bool {
        self.order.is_none() && Self::needs_order(cell)
    }

    /// Sets the order of dates, unless it is set.
    pub(crate) fn or_order(&mut self, order: Option<DateOrder>) {
        self.order = self.order.or(order);
    }

    /// The zone for times without one.
    pub(crate) const fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// The name of that zone; UTC without one.
    pub(crate) fn zone_name(&self) -> &str {
        self.zone.as_ref().map_or("UTC", Zone::name)
    }

    /// Returns the time `seconds` after 1970, for files with such times.
    ///
    /// # Errors
    /// The reason why it cannot be the time of a reading.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a time of these years is a whole number of milliseconds below 2^53"
    )]
    pub(crate) fn seconds(&self, seconds: f64) -> Result<Timestamp, Reason> {
        let ms = (seconds * 1e3).round();
        // Beyond the supported years the cast saturates, and no time is returned.
        let time = Timestamp::from_millis(ms as i64).filter(|_| ms.is_finite());
        let time = time.ok_or_else(|| format!("{seconds} is not a time in seconds since 1970"))?;
        self.check_not_ahead(time)?;
        Ok(time)
    }

    fn check_not_ahead(&self, time: Timestamp) -> Result<(), Reason> {
        if time > self.latest.saturating_add(AHEAD_AT_MOST) {
            return Err(format!(
                "the time {time} is more than 24 hours ahead of this machine's clock"
            ));
        }
        Ok(())
    }

    /// Parses a date and time of day, with or without an offset.
    fn civil(&mut self, text: &str) -> Result<ClockLabel, Reason> {
        let (has_offset, is_midnight_after) = self.normalize(text)?;
        let mut time = Timestamp::parse(&self.text).map_err(|error| match error {
            TimeError::Form => expected(text.as_bytes()),
            other => format!("the time {}: {other}", shown(text.as_bytes())),
        })?;
        if is_midnight_after {
            time = time.saturating_add_millis(DAY_MS);
        }
        Ok(if self.zone.is_none() || has_offset {
            ClockLabel::Moment(time)
        } else if text.contains(':') {
            ClockLabel::Local(time)
        } else {
            ClockLabel::Day(time)
        })
    }

    /// Writes a date and time of day in the API's form into `self.text`; returns whether it has an
    /// offset, and whether it is the midnight after that day, which is written as 24:00.
    fn normalize(&mut self, text: &str) -> Result<(bool, bool), Reason> {
        let wrong = || expected(text.as_bytes());
        let (date, clock) = text.split_once(['T', ' ', '\u{a0}']).unwrap_or((text, ""));
        let [year, month, day] = self.date_parts(date.trim_end_matches(','), text)?;
        let (clock, half) = half_of_day(without_clock_word(clock.trim()));
        let (clock, offset) = split_offset(clock.trim()).ok_or_else(wrong)?;
        let (clock, half) = match half {
            None => half_of_day(clock.trim()),
            _ => (clock, half),
        };
        // A date alone is its midnight.
        let clock = if clock.is_empty() { "00:00" } else { clock };
        let mut parts = clock.split(':');
        let (Some(hour), Some(minute), second, None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        if hour.is_empty() {
            return Err(wrong());
        }
        let second = second.unwrap_or("00");
        let is_midnight_after = hour == "24"
            && [minute, second]
                .iter()
                .all(|it| it.bytes().all(|byte| matches!(byte, b'0' | b'.')));
        let hour = if is_midnight_after {
            "00".into()
        } else {
            hour_of_day(hour, half).ok_or_else(wrong)?
        };
        let century = if year.len() == 2 { "20" } else { "" };
        self.text.clear();
        // Writing to a string cannot fail.
        let _ = write!(
            self.text,
            "{century}{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{minute:0>2}:{second:0>2}{offset}"
        );
        Ok((!offset.is_empty(), is_midnight_after))
    }

    /// Year, month and day of `date`, which is part of `text`.
    fn date_parts<'a>(&self, date: &'a str, text: &str) -> Result<[&'a str; 3], Reason> {
        let wrong = || expected(text.as_bytes());
        let separator = date
            .chars()
            .find(|c| !c.is_ascii_digit())
            .filter(|c| matches!(c, '-' | '/' | '.'))
            .ok_or_else(wrong)?;
        let mut parts = date.split(separator);
        let (Some(a), Some(b), Some(c), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        match (a.len(), c.len(), separator, self.order) {
            (4, ..) => Ok([a, b, c]),
            // Dates with dots have the day first, so they need no option.
            (1..=2, 2, '.', _)
            | (_, 4, '.', _)
            | (_, 4, _, Some(DateOrder::Dmy))
            | (1..=2, 2, '/', Some(DateOrder::Dmy)) => Ok([c, b, a]),
            (_, 4, _, Some(DateOrder::Mdy)) | (1..=2, 2, '/', Some(DateOrder::Mdy)) => {
                Ok([c, a, b])
            }
            (_, 4, _, None) | (1..=2, 2, '/', None) => Err(format!(
                "the time {}: is the day or the month first? Use --dates dmy or --dates mdy",
                shown(text.as_bytes())
            )),
            _ => Err(wrong()),
        }
    }
}

/// Whether a text in the API's own form, such as 2026-01-05T10:00:00, has no offset.
fn is_without_offset(text: &str) -> bool {
    let clock = text.get("2026-01-05T".len()..).unwrap_or_default();
    let is_clock = |byte: u8| byte.is_ascii_digit() || matches!(byte, b':' | b'.');
    clock.contains(':') && clock.bytes().all(is_clock)
}

fn expected(cell: &[u8]) -> Reason {
    format!(
        "{} is not a time: expected a date and time such as 2026-01-05T10:00:00, or seconds or milliseconds since 1970",
        shown(cell)
    )
}

/// A cell as shown in a message.
pub(crate) fn shown(cell: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(cell);
    let start: String = text.chars().take(LONGEST).collect();
    if start.len() < text.len() {
        format!("{start:?}…")
    } else {
        format!("{start:?}")
    }
}

#[cfg(test)]
mod tests;

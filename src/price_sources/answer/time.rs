//! Times of entries.

use crate::domain::calendar::LocalTime;
use crate::domain::{LocalDate, Timestamp};
use crate::price_sources::form::{AnswerTimes, SourceForm};

/// Reads the times of an answer, one after another.
pub(super) struct AnswerClock<'f> {
    form: &'f SourceForm,
    /// The time before: an hour that comes twice comes first in summer time.
    last: Option<Timestamp>,
}

impl<'f> AnswerClock<'f> {
    pub(super) const fn new(form: &'f SourceForm) -> Self {
        Self { form, last: None }
    }

    /// The time that a text means; `None` if it is none.
    pub(super) fn read(&mut self, text: &str) -> Option<Timestamp> {
        let since_1970 = |factor: i64| {
            let number: i64 = text.parse().ok()?;
            Timestamp::from_millis(number.checked_mul(factor)?)
        };
        let time = match self.form.times {
            AnswerTimes::Iso => iso(text)?,
            AnswerTimes::Seconds => since_1970(1_000)?,
            AnswerTimes::Milliseconds => since_1970(1)?,
            AnswerTimes::Local => match self.form.clock.local(iso(text)?) {
                LocalTime::Once(time) => time,
                LocalTime::Twice(first, second) => {
                    if self.last.is_some_and(|last| first <= last) {
                        second
                    } else {
                        first
                    }
                }
                LocalTime::Skipped(_) => return None,
            },
        };
        self.last = Some(time);
        Some(time)
    }

    /// The date that a text means: of a date-time, the date in it.
    pub(super) fn read_date(&mut self, text: &str) -> Option<LocalDate> {
        match self.form.times {
            AnswerTimes::Iso | AnswerTimes::Local => LocalDate::parse(text.get(..10)?).ok(),
            AnswerTimes::Seconds | AnswerTimes::Milliseconds => {
                Some(LocalDate::at(self.read(text)?, &self.form.clock))
            }
        }
    }
}

/// A date-time: also without seconds, with a space between date and clock time, or a date alone.
pub(super) fn iso(text: &str) -> Option<Timestamp> {
    if text.len() == 10 {
        return Timestamp::parse_date(text).ok();
    }
    let (date, rest) = text.split_at_checked(10)?;
    let clock = rest.strip_prefix(['T', ' '])?;
    let has_seconds = clock.as_bytes().get(5) == Some(&b':');
    let (minutes, rest) = clock.split_at_checked(5)?;
    let seconds = if has_seconds { "" } else { ":00" };
    Timestamp::parse(&format!("{date}T{minutes}{seconds}{rest}")).ok()
}

//! Local labels become moments here, for the rows of all forms. On two days of a year a label is no
//! moment by itself: an hour is skipped, or comes twice. What only other rows can tell is a
//! [`WhenDoubt`], which `ingest/file/passes` resolves.

use super::TimeReader;
use super::clock_label::ClockLabel;
use crate::domain::{LocalDate, LocalTime, Timestamp, Zone};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// When a value was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// At a moment.
    At(Timestamp),
    /// From this time on, for the usual distance between values of the file.
    From(Timestamp),
    /// Until this time, from the value before on, or for that usual distance.
    Until(Timestamp),
    /// Between two times.
    Between(Timestamp, Timestamp),
}

impl When {
    /// The last time that it names.
    pub(crate) const fn last(self) -> Timestamp {
        match self {
            Self::At(time) | Self::From(time) | Self::Until(time) | Self::Between(_, time) => time,
        }
    }

    /// The first time that it names.
    pub(crate) const fn first(self) -> Timestamp {
        match self {
            Self::At(time) | Self::From(time) | Self::Until(time) | Self::Between(time, _) => time,
        }
    }
}

/// When a row was measured, as far as the row itself tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowWhen {
    /// In the first pass of a repeated hour, if it could be in both.
    pub(crate) when: When,
    pub(crate) doubt: Option<WhenDoubt>,
}

impl RowWhen {
    /// A time without a doubt.
    pub(crate) const fn sure(when: When) -> Self {
        Self { when, doubt: None }
    }
}

/// The other time that a row may have, where clocks change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenDoubt {
    /// The hour came twice: this is its second pass.
    Second(When),
    /// The label is the end of an hour that came twice: this is the end of its first pass, in files
    /// that write both passes alike.
    FirstEnd(When),
    /// None, though the hour came twice: the row itself tells its pass. The order of the others
    /// follows it. This is its label in the first pass.
    Sure { label: Timestamp, is_second: bool },
    /// An hour of a day of another length.
    Hour(HourOfDay),
}

/// A numbered hour of a day with 23 or 25 hours. Numbers may count the hours that passed, or follow
/// the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HourOfDay {
    /// The start of its day.
    pub(crate) day: Timestamp,
    /// From 1.
    pub(crate) number: i64,
    /// How many hours the day has, and how many of them pass before clocks change.
    pub(crate) hours: i64,
    pub(crate) before: i64,
}

impl HourOfDay {
    /// The hour that is the `count`th one to pass.
    pub(crate) const fn passed(self, count: i64) -> When {
        let end = self.day.saturating_add_millis(count * HOUR_MS);
        When::Between(end.saturating_add_millis(-HOUR_MS), end)
    }
}

/// Why a label is no moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TimeFault {
    /// The cell is no time.
    Form(String),
    /// Clocks skipped it.
    Skipped(String),
}

impl TimeFault {
    /// The reason in words.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Form(text) | Self::Skipped(text) => text,
        }
    }
}

impl From<String> for TimeFault {
    fn from(text: String) -> Self {
        Self::Form(text)
    }
}

impl TimeReader {
    /// The time of a label that is a start or a moment; `when` makes a time of it.
    ///
    /// # Errors
    /// If clocks skipped it, or it is in the future.
    pub(crate) fn start(
        &self,
        label: ClockLabel,
        when: impl Fn(Timestamp) -> When,
    ) -> Result<RowWhen, TimeFault> {
        let (first, second) = self.starts(label)?;
        Ok(RowWhen {
            when: when(first),
            doubt: second
                .map(|second| WhenDoubt::Second(when(second)))
                .or(self.marked(label)),
        })
    }

    /// That a label of a repeated hour is of its first pass, because it has a mark.
    fn marked(&self, label: ClockLabel) -> Option<WhenDoubt> {
        let ClockLabel::Summer(local) = label else {
            return None;
        };
        match self.steady.local(self.zone.as_ref()?, local) {
            LocalTime::Twice(first, _) => Some(WhenDoubt::Sure {
                label: first,
                is_second: false,
            }),
            _ => None,
        }
    }

    /// The time of a label that is an end; `when` makes a time of it. An end may be the moment at
    /// which clocks skip an hour, and `03:00` may end both passes of the hour from `02:00` on.
    ///
    /// # Errors
    /// If clocks skipped it, or it is in the future.
    pub(crate) fn end(
        &self,
        label: ClockLabel,
        when: impl Fn(Timestamp) -> When,
    ) -> Result<RowWhen, TimeFault> {
        let (Some(zone), ClockLabel::Local(local) | ClockLabel::Summer(local)) =
            (&self.zone, label)
        else {
            return self.start(label, when);
        };
        let is_summer = matches!(label, ClockLabel::Summer(_));
        let just_before = self.steady.local(zone, local.saturating_add_millis(-1));
        match (just_before, self.steady.local(zone, local)) {
            (LocalTime::Once(before), LocalTime::Skipped(change))
                if before.saturating_add_millis(1) == change =>
            {
                self.check_not_ahead(change)?;
                Ok(RowWhen::sure(when(change)))
            }
            (LocalTime::Twice(first, _), LocalTime::Once(end)) => {
                self.check_not_ahead(end)?;
                if is_summer {
                    let label = first.saturating_add_millis(1);
                    let is_second = false;
                    return Ok(RowWhen {
                        when: when(label),
                        doubt: Some(WhenDoubt::Sure { label, is_second }),
                    });
                }
                let first = when(first.saturating_add_millis(1));
                Ok(RowWhen {
                    when: when(end),
                    doubt: Some(WhenDoubt::FirstEnd(first)),
                })
            }
            _ => self.start(label, when),
        }
    }

    /// The interval between two labels. `has_one_date` tells that the end has the date of the
    /// start; `usual_ms` is the length of the intervals before, if there were any.
    ///
    /// # Errors
    /// If clocks skipped the start, or the end is not after it.
    pub(crate) fn span(
        &self,
        from: ClockLabel,
        to: ClockLabel,
        (has_one_date, usual_ms): (bool, Option<i64>),
    ) -> Result<RowWhen, TimeFault> {
        let (first, second) = self.starts(from)?;
        let between = |start, is_second| {
            let end = self.end_after((from, start, is_second), to, (has_one_date, usual_ms))?;
            self.check_not_ahead(end).ok()?;
            Some((start, end))
        };
        let found = [
            between(first, false),
            second.and_then(|start| between(start, true)),
        ];
        let is_usual = |(start, end): &(Timestamp, Timestamp)| {
            usual_ms.is_some_and(|usual| end.millis() - start.millis() == usual)
        };
        let has_usual = found.iter().flatten().any(is_usual);
        let found = found.map(|span| span.filter(|span| !has_usual || is_usual(span)));
        let when = |(start, end)| When::Between(start, end);
        let mark = self.marked(from);
        let sure = |when, is_second| RowWhen {
            when,
            doubt: second
                .map(|_| WhenDoubt::Sure {
                    label: first,
                    is_second,
                })
                .or(mark),
        };
        match found.map(|span| span.map(when)) {
            [Some(when), Some(second)] => Ok(RowWhen {
                when,
                doubt: Some(WhenDoubt::Second(second)),
            }),
            [Some(when), None] => Ok(sure(when, false)),
            [None, Some(when)] => Ok(sure(when, true)),
            [None, None] => {
                let [from, to] = [from, to].map(|label| clock_text(label.written()));
                Err(format!("its end {to} is not after its start {from}, or it is more than 24 hours ahead of this machine's clock").into())
            }
        }
    }

    /// The end of an interval from the moment `start`, which `from` labels.
    fn end_after(
        &self,
        (from, start, is_second): (ClockLabel, Timestamp, bool),
        to: ClockLabel,
        (has_one_date, usual_ms): (bool, Option<i64>),
    ) -> Option<Timestamp> {
        let (Some(zone), Some(a), Some(_)) = (&self.zone, from.local(), to.local()) else {
            if from.local().is_some() || to.local().is_some() {
                // One of them has an offset.
                let (first, second) = self.starts(to).ok()?;
                return [Some(first), second]
                    .into_iter()
                    .flatten()
                    .find(|end| *end > start);
            }
            let to = later_day(from, to, has_one_date);
            return Some(whole_end(start, to.written())).filter(|end| *end > start);
        };
        let b = to.written();
        let doubled = |local| match self.steady.local(zone, local) {
            LocalTime::Twice(first, second) => Some(second.millis() - first.millis()),
            _ => None,
        };
        // 02:45 to 02:00, as the clocks showed when they were set back.
        if let (LocalTime::Twice(_, again), Some(shift), false) = (
            self.steady.local(zone, whole_end(a, b)),
            doubled(a),
            is_second,
        ) && b <= a
            && (1..=shift).contains(&(again.millis() - start.millis()))
        {
            return Some(again);
        }
        let b = whole_end(a, later_day(from, to, has_one_date).written());
        let length = b.millis() - a.millis();
        if length <= 0 {
            return None;
        }
        let naive = start.saturating_add_millis(length);
        match self.steady.local(zone, b) {
            // 02:45 to 03:00 is a quarter of an hour in both passes.
            LocalTime::Once(_) if doubled(a).is_some_and(|shift| length <= shift) => Some(naive),
            LocalTime::Once(end) | LocalTime::Skipped(end) => Some(end),
            LocalTime::Twice(first, second) => {
                let is_usual = usual_ms == Some(second.millis() - start.millis());
                Some(if first > start && !is_usual {
                    first
                } else {
                    second
                })
            }
        }
        .filter(|end| *end > start)
    }

    /// A numbered hour of the day that `date` labels, from 1.
    ///
    /// # Errors
    /// If the day has no such hour.
    pub(crate) fn hour(&self, date: ClockLabel, number: i64) -> Result<RowWhen, TimeFault> {
        let zone = match date {
            ClockLabel::Local(_) | ClockLabel::Summer(_) | ClockLabel::Day(_) => {
                self.zone.clone().unwrap_or(Zone::UTC)
            }
            ClockLabel::Moment(_) => Zone::UTC,
        };
        let date = LocalDate::at(date.written(), &Zone::UTC);
        let day = date.start(&zone);
        let next = date.plus_days(1).map(|next| next.start(&zone));
        let next = next.ok_or_else(|| "its day is out of range".to_owned())?;
        let length_ms = next.millis() - day.millis();
        let hours = length_ms / HOUR_MS;
        if length_ms % HOUR_MS != 0 {
            return Err(format!(
                "clocks change by a part of an hour on {date}, so the number {number} does not tell which hour it is: give times of day"
            )
            .into());
        }
        if number > hours.max(24) {
            return Err(format!("its day has no hour {number}").into());
        }
        let change = zone.period_at(next.saturating_add_millis(-1)).start;
        let hour = HourOfDay {
            day,
            number,
            hours,
            before: (change.millis() - day.millis()) / HOUR_MS,
        };
        self.check_not_ahead(day)?;
        Ok(RowWhen {
            when: hour.passed(number),
            doubt: (hours != 24).then_some(WhenDoubt::Hour(hour)),
        })
    }

    /// The moments of a label that is a start.
    fn starts(&self, label: ClockLabel) -> Result<(Timestamp, Option<Timestamp>), TimeFault> {
        let (first, second) = match (&self.zone, label) {
            (Some(zone), ClockLabel::Local(local) | ClockLabel::Summer(local)) => {
                match self.steady.local(zone, local) {
                    LocalTime::Once(time) => (time, None),
                    LocalTime::Twice(first, _) if matches!(label, ClockLabel::Summer(_)) => {
                        (first, None)
                    }
                    LocalTime::Twice(first, second) => (first, Some(second)),
                    LocalTime::Skipped(_) => {
                        return Err(TimeFault::Skipped(format!(
                            "the time {} does not exist in {}: it was skipped when the clocks were set forward",
                            clock_text(local),
                            zone.name()
                        )));
                    }
                }
            }
            // A day begins with its first moment, also where clocks change at midnight.
            (Some(zone), ClockLabel::Day(day)) => (zone.start_of_day(day), None),
            _ => (label.written(), None),
        };
        self.check_not_ahead(first)?;
        Ok((first, second))
    }
}

/// An end that has the date of its start, but is not after it, is on the next day.
fn later_day(from: ClockLabel, to: ClockLabel, has_one_date: bool) -> ClockLabel {
    if has_one_date && to.written() <= from.written() {
        to.plus(DAY_MS)
    } else {
        to
    }
}

/// The end of an interval. Some write its last second or minute: 10:14:59, or 10:14.
fn whole_end(first: Timestamp, last: Timestamp) -> Timestamp {
    let is_whole = |time: Timestamp, ms: i64| time.millis() % ms == 0;
    let [second, minute, quarter] = [1_000, 60_000, 900_000];
    let unit = if is_whole(first, minute) && !is_whole(last, minute) {
        second
    } else {
        minute
    };
    let after = last.saturating_add_millis(unit);
    let is_last = if unit == second {
        is_whole(after, minute)
    } else {
        is_whole(first, quarter) && is_whole(after, quarter)
    };
    if is_last { after } else { last }
}

/// A local time in words.
pub(crate) fn clock_text(local: Timestamp) -> String {
    let text = local.to_string();
    let text = text.strip_suffix('Z').unwrap_or(&text);
    let text = text.strip_suffix(".000").unwrap_or(text);
    text.strip_suffix(":00").unwrap_or(text).replace('T', " ")
}

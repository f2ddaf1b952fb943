//! Reads the times of rows from their columns.

use csv::ByteRecord;

use super::time_place::{TimeCells, TimePlace};
use super::times::{ClockLabel, RowWhen, TimeFault, TimeReader, When, compact_clock, two_parts};
use super::wishes::TimesAre;
use crate::domain::{Timestamp, Zone};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The error for a file with one interval whose other end it does not say.
pub(crate) const NO_LENGTH: &str = "its only interval has one time, so nothing says how long it is: import a file with more of its intervals, or with a column for each end";

/// Reads the times of rows, one after another.
pub(crate) struct WhenReader {
    times: TimeReader,
    /// The date from the last row that has only a date.
    date: Vec<u8>,
    text: Vec<u8>,
    /// The end of the last interval as it is written, and its distance from the one before it.
    last: Option<ClockLabel>,
    step_ms: i64,
    /// The length of the last interval with two ends.
    usual_ms: Option<i64>,
    /// Whether hours are numbered from 0, as clocks show them.
    has_zero_hour: bool,
}

/// A label, or a numbered hour of the day of one.
enum CellTime {
    Label(ClockLabel),
    Hour(ClockLabel, i64),
}

/// The label of a row, or its time if its cells tell that: an interval, or a numbered hour.
enum LabelOrTime {
    Label(ClockLabel),
    Time(RowWhen),
}

impl WhenReader {
    /// Creates a reader from a parser of times.
    pub(crate) const fn new(times: TimeReader) -> Self {
        Self {
            times,
            date: Vec::new(),
            text: Vec::new(),
            last: None,
            step_ms: 0,
            usual_ms: None,
            has_zero_hour: false,
        }
    }

    /// Notes that hours are numbered from 0.
    pub(crate) const fn set_zero_hour(&mut self) {
        self.has_zero_hour = true;
    }

    /// The zone of times without one.
    pub(crate) const fn zone(&self) -> Option<&Zone> {
        self.times.zone()
    }

    /// The time of the row; `None` if the row has only a date for the rows below it.
    ///
    /// # Errors
    /// The reason, if a cell is not a time.
    pub(crate) fn read(
        &mut self,
        record: &ByteRecord,
        place: &TimePlace,
    ) -> Result<Option<RowWhen>, TimeFault> {
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        if place.has_date_rows {
            let only = cell(place.cells.date);
            if TimeReader::is_date(only) || !TimeReader::is_clock(only) {
                self.date = only.to_vec();
                return Ok(None);
            }
        }
        let has_one_cell = place.cells.clock.is_none() && !place.has_date_rows;
        let own = Some(cell(place.cells.date)).filter(|_| has_one_cell);
        let mut first = match own.and_then(|cell| self.times.own_form(cell)) {
            Some(label) => label,
            None => match self.label(record, place)? {
                LabelOrTime::Label(label) => label,
                LabelOrTime::Time(time) => return Ok(Some(time)),
            },
        };
        // Below a date, the last interval ends at midnight.
        let is_midnight = || cell(place.cells.date).starts_with(b"00:00");
        if place.has_date_rows && place.are == Some(TimesAre::Ends) && is_midnight() {
            first = first.plus(DAY_MS);
        }
        if place.names_ends && place.end.is_none() {
            first = self.ending_midnight(first);
        }
        if let Some(end) = place.end {
            let (date, clock) = self.parts(record, end, place.has_date_rows);
            let (date, clock) = (date.to_vec(), clock.map(<[u8]>::to_vec));
            let last = match self.time(&date, clock.as_deref())? {
                CellTime::Label(label) => label,
                CellTime::Hour(day, number) => day.plus(number * HOUR_MS),
            };
            let has_one_date = end.date == place.cells.date;
            return self.span(first, last, has_one_date).map(Some);
        }
        let length = match place.length {
            Some((column, unit_ms)) => length_ms(cell(column), unit_ms),
            None => None,
        };
        let after = |start, ms| When::Between(start, start.saturating_add_millis(ms));
        let found = match (place.are, length) {
            (Some(TimesAre::Starts), Some(ms)) => self.times.start(first, |start| after(start, ms)),
            (Some(TimesAre::Ends), Some(ms)) => self.times.end(first, |end| {
                When::Between(end.saturating_add_millis(-ms), end)
            }),
            (Some(TimesAre::Starts), None) => self.times.start(first, When::From),
            (Some(TimesAre::Ends), None) if place.names_ends => self.times.end(first, When::Until),
            _ => self.times.start(first, When::At),
        };
        found.map(Some)
    }

    /// The label of the row, or its time if its cells tell that.
    fn label(&mut self, record: &ByteRecord, place: &TimePlace) -> Result<LabelOrTime, TimeFault> {
        let (date, clock) = self.parts(record, place.cells, place.has_date_rows);
        let (date, clock) = (date.to_vec(), clock.map(<[u8]>::to_vec));
        if place.end.is_none()
            && let Some((from, to)) = two_parts(clock.as_deref().unwrap_or(&date))
        {
            let time = self.between(&date, clock.is_some(), (from, to))?;
            return Ok(LabelOrTime::Time(time));
        }
        Ok(match self.time(&date, clock.as_deref())? {
            CellTime::Label(label) => LabelOrTime::Label(label),
            CellTime::Hour(day, number) => LabelOrTime::Time(self.times.hour(day, number)?),
        })
    }

    /// The end of an interval. Some write the last midnight of a day with the date before it.
    fn ending_midnight(&mut self, label: ClockLabel) -> ClockLabel {
        let Some(last) = self.last.replace(label) else {
            return label;
        };
        let (time, before) = (label.written().millis(), last.written().millis());
        let goes_on = before + self.step_ms == time + DAY_MS && self.step_ms.abs() < DAY_MS;
        let is_last = time % DAY_MS == 0 && time < before && goes_on;
        let label = if is_last { label.plus(DAY_MS) } else { label };
        self.step_ms = label.written().millis() - before;
        self.last = Some(label);
        label
    }

    /// The cells of a time: its date and, if it is in another cell, its time of day.
    fn parts<'a>(
        &'a self,
        record: &'a ByteRecord,
        cells: TimeCells,
        has_date_rows: bool,
    ) -> (&'a [u8], Option<&'a [u8]>) {
        let cell = |column: usize| record.get(column).unwrap_or_default();
        match cells.clock {
            Some(clock) => (cell(cells.date), Some(cell(clock))),
            None if has_date_rows => (&self.date, Some(cell(cells.date))),
            None => (cell(cells.date), None),
        }
    }

    /// The interval of a cell that contains its start and its end.
    fn between(
        &mut self,
        date: &[u8],
        has_date: bool,
        (from, to): (&str, &str),
    ) -> Result<RowWhen, TimeFault> {
        let (from, to) = (from.as_bytes(), to.as_bytes());
        if has_date {
            let (first, last) = (self.joined(date, from)?, self.joined(date, to)?);
            return self.span(first, last, true);
        }
        let first = self.times.label(from)?;
        let is_clock = TimeReader::is_clock(to);
        let last = if is_clock {
            self.joined(from, to)?
        } else {
            self.times.label(to)?
        };
        self.span(first, last, is_clock)
    }

    fn span(
        &mut self,
        first: ClockLabel,
        last: ClockLabel,
        has_one_date: bool,
    ) -> Result<RowWhen, TimeFault> {
        let found = self
            .times
            .span(first, last, (has_one_date, self.usual_ms))?;
        if let (When::Between(start, end), None) = (found.when, found.doubt) {
            self.usual_ms = Some(end.millis() - start.millis());
        }
        Ok(found)
    }

    /// The time in a cell, or in two: a date, and a time of day or the number of an hour.
    fn time(&mut self, date: &[u8], clock: Option<&[u8]>) -> Result<CellTime, String> {
        let Some(clock) = clock else {
            return self.times.label(date).map(CellTime::Label);
        };
        match hour_number(clock) {
            // Hours are counted from the beginning of the day, also on days of 23 or 25 hours.
            Some(hour) if !self.has_zero_hour && hour > 0 => {
                Ok(CellTime::Hour(self.times.label(date)?, hour))
            }
            Some(_) if !self.has_zero_hour => {
                Err("it has the hour 0, but the first rows have none".to_owned())
            }
            Some(_) => {
                let clock = [clock.trim_ascii(), b":00"].concat();
                self.joined(date, &clock).map(CellTime::Label)
            }
            None => {
                let with_colons = compact_clock(clock);
                let clock = with_colons.as_ref().map_or(clock, |clock| clock.as_bytes());
                self.joined(date, clock).map(CellTime::Label)
            }
        }
    }

    /// The label of a date and a time of day.
    fn joined(&mut self, date: &[u8], clock: &[u8]) -> Result<ClockLabel, String> {
        self.text.clear();
        // A date may be followed by a meaningless midnight.
        let clock_at = date.iter().position(|byte| *byte == b':');
        let end = clock_at.map_or(date.len(), |at| {
            let before = date.get(..at).unwrap_or_default();
            before
                .iter()
                .rposition(|byte| matches!(byte, b' ' | b'T'))
                .unwrap_or(date.len())
        });
        self.text
            .extend_from_slice(date.get(..end).unwrap_or_default().trim_ascii());
        self.text.push(b' ');
        self.text.extend_from_slice(clock.trim_ascii());
        self.times.label(&self.text)
    }
}

/// Parses the number of an hour in a day, such as 1 to 25.
fn hour_number(cell: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(cell.trim_ascii()).ok()?;
    let is_short = (1..=2).contains(&text.len());
    text.parse()
        .ok()
        .filter(|hour| is_short && (0..=25).contains(hour))
}

/// Parses a length in milliseconds: a number of units, or `PT15M`.
fn length_ms(cell: &[u8], unit_ms: i64) -> Option<i64> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    let (number, unit_ms) = match text.strip_prefix("PT") {
        Some(rest) if rest.ends_with('M') => (rest.trim_end_matches('M'), 60_000),
        Some(rest) if rest.ends_with('H') => (rest.trim_end_matches('H'), 3_600_000),
        Some(rest) => (rest.trim_end_matches('S'), 1_000),
        None => (text, unit_ms),
    };
    let number: i64 = number
        .parse()
        .ok()
        .filter(|number| (1..=10_000_000).contains(number))?;
    Some(number * unit_ms).filter(|ms| *ms > 0)
}

/// Asks whether times are starts or ends, with the first two times and the first energy; `None`
/// without any.
pub(crate) fn which_end(first: &[(Timestamp, f64)]) -> Option<String> {
    let [(time, energy), (next, _)] = *first else {
        return first.first().map(|_| NO_LENGTH.to_owned());
    };
    let length = (next.millis() - time.millis()).abs();
    let (before, after) = (
        time.saturating_add_millis(-length),
        time.saturating_add_millis(length),
    );
    Some(format!(
        "does a time say when an interval begins, or when it ends? The first one, of {} kWh, lasts from {time} to {after} with --times start, and from \
         {before} to {time} with --times end",
        energy / 1e3
    ))
}

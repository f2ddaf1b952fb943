//! Reads the times of rows from their columns.

use csv::ByteRecord;

use super::parsed_row::When;
use super::time_place::{TimeCells, TimePlace};
use super::times::{TimeReader, two_parts};
use super::wishes::TimesAre;
use crate::domain::{LocalDate, Timestamp, Zone};

const DAY_MS: i64 = 86_400_000;

/// Reads the times of rows, one after another.
pub(crate) struct WhenReader {
    /// Readers of starts and of ends: each are in order, which matters when clocks are set back.
    /// Together they may not be.
    times: [TimeReader; 2],
    /// The date from the last row that has only a date.
    date: Vec<u8>,
    text: Vec<u8>,
    /// The end of the last interval, and its distance from the one before it.
    last: Option<Timestamp>,
    step_ms: i64,
    /// Whether hours are numbered from 0, as clocks show them.
    has_zero_hour: bool,
}

impl WhenReader {
    /// Creates a reader from a parser of times.
    pub(crate) fn new(times: TimeReader) -> Self {
        Self {
            times: [times.clone(), times],
            date: Vec::new(),
            text: Vec::new(),
            last: None,
            step_ms: 0,
            has_zero_hour: false,
        }
    }

    /// The zone of times without one.
    pub(crate) const fn zone(&self) -> Option<&Zone> {
        let [times, _] = &self.times;
        times.zone()
    }

    /// The time of the row; `None` if the row has only a date for the rows below it.
    ///
    /// # Errors
    /// The reason, if a cell is not a time.
    pub(crate) fn read(
        &mut self,
        record: &ByteRecord,
        place: &TimePlace,
    ) -> Result<Option<When>, String> {
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        if place.has_date_rows {
            let only = cell(place.cells.date);
            if TimeReader::is_date(only) || !TimeReader::is_clock(only) {
                self.date = only.to_vec();
                return Ok(None);
            }
        }
        let (date, clock) = self.parts(record, place.cells, place.has_date_rows);
        let (date, clock) = (date.to_vec(), clock.map(<[u8]>::to_vec));
        if place.end.is_none()
            && let Some((from, to)) = two_parts(clock.as_deref().unwrap_or(&date))
        {
            return self.between(&date, clock.is_some(), (from, to)).map(Some);
        }
        let mut first = self.time(0, &date, clock.as_deref())?;
        // Below a date, the last interval ends at midnight.
        let is_midnight = || cell(place.cells.date).starts_with(b"00:00");
        if place.has_date_rows && place.are == Some(TimesAre::Ends) && is_midnight() {
            first = first.saturating_add_millis(DAY_MS);
        }
        if place.names_ends && place.end.is_none() {
            first = self.ending_midnight(first);
        }
        if let Some(end) = place.end {
            let (date, clock) = self.parts(record, end, place.has_date_rows);
            let (date, clock) = (date.to_vec(), clock.map(<[u8]>::to_vec));
            let last = self.time(1, &date, clock.as_deref())?;
            return interval(first, last, end.date == place.cells.date).map(Some);
        }
        let length = match place.length {
            Some((column, unit_ms)) => length_ms(cell(column), unit_ms),
            None => None,
        };
        Ok(Some(match (place.are, length) {
            (Some(TimesAre::Starts), Some(ms)) => {
                When::Between(first, first.saturating_add_millis(ms))
            }
            (Some(TimesAre::Ends), Some(ms)) => {
                When::Between(first.saturating_add_millis(-ms), first)
            }
            (Some(TimesAre::Starts), None) => When::From(first),
            _ => When::At(first),
        }))
    }

    /// The end of an interval. Some write the last midnight of a day with the date before it.
    fn ending_midnight(&mut self, time: Timestamp) -> Timestamp {
        let [times, _] = &self.times;
        let zone = times.zone().cloned().unwrap_or(Zone::UTC);
        let date = LocalDate::at(time, &zone);
        let goes_back = self
            .last
            .is_some_and(|last| time < last && LocalDate::at(last, &zone) == date);
        let next = date.plus_days(1).map(|next| next.start(&zone));
        let step = next
            .zip(self.last)
            .map(|(next, last)| next.millis() - last.millis());
        let is_last = goes_back
            && times.is_oldest_first()
            && date.start(&zone) == time
            && step == Some(self.step_ms);
        let time = next.filter(|_| is_last).unwrap_or(time);
        self.step_ms = self.last.map_or(0, |last| time.millis() - last.millis());
        self.last = Some(time);
        time
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
    ) -> Result<When, String> {
        let (from, to) = (from.as_bytes(), to.as_bytes());
        if has_date {
            let (first, last) = (
                self.time(0, date, Some(from))?,
                self.time(1, date, Some(to))?,
            );
            return interval(first, last, true);
        }
        let is_clock = TimeReader::is_clock(to);
        let first = self.time(0, from, None)?;
        let last = if is_clock {
            self.time(1, from, Some(to))?
        } else {
            self.time(1, to, None)?
        };
        interval(first, last, is_clock)
    }

    fn time(
        &mut self,
        reader: usize,
        date: &[u8],
        clock: Option<&[u8]>,
    ) -> Result<Timestamp, String> {
        let Some(times) = self.times.get_mut(reader) else {
            return Err("expected a time".to_owned());
        };
        let Some(clock) = clock else {
            return times.read(date);
        };
        let hour = hour_number(clock);
        self.has_zero_hour |= hour == Some(0);
        if let Some(hour) = hour.filter(|_| !self.has_zero_hour) {
            // Hours are counted from the beginning of the day, also on days of 23 or 25 hours.
            let day = times.read(date)?;
            let zone = times.zone().cloned().unwrap_or(Zone::UTC);
            let next = LocalDate::at(day, &zone)
                .plus_days(1)
                .map(|next| next.start(&zone));
            let time = day.saturating_add_millis(hour * 3_600_000);
            return match next.filter(|next| time > *next) {
                Some(_) => Err(format!("its day has no hour {hour}")),
                None => Ok(time),
            };
        }
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
        if hour.is_some() {
            self.text.extend_from_slice(b":00");
        }
        times.read(&self.text)
    }
}

/// The interval between two times. `has_one_date` tells that the end has the date of the start.
fn interval(first: Timestamp, mut last: Timestamp, has_one_date: bool) -> Result<When, String> {
    // An interval that ends at midnight has the date of its start.
    if last <= first && has_one_date {
        last = last.saturating_add_millis(DAY_MS);
    }
    if last <= first {
        return Err(format!("its end {last} is not after its start {first}"));
    }
    // Some write the last second or minute of an interval: 10:14:59, or 10:14.
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
    Ok(When::Between(first, if is_last { after } else { last }))
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

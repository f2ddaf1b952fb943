//! Reads the times of rows from their columns.

use csv::ByteRecord;

use super::parsed_row::When;
use super::time_place::{TimeCells, TimePlace};
use super::times::TimeReader;
use super::wishes::TimesAre;
use crate::domain::Timestamp;

const DAY_MS: i64 = 86_400_000;

/// Reads the times of rows, one after another.
pub(crate) struct WhenReader {
    /// Readers of starts and of ends: each are in order, which matters when clocks are set back.
    /// Together they may not be.
    times: [TimeReader; 2],
    /// The date from the last row that has only a date.
    date: Vec<u8>,
    text: Vec<u8>,
}

impl WhenReader {
    /// Creates a reader from a parser of times.
    pub(crate) fn new(times: TimeReader) -> Self {
        Self {
            times: [times.clone(), times],
            date: Vec::new(),
            text: Vec::new(),
        }
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
        let mut first = self.time(0, record, place.cells, place.has_date_rows)?;
        // Below a date, the last interval ends at midnight.
        let is_midnight = || cell(place.cells.date).starts_with(b"00:00");
        if place.has_date_rows && place.are == Some(TimesAre::Ends) && is_midnight() {
            first = first.saturating_add_millis(DAY_MS);
        }
        if let Some(end) = place.end {
            let mut last = self.time(1, record, end, place.has_date_rows)?;
            // An interval that ends at midnight has the date of its start.
            if last <= first && end.date == place.cells.date {
                last = last.saturating_add_millis(DAY_MS);
            }
            if last <= first {
                return Err(format!("its end {last} is not after its start {first}"));
            }
            return Ok(Some(When::Between(first, last)));
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

    fn time(
        &mut self,
        reader: usize,
        record: &ByteRecord,
        cells: TimeCells,
        has_date_rows: bool,
    ) -> Result<Timestamp, String> {
        let cell = |column: usize| record.get(column).unwrap_or_default();
        let Some(times) = self.times.get_mut(reader) else {
            return Err("expected a time".to_owned());
        };
        let (date, clock) = match cells.clock {
            Some(clock) => (cell(cells.date), cell(clock)),
            None if has_date_rows => (self.date.as_slice(), cell(cells.date)),
            None => return times.read(cell(cells.date)),
        };
        if let Some(hour) = hour_number(clock) {
            // Hours are counted from the beginning of the day, also on days of 23 or 25 hours.
            let day = times.read(date)?;
            return Ok(day.saturating_add_millis(hour * 3_600_000));
        }
        self.text.clear();
        // A date may be followed by a meaningless midnight.
        let date = date
            .trim_ascii()
            .split(|byte| matches!(byte, b' ' | b'T'))
            .next()
            .unwrap_or_default();
        self.text.extend_from_slice(date);
        self.text.push(b' ');
        self.text.extend_from_slice(clock.trim_ascii());
        times.read(&self.text)
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

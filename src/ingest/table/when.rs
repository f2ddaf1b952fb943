//! Reads the times of rows from the columns that have them.

use csv::ByteRecord;

use super::parsed_row::When;
use super::time_place::{TimeCells, TimePlace};
use super::times::TimeReader;
use super::wishes::TimesAre;
use crate::domain::Timestamp;

const DAY_MS: i64 = 86_400_000;

/// Reads the times of rows, one after another.
pub(crate) struct WhenReader {
    /// Starts are in order, and so are ends, which matters when clocks are set back; together they
    /// need not be.
    times: [TimeReader; 2],
    /// The date that the last row with a date alone had.
    date: Vec<u8>,
    text: Vec<u8>,
}

impl WhenReader {
    /// A reader of times as `times` reads them.
    pub(crate) fn new(times: TimeReader) -> Self {
        Self {
            times: [times.clone(), times],
            date: Vec::new(),
            text: Vec::new(),
        }
    }

    /// The time of the row; `None` if it has only the date of the rows below.
    ///
    /// # Errors
    /// The reason why it is no time.
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
        // Below a date, the end of its last interval is midnight.
        let is_midnight = || cell(place.cells.date).starts_with(b"00:00");
        if place.has_date_rows && place.are == Some(TimesAre::Ends) && is_midnight() {
            first = first.saturating_add_millis(DAY_MS);
        }
        if let Some(end) = place.end {
            let mut last = self.time(1, record, end, place.has_date_rows)?;
            // The interval that ends at midnight has the date of its start.
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
            // Hours are counted from the beginning of the day, also if it has 23 or 25.
            let day = times.read(date)?;
            return Ok(day.saturating_add_millis(hour * 3_600_000));
        }
        self.text.clear();
        // A date may have a midnight, which says nothing.
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

/// The number of an hour of a day, such as 1 to 25.
fn hour_number(cell: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(cell.trim_ascii()).ok()?;
    let is_short = (1..=2).contains(&text.len());
    text.parse()
        .ok()
        .filter(|hour| is_short && (0..=25).contains(hour))
}

/// A length in milliseconds: a number of units, or `PT15M`.
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

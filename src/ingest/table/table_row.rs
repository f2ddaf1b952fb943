//! Turns rows of a table into readings.

use csv::ByteRecord;

use super::columns::{MeasurePlace, TableColumns};
use super::header::brief;
use super::number::{Cell, Notation};
use super::parsed_row::{ParsedRow, Scales};
use super::series::{KeyNames, SeriesCheck};
use super::times::{TimeReader, shown};

/// Reads rows, one after another.
pub(crate) struct RowReader {
    times: TimeReader,
    /// The notations of power and registers.
    notations: [Notation; 2],
    /// Keys that were not requested.
    pub(crate) others: KeyNames,
    /// Whether there was a row of power, and one of a register.
    pub(crate) seen: [bool; 2],
    /// Checks that all rows belong to one series.
    pub(crate) series: SeriesCheck,
}

impl RowReader {
    /// A reader for a file with these times and scales.
    pub(crate) fn new(times: TimeReader, scales: Scales, decimal_comma: bool) -> Self {
        let notation = |thousands| Notation {
            decimal_comma,
            thousands,
        };
        Self {
            times,
            notations: [notation(scales.kilowatts), notation(scales.kilowatthours)],
            others: KeyNames::default(),
            seen: [false; 2],
            series: SeriesCheck::default(),
        }
    }

    /// Reads a row.
    ///
    /// # Errors
    /// If it belongs to another series than the rows before: no further row can be read.
    pub(crate) fn read(
        &mut self,
        record: &ByteRecord,
        columns: &TableColumns,
    ) -> Result<ParsedRow, String> {
        let row = self.row(record, columns).unwrap_or_else(ParsedRow::Bad);
        // A row without a value adds nothing, in any series.
        if matches!(row, ParsedRow::Reading(_)) {
            self.series.check(record, columns)?;
        }
        Ok(row)
    }

    fn row(&mut self, record: &ByteRecord, columns: &TableColumns) -> Result<ParsedRow, String> {
        let (width, expected) = (record.len(), columns.width());
        if width > expected || (width < expected && !columns.shape.has_short_rows()) {
            return Err(format!("expected {expected} columns, got {width}"));
        }
        // Cells missing in a short row are empty.
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        let mut filters = columns.filters.iter();
        if filters.any(|(column, value)| cell(*column) != value.as_slice()) {
            return Ok(ParsedRow::Other);
        }
        let Some(measures) = self.wanted(record, columns) else {
            return Ok(ParsedRow::Other);
        };
        let time = self.times.read(cell(columns.time))?;
        let mut cells = [Cell::Empty; 2];
        for ((to, measure), notation) in cells.iter_mut().zip(measures).zip(self.notations) {
            let Some(measure) = measure else { continue };
            let from = cell(measure.column);
            *to = notation.read(from).map_err(|expected| {
                let name = brief(&columns.name(measure.column));
                format!("{name}: {expected}, got {}", shown(from))
            })?;
        }
        let is_empty_usual = columns.shape.has_empty_rows();
        Ok(ParsedRow::new(time, cells, is_empty_usual, || {
            "it has neither power nor a register".into()
        }))
    }

    /// The requested measures of the row; `None` if it has none.
    fn wanted<'a>(
        &mut self,
        record: &ByteRecord,
        columns: &'a TableColumns,
    ) -> Option<[Option<&'a MeasurePlace>; 2]> {
        let key = columns
            .key
            .and_then(|column| record.get(column))
            .map(<[u8]>::trim_ascii);
        let is_of =
            |measure: &&MeasurePlace| measure.key.as_deref().is_none_or(|of| Some(of) == key);
        let measures =
            [&columns.watts, &columns.watthours].map(|measure| measure.as_ref().filter(is_of));
        for (seen, measure) in self.seen.iter_mut().zip(measures) {
            *seen |= measure.is_some();
        }
        if measures.iter().any(Option::is_some) {
            return Some(measures);
        }
        self.others.see(key.unwrap_or_default());
        None
    }
}

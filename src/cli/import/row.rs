//! A row of a table becomes a reading.

use csv::ByteRecord;

use super::Scales;
use super::columns::{Columns, Measure};
use super::number::{Cell, Notation};
use super::series::{Keys, Series};
use super::tally::Row;
use super::times::{Times, shown};
use crate::domain::reading::{Measures, Reading};

/// Reads rows, one after the other.
pub(super) struct RowReader {
    times: Times,
    /// How power and registers are written.
    notations: [Notation; 2],
    /// What rows were of that nobody asked for.
    pub others: Keys,
    /// Whether there was a row of power, of a register.
    pub seen: [bool; 2],
    series: Series,
}

/// Why no further row can be read.
pub(super) type Mixed = String;

impl RowReader {
    /// For a file with these times and scales.
    pub(super) fn new(times: Times, scales: Scales, decimal_comma: bool) -> Self {
        let notation = |thousands| Notation {
            decimal_comma,
            thousands,
        };
        Self {
            times,
            notations: [notation(scales.kilowatts), notation(scales.kilowatthours)],
            others: Keys::default(),
            seen: [false; 2],
            series: Series::default(),
        }
    }

    /// Another table begins.
    pub(super) fn begin_table(&mut self) {
        self.series.begin_table();
    }

    /// Reads a row.
    ///
    /// # Errors
    /// Where it is of another series than those before.
    pub(super) fn read(
        &mut self,
        record: &ByteRecord,
        columns: &Columns,
    ) -> Result<Row<Reading>, Mixed> {
        let row = match self.reading(record, columns) {
            Ok(row) => row,
            Err(reason) => Row::Bad(reason),
        };
        if matches!(row, Row::Reading(_)) {
            self.series.check(record, columns)?;
        }
        Ok(row)
    }

    fn reading(&mut self, record: &ByteRecord, columns: &Columns) -> Result<Row<Reading>, String> {
        let (width, expected) = (record.len(), columns.width());
        if width > expected || (width < expected && !columns.shape.has_short_rows()) {
            return Err(format!("expected {expected} columns, got {width}"));
        }
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        let mut filters = columns.filters.iter();
        if filters.any(|(column, value)| cell(*column) != value.as_slice()) {
            return Ok(Row::Other);
        }
        let Some(measures) = self.wanted(record, columns) else {
            return Ok(Row::Other);
        };
        let time = self.times.read(cell(columns.time))?;
        let mut values = [None; 2];
        let mut says_none = columns.shape.has_empty_rows();
        for ((value, measure), notation) in values.iter_mut().zip(measures).zip(self.notations) {
            let Some(measure) = measure else { continue };
            match notation.read(cell(measure.column)) {
                Ok(Cell::Value(number)) => *value = Some(number),
                Ok(Cell::Empty) => {}
                Ok(Cell::NoValue) => says_none = true,
                Err(expected) => {
                    let (name, got) = (columns.name(measure.column), cell(measure.column));
                    return Err(format!("{name}: {expected}, got {}", shown(got)));
                }
            }
        }
        let [watts, watthours] = values;
        match Measures::new(watts, watthours) {
            Ok(measures) => Ok(Row::Reading(Reading { time, measures })),
            Err(_) if says_none => Ok(Row::NoValue),
            Err(_) => Err("there is neither power nor a register in it".into()),
        }
    }

    /// The measures that the row has and that are asked for; `None` without any.
    fn wanted<'a>(
        &mut self,
        record: &ByteRecord,
        columns: &'a Columns,
    ) -> Option<[Option<&'a Measure>; 2]> {
        let key = columns
            .key
            .and_then(|column| record.get(column))
            .map(<[u8]>::trim_ascii);
        let is_of = |measure: &&Measure| measure.key.as_deref().is_none_or(|of| Some(of) == key);
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

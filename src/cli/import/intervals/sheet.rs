//! Intervals in a table with the columns start and end, as downloaded from Octopus' page:
//!
//! ```text
//! Consumption (kWh), Start, End
//!  0.093, 2025-10-26T00:30:00+01:00, 2025-10-26T01:00:00+01:00
//! ```

use anyhow::{Result, bail};
use csv::ByteRecord;

use super::{IntervalRows, IntervalTable};
use crate::cli::import::source::ImportSource;
use crate::cli::import::unit::{ImportMeasure, SeriesUnit, UnitWishes};
use crate::domain::Timestamp;
use crate::ingest::table::{
    Cell, Header, Notation, TableBytes as _, TimeReader, Wishes, delimiter, records, shown,
};

/// The names of starts and ends.
const ENDS: [[&str; 2]; 3] = [
    ["start", "end"],
    ["from", "to"],
    ["interval_start", "interval_end"],
];

/// The columns of a table of intervals.
struct SheetColumns {
    ends: [usize; 2],
    energy: usize,
    names: Vec<String>,
    filters: Vec<(usize, Vec<u8>)>,
}

impl SheetColumns {
    /// `None` if the header does not belong to a table of intervals.
    fn of(record: &ByteRecord, wishes: &Wishes) -> Option<Self> {
        if wishes.time.is_some() || wishes.watts.is_some() {
            return None;
        }
        let header = Header::of(record, None, None).ok()?;
        let ends = ENDS
            .iter()
            .find_map(|[start, end]| Some([header.position(start)?, header.position(end)?]))?;
        let energy = match &wishes.watthours {
            Some(wish) => header.column(wish)?,
            None => header.names.iter().position(|name| {
                let name = name.to_ascii_lowercase();
                name.starts_with("consumption") || name.starts_with("production")
            })?,
        };
        let filters = wishes.filters.iter().map(|(name, value)| {
            let column = header.column(name)?;
            Some((column, value.as_bytes().to_vec()))
        });
        Some(Self {
            ends,
            energy,
            names: header.names.clone(),
            filters: filters.collect::<Option<_>>()?,
        })
    }

    /// The column's unit, in parentheses in its name.
    fn unit(&self) -> Option<&'static str> {
        let name = self.names.get(self.energy)?.to_ascii_lowercase();
        let units = [("(kwh)", "kWh"), ("(wh)", "Wh"), ("(mwh)", "MWh")];
        let own = units.iter().find(|(end, _)| name.ends_with(end));
        own.map(|(_, unit)| *unit)
    }
}

/// Whether a table that begins with `head` has a start, an end and an energy in each row.
pub(in crate::cli::import) fn has_sheet_intervals(head: &[u8], wishes: &Wishes) -> bool {
    let mut reader = records(head, delimiter(head));
    let mut record = ByteRecord::new();
    matches!(reader.read_byte_record(&mut record), Ok(true))
        && SheetColumns::of(&record, wishes).is_some()
}

/// Reads the intervals of a table.
///
/// # Errors
/// If it cannot be read, or its unit is not known.
pub(in crate::cli::import) fn read_sheet(
    source: ImportSource,
    wishes: &Wishes,
    times: TimeReader,
    units: UnitWishes,
) -> Result<IntervalRows> {
    let delimiter = delimiter(&source.head);
    let mut reader = records(source.rows(), delimiter);
    let mut record = ByteRecord::new();
    reader.read_byte_record(&mut record)?;
    let Some(columns) = SheetColumns::of(&record, wishes) else {
        bail!("expected a header with start, end and an energy");
    };
    let name = columns.names.get(columns.energy).map_or("", String::as_str);
    let unit = units.of(columns.unit(), ImportMeasure::Register, name);
    let unit = unit.map_err(anyhow::Error::msg)?;
    let notation = Notation {
        decimal_comma: delimiter != b',',
        thousands: false,
    };
    let mut table = IntervalTable::default();
    // Starts are in order, and so are ends, which matters when clocks are set back; together they
    // need not be.
    let mut times = [times.clone(), times];
    loop {
        reader.get_mut().row_ended();
        if !reader.read_byte_record(&mut record)? {
            return table.finish();
        }
        if record.len() <= 1 && record.as_slice().trim_ascii().is_empty() {
            continue;
        }
        let line = record.position().map_or(0, csv::Position::line);
        let place = || format!("line {line}");
        match columns.read(&record, &mut times, notation, unit) {
            Ok(Some(([start, end], watthours))) => table.add(place, start, end, watthours)?,
            Ok(None) => table.no_value += 1,
            Err(reason) => table.add_bad(place, reason),
        }
    }
}

impl SheetColumns {
    /// Start, end and energy of a row; `None` if it has no value, or is filtered out.
    fn read(
        &self,
        record: &ByteRecord,
        times: &mut [TimeReader; 2],
        notation: Notation,
        unit: SeriesUnit,
    ) -> Result<Option<([Timestamp; 2], f64)>, String> {
        let (width, expected) = (record.len(), self.names.len());
        if width != expected {
            return Err(format!("expected {expected} columns, got {width}"));
        }
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        let mut filters = self.filters.iter();
        if filters.any(|(column, value)| cell(*column) != value.as_slice()) {
            return Ok(None);
        }
        let ([starts, ends], [start, end]) = (times, self.ends);
        let ends = [starts.read(cell(start))?, ends.read(cell(end))?];
        let text = cell(self.energy);
        let number = match notation.read(text) {
            Ok(Cell::Value(number)) => number,
            Ok(Cell::Empty | Cell::NoValue) => return Ok(None),
            Err(expected) => return Err(format!("{expected}, got {}", shown(text))),
        };
        let watthours = unit.convert(number).ok_or("expected a finite number")?;
        Ok(Some((ends, watthours)))
    }
}

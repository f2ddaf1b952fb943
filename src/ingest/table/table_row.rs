//! Turns rows of a table into values.

use csv::ByteRecord;

use super::day_columns::DayColumns;
use super::header::brief;
use super::left_out::LeftOutRows;
use super::not_used::NotUsed;
use super::number::{Cell, DecimalMark, NotationSeen, is_without_value};
use super::parsed_row::ParsedRow;
use super::plan::{MeasurePlace, Shape, TablePlan};
use super::row_cells::{EnergyTotal, is_remark, sum};
use super::series::{KeyNames, SeriesCheck};
use super::times::{RowWhen, TimeFault, TimeReader, When, shown};
use super::traits::RowTraits;
use super::unit::{ImportMeasure, SeriesUnit};
use super::when::{WhenReader, which_end};
use crate::domain::{Timestamp, Zone};

/// The values of a row's measures, and whether each is doubtful.
type RowCells = ([Cell; 2], [bool; 2]);

/// The unit in a column of units.
#[derive(Clone, Copy)]
enum RowUnit {
    Unsaid,
    Said(SeriesUnit),
    /// A unit of neither power nor energy.
    Other,
}

/// Reads rows, one after another.
pub(crate) struct RowReader {
    pub(crate) times: WhenReader,
    /// Evidence for the notation of each measure.
    notations: [NotationSeen; 2],
    /// Keys that were not requested.
    pub(crate) others: KeyNames,
    /// Whether there was a row of power, and one of a register.
    pub(crate) seen: [bool; 2],
    /// Checks that all rows belong to one series.
    pub(crate) series: SeriesCheck,
    /// The other columns of the rows.
    pub(crate) traits: RowTraits,
    has_value: bool,
    /// Whether there was an energy above zero, and one below.
    signs: [bool; 2],
    /// The numbers of columns that are not used.
    pub(crate) not_used: NotUsed,
    /// The contents of rows that were left out.
    pub(crate) left_out: LeftOutRows,
    /// A unit of the other measure, for rows that were left out.
    pub(crate) other_unit: Option<SeriesUnit>,
    /// The other values of the last row, the last one first.
    pub(crate) waiting: Vec<ParsedRow>,
    last_when: Option<When>,
    /// The times of the first two energies, and the first energy.
    first: Vec<(Timestamp, f64)>,
    total: EnergyTotal,
}

impl RowReader {
    /// A reader of rows whose times `times` parses.
    pub(crate) fn new(times: TimeReader) -> Self {
        Self {
            has_value: false,
            signs: [false; 2],
            not_used: NotUsed::default(),
            left_out: LeftOutRows::default(),
            other_unit: None,
            waiting: Vec::new(),
            last_when: None,
            times: WhenReader::new(times),
            notations: [NotationSeen::default(); 2],
            others: KeyNames::default(),
            seen: [false; 2],
            series: SeriesCheck::default(),
            traits: RowTraits::default(),
            first: Vec::new(),
            total: EnergyTotal::default(),
        }
    }

    /// Reads a row; `None` for one that has no values by its nature.
    ///
    /// # Errors
    /// If it belongs to another series than the rows before: no further row can be read.
    pub(crate) fn read(
        &mut self,
        record: &ByteRecord,
        columns: &TablePlan,
    ) -> Result<Option<ParsedRow>, String> {
        let row = self
            .row(record, columns)
            .unwrap_or_else(|why| Some(ParsedRow::Bad(why)));
        if matches!(row, Some(ParsedRow::Bad(_))) && is_taken(record, columns) {
            self.left_out.see_bad(record, columns);
        }
        // A row without a value adds nothing, in any series.
        if matches!(row, Some(ParsedRow::Value(_))) {
            self.series.check(record, columns)?;
            self.not_used.see(record);
        }
        Ok(row)
    }

    fn row(
        &mut self,
        record: &ByteRecord,
        columns: &TablePlan,
    ) -> Result<Option<ParsedRow>, String> {
        self.last_when = None;
        let (width, expected) = (record.len(), columns.width());
        // Cells missing at the end of a row are empty, as in a spreadsheet, and a separator there adds an
        // empty one.
        let has_more = record
            .iter()
            .skip(expected)
            .any(|cell| !cell.trim_ascii().is_empty());
        if has_more && !is_remark(record) {
            return Err(format!("expected {expected} columns, got {width}"));
        }
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        if !is_taken(record, columns) {
            return Ok(Some(ParsedRow::Other));
        }
        let Some(measures) = self.wanted(record, columns) else {
            return Ok(Some(ParsedRow::Other));
        };
        let own = columns
            .unit
            .map(cell)
            .filter(|unit| !is_without_value(unit));
        let own = own.map_or(RowUnit::Unsaid, |unit| {
            let unit = SeriesUnit::parse_any(&String::from_utf8_lossy(unit));
            unit.map_or(RowUnit::Other, RowUnit::Said)
        });
        if let (RowUnit::Other, Some(unit)) = (own, columns.unit.map(cell)) {
            self.left_out.see_unit(unit);
        }
        let at = match self.times.read(record, &columns.time) {
            Ok(Some(at)) => at,
            Ok(None) => return Ok(None),
            // Below a table: sums, and remarks.
            Err(_) if is_remark(record) => return Ok(Some(ParsedRow::NoValue)),
            Err(fault) => {
                let row = (record, columns, measures);
                let is_skipped = matches!(fault, TimeFault::Skipped(_));
                if self.is_without_loss(row, (own, is_skipped)) {
                    return Ok(Some(ParsedRow::NoValue));
                }
                return Err(fault.into_text());
            }
        };
        self.last_when = Some(at.when);
        let traits = self.traits(record, columns);
        if let Some((index, days)) = measures_of_days(columns) {
            let day = (index, days, at.when.first());
            self.waiting = self.values_of_day(record, columns, day, (own, traits))?;
            return Ok(self.waiting.pop());
        }
        let row = self.value(record, columns, (measures, own), (at, traits))?;
        if let ParsedRow::Value(value) = &row {
            self.see_first(at.when, value.watthours);
            self.total.see(value.watthours);
        }
        Ok(Some(row))
    }

    /// Whether nothing is lost with a row without a time: it has no value, as some write the rows of a
    /// skipped hour, it is a line of text, or the sum of the rows above, below the table. A row with
    /// a part of a time is the last one of a file that was cut off.
    fn is_without_loss(
        &mut self,
        (record, columns, measures): (&ByteRecord, &TablePlan, [Option<&MeasurePlace>; 2]),
        (own, is_skipped): (RowUnit, bool),
    ) -> bool {
        let cell = |column: usize| record.get(column).unwrap_or_default();
        let times = || columns.time.columns().map(cell);
        let is_text = |cell: &[u8]| !cell.iter().any(u8::is_ascii_digit);
        if !is_skipped && !times().all(is_text) {
            return false;
        }
        match self.cells(record, columns, measures, own) {
            Ok(None) => true,
            Ok(Some((cells, _))) => match cells.map(Cell::value) {
                [None, None] => true,
                [None, Some(energy)] if times().all(|cell| cell.trim_ascii().is_empty()) => {
                    columns.has_intervals && self.total.is_sum(energy)
                }
                _ => false,
            },
            Err(_) => {
                let mut places = measures.into_iter().flatten();
                places.all(|place| cell(place.column).iter().any(u8::is_ascii_alphabetic))
            }
        }
    }

    /// The values of a day, the last one first.
    fn values_of_day(
        &mut self,
        record: &ByteRecord,
        columns: &TablePlan,
        (index, days, time): (usize, &DayColumns, Timestamp),
        (own, traits): (RowUnit, u64),
    ) -> Result<Vec<ParsedRow>, String> {
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        let zone = self.times.zone().cloned().unwrap_or(Zone::UTC);
        let intervals = days.intervals(time, &zone, cell)?;
        let values = intervals.into_iter().rev().map(|(from, to, column)| {
            let place = MeasurePlace {
                column,
                more: Vec::new(),
                key: None,
                unit: None,
                days: None,
            };
            let mut measures = [None; 2];
            if let Some(to) = measures.get_mut(index) {
                *to = Some(&place);
            }
            let row = self.value(
                record,
                columns,
                (measures, own),
                (RowWhen::sure(When::Between(from, to)), traits),
            );
            row.unwrap_or_else(ParsedRow::Bad)
        });
        Ok(values.collect())
    }

    /// The other columns of a row, as a number.
    fn traits(&mut self, record: &ByteRecord, columns: &TablePlan) -> u64 {
        if columns.shape != Shape::Plain {
            return 0;
        }
        let others = columns.names.iter().enumerate();
        let others = others.filter(|(column, _)| !columns.uses(*column));
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        self.traits
            .of(others.map(|(column, name)| (name.as_str(), cell(column))))
    }

    /// The value of the measures at a time.
    fn value(
        &mut self,
        record: &ByteRecord,
        columns: &TablePlan,
        (measures, own): ([Option<&MeasurePlace>; 2], RowUnit),
        (at, traits): (RowWhen, u64),
    ) -> Result<ParsedRow, String> {
        let Some((cells, doubtful)) = self.cells(record, columns, measures, own)? else {
            return Ok(ParsedRow::Other);
        };
        let mut row = ParsedRow::new(at, cells, true, String::new);
        if let ParsedRow::Value(value) = &mut row {
            (value.doubtful, value.traits) = (doubtful, traits);
            self.has_value = true;
            let [above, below] = &mut self.signs;
            *above |= value.watthours.is_some_and(|energy| energy > 0.0);
            *below |= value.watthours.is_some_and(|energy| energy < 0.0);
        }
        Ok(row)
    }

    /// The values of the measures, and whether each is doubtful; `None` if the row has another
    /// unit.
    fn cells(
        &mut self,
        record: &ByteRecord,
        columns: &TablePlan,
        measures: [Option<&MeasurePlace>; 2],
        own: RowUnit,
    ) -> Result<Option<RowCells>, String> {
        let mut cells = [Cell::Empty; 2];
        let mut doubtful = [false; 2];
        for (index, place) in measures.into_iter().enumerate() {
            let Some(place) = place else { continue };
            let (Some(to), Some(doubt)) = (cells.get_mut(index), doubtful.get_mut(index)) else {
                continue;
            };
            let Some((seen, unit)) = self.notations.get_mut(index).zip(columns.units.get(index))
            else {
                continue;
            };
            let unit = match own {
                RowUnit::Said(own) if own.measure() == unit.measure() => own,
                RowUnit::Unsaid => *unit,
                // The row has another quantity, or the unit of the other measure.
                RowUnit::Said(other) => {
                    self.other_unit = Some(other);
                    return Ok(None);
                }
                RowUnit::Other => return Ok(None),
            };
            let may_lack = columns.has_intervals && unit.measure() == ImportMeasure::Register;
            (*to, *doubt) =
                sum(seen, (unit, may_lack), place, record).map_err(|(column, why)| {
                    let name = brief(&columns.name(column));
                    format!(
                        "{name}: {why}, got {}",
                        shown(record.get(column).unwrap_or_default().trim_ascii())
                    )
                })?;
        }
        Ok(Some((cells, doubtful)))
    }

    /// Whether there was a value.
    pub(crate) const fn has_values(&self) -> bool {
        self.has_value
    }

    /// Whether all energies are zero or below.
    pub(crate) const fn is_negative(&self) -> bool {
        let [above, below] = self.signs;
        below && !above
    }

    /// The time of the row that was read last.
    pub(crate) const fn last_when(&self) -> Option<When> {
        self.last_when
    }

    fn see_first(&mut self, when: When, energy: Option<f64>) {
        let is_new = |time| self.first.last().is_none_or(|(last, _)| *last != time);
        if let (When::At(time), Some(energy), 0..=1) = (when, energy, self.first.len())
            && is_new(time)
        {
            self.first.push((time, energy));
        }
    }

    /// Asks whether times are starts or ends; `None` without a time.
    pub(crate) fn which_end(&self) -> Option<String> {
        which_end(&self.first)
    }

    /// Whether doubtful separators separate thousands, for each measure.
    ///
    /// # Errors
    /// The question, if nothing decides.
    pub(crate) fn thousands(
        &self,
        file: NotationSeen,
        usual: Option<DecimalMark>,
        asked: Option<DecimalMark>,
    ) -> Result<[bool; 2], String> {
        let [watts, watthours] = &self.notations;
        Ok([
            watts.thousands(file, usual, asked)?,
            watthours.thousands(file, usual, asked)?,
        ])
    }

    /// The requested measures of the row; `None` if it has none.
    fn wanted<'a>(
        &mut self,
        record: &ByteRecord,
        columns: &'a TablePlan,
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

/// Whether a row has the values that the user asked for. Several values of a column are alternatives.
fn is_taken(record: &ByteRecord, columns: &TablePlan) -> bool {
    let filters = &columns.filters;
    filters.iter().all(|(column, _)| {
        let cell = record.get(*column).unwrap_or_default().trim_ascii();
        let mut filters = filters.iter();
        filters.any(|(other, value)| other == column && cell == value.as_slice())
    })
}

/// The measure with a column for each interval of a day, and those columns.
fn measures_of_days(columns: &TablePlan) -> Option<(usize, &DayColumns)> {
    let places = [&columns.watts, &columns.watthours].into_iter().enumerate();
    let mut found =
        places.filter_map(|(index, place)| Some((index, place.as_ref()?.days.as_ref()?)));
    found.next()
}

//! Turns rows of a table into values.

use csv::ByteRecord;

use super::columns::{MeasurePlace, Shape, TableColumns};
use super::day_columns::DayColumns;
use super::header::brief;
use super::number::{Cell, DecimalMark, NotationSeen};
use super::parsed_row::ParsedRow;
use super::row_cells::{is_remark, sum};
use super::series::{KeyNames, SeriesCheck};
use super::times::{RowWhen, TimeFault, TimeReader, When, shown};
use super::traits::RowTraits;
use super::unit::{ImportMeasure, SeriesUnit, UnitWishes};
use super::when::{WhenReader, which_end};
use crate::domain::{Timestamp, Zone};
use crate::ingest::Quantity;

const MEASURES: [ImportMeasure; 2] = [ImportMeasure::Power, ImportMeasure::Register];

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
    /// The units of power and registers.
    units: [SeriesUnit; 2],
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
    /// Whether rows may end early.
    is_ragged: bool,
    /// Whether registers are energies of intervals.
    pub(crate) has_intervals: bool,
    has_value: bool,
    /// Whether there was an energy above zero, and one below.
    signs: [bool; 2],
    /// A unit of the other measure, for rows that were left out.
    pub(crate) other_unit: Option<SeriesUnit>,
    /// The other values of the last row, the last one first.
    pub(crate) waiting: Vec<ParsedRow>,
    last_when: Option<When>,
    /// The times of the first two energies, and the first energy.
    first: Vec<(Timestamp, f64)>,
}

impl RowReader {
    /// A reader of rows whose times `times` parses.
    pub(crate) fn new(times: TimeReader, is_ragged: bool) -> Self {
        Self {
            is_ragged,
            has_intervals: false,
            has_value: false,
            signs: [false; 2],
            other_unit: None,
            waiting: Vec::new(),
            last_when: None,
            times: WhenReader::new(times),
            units: [Quantity::WATTS, Quantity::WATTHOURS].map(SeriesUnit::one),
            notations: [NotationSeen::default(); 2],
            others: KeyNames::default(),
            seen: [false; 2],
            series: SeriesCheck::default(),
            traits: RowTraits::default(),
            first: Vec::new(),
        }
    }

    /// Sets the units of the columns. The unit of energy must be known: some meters show Wh, others
    /// kWh.
    ///
    /// # Errors
    /// In words, with the option to add or leave out.
    pub(crate) fn set_units(
        &mut self,
        columns: &TableColumns,
        units: UnitWishes,
    ) -> Result<(), String> {
        let places = [&columns.watts, &columns.watthours];
        for ((own, measure), place) in self.units.iter_mut().zip(MEASURES).zip(places) {
            let given = units.given(measure);
            let Some(place) = place else {
                // Either the column or the unit is a mistake.
                if given.is_some_and(|given| given != *own) {
                    return Err(match measure {
                        ImportMeasure::Power => "--unit kW is for power, but no column of power is chosen: see --watts-column",
                        ImportMeasure::Register => "--unit kWh is for energy, but no column of a register is chosen: see --watthours-column",
                    }
                    .to_owned());
                }
                continue;
            };
            let is_key = place.key.as_ref().is_some_and(|key| &**key == b"watthours");
            let is_own = is_key || columns.name(place.column).eq_ignore_ascii_case("watthours");
            let said = place
                .unit
                .filter(|unit| ImportMeasure::of_unit(unit).is_some());
            let is_needed = !is_own && columns.unit.is_none();
            if said.is_some() || given.is_some() || is_needed {
                *own = units.of(said, measure, &brief(&columns.name(place.column)))?;
            }
        }
        Ok(())
    }

    /// Reads a row; `None` for one that has no values by its nature.
    ///
    /// # Errors
    /// If it belongs to another series than the rows before: no further row can be read.
    pub(crate) fn read(
        &mut self,
        record: &ByteRecord,
        columns: &TableColumns,
    ) -> Result<Option<ParsedRow>, String> {
        let row = self
            .row(record, columns)
            .unwrap_or_else(|why| Some(ParsedRow::Bad(why)));
        // A row without a value adds nothing, in any series.
        if matches!(row, Some(ParsedRow::Value(_))) {
            self.series.check(record, columns)?;
        }
        Ok(row)
    }

    fn row(
        &mut self,
        record: &ByteRecord,
        columns: &TableColumns,
    ) -> Result<Option<ParsedRow>, String> {
        let (width, expected) = (record.len(), columns.width());
        // Cells missing in a short row are empty, and a separator at the end adds an empty one.
        let has_more = record
            .iter()
            .skip(expected)
            .any(|cell| !cell.trim_ascii().is_empty());
        let is_short = width < expected
            && !self.is_ragged
            && !columns.shape.has_short_rows()
            && !columns.time.has_date_rows
            // The last hours of a short day.
            && measures_of_days(columns).is_none();
        if (has_more || is_short) && !is_remark(record) {
            return Err(format!("expected {expected} columns, got {width}"));
        }
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        // Several values of a column are alternatives.
        let is_taken = columns.filters.iter().all(|(column, _)| {
            let mut filters = columns.filters.iter();
            filters.any(|(other, value)| other == column && cell(*column) == value.as_slice())
        });
        if !is_taken {
            return Ok(Some(ParsedRow::Other));
        }
        let Some(measures) = self.wanted(record, columns) else {
            return Ok(Some(ParsedRow::Other));
        };
        let own = columns.unit.map(cell).filter(|unit| !unit.is_empty());
        let own = own.map_or(RowUnit::Unsaid, |unit| {
            let unit = SeriesUnit::parse_any(&String::from_utf8_lossy(unit));
            unit.map_or(RowUnit::Other, RowUnit::Said)
        });
        let at = match self.times.read(record, &columns.time) {
            Ok(Some(at)) => at,
            Ok(None) => return Ok(None),
            // Below a table: sums, and remarks.
            Err(_) if is_remark(record) => return Ok(Some(ParsedRow::NoValue)),
            // Some write the rows of a skipped hour without a value.
            Err(TimeFault::Skipped(why)) => {
                let cells = self.cells(record, columns, measures, own)?;
                let has_value =
                    cells.is_some_and(|(cells, _)| cells.iter().any(|it| it.value().is_some()));
                return if has_value {
                    Err(why)
                } else {
                    Ok(Some(ParsedRow::NoValue))
                };
            }
            Err(TimeFault::Form(why)) => return Err(why),
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
        }
        Ok(Some(row))
    }

    /// The values of a day, the last one first.
    fn values_of_day(
        &mut self,
        record: &ByteRecord,
        columns: &TableColumns,
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
    fn traits(&mut self, record: &ByteRecord, columns: &TableColumns) -> u64 {
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
        columns: &TableColumns,
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
        columns: &TableColumns,
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
            let Some((seen, unit)) = self.notations.get_mut(index).zip(self.units.get(index))
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
            let may_lack = self.has_intervals && unit.measure() == ImportMeasure::Register;
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

/// The measure with a column for each interval of a day, and those columns.
fn measures_of_days(columns: &TableColumns) -> Option<(usize, &DayColumns)> {
    let places = [&columns.watts, &columns.watthours].into_iter().enumerate();
    let mut found =
        places.filter_map(|(index, place)| Some((index, place.as_ref()?.days.as_ref()?)));
    found.next()
}

//! CSV and its relatives: a header, rows, and annotations.

use std::sync::Arc;

use csv::ByteRecord;
use thiserror::Error;

use super::header::{Header, Unclear, brief};
use super::layout::TableLayout;
use super::layout_cells::with_unit_row;
use super::left_out::LeftOutRows;
use super::missing::missing;
use super::not_used::NotUsed;
use super::number::DecimalMark;
use super::options::TableOptions;
use super::parsed_row::ParsedRow;
use super::plan::{AskedTerms, Decider, PlanPart, Shape, TablePlan};
use super::recognised::recognised;
use super::role_words::is_outward;
use super::row_source::RowSource;
use super::series::KeyNames;
use super::table_row::RowReader;
use super::text_rows::{TableBytes, records};
use super::times::{TimeReader, When};
use super::traits::RowTraits;
use super::unit::SeriesUnit;
use super::words::says_utc;
use crate::domain::Zone;

/// The number of rows searched for keys to list.
const LOOK_THROUGH: usize = 200_000;

/// Why a table cannot be read further.
#[derive(Debug, Error)]
pub(crate) enum TableError {
    /// An error of the source.
    #[error(transparent)]
    Read(#[from] csv::Error),
    /// A choice that the user must make, in words.
    #[error("{0}")]
    Unclear(String),
}

/// A table being read.
pub(crate) struct TableRows<R> {
    source: RowSource<R>,
    record: ByteRecord,
    /// Whether `record` contains a row that is not consumed yet.
    looked_ahead: bool,
    options: TableOptions,
    layout: TableLayout,
    rows: RowReader,
    /// The last header; empty if the next row must be one.
    header: ByteRecord,
    /// Whether each table begins with rows such as `#group,false,true`, as in Flux.
    annotated: bool,
    /// The columns of the table's group key.
    group: Option<Vec<bool>>,
    /// `None` for a table without the requested columns.
    columns: Option<TablePlan>,
    /// Its parts, for people.
    pub(crate) plan: Vec<PlanPart>,
    /// The supplier, if the format is known.
    pub(crate) format: Option<String>,
    /// Remarks for the user about the file.
    pub(crate) remarks: Vec<String>,
    /// The unit named by a row above the header.
    unit_above: Option<SeriesUnit>,
}

impl<R: TableBytes> TableRows<R> {
    /// Begins to read `source`, which begins with `head`, as a table.
    ///
    /// # Errors
    /// If it cannot be read, or its columns are unclear; the error then has the remedy.
    pub(crate) fn open(
        source: R,
        head: &[u8],
        mut options: TableOptions,
    ) -> Result<Self, TableError> {
        let layout = TableLayout::of(head);
        options.times.or_order(layout.order);
        // A column that the user named is right.
        let wishes = &options.wishes;
        if wishes.watts.is_some() || wishes.watthours.is_some() {
            options.sensor = None;
        }
        let mut table = Self {
            source: RowSource::new(records(source, layout.delimiter)),
            record: ByteRecord::new(),
            looked_ahead: false,
            rows: RowReader::new(options.times.clone()),
            options,
            layout,
            header: ByteRecord::new(),
            annotated: false,
            group: None,
            columns: None,
            plan: Vec::new(),
            format: None,
            remarks: Vec::new(),
            unit_above: None,
        };
        table.begin()?;
        Ok(table)
    }

    /// Reads up to the header, which is the first row unless that contains a time.
    fn begin(&mut self) -> Result<(), TableError> {
        let mut skipped = 0;
        while self.next_record()? {
            if self.is_annotation() {
                self.take_annotation();
            } else if skipped == self.layout.skipped {
                break;
            } else {
                skipped += 1;
                self.unit_above = self.unit_above.or(SeriesUnit::in_cells(&self.record));
            }
        }
        if self.layout.has_unit_row {
            let names = self.record.clone();
            self.next_record()?;
            self.record = with_unit_row(&names, &self.record);
        }
        let layout = &self.layout;
        let first = layout.headerless_time.filter(|_| layout.skipped == 0);
        let time = first.or_else(|| self.record.iter().position(TimeReader::looks_like_one));
        let time = time.filter(|_| !self.layout.has_date_rows);
        self.looked_ahead = time.is_some();
        let asked = self.options.wishes.clone();
        let zone = self.recognise(time)?;
        let mut columns = match self.find_columns(time) {
            Ok(columns) => columns,
            Err(Unclear::Said(text)) => return Err(TableError::Unclear(text)),
            Err(Unclear::WhichKeys) => return Err(TableError::Unclear(self.ask_for_keys()?)),
        };
        if let Some(question) = self.options.other_direction(&columns) {
            return Err(TableError::Unclear(question));
        }
        let zone_by = self.prepare_times(&columns, zone)?;
        let has_bounds = columns.has_bounds();
        let has_energy = columns.watthours.is_some() && columns.shape != Shape::Statistics;
        columns.has_intervals = has_energy && self.options.has_intervals.unwrap_or(has_bounds);
        let set = self.options.set_units(&mut columns);
        set.map_err(TableError::Unclear)?;
        self.rows.not_used = NotUsed::of(&columns);
        let zone = self.options.times.zone_name().to_owned();
        let asked = AskedTerms {
            wishes: asked,
            zone: (zone, zone_by),
        };
        self.plan = columns.parts(asked, (&self.options.wishes, self.options.units));
        self.columns = Some(columns);
        self.header.clone_from(&self.record);
        Ok(())
    }

    /// Prepares to read the times in these columns. Returns who decides on their zone.
    fn prepare_times(
        &mut self,
        columns: &TablePlan,
        mut zone_by: Decider,
    ) -> Result<Decider, TableError> {
        let (date, clock) = (columns.time.cells.date, columns.time.cells.clock);
        let time = columns.name(date);
        if says_utc(&time) && self.options.times.zone().is_some() {
            self.options.times.set_utc();
            zone_by = Decider::Name;
            self.remarks.push(format!(
                "its times are in UTC, as their column says: {}",
                brief(&time)
            ));
        }
        // The first rows may all be of the first twelve days of a month.
        if self.options.times.lacks_order(self.layout.sample(date)) {
            self.options.times.or_order(self.source.find_order(date)?);
        }
        self.rows = RowReader::new(self.options.times.clone());
        if clock.is_some_and(|clock| self.layout.has_zero(clock)) {
            self.rows.times.set_zero_hour();
        }
        Ok(zone_by)
    }

    /// Recognises a known format. Returns who decides on the zone of its times.
    fn recognise(&mut self, headerless_time: Option<usize>) -> Result<Decider, TableError> {
        let is_asked = self.options.times.zone().is_some();
        let header = Header::of(&self.record, None, headerless_time);
        let header = header.map_err(TableError::Unclear)?;
        let formats = Arc::clone(&self.options.formats);
        let known = (&*formats, self.options.role());
        if let Some(format) = recognised(known, &header, &self.layout, self.unit_above) {
            self.options.complete(&format, &header);
            self.format = Some(format.name.clone());
        }
        let of_format = self.options.times.zone().cloned();
        let account = self.options.account_zone.clone();
        self.options.times.or_zone(account.clone());
        Ok(match of_format {
            _ if is_asked => Decider::User,
            Some(zone) if account.as_ref() != Some(&zone) => Decider::Format,
            _ if account.is_some() => Decider::Account,
            _ => Decider::Default,
        })
    }

    /// Reads the next row into `self.record`; false after the last.
    fn next_record(&mut self) -> Result<bool, TableError> {
        if std::mem::take(&mut self.looked_ahead) {
            return Ok(true);
        }
        Ok(self.source.next(&mut self.record)?)
    }

    /// The columns of a table. `self.record` is its header or, with a time in that column, its
    /// first row.
    fn find_columns(&self, headerless_time: Option<usize>) -> Result<TablePlan, Unclear> {
        let header = Header::of(&self.record, self.group.as_deref(), headerless_time);
        let (header, options) = (header.map_err(Unclear::Said)?, &self.options);
        TablePlan::find(&header, &options.wishes, &self.layout, options.role())
    }

    /// Whether the row is one such as `#group,false,true`.
    fn is_annotation(&self) -> bool {
        self.record
            .get(0)
            .is_some_and(|cell| cell.starts_with(b"#"))
    }

    /// Handles an annotation. A header follows those of Flux; others are comments.
    fn take_annotation(&mut self) {
        let group = match self.record.get(0) {
            Some(b"#group") => {
                let flags = self.record.iter().map(|cell| cell.trim_ascii() == b"true");
                Some(flags.collect())
            }
            Some(b"#datatype" | b"#default") => None,
            _ => return,
        };
        self.annotated = true;
        self.header.clear();
        // #datatype and #default come with #group and do not change it.
        self.group = group.or(self.group.take());
    }

    /// The row in `self.record`; `None` for headers and annotations.
    fn row(&mut self) -> Result<Option<ParsedRow>, TableError> {
        if self.annotated && self.is_annotation() {
            self.take_annotation();
            return Ok(None);
        }
        if self.header.is_empty() {
            // Another table of the same result may lack the requested columns.
            self.columns = self.find_columns(None).ok();
            self.header.clone_from(&self.record);
            self.rows.series.begin_table();
            return Ok(None);
        }
        let Some(columns) = &self.columns else {
            return Ok(Some(ParsedRow::Other));
        };
        // Influx repeats the header before each series.
        if columns.shape != Shape::Headerless && self.record == self.header {
            return Ok(None);
        }
        match self.rows.read(&self.record, columns) {
            Ok(row) => Ok(row),
            Err(mixed) => Err(TableError::Unclear(format!(
                "line {}: {mixed}",
                self.line()
            ))),
        }
    }

    /// Searches the rows for their keys, and asks which ones to take.
    fn ask_for_keys(&mut self) -> Result<String, TableError> {
        let names = ["entity_id", "_field"].map(str::as_bytes);
        let column = self.record.iter().position(|cell| names.contains(&cell));
        let mut keys = KeyNames::default();
        for _ in 0..LOOK_THROUGH {
            if !self.next_record()? {
                break;
            }
            keys.see(
                column
                    .and_then(|column| self.record.get(column))
                    .unwrap_or_default(),
            );
        }
        Ok(format!(
            "choose the entities with --watts-column ENTITY for power, --watthours-column ENTITY for a meter's \
             register, and --unit kW or --unit kWh if it is in thousands: they are {}",
            keys.listed().unwrap_or_else(|| "none".into())
        ))
    }

    /// The next row; `None` after the last.
    ///
    /// # Errors
    /// If the table cannot be read further.
    pub(crate) fn next_row(&mut self) -> Result<Option<ParsedRow>, TableError> {
        if let Some(row) = self.rows.waiting.pop() {
            return Ok(Some(row));
        }
        while self.next_record()? {
            if let Some(row) = self.row()? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The number of the line where the row begins.
    pub(crate) const fn line(&self) -> u64 {
        self.source.line()
    }

    /// After the last row: requested measures that were not found, in words.
    pub(crate) fn missing(&self) -> Option<String> {
        missing(&self.rows, self.columns.as_ref()?, &self.options.wishes)
    }

    /// The last row, its columns and its time; `None` if it has no time.
    pub(crate) fn last(&self) -> Option<(&ByteRecord, &TablePlan, When)> {
        Some((&self.record, self.columns.as_ref()?, self.rows.last_when()?))
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        self.columns.as_ref().map_or(&[], |columns| &columns.names)
    }

    /// The zone of times without one.
    pub(crate) const fn zone(&self) -> Option<&Zone> {
        self.rows.times.zone()
    }

    /// Whether registers are energies of intervals.
    pub(crate) fn has_intervals(&self) -> bool {
        self.columns.as_ref().is_some_and(|it| it.has_intervals)
    }

    /// Remarks about the columns that were not used, after the last row.
    pub(crate) fn not_used(&self) -> Option<String> {
        self.rows.not_used.text(self.columns.as_ref()?)
    }

    /// The contents of the rows that were left out, after the last row.
    pub(crate) const fn left_out(&self) -> &LeftOutRows {
        &self.rows.left_out
    }

    /// Whether a known format says that registers are energies of intervals.
    pub(crate) const fn says_intervals(&self) -> bool {
        self.options.says_intervals
    }

    /// Whether energies to the grid have a negative sign, which their column's name says already.
    pub(crate) fn is_export_below_zero(&self) -> bool {
        let is_export = self.columns.as_ref().is_some_and(|columns| {
            let place = columns.watthours.as_ref();
            place.is_some_and(|place| is_outward(&columns.name(place.column)))
        });
        self.has_intervals() && is_export && self.rows.is_negative()
    }

    /// The length of an interval that the table does not determine, in milliseconds; 0 if there is
    /// none.
    pub(crate) fn usual_length_ms(&self) -> i64 {
        let is_hourly = self
            .columns
            .as_ref()
            .is_some_and(|it| it.shape == Shape::Statistics);
        if is_hourly { 3_600_000 } else { 0 }
    }

    /// The other columns of rows, to tell apart two rows of the same time.
    pub(crate) fn traits(&self) -> &RowTraits {
        &self.rows.traits
    }

    /// Called after the last row: whether doubtful separators separate thousands, for each measure.
    ///
    /// # Errors
    /// The question, if the notation is unclear, or whether times are starts or ends.
    pub(crate) fn verdict(&self) -> Result<[bool; 2], String> {
        let Some(columns) = &self.columns else {
            return Ok([false; 2]);
        };
        let is_unsure = columns.has_intervals && columns.time.are.is_none();
        if let (true, Some(question)) = (is_unsure, self.rows.which_end()) {
            return Err(question);
        }
        // A comma cannot be the usual mark where it separates cells.
        let usual = (self.layout.delimiter == b',').then_some(DecimalMark::Point);
        self.rows
            .thousands(self.layout.notation, usual, self.options.wishes.decimals)
    }
}

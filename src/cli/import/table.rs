//! CSV and its relatives: a header, rows, and what else stands around them.

use anyhow::{Result, bail};
use csv::{ByteRecord, Terminator};

use super::columns::{Shape, TableColumns, Wishes};
use super::header::{Header, Unclear};
use super::rows::{ParsedRow, ReadRows, Scales};
use super::series::KeyNames;
use super::source::{ImportSource, RowBytes, RowEnd};
use super::times::TimeReader;
use crate::cli::import::table_row::RowReader;

/// How many rows are looked through for the names of what a file holds.
const LOOK_THROUGH: usize = 200_000;

/// A table that is being read.
pub(super) struct TableRows {
    reader: csv::Reader<RowBytes>,
    row_end: RowEnd,
    record: ByteRecord,
    /// Whether `record` holds a row that was looked at but not taken yet.
    looked_ahead: bool,
    wishes: Wishes,
    rows: RowReader,
    /// The last header; empty where one must follow.
    header: ByteRecord,
    /// Whether rows such as `#group,false,true` stand before each table, as Flux writes them.
    annotated: bool,
    /// Which columns are the table's group key.
    group: Option<Vec<bool>>,
    /// `None` for a table that lacks what is asked for.
    columns: Option<TableColumns>,
}

impl TableRows {
    /// Begins to read `source` as a table.
    ///
    /// # Errors
    /// Where it cannot be read, or its columns are unclear; then the error says what to do.
    pub(super) fn open(
        source: ImportSource,
        wishes: Wishes,
        times: TimeReader,
        scales: Scales,
    ) -> Result<Self> {
        let delimiter = delimiter(&source.head);
        let (rows, row_end) = source.rows();
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            // Else the line numbers lag behind where lines end in CR LF; cells are trimmed of the CR.
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(64 * 1024)
            .from_reader(rows);
        let mut table = Self {
            reader,
            row_end,
            record: ByteRecord::new(),
            looked_ahead: false,
            wishes,
            rows: RowReader::new(times, scales, delimiter != b','),
            header: ByteRecord::new(),
            annotated: false,
            group: None,
            columns: None,
        };
        table.begin(scales)?;
        Ok(table)
    }

    /// Takes the first row for the header or, where it has a time in it, for a row.
    fn begin(&mut self, scales: Scales) -> Result<()> {
        while self.next_record()? && self.is_annotation() {
            self.take_annotation();
        }
        let time = self.record.iter().position(TimeReader::looks_like_one);
        self.looked_ahead = time.is_some();
        let columns = match self.find_columns(time) {
            Ok(columns) => columns,
            Err(Unclear::Said(text)) => bail!(text),
            Err(Unclear::WhichKeys) => bail!(self.ask_for_keys()?),
        };
        // A unit for a measure that the file does not have is a slip: of the column, or of the unit.
        if scales.kilowatts && columns.watts.is_none() {
            bail!("--unit kW is for power, but no column of power is chosen: see --watts-column");
        }
        if scales.kilowatthours && columns.watthours.is_none() {
            bail!(
                "--unit kWh is for energy, but no column of a register is chosen: see --watthours-column"
            );
        }
        self.columns = Some(columns);
        self.header.clone_from(&self.record);
        Ok(())
    }

    /// Whether there is another row; it is in `self.record` then.
    fn next_record(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.looked_ahead) {
            return Ok(true);
        }
        loop {
            self.row_end.reached();
            if !self.reader.read_byte_record(&mut self.record)? {
                return Ok(false);
            }
            // A line with a CR only is as empty as one without.
            if self.record.len() > 1 || !self.record.as_slice().trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The columns of a table whose header `self.record` is; or its first row, with a time there.
    fn find_columns(&self, headerless_time: Option<usize>) -> Result<TableColumns, Unclear> {
        let names = self.record.iter().map(|cell| {
            let name = String::from_utf8_lossy(cell.trim_ascii());
            name.into_owned()
        });
        TableColumns::find(
            &Header {
                names: names.collect(),
                group: self.group.as_deref(),
                headerless_time,
            },
            &self.wishes,
        )
    }

    /// Whether the row is one such as `#group,false,true`.
    fn is_annotation(&self) -> bool {
        self.record
            .get(0)
            .is_some_and(|cell| cell.starts_with(b"#"))
    }

    /// Takes such a row. After one that is Flux's a header follows; others are somebody's remarks.
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
        self.group = group.or(self.group.take());
    }

    /// What the row in `self.record` is; `None` where it belongs to the frame.
    fn row(&mut self) -> Result<Option<ParsedRow>> {
        if self.annotated && self.is_annotation() {
            self.take_annotation();
            return Ok(None);
        }
        if self.header.is_empty() {
            // Another table of the same result need not have what is asked for.
            self.columns = self.find_columns(None).ok();
            self.header.clone_from(&self.record);
            self.rows.begin_table();
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
            Ok(row) => Ok(Some(row)),
            Err(mixed) => bail!("line {}: {mixed}", self.line()),
        }
    }

    /// Looks through the rows for what they are of, and asks which of it is wanted.
    fn ask_for_keys(&mut self) -> Result<String> {
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
            "which entity is what? Say --watts-column ENTITY for power, --watthours-column ENTITY for a \
             meter's register, with --unit kW or --unit kWh where it is in thousands: they are {}",
            keys.listed().unwrap_or_else(|| "none".into())
        ))
    }
}

impl ReadRows for TableRows {
    fn next_row(&mut self) -> Result<Option<ParsedRow>> {
        while self.next_record()? {
            if let Some(row) = self.row()? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// From where it ended: of where it began the reader knows only that empty lines may come first.
    fn line(&self) -> u64 {
        let inside = self.record.as_slice().iter().filter(|byte| **byte == b'\n');
        let after = self.reader.position().line();
        let lines = u64::try_from(inside.count()).unwrap_or_default() + 1;
        after.saturating_sub(lines)
    }

    fn missing(&self) -> Option<String> {
        let columns = self.columns.as_ref()?;
        let nothing_seen = self.rows.seen == [false; 2];
        let wanted = [
            (&columns.watts, &self.wishes.watts),
            (&columns.watthours, &self.wishes.watthours),
        ];
        // What was only looked for may be missing, as long as there is something.
        let missing: Vec<_> = wanted
            .into_iter()
            .zip(self.rows.seen)
            .filter(|((_, wish), seen)| !seen && (wish.is_some() || nothing_seen))
            .filter_map(|((measure, _), _)| measure.as_ref()?.key.as_deref())
            .map(String::from_utf8_lossy)
            .collect();
        if missing.is_empty() {
            return None;
        }
        let others = self.rows.others.listed().map_or_else(String::new, |names| {
            format!(
                "; other {} in it are {names}: choose with --watts-column and --watthours-column",
                columns.shape.key_word()
            )
        });
        Some(format!(
            "nothing in it is of {}{others}",
            missing.join(" or ")
        ))
    }
}

/// What stands between the cells: told by the first line. Commas come last, since they may be part of
/// numbers.
fn delimiter(head: &[u8]) -> u8 {
    let line = head
        .split(|byte| *byte == b'\n')
        .find(|line| !line.trim_ascii().is_empty())
        .unwrap_or_default();
    let mut in_quotes = false;
    let outside: Vec<u8> = line
        .iter()
        .copied()
        .filter(|byte| {
            in_quotes ^= *byte == b'"';
            !in_quotes
        })
        .collect();
    [b'\t', b';']
        .into_iter()
        .find(|delimiter| outside.contains(delimiter))
        .unwrap_or(b',')
}

//! CSV and its relatives: a header, rows, and annotations.

use std::io::{self, Read};

use csv::{ByteRecord, Terminator};
use thiserror::Error;

use super::columns::{Shape, TableColumns, Wishes};
use super::header::{Header, Unclear};
use super::parsed_row::{ParsedRow, Scales};
use super::series::KeyNames;
use super::table_row::RowReader;
use super::times::TimeReader;

/// The number of rows searched for keys to list.
const LOOK_THROUGH: usize = 200_000;

/// The bytes of a table. Its last line ends like all others.
pub(crate) trait TableBytes: Read {
    /// Notes that a row ended here. The buffer above may be further ahead, so this bounds the
    /// length of a row only approximately.
    fn row_ended(&mut self);
}

/// The longest row of a text, in bytes, plus one buffer of the reader. It also bounds columns and
/// cells: each takes at least a byte, and many times that once it is read.
const ROW_OF_TEXT: usize = 256 * 1024;

/// A text in memory that ends with a newline.
pub(crate) struct TextRows<'a> {
    rest: &'a [u8],
    since_row: usize,
}

impl<'a> TextRows<'a> {
    /// Reads all of a text.
    pub(crate) const fn new(text: &'a [u8]) -> Self {
        Self {
            rest: text,
            since_row: 0,
        }
    }
}

impl TableBytes for TextRows<'_> {
    fn row_ended(&mut self) {
        self.since_row = 0;
    }
}

impl Read for TextRows<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.rest.read(buffer)?;
        self.since_row += count;
        if self.since_row > ROW_OF_TEXT + buffer.len() {
            let text = format!("a row is longer than {ROW_OF_TEXT} bytes: is a quote missing?");
            return Err(io::Error::other(text));
        }
        Ok(count)
    }
}

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
    reader: csv::Reader<R>,
    record: ByteRecord,
    /// Whether `record` contains a row that is not consumed yet.
    looked_ahead: bool,
    wishes: Wishes,
    rows: RowReader,
    /// The last header; empty if the next row must be one.
    header: ByteRecord,
    /// Whether each table begins with rows such as `#group,false,true`, as in Flux.
    annotated: bool,
    /// The columns of the table's group key.
    group: Option<Vec<bool>>,
    /// `None` for a table without the requested columns.
    columns: Option<TableColumns>,
}

impl<R: TableBytes> TableRows<R> {
    /// Begins to read `source`, which begins with `head`, as a table.
    ///
    /// # Errors
    /// If it cannot be read, or its columns are unclear; the error then has the remedy.
    pub(crate) fn open(
        source: R,
        head: &[u8],
        wishes: Wishes,
        times: TimeReader,
        scales: Scales,
    ) -> Result<Self, TableError> {
        let delimiter = delimiter(head);
        let reader = records(source, delimiter);
        let mut table = Self {
            reader,
            record: ByteRecord::new(),
            looked_ahead: false,
            wishes,
            // If the separator is not a comma, commas are decimal commas.
            rows: RowReader::new(times, scales, delimiter != b','),
            header: ByteRecord::new(),
            annotated: false,
            group: None,
            columns: None,
        };
        table.begin(scales)?;
        Ok(table)
    }

    /// Reads the first row, which is the header unless it contains a time.
    fn begin(&mut self, scales: Scales) -> Result<(), TableError> {
        while self.next_record()? && self.is_annotation() {
            self.take_annotation();
        }
        let time = self.record.iter().position(TimeReader::looks_like_one);
        self.looked_ahead = time.is_some();
        let columns = match self.find_columns(time) {
            Ok(columns) => columns,
            Err(Unclear::Said(text)) => return Err(TableError::Unclear(text)),
            Err(Unclear::WhichKeys) => return Err(TableError::Unclear(self.ask_for_keys()?)),
        };
        // A unit for a measure that the file does not have is a mistake, either in the column or in
        // the unit.
        if scales.kilowatts && columns.watts.is_none() {
            return Err(TableError::Unclear(
                "--unit kW is for power, but no column of power is chosen: see --watts-column"
                    .into(),
            ));
        }
        if scales.kilowatthours && columns.watthours.is_none() {
            return Err(TableError::Unclear(
                "--unit kWh is for energy, but no column of a register is chosen: see --watthours-column".into(),
            ));
        }
        self.columns = Some(columns);
        self.header.clone_from(&self.record);
        Ok(())
    }

    /// Reads the next row into `self.record`; false after the last.
    fn next_record(&mut self) -> Result<bool, TableError> {
        if std::mem::take(&mut self.looked_ahead) {
            return Ok(true);
        }
        loop {
            self.reader.get_mut().row_ended();
            if !self.reader.read_byte_record(&mut self.record)? {
                return Ok(false);
            }
            // A line with only a CR is also empty.
            if self.record.len() > 1 || !self.record.as_slice().trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The columns of a table. `self.record` is its header or, with a time in that column, its
    /// first row.
    fn find_columns(&self, headerless_time: Option<usize>) -> Result<TableColumns, Unclear> {
        let header = Header::of(&self.record, self.group.as_deref(), headerless_time);
        TableColumns::find(&header.map_err(Unclear::Said)?, &self.wishes)
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
            Ok(row) => Ok(Some(row)),
            Err(mixed) => Err(TableError::Unclear(format!("{}: {mixed}", self.place()))),
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
        while self.next_record()? {
            if let Some(row) = self.row()? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The place where the row begins, such as `line 4`. Counted back from its end, because the
    /// reader's position before a row includes empty lines.
    pub(crate) fn place(&self) -> String {
        let inside = self.record.as_slice().iter().filter(|byte| **byte == b'\n');
        let after = self.reader.position().line();
        let lines = u64::try_from(inside.count()).unwrap_or_default() + 1;
        format!("line {}", after.saturating_sub(lines))
    }

    /// After the last row: requested measures that were not found, in words.
    pub(crate) fn missing(&self) -> Option<String> {
        let columns = self.columns.as_ref()?;
        let nothing_seen = self.rows.seen == [false; 2];
        let wanted = [
            (&columns.watts, &self.wishes.watts),
            (&columns.watthours, &self.wishes.watthours),
        ];
        // A measure that was not requested may be missing, as long as the other exists.
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

/// A reader of the rows of `source`.
pub(crate) fn records<R: Read>(source: R, delimiter: u8) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        // A row of another width is reported as a bad row; otherwise the reader would end the
        // import.
        .flexible(true)
        .delimiter(delimiter)
        // CR LF as a terminator would count lines wrongly; instead, the CR is trimmed from cells.
        .terminator(Terminator::Any(b'\n'))
        .buffer_capacity(64 * 1024)
        .from_reader(source)
}

/// The separator of cells, guessed from the first line. Commas come last, because they may be
/// decimal commas.
pub(crate) fn delimiter(head: &[u8]) -> u8 {
    let line = head
        .split(|byte| *byte == b'\n')
        .find(|line| !line.trim_ascii().is_empty())
        .unwrap_or_default();
    // The first cells of a long line are enough.
    let line = line.get(..ROW_OF_TEXT).unwrap_or(line);
    let mut in_quotes = false;
    let outside: Vec<u8> = line
        .iter()
        .copied()
        .filter(|byte| {
            // A doubled quote within quotes toggles twice, which changes nothing.
            in_quotes ^= *byte == b'"';
            !in_quotes
        })
        .collect();
    [b'\t', b';']
        .into_iter()
        .find(|delimiter| outside.contains(delimiter))
        .unwrap_or(b',')
}

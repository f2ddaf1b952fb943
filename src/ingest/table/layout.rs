//! The layout of a table, from the beginning of the file: the first row, the separator, and the
//! kind of each column.

use csv::ByteRecord;

use super::date_orders::DateOrders;
use super::day_columns::DayColumns;
use super::layout_cells::{is_midnight, is_unit_row, text};
use super::number::NotationSeen;
use super::text_rows::records;
use super::times::{DateOrder, TimeReader};
use super::unit::with_unit;

/// The maximum number of rows examined.
const ROWS: usize = 200;
/// The maximum number of lines before the header.
const BEFORE: usize = 60;
/// The length of a cell that is kept, in bytes.
const SAMPLE: usize = 100;
/// The maximum length of a line that is examined, in bytes.
const LINE: usize = 16 * 1024;

/// The kind of a column's cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// All cells are empty, or the table has no rows yet.
    #[default]
    Unknown,
    /// A date with a time of day.
    Time,
    Date,
    Clock,
    Number,
    Text,
}

impl CellKind {
    fn of(cell: &[u8]) -> Self {
        let cell = cell.trim_ascii();
        let is_plain = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        let is_number = || NotationSeen::default().read(cell).is_ok();
        if cell.is_empty() {
            Self::Unknown
        } else if cell.iter().all(is_plain) && is_number() && !is_compact(cell) {
            Self::Number
        } else if TimeReader::is_date(cell) {
            Self::Date
        } else if TimeReader::looks_like_one(cell) {
            Self::Time
        } else if TimeReader::is_clock(cell) {
            Self::Clock
        } else if is_number() || with_unit(cell).is_some() {
            Self::Number
        } else {
            Self::Text
        }
    }
}

/// Whether a cell is a date without separators.
fn is_compact(cell: &[u8]) -> bool {
    cell.len() == 8 && cell.starts_with(b"20") && TimeReader::looks_like_one(cell)
}

/// The layout of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableLayout {
    pub(crate) delimiter: u8,
    /// The number of rows before the header, or before the first row if there is none.
    pub(crate) skipped: usize,
    /// The first column with a time, in a table without a header.
    pub(crate) headerless_time: Option<usize>,
    /// The kinds of the columns.
    pub(crate) kinds: Vec<CellKind>,
    /// Whether dates are in rows of their own, above rows with times of day.
    pub(crate) has_date_rows: bool,
    /// The notation of the numbers of all columns.
    pub(crate) notation: NotationSeen,
    /// The first content of each column.
    samples: Vec<Vec<u8>>,
    /// The columns with a cell that is the number 0, and those with the same cell in two rows that
    /// follow each other.
    zeros: Vec<bool>,
    repeats: Vec<bool>,
    /// Whether a row below the header has the units of the columns.
    pub(crate) has_unit_row: bool,
    /// The order of dates, if it is clear.
    pub(crate) order: Option<DateOrder>,
}

/// The first rows, and the index of the first one with data.
struct TableStart {
    rows: Vec<ByteRecord>,
    first: usize,
    time: usize,
    has_date_rows: bool,
}

impl TableLayout {
    /// The layout of a table that begins with `head`.
    pub(crate) fn of(head: &[u8]) -> Self {
        // Spreadsheets write this line for other spreadsheets.
        let said = head.strip_prefix(b"sep=").and_then(<[u8]>::first).copied();
        let said = said.filter(|byte| byte.is_ascii_punctuation() || *byte == b'\t');
        let candidates = match said {
            Some(delimiter) => vec![delimiter],
            None => vec![b'\t', b';', b',', b'|'],
        };
        let found = candidates.into_iter().find_map(|delimiter| {
            let beginning = TableStart::find(head, delimiter)?;
            Some(beginning.layout(delimiter))
        });
        found.unwrap_or_else(|| {
            let delimiter = said.unwrap_or_else(|| delimiter(head));
            Self {
                delimiter,
                skipped: usize::from(said.is_some()),
                ..Self::default()
            }
        })
    }

    /// The first content of a column.
    pub(crate) fn sample(&self, column: usize) -> &[u8] {
        self.samples.get(column).map_or(&[], Vec::as_slice)
    }

    /// Whether a cell of a column is the number 0.
    pub(crate) fn has_zero(&self, column: usize) -> bool {
        self.zeros.get(column).copied().unwrap_or_default()
    }

    /// Whether a column has the same cell in two rows that follow each other.
    pub(crate) fn repeats(&self, column: usize) -> bool {
        self.repeats.get(column).copied().unwrap_or_default()
    }

    /// The kind of a column.
    pub(crate) fn kind(&self, column: usize) -> CellKind {
        self.kinds.get(column).copied().unwrap_or_default()
    }
}

impl TableStart {
    /// Finds the start of the data; `None` if no row has a time beside another value.
    fn find(head: &[u8], delimiter: u8) -> Option<Self> {
        let rows = first_rows(head, delimiter);
        let time_of = |row: &ByteRecord| {
            let kinds = || row.iter().map(CellKind::of);
            let is_time = |kind| matches!(kind, CellKind::Time | CellKind::Date);
            // Seconds since 1970 are times, too.
            let epoch = || row.iter().position(TimeReader::looks_like_one);
            kinds().position(is_time).or_else(epoch)
        };
        let times: Vec<_> = rows
            .iter()
            .map(|row| time_of(row).filter(|_| row.len() > 1))
            .collect();
        let dated = |index: usize, time: usize| {
            let cells = rows.get(index).into_iter().flatten().enumerate();
            let is_alone = cells
                .filter(|(column, _)| *column != time)
                .all(|(_, cell)| cell.trim_ascii().is_empty());
            let next = rows.get(index + 1).and_then(|row| row.get(time));
            is_alone && next.is_some_and(TimeReader::is_clock)
        };
        // The longest run of rows with a time in the same column; of equally long ones, the widest.
        // Lines before the header may contain dates, too.
        let run = |index: usize, time: usize| {
            let is_dated = dated(index, time);
            let below = rows.get(index..).unwrap_or_default().iter();
            let goes_on = |row: &&ByteRecord| {
                let cell = row.get(time).unwrap_or_default();
                TimeReader::looks_like_one(cell) || (is_dated && TimeReader::is_clock(cell))
            };
            let width = rows.get(index).map_or(0, ByteRecord::len);
            (below.take_while(goes_on).count(), width)
        };
        let mut best: Option<((usize, usize), usize, usize)> = None;
        // The column and the end of the last run: the rest of it is no longer one.
        let mut last = (0, 0);
        for (index, time) in times.iter().enumerate() {
            let Some(time) = *time else { continue };
            if last.0 == time && index < last.1 && !dated(index, time) {
                continue;
            }
            let length = run(index, time);
            last = (time, index + length.0);
            if best.is_none_or(|(known, ..)| length > known) {
                best = Some((length, index, time));
            }
        }
        let (_, first, time) = best?;
        let has_date_rows = dated(first, time);
        Some(Self {
            rows,
            first,
            time,
            has_date_rows,
        })
    }

    /// The index of the header, and whether a row of units is below it.
    fn header(&self) -> (Option<usize>, bool) {
        let width = self.rows.get(self.first).map_or(0, ByteRecord::len);
        let is_name =
            |cell: &[u8]| matches!(CellKind::of(cell), CellKind::Text | CellKind::Unknown);
        let is_header = |row: &ByteRecord| {
            let named = row
                .iter()
                .filter(|cell| !cell.trim_ascii().is_empty())
                .count();
            // A short day may have fewer cells than names.
            let days = || DayColumns::all(&row.iter().map(text).collect::<Vec<_>>());
            let is_of_days = |days: &[DayColumns], column| days.iter().any(|it| it.uses(column));
            let are_names = || {
                let days = days();
                let mut cells = row.iter().enumerate();
                cells.all(|(column, cell)| is_name(cell) || is_of_days(&days, column))
            };
            named > 1 && row.len() + 1 >= width && are_names()
        };
        let above = self.rows.get(..self.first).unwrap_or_default();
        let header = above.iter().rposition(is_header);
        let is_named = |index: usize| above.get(index).is_some_and(is_header);
        let units = header.filter(|header| above.get(*header).is_some_and(is_unit_row));
        let with_units = units.and_then(|units| units.checked_sub(1));
        let with_units = with_units.filter(|it| is_named(*it));
        (with_units.or(header), with_units.is_some())
    }

    fn layout(self, delimiter: u8) -> TableLayout {
        let (header, has_unit_row) = self.header();
        let is_headerless = self.first == 0;
        let skipped = if is_headerless {
            0
        } else {
            header.unwrap_or_default()
        };
        let data = self.rows.get(self.first..).unwrap_or_default();
        let widest = data.iter().map(ByteRecord::len).max().unwrap_or_default();
        let data = if self.has_date_rows {
            data.get(1..).unwrap_or_default()
        } else {
            data
        };
        let kind = |column: usize| {
            let cells = data.iter().filter_map(|row| row.get(column));
            let kinds = cells.map(CellKind::of);
            // A word for a missing value is no text.
            let mut kinds = kinds.filter(|kind| *kind != CellKind::Unknown);
            let kind = kinds.next().unwrap_or_default();
            let mut cells = data.iter().filter_map(|row| row.get(column));
            if kind == CellKind::Time && cells.all(|cell| cell.is_empty() || is_midnight(cell)) {
                return CellKind::Date;
            }
            kind
        };
        let kinds: Vec<_> = (0..widest.min(1_000)).map(kind).collect();
        let sample = |column: usize| {
            let mut cells = data
                .iter()
                .filter_map(|row| row.get(column))
                .map(<[u8]>::trim_ascii);
            let cell = cells.find(|cell| !cell.is_empty()).unwrap_or_default();
            cell.get(..SAMPLE).unwrap_or(cell).to_vec()
        };
        let samples = (0..kinds.len()).map(sample).collect();
        let zeros = (0..kinds.len())
            .map(|column| has_zero(data, column))
            .collect();
        let repeats = (0..kinds.len())
            .map(|column| repeats(data, column))
            .collect();
        let mut notation = NotationSeen::default();
        let mut order = DateOrders::default();
        for row in data {
            for (cell, kind) in row.iter().zip(&kinds) {
                match kind {
                    CellKind::Number => {
                        let _ = notation.read(cell);
                    }
                    CellKind::Date | CellKind::Time => order.see(cell),
                    _ => {}
                }
            }
        }
        TableLayout {
            delimiter,
            skipped,
            headerless_time: is_headerless.then_some(self.time),
            kinds,
            has_date_rows: self.has_date_rows,
            notation,
            samples,
            zeros,
            repeats,
            has_unit_row,
            order: order.found(),
        }
    }
}

/// Whether a cell of a column is the number 0.
fn has_zero(rows: &[ByteRecord], column: usize) -> bool {
    let mut cells = rows.iter().filter_map(|row| row.get(column));
    cells.any(|cell| matches!(cell.trim_ascii(), b"0" | b"00"))
}

/// Whether a column has the same cell in two rows that follow each other.
fn repeats(rows: &[ByteRecord], column: usize) -> bool {
    let mut pairs = rows.iter().zip(rows.iter().skip(1));
    pairs.any(|(one, other)| {
        one.get(column)
            .is_some_and(|it| other.get(column) == Some(it))
    })
}

/// The first rows of `head`, without empty ones and annotations, as the table's reader counts them.
fn first_rows(head: &[u8], delimiter: u8) -> Vec<ByteRecord> {
    let mut reader = records(head, delimiter);
    let mut record = ByteRecord::new();
    let mut rows = Vec::new();
    while rows.len() < ROWS + BEFORE && matches!(reader.read_byte_record(&mut record), Ok(true)) {
        if record.as_slice().len() > LINE || record.len() > LINE {
            break;
        }
        let is_remark = record.get(0).is_some_and(|cell| cell.starts_with(b"#"));
        let is_empty = record.len() <= 1 && record.as_slice().trim_ascii().is_empty();
        if !is_remark && !is_empty {
            rows.push(record.clone());
        }
    }
    // The last row may be incomplete.
    if !head.ends_with(b"\n") && rows.len() > 2 {
        rows.pop();
    }
    rows
}

/// The separator of cells, guessed from the first line. Commas come last, because they may be
/// decimal commas.
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

/// Whether a text begins like a table with times.
pub(crate) fn begins_like_table(text: &[u8]) -> bool {
    const HEAD: usize = 64 * 1024;
    !TableLayout::of(text.get(..HEAD).unwrap_or(text))
        .kinds
        .is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> TableLayout {
        TableLayout::of(text.as_bytes())
    }

    #[test]
    fn the_table_may_begin_late() {
        let enedis = "Identifiant PRM;Type de donnees;Date de debut;Date de fin\r\n\
            00000000000000;Courbe de charge;25/10/2025;27/10/2025\r\nHorodate;Valeur\r\n\
            2025-10-26T02:30:00+02:00;1242\r\n2025-10-26T02:00:00+01:00;1000\r\n";
        let found = layout(enedis);
        assert_eq!((found.delimiter, found.skipped), (b';', 2));
        assert_eq!(found.kinds, [CellKind::Time, CellKind::Number]);
        let sep = layout("sep=;\ntime;watts\n2026-01-05T10:00:00Z;1,5\n");
        assert_eq!((sep.delimiter, sep.skipped), (b';', 1));
        let bad = layout("time,watts\nnever,1\n2026-01-05T10:00:00Z,1\n");
        assert_eq!((bad.skipped, bad.headerless_time), (0, None));
        assert_eq!(
            layout("1767607200,5\n1767607210,5\n").headerless_time,
            Some(0)
        );
        let sdge = "Reading Start,11/1/2022 00:00\nReading End,11/30/2022 23:00\nUOM,kWh\n\
            Meter Number,Date,Start Time,Duration,Consumption\n\"00\",\"11/1/2022\",\"12:00 AM\",\"60\",\"0.2200\"\n\
            \"00\",\"11/1/2022\",\"1:00 AM\",\"60\",\"0.2200\"\n";
        assert_eq!(layout(sdge).skipped, 3);
        let edf = "Ma consommation\nDate et heure;Puissance (W)\n31/12/2025;\n23:30:00;3396\n23:00:00;3498\n";
        let found = layout(edf);
        assert_eq!((found.skipped, found.has_date_rows), (1, true));
        assert_eq!(found.kinds, [CellKind::Clock, CellKind::Number]);
    }

    #[test]
    fn dates_show_their_order_if_they_can() {
        for (date, order) in [
            ("25/04/2026", Some(DateOrder::Dmy)),
            ("04/25/2026 1:00 PM", Some(DateOrder::Mdy)),
            ("03/04/2026", None),
            ("2026-13-14", None),
        ] {
            assert_eq!(
                layout(&format!("time,watts\n{date},1\n")).order,
                order,
                "{date}"
            );
        }
    }
}

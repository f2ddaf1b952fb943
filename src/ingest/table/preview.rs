//! The beginning of a table, for people to choose its columns.

use std::borrow::Cow;

use csv::ByteRecord;

use super::day_columns::DayColumns;
use super::header::{Header, brief, brief_to};
use super::known::KnownFormat;
use super::layout::{CellKind, TableLayout};
use super::layout_cells::with_unit_row;
use super::plan::{MeasurePlace, TablePlan};
use super::reader::TableError;
use super::recognised::recognised;
use super::text_rows::{TableBytes as _, TextRows, records};
use super::time_place::TimePlace;
use super::times::{DateOrder, TimeReader, shown};
use super::unit::SeriesUnit;
use super::wishes::Wishes;
use crate::domain::Role;

/// The maximum numbers of rows and columns shown, and of characters of a cell.
const ROWS: usize = 5;
const COLUMNS: usize = 50;
const CELL_CHARS: usize = 40;
/// The maximum number of kinds of values to choose from.
const KEYS: usize = 200;
/// The number of bytes that show the layout.
const HEAD: usize = 64 * 1024;
/// The longest name, in bytes, that can be a choice, because forms send it back. A column with a
/// longer name is chosen by its number.
const LONGEST_WISH: usize = 200;

/// A column, or a kind of values, to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableChoice {
    /// The choice in the form of [`Wishes`].
    pub(crate) wish: String,
    /// The choice as displayed.
    pub(crate) label: String,
}

/// The beginning of a table.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct TablePreview {
    /// The columns.
    pub(crate) columns: Vec<TableChoice>,
    /// The choices for a measure: the columns or, with one row per value, the keys of the values.
    pub(crate) measures: Vec<TableChoice>,
    /// The columns of numbers, to add up.
    pub(crate) numbers: Vec<TableChoice>,
    /// The first rows, without the header.
    pub(crate) rows: Vec<Vec<String>>,
    /// The choices that the header or the supplier's format determines.
    pub(crate) guess: Wishes,
    /// The order of dates, if they show it.
    pub(crate) order: Option<DateOrder>,
    /// The recognised format, with its zone and its unit of energy.
    pub(crate) format: Option<KnownFormat>,
    /// The names of the first columns, without long ones.
    pub(crate) names: Vec<String>,
    /// The number of all columns.
    pub(crate) width: usize,
}

impl TablePreview {
    /// The beginning of `table`, for a sensor of this role; `None` if it has no rows.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(
        table: &[u8],
        (formats, role): (&[KnownFormat], Option<Role>),
    ) -> Result<Option<Self>, TableError> {
        let layout = TableLayout::of(table.get(..HEAD).unwrap_or(table));
        let mut reader = records(TextRows::new(table), layout.delimiter);
        let mut record = ByteRecord::new();
        let mut unit_above = None;
        for _ in 0..=layout.skipped {
            unit_above = unit_above.or(SeriesUnit::in_cells(&record));
            if !next(&mut reader, &mut record)? {
                return Ok(None);
            }
        }
        if layout.has_unit_row {
            let names = record.clone();
            next(&mut reader, &mut record)?;
            record = with_unit_row(&names, &record);
        }
        let time = record.iter().position(TimeReader::looks_like_one);
        let time = time.filter(|_| !layout.has_date_rows);
        let header = Header::of(&record, None, time).map_err(TableError::Unclear)?;
        let columns: Vec<_> = (0..header.names.len().min(COLUMNS))
            .filter_map(|column| choice(&header, column))
            .collect();
        let format = recognised((formats, role), &header, &layout, unit_above);
        let mut wishes = Wishes::default();
        if let Some(format) = &format {
            format.complete_wishes(&header, &mut wishes);
        }
        let mut preview = Self {
            guess: guess(&header, &layout, (wishes, role)),
            columns,
            format: format.map(Cow::into_owned),
            names: short_names(&header),
            width: header.names.len(),
            order: layout.order,
            ..Self::default()
        };
        let key = TablePlan::key_and_value(&header).map(|(key, _)| key);
        if header.headerless_time.is_some() {
            preview.rows.push(cells(&record));
        }
        let mut keys = std::collections::BTreeSet::new();
        while (preview.rows.len() < ROWS || key.is_some()) && next(&mut reader, &mut record)? {
            if preview.rows.len() < ROWS {
                preview.rows.push(cells(&record));
            }
            let of = key.and_then(|key| record.get(key)).map(text);
            if let Some(of) = of.filter(|of| !of.is_empty() && of.len() <= LONGEST_WISH)
                && keys.len() < KEYS
            {
                keys.insert(of);
            }
        }
        if key.is_none() {
            preview.numbers = numbers(&header, &layout);
        }
        preview.measures = match key {
            None => of_days(&header).chain(preview.columns.clone()).collect(),
            Some(_) => keys
                .into_iter()
                .map(|key| TableChoice {
                    label: brief(&key),
                    wish: key,
                })
                .collect(),
        };
        Ok(Some(preview))
    }

    /// The choices of a file that has series instead of columns, each with its unit.
    pub(crate) fn of_series(series: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let choice = |(name, unit): (String, Option<String>)| TableChoice {
            label: match unit {
                Some(unit) => brief(&format!("{name} ({unit})")),
                None => brief(&name),
            },
            wish: name,
        };
        let kept = series
            .into_iter()
            .filter(|(name, _)| name.len() <= LONGEST_WISH);
        let measures: Vec<_> = kept.take(KEYS).map(choice).collect();
        let only = measures.first().filter(|_| measures.len() == 1);
        Self {
            guess: Wishes {
                watthours: only.map(|only| only.wish.clone()),
                ..Wishes::default()
            },
            measures,
            ..Self::default()
        }
    }

    /// Whether the column of times named by `wish` has dates of ambiguous order.
    pub(crate) fn needs_order(&self, wish: &str) -> bool {
        let column = self.columns.iter().position(|it| it.wish == wish);
        let cells = self.rows.iter().filter_map(|row| row.get(column?));
        cells.map(String::as_bytes).any(TimeReader::needs_order)
    }
}

/// The names of the first columns, without long ones.
fn short_names(header: &Header) -> Vec<String> {
    let names = header.names.iter().take(COLUMNS);
    let is_short = |name: &&String| name.len() <= LONGEST_WISH;
    names.filter(is_short).cloned().collect()
}

/// Reads the next row that is neither empty nor a comment.
fn next(
    reader: &mut csv::Reader<TextRows<'_>>,
    record: &mut ByteRecord,
) -> Result<bool, TableError> {
    loop {
        reader.get_mut().row_ended();
        if !reader.read_byte_record(record)? {
            return Ok(false);
        }
        let is_remark = record.get(0).is_some_and(|cell| cell.starts_with(b"#"));
        let is_empty = record.len() <= 1 && record.as_slice().trim_ascii().is_empty();
        if !is_remark && !is_empty {
            return Ok(true);
        }
    }
}

fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell.trim_ascii()).into_owned()
}

/// The cells of a row, shortened for display.
fn cells(record: &ByteRecord) -> Vec<String> {
    let short = |cell: &[u8]| brief_to(&text(cell), CELL_CHARS);
    record.iter().take(COLUMNS).map(short).collect()
}

/// The choice of a column: its name, or its number if the name is not unique.
fn choice(header: &Header, column: usize) -> Option<TableChoice> {
    let name = header.names.get(column)?;
    let number = (column + 1).to_string();
    let wishes = [name, &number].into_iter();
    let wish = wishes
        .filter(|wish| !wish.is_empty() && wish.len() <= LONGEST_WISH)
        .find(|wish| header.column(wish) == Some(column))?;
    let label = match header.headerless_time {
        None if !name.is_empty() => brief(name),
        _ => format!("{number} ({})", shown(name.as_bytes())),
    };
    Some(TableChoice {
        wish: wish.clone(),
        label,
    })
}

/// The first columns of numbers.
fn numbers(header: &Header, layout: &TableLayout) -> Vec<TableChoice> {
    let columns = 0..header.names.len().min(COLUMNS);
    let columns = columns.filter(|column| layout.kind(*column) == CellKind::Number);
    columns
        .filter_map(|column| choice(header, column))
        .collect()
}

/// The groups of columns for the intervals of a day.
fn of_days(header: &Header) -> impl Iterator<Item = TableChoice> {
    let wishes = DayColumns::all(&header.names).into_iter();
    let wishes = wishes.map(|days| days.wish(&header.names));
    let wishes = wishes.filter(|wish| wish.len() <= LONGEST_WISH);
    wishes.map(|wish| TableChoice {
        label: brief(&wish),
        wish,
    })
}

/// The choices that are clear from the header alone.
fn guess(header: &Header, layout: &TableLayout, (known, role): (Wishes, Option<Role>)) -> Wishes {
    let wish = |column: usize| choice(header, column).map(|it| it.wish);
    let measure = |place: Option<MeasurePlace>| match place {
        Some(MeasurePlace { key: Some(key), .. }) => Some(text(&key)),
        Some(MeasurePlace {
            days: Some(days), ..
        }) => Some(days.wish(&header.names)),
        Some(place) => wish(place.column),
        None => None,
    };
    match TablePlan::find(header, &known, layout, role) {
        Ok(columns) => Wishes {
            time: wish(columns.time.cells.date),
            watts: measure(columns.watts),
            watthours: measure(columns.watthours),
            ..known
        },
        Err(_) => Wishes {
            time: TimePlace::find(header, &Wishes::default(), layout)
                .ok()
                .and_then(|place| wish(place.cells.date)),
            ..Wishes::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(table: &str) -> TablePreview {
        TablePreview::read(table.as_bytes(), (&[], None))
            .unwrap()
            .unwrap()
    }

    fn wishes(choices: &[TableChoice]) -> Vec<&str> {
        choices.iter().map(|it| it.wish.as_str()).collect()
    }

    #[test]
    fn a_unit_above_the_header_tells_files_apart_that_have_the_same_columns() {
        let enedis = |unit: &str| {
            let table = format!(
                "Identifiant PRM;Grandeur physique;Unite;Pas\n1;x;{unit};\nHorodate;Valeur\n\
                2025-10-26T02:30:00+02:00;1242\n2025-10-27T02:30:00+02:00;1243\n"
            );
            read(&table).format.map(|format| format.name)
        };
        assert_eq!(enedis("W").as_deref(), Some("Enedis, mean power"));
        assert_eq!(enedis("Wh"), None);
    }

    #[test]
    fn columns_are_chosen_by_name_or_by_number() {
        let preview = read("time;power;power;\n\n2026-01-05;1,5;2;x\n");
        assert_eq!(wishes(&preview.columns), ["time", "power", "3", "4"]);
        assert_eq!(preview.measures, preview.columns);
        assert_eq!(preview.rows, [["2026-01-05", "1,5", "2", "x"]]);
        assert_eq!(preview.guess.time.as_deref(), Some("time"));
        assert_eq!(preview.guess.watts, None);
        let ours = read("# x\ntime,watts,watthours\r\n");
        assert_eq!(
            (ours.guess.watts.as_deref(), ours.guess.watthours.as_deref()),
            (Some("watts"), Some("watthours"))
        );
        assert!(ours.rows.is_empty());
        // Numbers would be mistaken for names.
        let odd = read("2,1,x\n5,6,7\n");
        assert_eq!(wishes(&odd.columns), ["2", "1", "x"]);
    }

    #[test]
    fn without_a_header_columns_have_numbers() {
        let preview = read("1767607200,239\n1767607210,240\n");
        assert_eq!(wishes(&preview.columns), ["1", "2"]);
        assert_eq!(preview.columns[1].label, "2 (\"239\")");
        assert_eq!(preview.rows.len(), 2);
        assert_eq!(preview.guess.time.as_deref(), Some("1"));
    }

    #[test]
    fn with_one_row_a_value_its_kinds_are_chosen() {
        let mut table = "entity_id,state,last_changed\n".to_owned();
        for n in 0..20 {
            let row = ["sensor.", &(n % 7).to_string(), ",5,2026-01-05T10:00:00Z\n"];
            table.extend(row);
        }
        let preview = read(&table);
        assert_eq!(preview.rows.len(), 5);
        assert_eq!(preview.measures.len(), 7);
        assert_eq!(preview.measures[1].wish, "sensor.1");
        assert_eq!(preview.guess.time.as_deref(), Some("last_changed"));
    }

    #[test]
    fn the_order_of_dates_is_asked_for_only_where_it_matters() {
        for (time, is_needed) in [
            ("03/04/2026 10:00", true),
            ("25/04/2026", true),
            ("03.04.2026", false),
            ("2026-04-03", false),
            ("then", false),
        ] {
            let preview = read(&format!("time,watts\n{time},1\n"));
            assert_eq!(preview.needs_order("time"), is_needed, "{time}");
            assert!(!preview.needs_order("watts"));
        }
    }

    #[test]
    fn long_names_are_not_repeated() {
        let long = "&".repeat(100_000);
        let preview = read(&format!("time,{long},watts\n2026-01-05,{long},1\n"));
        assert_eq!(wishes(&preview.columns), ["time", "2", "watts"]);
        let mut keys = "entity_id,state,last_changed\n".to_owned();
        for n in 0..50 {
            keys.extend([&long, n.to_string().as_str(), ",5,2026-01-05T10:00:00Z\n"]);
        }
        for table in [keys, format!("{long},{long}x\n1,2\n")] {
            let preview = format!("{:?}", read(&table));
            assert!(preview.len() < 10_000, "{}", preview.len());
        }
    }

    #[test]
    fn a_row_of_separators_is_refused_before_it_is_read() {
        for separator in [",", ";", "\t", "\"\"\n,", "\"a\n\","] {
            let many = separator.repeat(1_000_000);
            for table in [format!("time{many}\n1\n"), format!("time,watts\n1{many}\n")] {
                let read = TablePreview::read(table.as_bytes(), (&[], None));
                let is_small = |preview: &Option<TablePreview>| {
                    preview
                        .as_ref()
                        .is_none_or(|it| it.columns.len() <= COLUMNS)
                };
                match read {
                    Ok(preview) => assert!(is_small(&preview) && separator.contains('\n')),
                    Err(error) => {
                        let error = error.to_string();
                        assert!(error.len() < 4_000, "{}", error.len());
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_bounded_preview(text in "([#\"]|time|entity_id|state|[,;\t\r\n]|[0-9]{1,3}|\\PC){0,80}") {
            if let Ok(Some(preview)) = TablePreview::read(text.as_bytes(), (&[], None)) {
                prop_assert!(preview.rows.len() <= ROWS && preview.columns.len() <= COLUMNS);
                for row in preview.rows {
                    prop_assert!(row.iter().all(|cell| cell.chars().count() <= CELL_CHARS + 1));
                }
            }
        }
    }
}

//! The header of a table: its columns by name and number, and questions about them.

use csv::ByteRecord;

use super::times::shown;

/// The maximum number of columns in a table. A header of only separators would take many times its
/// size in memory.
const MOST_COLUMNS: usize = 10_000;

/// The maximum number of columns in a message, and of characters shown of each name or cell.
const LISTED: usize = 50;
const SHOWN_CHARS: usize = 60;

/// Why the columns are unclear.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unclear {
    /// The question to the user.
    Said(String),
    /// There is one row per value, and no option names the keys.
    WhichKeys,
}

/// The names of a table's columns.
pub(crate) struct Header<'a> {
    /// The names; without a header, the cells of the first row.
    pub(crate) names: Vec<String>,
    /// The columns that belong to Flux's group key, if the table is annotated.
    pub(crate) group: Option<&'a [bool]>,
    /// Without a header: the first column with a time.
    pub(crate) headerless_time: Option<usize>,
}

impl<'a> Header<'a> {
    /// The header in `record`, or the first row as the header.
    ///
    /// # Errors
    /// In words, if it has too many columns.
    pub(crate) fn of(
        record: &ByteRecord,
        group: Option<&'a [bool]>,
        headerless_time: Option<usize>,
    ) -> Result<Self, String> {
        if record.len() > MOST_COLUMNS {
            return Err(format!(
                "it has {} columns, expected at most {MOST_COLUMNS}: leave out those that are not needed",
                record.len()
            ));
        }
        let name = |cell: &[u8]| String::from_utf8_lossy(cell.trim_ascii()).into_owned();
        Ok(Self {
            names: record.iter().map(name).collect(),
            group,
            headerless_time,
        })
    }

    /// The column with that name; an exact match takes precedence over one in different case.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let exact = self.names.iter().position(|other| other == name);
        exact.or_else(|| {
            self.names
                .iter()
                .position(|other| other.eq_ignore_ascii_case(name))
        })
    }

    /// The column with the name, or the number from 1, that the user gave.
    pub(crate) fn column(&self, wish: &str) -> Option<usize> {
        // A first row of readings has no names, even if a cell equals the wish: then `2` means the
        // second column.
        let is_headerless = self.headerless_time.is_some();
        let named = self.position(wish).filter(|_| !is_headerless);
        named.or_else(|| {
            let number: usize = wish.parse().ok()?;
            (1..=self.names.len()).contains(&number).then(|| number - 1)
        })
    }

    /// Asks for the column of times.
    pub(crate) fn no_time(&self) -> Unclear {
        Unclear::Said(format!(
            "which column holds the times? Name it with --time-column COLUMN: {}",
            self.listed()
        ))
    }

    /// Asks which of several columns to take.
    pub(crate) fn several(&self, what: &str, option: &str, columns: &[usize]) -> Unclear {
        Unclear::Said(format!(
            "it has several columns of {what}: choose one with {option} COLUMN, or several to add them up: they are {}; the others choose \
             rows with --where",
            some(columns.iter().map(|column| self.shown(*column)))
        ))
    }

    /// Asks what times of day belong to that are in columns beside dates.
    pub(crate) fn unread_clocks(&self, columns: &[usize]) -> Unclear {
        Unclear::Said(format!(
            "nothing says how the times of day in {} belong to its dates: name one with --time-column COLUMN, or give them names such as Start time and End time",
            some(columns.iter().map(|column| self.shown(*column)))
        ))
    }

    /// The error for a column that does not exist.
    pub(crate) fn no_column(&self, wish: &str) -> Unclear {
        let wish = shown(wish.as_bytes());
        Unclear::Said(format!("there is no column {wish}: {}", self.listed()))
    }

    /// The error for a table without a known measure.
    pub(crate) fn no_measure(&self) -> Unclear {
        Unclear::Said(format!(
            "choose the columns with --watts-column COLUMN for power, --watthours-column COLUMN for a \
             meter's register, and --unit kW or --unit kWh if it is in thousands: {}",
            self.listed()
        ))
    }

    /// The columns, in words.
    fn listed(&self) -> String {
        if self.headerless_time.is_some() {
            let cells = self
                .names
                .iter()
                .enumerate()
                .map(|(column, cell)| format!("{} ({})", column + 1, brief(cell)));
            let cells = some(cells);
            return format!("without a header, they are {cells}");
        }
        let columns = 0..self.names.len();
        let named =
            columns.filter(|column| self.names.get(*column).is_some_and(|it| !it.is_empty()));
        format!("they are {}", some(named.map(|column| self.shown(column))))
    }

    /// A column as an option can name it: by its number, where others have the same name.
    fn shown(&self, column: usize) -> String {
        let name = self.names.get(column).map_or("", String::as_str);
        let same = |other: &&String| other.eq_ignore_ascii_case(name);
        if self.names.iter().filter(same).count() > 1 {
            format!("{} ({})", column + 1, brief(name))
        } else {
            brief(name)
        }
    }
}

/// The first items of a list, in words.
fn some(names: impl Iterator<Item = String>) -> String {
    let mut names = names;
    let mut first: Vec<String> = names.by_ref().take(LISTED).collect();
    first.extend(names.next().map(|_| "…".to_owned()));
    first.join(", ")
}

/// A name or a cell, shortened for a message.
pub(super) fn brief(text: &str) -> String {
    brief_to(text, SHOWN_CHARS)
}

/// The first characters of a text, and an ellipsis if there are more.
pub(super) fn brief_to(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

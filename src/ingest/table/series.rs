//! Series of readings. A mix of two would be meaningless, so an import takes one series, and asks
//! if a file contains more.

use std::collections::{BTreeMap, BTreeSet};

use csv::ByteRecord;

use super::header::brief;
use super::number::plain_number;
use super::plan::{Shape, TablePlan};
use super::wishes::where_option;

/// The number of names kept for the message.
const SHOWN: usize = 20;
/// The length kept of a name, in bytes.
const LONGEST: usize = 200;

/// The first names found in rows.
#[derive(Debug, Default)]
pub(crate) struct KeyNames(BTreeSet<Vec<u8>>);

impl KeyNames {
    /// Records a name.
    pub(crate) fn see(&mut self, key: &[u8]) {
        // One more than shown, so that `listed` knows that there are more.
        if self.0.len() <= SHOWN && !self.0.contains(key) {
            let brief = key.get(..LONGEST).unwrap_or(key);
            self.0.insert(brief.to_vec());
        }
    }

    /// The names, separated by commas; `None` if there are none.
    pub(crate) fn listed(&self) -> Option<String> {
        let mut names: Vec<_> = self
            .0
            .iter()
            .take(SHOWN)
            .map(|key| String::from_utf8_lossy(key).into_owned())
            .collect();
        if self.0.len() > SHOWN {
            names.push("…".into());
        }
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// The series of the rows so far.
#[derive(Debug, Default)]
pub(crate) struct SeriesCheck {
    /// The value of each distinguishing column, by the column's name.
    values: BTreeMap<String, Vec<u8>>,
    /// The same for the current table, by the column's index.
    columns: Option<Vec<(usize, Vec<u8>)>>,
}

impl SeriesCheck {
    /// Begins another table, whose columns may be in another order.
    pub(crate) fn begin_table(&mut self) {
        self.columns = None;
    }

    /// Checks that a row belongs to the same series as the rows before.
    ///
    /// # Errors
    /// The difference, in words.
    pub(crate) fn check(&mut self, record: &ByteRecord, columns: &TablePlan) -> Result<(), String> {
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        // The first row of each table determines the columns that identify its series.
        let expected = self.columns.get_or_insert_with(|| {
            let distinguishing = columns.series.iter().copied().chain(tags(record, columns));
            distinguishing
                .map(|column| {
                    let value = self.values.entry(columns.name(column));
                    let value = value.or_insert_with(|| cell(column).to_vec());
                    (column, value.clone())
                })
                .collect()
        });
        let other = expected
            .iter()
            .find(|(column, value)| cell(*column) != value.as_slice());
        let Some((column, one)) = other else {
            return Ok(());
        };
        let full = columns.name(*column);
        let [value, other] = [one.as_slice(), cell(*column)].map(String::from_utf8_lossy);
        // Somebody copies the option, so it is not shortened, unless it is longer than any name.
        let is_short = full.len() + value.len() <= LONGEST;
        let (name, one, other) = (brief(&full), brief(&value), brief(&other));
        let option = if is_short {
            where_option(&full, &value)
        } else {
            where_option(&name, &one)
        };
        Err(format!(
            "it holds several series: {name} is {one}, then {other}; choose one with {option}"
        ))
    }
}

/// The tags of Influx's command line, which are columns like the fields, but with words as values.
fn tags<'a>(record: &'a ByteRecord, columns: &'a TablePlan) -> impl Iterator<Item = usize> + 'a {
    let is_word = |cell: &[u8]| plain_number(cell).is_err();
    record
        .iter()
        .enumerate()
        .filter(move |(column, cell)| {
            columns.shape == Shape::InfluxCli
                && !columns.uses(*column)
                && !columns.series.contains(column)
                && is_word(cell)
        })
        .map(|(column, _)| column)
}

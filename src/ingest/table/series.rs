//! Series of readings. A mix of two would be neither, so one import takes one series, and asks if a
//! file holds more.

use std::collections::{BTreeMap, BTreeSet};

use csv::ByteRecord;

use super::columns::{Shape, TableColumns};
use super::header::brief;
use super::number::Notation;

/// How many names are kept for the message.
const SHOWN: usize = 20;
/// How much of a name is kept, in bytes.
const LONGEST: usize = 200;

/// The first names that rows have.
#[derive(Debug, Default)]
pub(crate) struct KeyNames(BTreeSet<Vec<u8>>);

impl KeyNames {
    /// Records a name.
    pub(crate) fn see(&mut self, key: &[u8]) {
        // One more than is shown, so that `listed` knows that there are more.
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

/// The series that the rows so far were of.
#[derive(Debug, Default)]
pub(crate) struct SeriesCheck {
    /// The value of each column that distinguishes series, by the column's name.
    values: BTreeMap<String, Vec<u8>>,
    /// The same for the current table, by the column's index.
    columns: Option<Vec<(usize, Vec<u8>)>>,
}

impl SeriesCheck {
    /// Another table begins. Its columns may be in another order.
    pub(crate) fn begin_table(&mut self) {
        self.columns = None;
    }

    /// Checks that a row is of the same series as the rows before.
    ///
    /// # Errors
    /// What distinguishes them, in words.
    pub(crate) fn check(
        &mut self,
        record: &ByteRecord,
        columns: &TableColumns,
    ) -> Result<(), String> {
        let cell = |column: usize| record.get(column).unwrap_or_default().trim_ascii();
        // The first row of each table decides by which columns its series is known.
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
        let name = brief(&columns.name(*column));
        let [one, other] =
            [one.as_slice(), cell(*column)].map(|value| brief(&String::from_utf8_lossy(value)));
        Err(format!(
            "it holds several series: {name} is {one}, then {other}; choose one with --where '{name}={one}'"
        ))
    }
}

/// The tags of Influx's command line are columns like the fields, but their values are words.
fn tags<'a>(record: &'a ByteRecord, columns: &'a TableColumns) -> impl Iterator<Item = usize> + 'a {
    let is_word = |cell: &[u8]| Notation::default().read(cell).is_err();
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

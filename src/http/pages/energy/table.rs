//! The buckets of a range as a table: the values of the bars, with those of the tiles as sums.

use super::buckets::ShownBuckets;
use super::flow_words::{flow, flow_name, sum_of_flow};
use super::tiles::value_text;
use crate::chart::FlowKind;
use crate::house::{EnergyBucket, EnergyColumn, EnergyCourse, EnergyRow};
use crate::http::pages::frame::figures;
use crate::texts::Language;

/// The buckets as a table.
pub(super) struct TableView {
    /// The heads of the columns.
    pub(super) heads: Vec<String>,
    /// The name of each bucket, a note about it, and its values.
    pub(super) rows: Vec<(String, Option<String>, Vec<String>)>,
    /// The sums of the columns.
    pub(super) sums: Vec<String>,
}

/// A column of the table.
#[derive(Clone, Copy, PartialEq)]
enum TableColumn {
    /// The source of used energy, or the destination of the rest.
    Flow(FlowKind),
    Sum(EnergyColumn),
}

const COLUMNS: [TableColumn; 9] = [
    TableColumn::Sum(EnergyColumn::Used),
    TableColumn::Flow(FlowKind::Solar),
    TableColumn::Flow(FlowKind::Battery),
    TableColumn::Flow(FlowKind::Grid),
    TableColumn::Sum(EnergyColumn::Imported),
    TableColumn::Sum(EnergyColumn::Exported),
    TableColumn::Sum(EnergyColumn::Produced),
    TableColumn::Sum(EnergyColumn::Charged),
    TableColumn::Sum(EnergyColumn::Cost),
];

impl TableColumn {
    fn name(self, language: &Language) -> String {
        match self {
            Self::Flow(kind) => flow_name(kind, language),
            Self::Sum(column) => language.word("energy", EnergyColumn::as_str(column)),
        }
    }

    fn value(self, row: &EnergyRow) -> Option<f64> {
        match self {
            Self::Flow(kind) => flow(kind, row),
            Self::Sum(column) => row.value(column),
        }
    }

    /// Its value over all buckets.
    fn sum(self, course: &EnergyCourse) -> Option<f64> {
        match self {
            Self::Flow(kind) => sum_of_flow(kind, &course.buckets),
            Self::Sum(column) => course.whole.as_ref()?.value(column),
        }
    }
}

impl ShownBuckets<'_> {
    /// The buckets with a known value, and their sums.
    pub(super) fn table(&self) -> TableView {
        let course = self.course;
        let columns = COLUMNS.into_iter();
        let columns: Vec<TableColumn> = columns
            .filter(|column| is_worth_a_column(*column, course))
            .collect();
        let row = |bucket: &EnergyBucket| {
            let row = bucket.row.as_ref()?;
            let values = columns.iter().map(|it| self.cell(*it, it.value(row)));
            let note = note(bucket, self.now, self.wording.language);
            Some((self.name(bucket.time), note, values.collect()))
        };
        TableView {
            heads: columns
                .iter()
                .map(|it| it.name(self.wording.language))
                .collect(),
            rows: course.buckets.iter().filter_map(row).collect(),
            sums: columns
                .iter()
                .map(|it| self.cell(*it, it.sum(course)))
                .collect(),
        }
    }

    fn cell(&self, column: TableColumn, value: Option<f64>) -> String {
        let Some(value) = value else {
            return figures::UNKNOWN.to_owned();
        };
        match column {
            TableColumn::Flow(_) => figures::energy(value, self.wording.language),
            TableColumn::Sum(column) => {
                let currency = self.course.currency.as_ref();
                let currency = currency.map_or("", |currency| currency.as_str());
                value_text(column, value, currency, self.wording.language)
            }
        }
    }
}

/// Whether a value is known and not always zero. If all used energy comes from the grid, the column
/// would say nothing new.
fn is_worth_a_column(column: TableColumn, course: &EnergyCourse) -> bool {
    let rows = || course.buckets.iter().filter_map(|it| it.row.as_ref());
    let is_something =
        |column: TableColumn| rows().any(|row| column.value(row).is_some_and(|it| it != 0.0));
    let of_own = || {
        is_something(TableColumn::Flow(FlowKind::Solar))
            || is_something(TableColumn::Flow(FlowKind::Battery))
    };
    match column {
        TableColumn::Flow(FlowKind::Grid) => of_own(),
        TableColumn::Flow(_) => is_something(column),
        TableColumn::Sum(_) => rows().any(|row| column.value(row).is_some()),
    }
}

/// A note about a bucket.
fn note(
    bucket: &EnergyBucket,
    now: crate::domain::Timestamp,
    language: &Language,
) -> Option<String> {
    let has = |column| {
        let share = bucket.row.as_ref().and_then(|row| row.value(column));
        share.is_some_and(|share| share > 0.0)
    };
    let notes = [
        (bucket.time.contains(now), language.say("energy-so-far")),
        (
            has(EnergyColumn::Partial),
            language.say("energy-incomplete"),
        ),
        (
            has(EnergyColumn::Estimated),
            language.say("energy-partly-estimated"),
        ),
        (
            has(EnergyColumn::Unpriced),
            language.say("energy-partly-unpriced"),
        ),
    ];
    let notes: Vec<String> = notes
        .into_iter()
        .filter_map(|(is, note)| is.then_some(note))
        .collect();
    (!notes.is_empty()).then(|| notes.join(", "))
}

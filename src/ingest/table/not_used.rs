//! Columns with a unit of power or energy that an import does not use: it says what is in them.

use csv::ByteRecord;

use super::header::brief;
use super::number::{Cell, NotationSeen};
use super::plan::TablePlan;
use super::unit::{ImportMeasure, SeriesUnit};
use crate::domain::number::to_millionth;

/// The maximum number of columns that are summed up.
const COLUMNS: usize = 8;

/// The numbers of columns that are not used.
#[derive(Debug, Default)]
pub(crate) struct NotUsed(Vec<FreeColumn>);

/// The numbers of a column.
#[derive(Debug)]
struct FreeColumn {
    column: usize,
    unit: SeriesUnit,
    values: u64,
    /// In watts or watt-hours; `None` if a number may be read in two ways.
    sum: Option<f64>,
}

impl NotUsed {
    /// Those of a table.
    pub(super) fn of(plan: &TablePlan) -> Self {
        let free = |(column, unit)| FreeColumn {
            column,
            unit,
            values: 0,
            sum: Some(0.0),
        };
        Self(plan.not_used().take(COLUMNS).map(free).collect())
    }

    /// Sees a row that is taken.
    pub(super) fn see(&mut self, record: &ByteRecord) {
        for free in &mut self.0 {
            let cell = record.get(free.column).unwrap_or_default().trim_ascii();
            if let Ok(read) = NotationSeen::default().read(cell)
                && let Cell::Value(number) = read.cell
            {
                free.values += 1;
                let value = free.unit.convert(number).filter(|_| !read.is_doubtful);
                free.sum = free
                    .sum
                    .zip(value)
                    .map(|(sum, value)| to_millionth(sum + value));
            }
        }
    }

    /// Their values in words; `None` if there are none.
    pub(super) fn text(&self, plan: &TablePlan) -> Option<String> {
        let filled = self.0.iter().filter(|free| free.values > 0);
        let texts: Vec<_> = filled
            .map(|free| {
                let (name, values) = (brief(&plan.name(free.column)), free.values);
                let is_energy = free.unit.measure() == ImportMeasure::Register;
                match free.sum.filter(|_| is_energy && plan.has_intervals) {
                    Some(sum) => format!("{name} ({values} values, together {} kWh)", sum / 1e3),
                    None => format!("{name} ({values} values)"),
                }
            })
            .collect();
        (!texts.is_empty()).then(|| format!("not used: {}", texts.join(", ")))
    }
}

//! The numbers of each column of a table, to list them.

use super::day_columns::DayColumns;
use super::layout::{CellKind, TableLayout};
use super::number::is_number;
use super::options::TableOptions;
use super::reader::{TableError, TableRows};
use super::text_rows::TableBytes;
use super::times::When;
use super::unit::{UnitWishes, with_unit};
use super::words::unit_in;

/// A reader that counts the numbers of each column.
pub(crate) struct ColumnCounts<R>(TableRows<R>, Vec<DayColumns>);

impl<R: TableBytes> ColumnCounts<R> {
    /// Begins to read `source`, which begins with `head`.
    ///
    /// # Errors
    /// If it cannot be read, or its times are unclear.
    pub(crate) fn open(
        source: R,
        head: &[u8],
        mut options: TableOptions,
    ) -> Result<Self, TableError> {
        let layout = TableLayout::of(head);
        // Any column will do: all are counted.
        let number = layout
            .kinds
            .iter()
            .position(|kind| *kind == CellKind::Number);
        let wish = number.map(|column| (column + 1).to_string());
        options.wishes.watts = options.wishes.watts.take().or(wish);
        options.wishes.watthours = None;
        options.units = UnitWishes::default();
        options.counts_only = true;
        let table = TableRows::open(source, head, options)?;
        let days = DayColumns::all(table.names());
        Ok(Self(table, days))
    }

    /// Calls `count` for each number, with its column, unit and time.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn each(
        &mut self,
        mut count: impl FnMut(&str, Option<&str>, When),
    ) -> Result<(), TableError> {
        let table = &mut self.0;
        while table.next_row()?.is_some() {
            let Some((record, columns, when)) = table.last() else {
                continue;
            };
            for (column, cell) in record.iter().enumerate() {
                let is_number = is_number(cell) || with_unit(cell.trim_ascii()).is_some();
                if !columns.time.uses(column) && is_number {
                    let days = self.1.iter().find(|days| days.uses(column));
                    let name =
                        days.map_or_else(|| columns.name(column), |days| days.wish(&columns.names));
                    count(&name, unit_in(&name), when);
                }
            }
        }
        Ok(())
    }
}

//! The cells of a row: sums of columns; remarks, and the sum of all rows, below the table.

use csv::ByteRecord;

use super::number::{Cell, NotationSeen};
use super::plan::MeasurePlace;
use super::unit::{SeriesUnit, with_unit};
use super::words::{Meaning, means};
use crate::domain::number::to_millionth;

/// Whether a row has only a remark, or begins with a word such as `Total`.
pub(super) fn is_remark(record: &ByteRecord) -> bool {
    let mut cells = record
        .iter()
        .map(<[u8]>::trim_ascii)
        .filter(|cell| !cell.is_empty());
    let Some(first) = cells.next().map(String::from_utf8_lossy) else {
        return false;
    };
    let is_text = first.starts_with(|c: char| c.is_alphabetic() || c == '*');
    is_text && (cells.next().is_none() || means(&first, Meaning::Sum))
}

/// The sum of the energies of all rows so far, in watt-hours.
#[derive(Default)]
pub(super) struct EnergyTotal {
    rows: u64,
    energy: f64,
}

impl EnergyTotal {
    /// How far a sum in a file may be from ours, as a part of it, since values are rounded.
    const ROUNDED: f64 = 0.001;

    /// Adds the energy of a row.
    pub(super) fn see(&mut self, energy: Option<f64>) {
        self.rows += u64::from(energy.is_some());
        self.energy += energy.unwrap_or_default();
    }

    /// Whether an energy is the sum of the rows.
    pub(super) fn is_sum(&self, energy: f64) -> bool {
        self.rows > 1 && (energy - self.energy).abs() <= self.energy.abs() * Self::ROUNDED
    }
}

/// The value of a measure, in watts or watt-hours, and whether it is doubtful. The value is the sum
/// of its columns. `may_lack` tells that some may be empty, such as those of tariffs; otherwise such a
/// row has no value. The error names the column.
pub(super) fn sum(
    seen: &mut NotationSeen,
    (unit, may_lack): (SeriesUnit, bool),
    place: &MeasurePlace,
    record: &ByteRecord,
) -> Result<(Cell, bool), (usize, &'static str)> {
    let (mut sum, mut is_doubtful, mut lacks) = (Cell::Empty, false, false);
    for column in std::iter::once(place.column).chain(place.more.iter().copied()) {
        let cell = record.get(column).unwrap_or_default().trim_ascii();
        let (cell, unit) = match with_unit(cell) {
            Some((number, own)) => {
                let own = SeriesUnit::parse(own).filter(|own| own.measure() == unit.measure());
                (
                    number,
                    own.ok_or((column, "expected a number of the column's unit"))?,
                )
            }
            None => (cell, unit),
        };
        let read = seen.read(cell);
        let read = read.map_err(|expected| (column, expected))?;
        is_doubtful |= read.is_doubtful;
        match read.cell {
            Cell::Value(number) => {
                let value = unit
                    .convert(number)
                    .ok_or((column, "expected a finite number"))?;
                sum = Cell::Value(match sum {
                    Cell::Value(known) => to_millionth(known + value),
                    _ => value,
                });
            }
            Cell::NoValue if sum == Cell::Empty => (sum, lacks) = (Cell::NoValue, true),
            Cell::NoValue | Cell::Empty => lacks = true,
        }
    }
    if lacks && !may_lack && matches!(sum, Cell::Value(_)) {
        return Ok((Cell::NoValue, false));
    }
    Ok((sum, is_doubtful))
}

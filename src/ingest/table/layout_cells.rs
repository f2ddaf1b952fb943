//! Cells of the start of a table: midnights, and rows of units.

use csv::ByteRecord;

use super::unit::SeriesUnit;

/// Whether a cell is a date with the midnight before it.
pub(super) fn is_midnight(cell: &[u8]) -> bool {
    let text = text(cell).to_lowercase();
    let clock = text.split_once([' ', 't']).map_or("", |(_, clock)| clock);
    let is_none = |clock: &str| clock.chars().all(|c| matches!(c, '0' | ':' | '.'));
    let twelve = clock
        .strip_prefix("12")
        .and_then(|it| it.strip_suffix(" am"));
    clock.contains(':') && (is_none(clock) || twelve.is_some_and(is_none))
}

/// Whether a row has only the units of columns, and the form of times.
pub(super) fn is_unit_row(row: &ByteRecord) -> bool {
    let cells = row
        .iter()
        .map(|cell| text(cell).trim_matches(['[', ']', '(', ')']).to_owned());
    let cells: Vec<_> = cells.filter(|cell| !cell.is_empty()).collect();
    let is_unit = |cell: &String| SeriesUnit::parse_any(cell).is_some();
    let is_other = |cell: &String| {
        let is_form = ["dd", "yy", "hh:"]
            .iter()
            .any(|part| cell.to_lowercase().contains(part));
        is_form || cell.chars().count() <= 2
    };
    cells.iter().any(is_unit) && cells.iter().all(|cell| is_unit(cell) || is_other(cell))
}

/// The names of a header with the units of the row below it.
pub(crate) fn with_unit_row(names: &ByteRecord, units: &ByteRecord) -> ByteRecord {
    let joined = |column: usize| {
        let [name, unit] = [names, units].map(|row| text(row.get(column).unwrap_or_default()));
        let is_unit = SeriesUnit::parse_any(unit.trim_matches(['[', ']', '(', ')'])).is_some();
        if is_unit || name.is_empty() {
            format!("{name} {unit}").trim().to_owned()
        } else {
            name
        }
    };
    (0..names.len().max(units.len()))
        .map(joined)
        .collect::<Vec<_>>()
        .into()
}

/// The text of a cell.
pub(super) fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell.trim_ascii()).into_owned()
}

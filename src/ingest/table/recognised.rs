//! The known format of a table.

use super::header::Header;
use super::known::{KnownFormat, built_in};
use super::layout::TableLayout;
use super::unit::SeriesUnit;

/// The format of a table with this header and layout. `unit` is named by a row above the header.
/// Of two formats with the same columns, the one whose rows come first is taken.
pub(crate) fn recognised<'a>(
    formats: &'a [KnownFormat],
    header: &Header,
    layout: &TableLayout,
    unit: Option<SeriesUnit>,
) -> Option<&'a KnownFormat> {
    let known = || {
        let all = formats.iter().chain(built_in());
        all.filter(|format| format.is_of(header) && !format.differs_from(unit))
    };
    let has_rows = |format: &&KnownFormat| {
        let filters = format
            .read
            .filters
            .iter()
            .filter_map(|filter| filter.split_once('='));
        let mut first = filters.map(|(name, value)| {
            let column = header.column(name);
            column.is_some_and(|column| layout.sample(column) == value.as_bytes())
        });
        format.read.filters.is_empty() || first.any(|is_first| is_first)
    };
    known().find(has_rows).or_else(|| known().next())
}

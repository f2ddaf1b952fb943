//! The known format of a table.

use std::borrow::Cow;

use super::header::Header;
use super::known::{KnownFormat, built_in};
use super::layout::TableLayout;
use super::unit::SeriesUnit;
use crate::domain::Role;

/// The format of a table with this header and layout. `unit` is named by a row above the header.
/// Of two formats with the same columns, the one whose rows come first is taken. It has the terms
/// for the role of the sensor.
pub(crate) fn recognised<'a>(
    (formats, role): (&'a [KnownFormat], Option<Role>),
    header: &Header,
    layout: &TableLayout,
    unit: Option<SeriesUnit>,
) -> Option<Cow<'a, KnownFormat>> {
    let known = || {
        let all = formats.iter().chain(built_in());
        let of_file = all.filter(|format| format.is_of(header) && !format.differs_from(unit));
        of_file.filter_map(|format| format.of_role(role))
    };
    let has_rows = |format: &Cow<'_, KnownFormat>| {
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

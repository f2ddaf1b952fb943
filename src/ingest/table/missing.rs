//! Asks for measures that no row of a table has.

use super::plan::TablePlan;
use super::table_row::RowReader;
use super::unit::ImportMeasure;
use super::wishes::Wishes;

/// After the last row: requested measures that were not found, in words.
pub(super) fn missing(rows: &RowReader, columns: &TablePlan, wishes: &Wishes) -> Option<String> {
    if let (Some(unit), false) = (rows.other_unit, rows.has_values()) {
        let measure = unit.measure();
        return Some(format!(
            "its rows are in a unit of {}: name their column with {}",
            match measure {
                ImportMeasure::Power => "power",
                ImportMeasure::Register => "energy",
            },
            measure.option()
        ));
    }
    let nothing_seen = rows.seen == [false; 2];
    let wanted = [
        (&columns.watts, &wishes.watts),
        (&columns.watthours, &wishes.watthours),
    ];
    // A measure that was not requested may be missing, as long as the other exists.
    let missing: Vec<_> = wanted
        .into_iter()
        .zip(rows.seen)
        .filter(|((_, wish), seen)| !seen && (wish.is_some() || nothing_seen))
        .filter_map(|((measure, _), _)| measure.as_ref()?.key.as_deref())
        .map(String::from_utf8_lossy)
        .collect();
    if missing.is_empty() {
        return None;
    }
    let others = rows.others.listed().map_or_else(String::new, |names| {
        format!(
            "; other {} in it are {names}: choose with --watts-column and --watthours-column",
            columns.shape.key_word()
        )
    });
    Some(format!(
        "nothing in it is of {}{others}",
        missing.join(" or ")
    ))
}

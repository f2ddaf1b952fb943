//! Why a file has no reading for the sensor.

use super::in_order::FileEnergies;
use super::tally::RowTally;
use crate::ingest::table::OtherUnits;

/// The reason, in words, with the remedy.
pub(super) fn why_nothing(tally: &RowTally, units: &OtherUnits, energies: FileEnergies) -> String {
    let read = tally.read;
    let why = match tally {
        _ if read == 0 => "it has no row with values: export a range of time that has some".to_owned(),
        _ if units.rows == read => format!(
            "all rows are in {}, which is no energy: export the electricity",
            units.text()
        ),
        _ if tally.other == read => "all rows are of other series: choose other rows with --where, or other columns with --watts-column and --watthours-column".to_owned(),
        _ if tally.no_value == read => "no row has a value in the chosen columns: choose others with --watts-column and --watthours-column".to_owned(),
        _ if tally.good > 0 && energies == FileEnergies::BetweenRegisters => "it has one register, and energy flows between two: import a file with more of them".to_owned(),
        _ => {
            let left_out = tally.left_out(0).unwrap_or_default();
            format!("no row has a value for the sensor, {left_out}: choose other columns or rows")
        }
    };
    format!("nothing was stored: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::table::ParsedRow;

    #[test]
    fn the_reason_is_that_of_all_rows() {
        let why = |rows: Vec<ParsedRow>| {
            let mut tally = RowTally::default();
            for row in rows {
                tally.count(row, String::new);
            }
            why_nothing(&tally, &OtherUnits::default(), FileEnergies::Registers)
        };
        for (rows, expected) in [
            (vec![], "it has no row with values"),
            (vec![ParsedRow::Other], "all rows are of other series"),
            (
                vec![ParsedRow::NoValue],
                "no row has a value in the chosen columns",
            ),
            (
                vec![ParsedRow::Other, ParsedRow::NoValue],
                "no row has a value for the sensor, left out: 1 without a value, 1 of other series",
            ),
        ] {
            let text = why(rows);
            assert!(
                text.starts_with(&format!("nothing was stored: {expected}")),
                "{text}"
            );
        }
    }
}

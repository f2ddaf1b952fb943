//! The readings of a table, read with the chosen columns.

use crate::admin::ReadingRow;
use crate::domain::{Timestamp, Zone};
use crate::ingest::table::{
    DateOrder, ParsedRow, Scales, TableError, TableRows, TextRows, TimeReader, Wishes,
};

/// The number of bad rows shown.
const SHOWN: usize = 5;

/// The terms for reading a table.
#[derive(Clone, Debug, Default)]
pub(super) struct TableTerms {
    pub(super) wishes: Wishes,
    pub(super) kilowatts: bool,
    pub(super) kilowatthours: bool,
    /// The zone of times without one.
    pub(super) zone: Option<Zone>,
    pub(super) order: Option<DateOrder>,
    /// Whether bad rows are left out.
    pub(super) skips_bad: bool,
}

/// The readings of a table.
#[derive(Debug, Default)]
pub(super) struct CheckedTable {
    pub(super) count: u64,
    /// The readings, if they are to be kept.
    pub(super) rows: Vec<ReadingRow>,
    /// The times of the first and the last reading.
    pub(super) times: Option<[Timestamp; 2]>,
    /// The lowest and the highest power, and register.
    pub(super) watts: Option<[f64; 2]>,
    pub(super) watthours: Option<[f64; 2]>,
    pub(super) bad: u64,
    /// The first bad rows: place and reason.
    pub(super) bad_rows: Vec<String>,
}

/// Reads a table whose last row ends with a newline. Keeps its readings only if they are to be
/// stored.
///
/// # Errors
/// If the table cannot be read further, or contains none of the chosen measures.
pub(super) fn check(
    table: &str,
    terms: &TableTerms,
    (now, is_to_store): (Timestamp, bool),
) -> Result<CheckedTable, TableError> {
    let bytes = table.as_bytes();
    // The unit of a measure that is not chosen does not matter.
    let scales = Scales {
        kilowatts: terms.kilowatts && terms.wishes.watts.is_some(),
        kilowatthours: terms.kilowatthours && terms.wishes.watthours.is_some(),
    };
    let times = TimeReader::new(terms.zone.clone(), terms.order, now);
    let mut rows = TableRows::open(
        TextRows::new(bytes),
        bytes,
        terms.wishes.clone(),
        times,
        scales,
    )?;
    let mut checked = CheckedTable::default();
    while let Some(row) = rows.next_row()? {
        match row {
            ParsedRow::Reading(reading) => {
                let time = reading.time;
                let [first, last] = checked.times.unwrap_or([time; 2]);
                checked.times = Some([first.min(time), last.max(time)]);
                widen(&mut checked.watts, reading.measures.watts());
                widen(&mut checked.watthours, reading.measures.watthours());
                checked.count += 1;
                if is_to_store {
                    checked.rows.push(ReadingRow::from(reading));
                }
            }
            ParsedRow::Bad(reason) => {
                checked.bad += 1;
                if checked.bad_rows.len() < SHOWN {
                    checked.bad_rows.push(format!("{}: {reason}", rows.place()));
                }
            }
            ParsedRow::NoValue | ParsedRow::Other => {}
        }
    }
    match rows.missing() {
        Some(missing) => Err(TableError::Unclear(missing)),
        None => Ok(checked),
    }
}

fn widen(range: &mut Option<[f64; 2]>, value: Option<f64>) {
    if let Some(value) = value {
        let [low, high] = range.unwrap_or([value; 2]);
        *range = Some([low.min(value), high.max(value)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(watts: &str, watthours: &str) -> TableTerms {
        let wish = |name: &str| Some(name.to_owned()).filter(|it| !it.is_empty());
        TableTerms {
            wishes: Wishes {
                time: Some("time".to_owned()),
                watts: wish(watts),
                watthours: wish(watthours),
                filters: Vec::new(),
            },
            kilowatts: true,
            kilowatthours: true,
            ..TableTerms::default()
        }
    }

    #[test]
    fn a_table_is_summed_up_and_its_bad_rows_are_named() {
        let table = "time,p,e\n2026-01-05T10:00:00,1.5,9\n2026-01-05T09:00:00,,8\nthen,1,1\n\n2026-01-05T11:00:00,x,1\n";
        let now = Timestamp::parse("2026-02-01T00:00:00").unwrap();
        let checked = check(table, &terms("p", "e"), (now, true)).unwrap();
        assert_eq!((checked.rows.len(), checked.bad), (2, 2));
        assert_eq!(checked.watts, Some([1_500.0, 1_500.0]));
        assert_eq!(checked.watthours, Some([8_000.0, 9_000.0]));
        let times = checked.times.unwrap().map(|time| time.to_string());
        assert_eq!(
            times,
            ["2026-01-05T09:00:00.000Z", "2026-01-05T10:00:00.000Z"]
        );
        assert!(checked.bad_rows[0].starts_with("line 4: \"then\" is not a time"));
        assert_eq!(
            checked.bad_rows[1],
            "line 6: p: expected a number, got \"x\""
        );
        // The unit of power does not matter here.
        let energy = check(table, &terms("", "e"), (now, false)).unwrap();
        assert_eq!((energy.count, energy.watts), (3, None));
        assert!(energy.rows.is_empty());
        let missing = check(table, &terms("q", ""), (now, true)).unwrap_err();
        assert!(
            missing.to_string().contains("there is no column \"q\""),
            "{missing}"
        );
    }
}

//! Tables whose columns are times, turned so that its rows are: a column for each day and a row for
//! each interval, or a row for each series.

use std::io;

use csv::{ByteRecord, Error};

use super::number::is_number;
use super::text_rows::{TableBytes as _, TextRows, records};
use super::times::TimeReader;

/// The maximum number of cells, which are in memory. Rows may be shorter than the first one, but
/// count as if they were as long.
const CELLS: usize = 1_000_000;

/// The separator of a table that begins with `head`, and the number of columns before its times,
/// if its columns are times.
pub(crate) fn has_time_columns(head: &[u8]) -> Option<(u8, usize)> {
    [b'\t', b';', b','].into_iter().find_map(|delimiter| {
        let mut rows = records(head, delimiter).into_byte_records();
        let mut cells = || rows.next().and_then(Result::ok).unwrap_or_default();
        let (header, first) = (cells(), cells());
        let before = header.iter().position(TimeReader::looks_like_one)?;
        let mut times = header.iter().skip(before);
        let are_times = times.len() > 1 && times.all(TimeReader::looks_like_one);
        let clock = first.get(0).unwrap_or_default();
        let is_clock =
            TimeReader::is_clock(clock) || TimeReader::is_clock(&[clock, b":00"].concat());
        let mut values = first.iter().skip(before);
        let has_values = values.len() > 1 && values.all(|cell| cell.is_empty() || is_number(cell));
        let has_names = before > 0 && (before > 1 || is_clock || !is_number(clock));
        (are_times && has_names && has_values).then_some((delimiter, before))
    })
}

/// The table with rows and columns exchanged. The columns before the times become one.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn turned(table: &[u8], (delimiter, before): (u8, usize)) -> Result<Vec<u8>, Error> {
    let mut reader = records(TextRows::new(table), delimiter);
    let (mut row, mut width) = (ByteRecord::new(), None);
    // Those of all rows in one record: a record for each would take a multiple of a short row.
    let mut cells = ByteRecord::new();
    while reader.read_byte_record(&mut row)? {
        reader.get_mut().row_ended();
        let width = *width.get_or_insert(row.len());
        if cells.len() + width > CELLS {
            let text = format!(
                "a table with a column for each time has at most {CELLS} cells: import parts of it"
            );
            return Err(io::Error::other(text).into());
        }
        for column in 0..width {
            cells.push_field(row.get(column).unwrap_or_default().trim_ascii());
        }
    }
    let width = width.unwrap_or_default();
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter)
        .from_writer(Vec::new());
    let cell = |row: usize, column: usize| cells.get(row * width + column).unwrap_or_default();
    let rows = cells.len().checked_div(width).unwrap_or_default();
    writer.write_record((0..rows).map(|row| {
        let names: Vec<_> = (0..before).map(|column| cell(row, column)).collect();
        names.join(&b' ')
    }))?;
    for column in before..width {
        writer.write_record((0..rows).map(|row| cell(row, column)))?;
    }
    writer
        .into_inner()
        .map_err(|error| Error::from(error.into_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_are_times_become_rows() {
        let series = "id,type,unit,2026-01-05T00:00:00.000Z,2026-01-05T01:00:00.000Z\n\
            sensor.a,grid,kWh,0.5,0.6\nsensor.b,solar,kWh,,0\n";
        let days = "Zeit;05.01.2026;06.01.2026\n00:00;1,5;2\n";
        for (table, expected) in [
            (
                series,
                "id type unit,sensor.a grid kWh,sensor.b solar kWh\n2026-01-05T00:00:00.000Z,0.5,\n2026-01-05T01:00:00.000Z,0.6,0\n",
            ),
            (days, "Zeit;00:00\n05.01.2026;1,5\n06.01.2026;2\n"),
        ] {
            let form = has_time_columns(table.as_bytes()).unwrap();
            let text = turned(table.as_bytes(), form).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
        for table in [
            "2026-01-05,5,6\n2026-01-06,5,6\n",
            "id,start,end,kWh\n1,2026-01-05,2026-01-06,5\n",
            "1,2026-01-05,2026-01-06\n2,2026-01-05,2026-01-06\n",
            "1767607200,1767607210\n1767607220,5\n",
        ] {
            assert_eq!(has_time_columns(table.as_bytes()), None, "{table}");
        }
    }
}

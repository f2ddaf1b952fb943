//! The readings of a sensor, in a format that `import` reads.

use std::io::Write;

use anyhow::{Context as _, Result};
use clap::ValueEnum;

use super::ExportSource;
use crate::admin::{ReadingRange, ReadingRow, Request};
use crate::domain::Timestamp;

// At most `Store::IMPORT_CHUNK`, to which `admin` cuts a page: a shorter page is taken for the last
// one.
/// The number of readings fetched at once.
const PAGE: u32 = 16_384;

/// A format of readings.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ExportFormat {
    /// `time,watts,watthours`, after a header line
    Csv,
    /// One JSON object a line
    Ndjson,
}

/// Writes the readings of a range, and shows each page of them to `seen`.
///
/// # Errors
/// Those of the store and of `out`.
pub(crate) fn write_readings(
    store: &dyn ExportSource,
    mut rest: ReadingRange,
    format: ExportFormat,
    out: &mut impl Write,
    mut seen: impl FnMut(&[ReadingRow]),
) -> Result<()> {
    let mut first = true;
    loop {
        let rows: Vec<ReadingRow> = store.ask(Request::ReadPage {
            range: rest.clone(),
            limit: PAGE,
        })?;
        // Not before the first page, so that nothing is printed for an unknown sensor.
        if std::mem::take(&mut first) && matches!(format, ExportFormat::Csv) {
            out.write_all(b"time,watts,watthours\n")?;
        }
        for row in &rows {
            write_row(out, format, row)?;
        }
        seen(&rows);
        match rows.last() {
            Some(last) if rows.len() >= PAGE as usize && last.time_ms < rest.end_ms => {
                // A sensor has at most one reading per millisecond, so none is skipped.
                rest.start_ms = last.time_ms + 1;
            }
            _ => return Ok(()),
        }
    }
}

/// Writes one reading.
///
/// # Errors
/// If its time is out of range, or `out` fails.
pub(crate) fn write_row(
    out: &mut impl Write,
    format: ExportFormat,
    row: &ReadingRow,
) -> Result<()> {
    let time = Timestamp::from_millis(row.time_ms).context("a reading's time is out of range")?;
    match format {
        ExportFormat::Csv => {
            write!(out, "{time},")?;
            write_number(out, "", row.watts)?;
            out.write_all(b",")?;
            write_number(out, "", row.watthours)?;
            out.write_all(b"\n")?;
        }
        ExportFormat::Ndjson => {
            write!(out, "{{\"time\":\"{time}\"")?;
            write_number(out, ",\"watts\":", row.watts)?;
            write_number(out, ",\"watthours\":", row.watthours)?;
            out.write_all(b"}\n")?;
        }
    }
    Ok(())
}

/// Writes `before` and the shortest text that parses back to `number`, if there is one. Stored
/// numbers are finite.
fn write_number(out: &mut impl Write, before: &str, number: Option<f64>) -> Result<()> {
    let Some(number) = number else { return Ok(()) };
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number);
    // 234, not 234.0: both parse to the same number.
    let text = text.strip_suffix(".0").unwrap_or(text);
    write!(out, "{before}{text}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: ExportFormat, watts: Option<f64>, watthours: Option<f64>) -> String {
        let mut out = Vec::new();
        let row = ReadingRow {
            time_ms: 1_500,
            watts,
            watthours,
        };
        write_row(&mut out, format, &row).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_missing_is_left_out() {
        assert_eq!(
            written(ExportFormat::Csv, Some(234.0), None),
            "1970-01-01T00:00:01.500Z,234,\n"
        );
        assert_eq!(
            written(ExportFormat::Csv, None, Some(-0.1)),
            "1970-01-01T00:00:01.500Z,,-0.1\n"
        );
        assert_eq!(
            written(ExportFormat::Ndjson, None, Some(1e-7)),
            "{\"time\":\"1970-01-01T00:00:01.500Z\",\"watthours\":1e-7}\n"
        );
        assert_eq!(
            written(ExportFormat::Ndjson, Some(1e21), Some(0.5)),
            "{\"time\":\"1970-01-01T00:00:01.500Z\",\"watts\":1e+21,\"watthours\":0.5}\n"
        );
    }
}

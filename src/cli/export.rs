//! `wattkeeper export`: a sensor's readings, in a format that `import` reads, or everything.
//!
//! - `everything`: all that the store has, as files for other programs
//! - `reports`: energy, costs and bills among these
//! - `folder`: the folder of these, which appears once it is complete

mod everything;
mod folder;
mod reports;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};

use super::args::{Global, usage};
use super::connection::StoreConnection;
use crate::admin::{ReadingRange, ReadingRow, Request};
use crate::domain::{TimeRange, Timestamp};
use crate::store::OpenMode;

// At most `Store::IMPORT_CHUNK`, to which `admin` cuts a page: a shorter page is taken for the last
// one.
/// The number of readings fetched at once.
const PAGE: u32 = 16_384;

/// Print a sensor's readings, in a format that `import` reads; or write everything for other programs
///
/// With --all, everything that the store has becomes files of CSV and JSON in a new folder: readings,
/// energy and costs by the hour, statements by the month, contracts, prices and all other entries. The
/// README.md there describes each file. Secrets stay out. For another wattkeeper, use `backup`.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Export {
    /// The sensor
    #[arg(long, value_name = "ID", required_unless_present = "all")]
    sensor: Option<String>,
    /// Write everything into this new folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sensor", "start", "end", "format"])]
    all: Option<PathBuf>,
    /// The first time, included: YYYY-MM-DDTHH:MM:SS, or a date for its midnight, in UTC unless it
    /// has an offset [default: from the first reading]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    start: Option<Timestamp>,
    /// The last time, included [default: to the last reading]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    end: Option<Timestamp>,
    /// The format
    #[arg(long, value_enum, default_value_t = ExportFormat::Csv)]
    format: ExportFormat,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum ExportFormat {
    /// `time,watts,watthours`, after a header line
    Csv,
    /// One JSON object a line
    Ndjson,
}

impl Export {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        if let Some(folder) = &self.all {
            return everything::run(global, folder);
        }
        if global.json {
            return Err(usage(
                "export prints readings, not a result: for JSON, use --format ndjson instead of --json",
            ));
        }
        let range = TimeRange::new(
            self.start.unwrap_or(TimeRange::ALL.start()),
            self.end.unwrap_or(TimeRange::ALL.end()),
        )
        .ok_or_else(|| usage("--start is after --end"))?;
        global.with_store(OpenMode::Existing, |store| self.write(store, range))
    }

    fn write(&self, store: &StoreConnection, range: TimeRange) -> Result<()> {
        let mut out = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
        let range = ReadingRange {
            sensor: self.sensor.clone().unwrap_or_default(),
            start_ms: range.start().millis(),
            end_ms: range.end().millis(),
        };
        write_readings(store, range, self.format, &mut out, |_| ())?;
        Ok(out.flush()?)
    }
}

/// Writes the readings of a range, and shows each page of them to `seen`.
fn write_readings(
    store: &StoreConnection,
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
pub(super) fn write_row(
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

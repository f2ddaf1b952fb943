//! InfluxDB's line protocol, as exported: `influx_inspect export` writes comments such as `#
//! CONTEXT-DATABASE:home` first, `influxd inspect export-lp` writes none. Each line is a point,
//! often with a single field; power and register at the same time are on different lines.

use std::io::{BufRead as _, BufReader};

use anyhow::{Result, bail};

use super::intake::{FileIntake, Offer};
use super::selection::LabeledSeries;
use super::source::{ImportSource, RowBytes};
use crate::domain::Timestamp;
use crate::ingest::influx::{FieldValue, InfluxLine, lines};
use crate::ingest::table::{FileValue, ParsedRow, TableBytes as _, TimeReader, When};
use crate::ingest::table::{ImportMeasure, SeriesUnit};

/// The maximum number of lines of a quoted text.
const TEXT_LINES: usize = 1_000;
/// The comment that names the database of the following lines.
const DATABASE: &[u8] = b"# CONTEXT-DATABASE:";

/// Lines that are being read.
pub(super) struct ProtocolLines {
    source: BufReader<RowBytes>,
    /// The current line, and the lines that continue a text in it.
    text: Vec<u8>,
    /// The number of its first line, and the number of lines read.
    first: u64,
    number: u64,
    database: String,
}

impl ProtocolLines {
    /// Whether a stream that begins with `head` is line protocol.
    pub(super) fn begin_so(head: &[u8]) -> bool {
        // The tool's own header, with any rest.
        if head.starts_with(b"# INFLUXDB EXPORT") || head.starts_with(b"# DDL") {
            return true;
        }
        let is_remark = |line: &[u8]| line.starts_with(b"#") || line.trim_ascii().is_empty();
        let lines = head.split_inclusive(|&byte| byte == b'\n');
        let mut text = Vec::new();
        for line in lines.skip_while(|line| is_remark(line)) {
            text.extend_from_slice(line);
            if !is_cut(&text) {
                break;
            }
        }
        matches!(one(&text), Some(Ok(line)) if line.timestamp.is_some())
    }

    fn open(source: ImportSource) -> Self {
        Self {
            source: BufReader::with_capacity(64 * 1024, source.rows()),
            text: Vec::new(),
            first: 0,
            number: 0,
            database: String::new(),
        }
    }

    /// Reads the next line into `self.text`; false after the last.
    fn advance(&mut self) -> Result<bool> {
        loop {
            self.text.clear();
            self.source.get_mut().row_ended();
            self.first = self.number + 1;
            if !self.add_line()? {
                return Ok(false);
            }
            let line = self.text.trim_ascii();
            if let Some(name) = line.strip_prefix(DATABASE) {
                self.database = String::from_utf8_lossy(name).into_owned();
            }
            if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"CREATE DATABASE ") {
                continue;
            }
            for _ in 0..TEXT_LINES {
                if !is_cut(&self.text) || !self.add_line()? {
                    break;
                }
            }
            return Ok(true);
        }
    }

    fn add_line(&mut self) -> Result<bool> {
        // `RowBytes` bounds the line: without an end it is an error after 4 MiB.
        let read = self.source.read_until(b'\n', &mut self.text)?;
        self.number += u64::from(read > 0);
        Ok(read > 0)
    }
}

/// The single line in the text.
fn one(text: &[u8]) -> Option<Result<InfluxLine<'_>, String>> {
    lines(text).next().map(|(_, line)| line)
}

/// Whether the line ends within a text that continues on the next line.
fn is_cut(text: &[u8]) -> bool {
    text.contains(&b'"') && matches!(one(text), Some(Err(why)) if why.contains("unbalanced quotes"))
}

/// Calls `with` for each field of a line and its series.
fn each_field<'l>(
    line: &'l InfluxLine,
    database: &str,
    mut with: impl FnMut(&LabeledSeries, &FieldValue<'l>) -> Result<(), String>,
) -> Result<(), String> {
    let mut labels = vec![("_measurement", &*line.measurement)];
    labels.extend(line.tags.iter().map(|(name, value)| (&**name, &**value)));
    let mut point = line.measurement.to_string();
    for (name, value) in &line.tags {
        point.extend([",", name, "=", value]);
    }
    if !database.is_empty() {
        labels.push(("database", database));
    }
    // Home Assistant's measurements are units.
    let unit = SeriesUnit::parse(&line.measurement).map(|_| &*line.measurement);
    for (name, value) in &line.fields {
        let series = LabeledSeries {
            name,
            labels: &labels,
            full: format!("{point} {name}"),
            unit,
            is_only_energy: false,
        };
        with(&series, value)?;
    }
    Ok(())
}

/// Reads the points of `source`. The later of two points at the same time counts, as in InfluxDB.
///
/// # Errors
/// If `source` cannot be read, or the unit or the choice of a series is unclear.
pub(super) fn read_protocol(
    source: ImportSource,
    mut times: TimeReader,
    intake: &mut FileIntake,
) -> Result<()> {
    intake.rules.later_counts = true;
    let mut lines = ProtocolLines::open(source);
    while lines.advance()? {
        let place = lines.first;
        match row(&lines, &mut times, intake) {
            Ok(row) => intake.take(row, place)?,
            Err(why) => bail!("line {place}: {why}"),
        }
    }
    Ok(())
}

/// The row of the current line; an error if reading cannot continue.
fn row(
    lines: &ProtocolLines,
    times: &mut TimeReader,
    intake: &mut FileIntake,
) -> Result<ParsedRow, String> {
    let line = match one(&lines.text) {
        None => return Ok(ParsedRow::NoValue),
        Some(Ok(line)) => line,
        Some(Err(why)) => return Ok(ParsedRow::Bad(why)),
    };
    let (mut measures, mut bad) = ([None; 2], None);
    let (mut is_chosen, mut is_counted) = (false, false);
    let time = time(times, &line);
    each_field(&line, &lines.database, |series, value| {
        let unit = match (intake.offer(series)?, value) {
            (Offer::Take(unit), _) => unit,
            (Offer::Count, FieldValue::Number(_)) => {
                is_counted = true;
                if let Ok(time) = &time {
                    intake.count(&series.full, series.unit, When::At(*time));
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        is_chosen = true;
        let number = match value {
            FieldValue::Number(number) => unit.convert(*number),
            _ => None,
        };
        if number.is_none() {
            bad = Some(format!("{}: expected a number, got {value}", series.name));
        }
        let [watts, watthours] = &mut measures;
        match unit.measure() {
            ImportMeasure::Power => *watts = number,
            ImportMeasure::Register => *watthours = number,
        }
        Ok(())
    })?;
    if !is_chosen && !is_counted {
        return Ok(ParsedRow::Other);
    }
    if let Some(reason) = bad {
        return Ok(ParsedRow::Bad(reason));
    }
    let time = match time {
        Ok(time) => time,
        Err(reason) => return Ok(ParsedRow::Bad(reason)),
    };
    Ok(match measures {
        [None, None] => ParsedRow::NoValue,
        [watts, watthours] => ParsedRow::Value(FileValue::at(time, watts, watthours)),
    })
}

/// The time of a line.
fn time(times: &mut TimeReader, line: &InfluxLine) -> Result<Timestamp, String> {
    let number = line.timestamp.ok_or("the time is missing")?;
    times.read(number.to_string().as_bytes())
}

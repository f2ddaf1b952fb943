//! Reads tables into the intake.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::intake::FileIntake;
use super::options::ImportOptions;
use super::source::ImportSource;
use crate::domain::MeterKind;
use crate::ingest::table::{ColumnCounts, TableOptions, TableRows};

fn table_options(options: &ImportOptions, is_ragged: bool) -> TableOptions {
    let kind = options.sensor.as_ref().map(|(_, kind)| *kind);
    TableOptions {
        wishes: options.wishes.clone(),
        times: options.times.clone(),
        units: options.units,
        has_intervals: kind
            .filter(|kind| *kind == MeterKind::Interval)
            .map(|_| true),
        is_ragged,
        formats: Arc::clone(&options.formats),
    }
}

/// Reads a table. Its rows may end early if `is_ragged`.
///
/// # Errors
/// If it cannot be read, or its columns are unclear.
pub(super) fn read_table(
    source: ImportSource,
    options: &ImportOptions,
    is_ragged: bool,
    intake: &mut FileIntake,
) -> Result<()> {
    intake.has_columns = true;
    let head = source.head.clone();
    let options = table_options(options, is_ragged);
    let mut rows = TableRows::open(source.rows(), &head, options)?;
    if let Some(name) = rows.format() {
        intake
            .remarks
            .push(format!("it was read as a file of {name}"));
    }
    if rows.has_intervals() {
        intake.begin_intervals()?;
    }
    intake.rules.usual_length_ms = rows.usual_length_ms();
    while let Some(row) = rows.next_row()? {
        // JSON has no header, so it is not counted as a record.
        let place = if is_ragged {
            rows.line().saturating_sub(1)
        } else {
            rows.line()
        };
        intake.take(row, place)?;
    }
    if let Some(missing) = rows.missing() {
        bail!(missing);
    }
    match rows.verdict() {
        Ok(thousands) => intake.rules.thousands = thousands,
        Err(question) => intake.question = Some(question),
    }
    intake.traits = rows.traits().clone();
    Ok(())
}

/// Counts the numbers of each column.
///
/// # Errors
/// If it cannot be read, or its times are unclear.
pub(super) fn count_columns(
    source: ImportSource,
    options: &ImportOptions,
    intake: &mut FileIntake,
) -> Result<()> {
    let head = source.head.clone();
    let mut rows = ColumnCounts::open(source.rows(), &head, table_options(options, true))?;
    rows.each(|name, unit, when| intake.count(name, unit, when))?;
    Ok(())
}

//! Reads tables into the intake.

use std::io::Read as _;
use std::panic::resume_unwind;
use std::sync::{Arc, mpsc};
use std::thread;

use anyhow::{Result, bail};

use super::intake::FileIntake;
use super::markup::{begins_with_markup, read_markup};
use super::options::ImportOptions;
use super::source::ImportSource;
use crate::domain::MeterKind;
use crate::ingest::table::{
    ColumnCounts, ParsedRow, TableBytes, TableError, TableOptions, TableRows, has_time_columns,
    turned,
};

/// The maximum size of a table with a column for each time, which is turned in memory.
const TURNED: u64 = 4 * 1024 * 1024;

/// How many rows are handed over at once, and how many times so many wait at most.
const BATCH: usize = 1_024;
const BATCHES_AHEAD: usize = 4;

fn table_options(options: &ImportOptions) -> TableOptions {
    let sensor = options.sensor.as_ref();
    let kind = sensor.map(|sensor| sensor.register);
    TableOptions {
        wishes: options.wishes.clone(),
        times: options.times.clone(),
        units: options.units,
        has_intervals: match kind {
            _ if options.wishes.from_registers => Some(false),
            Some(MeterKind::Interval) => Some(true),
            _ => None,
        },
        says_intervals: false,
        counts_only: false,
        sensor: sensor.map(|sensor| (sensor.sensor.clone(), sensor.role)),
        account_zone: options.zone.clone(),
        formats: Arc::clone(&options.formats),
    }
}

/// Reads a table. Its rows are records of another format if `is_made`.
///
/// # Errors
/// If it cannot be read, or its columns are unclear.
pub(super) fn read_table(
    source: ImportSource,
    options: &ImportOptions,
    is_made: bool,
    intake: &mut FileIntake,
) -> Result<()> {
    intake.has_columns = true;
    let head = source.head.clone();
    let options = table_options(options);
    let mut rows = TableRows::open(source.rows(), &head, options)?;
    intake.format = rows.format.take();
    intake.plan = std::mem::take(&mut rows.plan);
    intake.remarks.append(&mut rows.remarks);
    if rows.has_intervals() {
        intake.begin_intervals()?;
    }
    if rows.says_intervals() {
        // No values speak against a supplier's own format.
        intake.rules.plausible = None;
    }
    intake.passes.set_zone(rows.zone());
    intake.rules.usual_length_ms = rows.usual_length_ms();
    // JSON has no header, so it is not counted as a record.
    let before = u64::from(is_made);
    read_ahead(&mut rows, |row, line| {
        intake.take(row, line.saturating_sub(before))
    })?;
    if let Some(missing) = rows.missing() {
        bail!(missing);
    }
    if rows.is_export_below_zero() {
        intake.rules.magnitude = true;
        let remark = "its energies are all below zero: they are taken without the sign, because the column's name says which way they flow";
        intake.remarks.push(remark.to_owned());
    }
    intake.remarks.extend(rows.not_used());
    let left_out = rows.left_out();
    intake.tally.bad_energy = left_out.energy;
    intake.other_units.clone_from(&left_out.units);
    match rows.verdict() {
        Ok(thousands) => intake.rules.thousands = thousands,
        Err(question) => intake.question = Some(question),
    }
    intake.traits = rows.traits().clone();
    Ok(())
}

/// Calls `take` with each row and its line. The next rows are parsed by another thread meanwhile, which
/// is most of the work.
///
/// # Errors
/// If a row cannot be read; the first error of `take`.
fn read_ahead<R: TableBytes + Send>(
    rows: &mut TableRows<R>,
    mut take: impl FnMut(ParsedRow, u64) -> Result<()>,
) -> Result<()> {
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(BATCHES_AHEAD);
        let parse = move || -> Result<(), TableError> {
            loop {
                let mut batch = Vec::with_capacity(BATCH);
                while batch.len() < BATCH
                    && let Some(row) = rows.next_row()?
                {
                    batch.push((row, rows.line()));
                }
                // Nobody takes more after an error.
                if batch.is_empty() || sender.send(batch).is_err() {
                    return Ok(());
                }
            }
        };
        let name = "parse".to_owned();
        let parsed = thread::Builder::new()
            .name(name)
            .spawn_scoped(scope, parse)?;
        for batch in receiver {
            for (row, line) in batch {
                take(row, line)?;
            }
        }
        match parsed.join() {
            Ok(parsed) => Ok(parsed?),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// The table with a row for each time: out of a page, and turned if it has a column for each.
///
/// # Errors
/// If it cannot be read, or is too large.
pub(super) fn upright(source: ImportSource) -> Result<ImportSource> {
    let source = if begins_with_markup(&source.head) {
        read_markup(source)?
    } else {
        source
    };
    let Some(form) = has_time_columns(&source.head) else {
        return Ok(source);
    };
    let (progress, limits, mut text) = (source.progress.clone(), source.limits, Vec::new());
    source.lines().take(TURNED + 1).read_to_end(&mut text)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > TURNED {
        bail!(
            "a table with a column for each time has at most {} MiB: import parts of it",
            TURNED >> 20
        );
    }
    let turned = turned(&text, form)?;
    Ok(ImportSource::of_table(turned, progress, limits))
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
    let mut rows = ColumnCounts::open(source.rows(), &head, table_options(options))?;
    rows.each(|name, unit, when| intake.count(name, unit, when))?;
    Ok(())
}

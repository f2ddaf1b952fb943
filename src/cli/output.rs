//! Output of a command. Results are written to stdout by [`io::Write`], because `println!` panics
//! if the reader of a pipe has gone.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::MicroWh;
use crate::ledger::kilowatthours;

/// Prints a line on stdout.
pub(super) fn print_line(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints a value as one line of JSON on stdout.
pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    print_line(&serde_json::to_string(value)?)
}

/// A row of a table.
pub(super) trait TableRow: Serialize {
    /// The columns' names.
    const HEADER: &[&str];

    /// One cell for each column.
    fn cells(&self) -> Vec<String>;
}

/// Prints a table on stdout, its columns aligned; nothing without rows.
pub(super) fn print_table<T: TableRow>(rows: &[T]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    print_line(&table(rows))
}

/// Rows of JSON as values of this type.
pub(super) fn parsed<T: DeserializeOwned>(rows: &[String]) -> Result<Vec<T>> {
    let rows = rows.iter().map(|row| Ok(serde_json::from_str(row)?));
    rows.collect()
}

/// Prints a message on stderr. A failure is ignored, because there is nowhere to report it.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Shows progress on a terminal, until it is dropped: a bar that fills up to `length`, or a count
/// formatted by `template`.
pub(super) fn progress(length: Option<u64>, template: &str, quiet: bool) -> ProgressBar {
    let target = if quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(length, target).with_finish(ProgressFinish::AndClear);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        // The templates are our own, so this does not happen; the default style would do.
        Err(_) => bar,
    }
}

/// The seconds since `begun`, rounded to milliseconds.
pub(super) fn seconds_since(begun: Instant) -> f64 {
    (begun.elapsed().as_secs_f64() * 1e3).round() / 1e3
}

fn table<T: TableRow>(rows: &[T]) -> String {
    let head: Vec<String> = T::HEADER.iter().map(|&name| name.to_owned()).collect();
    aligned(&head, rows.iter().map(TableRow::cells).collect())
}

/// An energy with all its digits: `21405.2004 kWh`.
pub(super) fn energy_text(watthours: f64) -> String {
    let energy = kilowatthours(MicroWh::from_watthours(watthours));
    format!("{energy} kWh")
}

/// A table as text, its columns aligned, below their names in capitals.
pub(super) fn aligned(head: &[String], rows: Vec<Vec<String>>) -> String {
    /// A longer cell is not cut, but it does not widen its column: each other line would end in
    /// spaces.
    const WIDEST: usize = 80;
    let mut widths = vec![0; head.len()];
    let head = head.iter().map(|name| name.to_uppercase()).collect();
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            // In characters, because `{:<width$}` counts characters.
            *width = (*width).max(cell.chars().count().min(WIDEST));
        }
    }
    let aligned = lines.iter().map(|line| {
        let cells = line.iter().zip(&widths);
        let cells = cells.map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    aligned.collect::<Vec<_>>().join("\n")
}

/// A share from 0 to 1 in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// The gap of a total: kilowatt-hours, and a share of the time.
pub(super) fn without(kilowatthours: f64, missing: f64) -> String {
    let energy = (kilowatthours > 0.0).then(|| format!("{kilowatthours:.3} kWh"));
    let time = (missing > 0.0).then(|| format!("{} of the time", percent(missing)));
    match (energy, time) {
        (Some(energy), Some(time)) => format!(" without {energy} and {time}"),
        (Some(one), None) | (None, Some(one)) => format!(" without {one}"),
        (None, None) => String::new(),
    }
}

/// The shares of a time: measured, estimated and missing.
pub(super) fn coverage(measured: f64, estimated: f64, missing: f64) -> String {
    let [measured, estimated, missing] = [measured, estimated, missing].map(percent);
    format!("measured {measured}, estimated {estimated}, missing {missing}")
}

/// A total with its gap: watt-hours without a price, and a share of the time.
pub(super) fn total_without(total: Option<impl Display>, unpriced: f64, missing: f64) -> String {
    total.map_or_else(
        || "-".to_owned(),
        |total| format!("{total}{}", without(unpriced / 1_000.0, missing)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct CountRow(&'static str, &'static str);

    impl TableRow for CountRow {
        const HEADER: &[&str] = &["sensor", "n"];

        fn cells(&self) -> Vec<String> {
            vec![self.0.into(), self.1.into()]
        }
    }

    #[test]
    fn energies_have_no_noise_of_binary_fractions() {
        for (watthours, text) in [
            (21_405_200.4, "21405.2004 kWh"),
            (-1_500.0, "-1.5 kWh"),
            (0.0, "0 kWh"),
        ] {
            assert_eq!(energy_text(watthours), text);
        }
    }

    #[test]
    fn a_total_says_what_it_leaves_out() {
        let told = |unpriced, missing| total_without(Some("5.46"), unpriced, missing);
        assert_eq!(told(0.0, 0.0), "5.46");
        assert_eq!(
            told(1_500.0, 0.042),
            "5.46 without 1.500 kWh and 4.2 % of the time"
        );
        assert_eq!(total_without(None::<&str>, 1.0, 0.5), "-");
    }

    #[test]
    fn a_long_cell_does_not_widen_its_column() {
        let rows = [["a".to_owned(), "x".repeat(900), "file".to_owned()]];
        let short = ["b", "y", "default"].map(str::to_owned);
        let head = ["setting", "value", "from"].map(str::to_owned);
        let rows = rows.into_iter().chain([short]).map(Vec::from);
        let text = aligned(&head, rows.collect());
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert!(lengths[1] > 900 && lengths[2] < 110, "{lengths:?}");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [CountRow("Wärme", "1"), CountRow("house", "")];
        assert_eq!(table(&rows), "SENSOR  N\nWärme   1\nhouse");
    }
}

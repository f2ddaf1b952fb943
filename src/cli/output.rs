//! What a command prints. Results go to stdout by way of [`io::Write`], whose errors are told apart:
//! a reader that went away is none.

use std::io::{self, Write as _};
use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use serde::Serialize;

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

/// Prints a table on stdout, its columns aligned; nothing where there are no rows.
pub(super) fn print_table<const COLUMNS: usize>(
    header: [&str; COLUMNS],
    rows: &[[String; COLUMNS]],
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    print_line(&table(header, rows))
}

/// Says something on stderr. Where it cannot be said, nothing can be done about it.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// A bar as all are: on a terminal only, and gone when it is done or something failed.
pub(super) fn progress(bar: ProgressBar, template: &str, quiet: bool) -> ProgressBar {
    let bar = bar.with_finish(ProgressFinish::AndClear);
    if quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The seconds since `begun`, to the millisecond.
pub(super) fn seconds_since(begun: Instant) -> f64 {
    (begun.elapsed().as_secs_f64() * 1e3).round() / 1e3
}

fn table<const COLUMNS: usize>(header: [&str; COLUMNS], rows: &[[String; COLUMNS]]) -> String {
    let header = header.map(str::to_uppercase);
    let lines = || std::iter::once(&header).chain(rows);
    let mut widths = [0; COLUMNS];
    for line in lines() {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let aligned = lines().map(|line| {
        let cells = line
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    aligned.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [
            ["Wärme".to_owned(), "1".to_owned()],
            ["house".to_owned(), String::new()],
        ];
        assert_eq!(table(["sensor", "n"], &rows), "SENSOR  N\nWärme   1\nhouse");
    }
}

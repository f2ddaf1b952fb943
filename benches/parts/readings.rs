//! The readings that all benchmarks use.

use std::fs;
use std::path::Path;

use wattkeeper::Timestamp;
use wattkeeper::{Measures, Reading};

/// The environment variable that names the whole file.
const DATA: &str = "WATTKEEPER_BENCH_DATA";
/// The length of a repeated history: half a year of minutes.
const HISTORY: usize = 262_144;

/// The first 600 minutes of the house.
pub(crate) fn excerpt() -> Vec<Reading> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    parse(&folder.join("tests/fixtures/household-excerpt.csv"))
}

/// The whole file, if one is named; uncompressed, as `xz -dc` writes it.
pub(crate) fn whole() -> Option<Vec<Reading>> {
    std::env::var_os(DATA).map(|path| parse(Path::new(&path)))
}

/// A history long enough for every query: the whole file, or the excerpt repeated, with times and register that
/// continue.
pub(crate) fn history() -> Vec<Reading> {
    whole().unwrap_or_else(|| repeated(&excerpt(), HISTORY))
}

fn repeated(once: &[Reading], count: usize) -> Vec<Reading> {
    let (first, last) = (once[0], once[once.len() - 1]);
    let span = last.time.millis() - first.time.millis() + 60_000;
    let energy = last.measures.watthours().unwrap() - first.measures.watthours().unwrap();
    let mut readings = Vec::with_capacity(count);
    let mut rounds = (0_i64, 0.0);
    while readings.len() < count {
        for reading in once.iter().take(count - readings.len()) {
            // One decimal, as the meter has it.
            let register = reading.measures.watthours().unwrap() + rounds.1;
            readings.push(Reading {
                time: reading.time.saturating_add_millis(rounds.0 * span),
                measures: measures(
                    reading.measures.watts(),
                    Some((register * 10.0).round() / 10.0),
                ),
            });
        }
        rounds = (rounds.0 + 1, rounds.1 + energy);
    }
    readings
}

fn measures(watts: Option<f64>, watthours: Option<f64>) -> Measures {
    Measures::new(watts, watthours).unwrap()
}

fn parse(path: &Path) -> Vec<Reading> {
    let text = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{}: {error} ({DATA} names a plain CSV)", path.display()));
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("time,watts,watthours"),
        "{}",
        path.display()
    );
    lines
        .map(|line| {
            let mut fields = line.split(',');
            let mut next = || fields.next().unwrap();
            let time = Timestamp::parse(next()).unwrap();
            let (watts, watthours) = (next().parse().ok(), next().parse().ok());
            Reading {
                time,
                measures: measures(watts, watthours),
            }
        })
        .collect()
}

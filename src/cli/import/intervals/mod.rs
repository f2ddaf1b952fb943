//! Files of energy suppliers: energies of intervals, each with a start and an end.
//!
//! They go to a sensor whose register is `interval`: each value is the energy since the previous
//! value, stored at the end of its interval. If an interval begins later than the previous one
//! ended, a value of zero at its start keeps its energy from being spread over the gap. So the
//! energy of each day equals the sum in the file, also on days of 23 and 25 hours, and a file may
//! be imported again, corrected, or after a later one.
//!
//! - `json`: Tibber and Octopus, from their APIs; `sheet`: tables with the columns start and end
//! - `green_button`: Green Button, with `espi`: the elements of its XML

mod espi;
mod green_button;
mod json;
mod sheet;

use std::collections::VecDeque;

use anyhow::{Result, bail};

pub(super) use self::green_button::GreenButton;
pub(super) use self::json::{has_json_intervals, list_json, read_json};
pub(super) use self::sheet::{has_sheet_intervals, read_sheet};
use super::rows::ReadRows;
use crate::domain::{Measures, Reading, Timestamp};
use crate::ingest::table::ParsedRow;

/// The maximum number of intervals in a file. They are sorted in memory; 28 years of quarters of an
/// hour are fewer.
const INTERVALS: usize = 1_000_000;
/// The number of bad rows kept with their reasons.
const REASONS: usize = 1_000;

/// An interval, with its energy in watt-hours.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EnergyInterval {
    start: Timestamp,
    end: Timestamp,
    watthours: f64,
}

/// The intervals of a file, in the order read.
#[derive(Debug, Default)]
pub(super) struct IntervalTable {
    intervals: Vec<EnergyInterval>,
    no_value: u64,
    /// The first bad rows: place and reason.
    bad: VecDeque<(String, String)>,
    /// The number of further bad rows.
    more_bad: u64,
}

/// The intervals of a file, in order of time.
pub(super) struct IntervalRows {
    table: IntervalTable,
    next: usize,
    place: String,
}

impl IntervalTable {
    /// Adds an interval; it is a bad row if it does not end after its start.
    ///
    /// # Errors
    /// If there are too many.
    fn add(
        &mut self,
        place: impl FnOnce() -> String,
        start: Timestamp,
        end: Timestamp,
        watthours: f64,
    ) -> Result<()> {
        if end <= start {
            self.add_bad(
                place,
                format!("its end {end} is not after its start {start}"),
            );
            return Ok(());
        }
        if self.intervals.len() == INTERVALS {
            bail!("it has more than {INTERVALS} intervals: split it");
        }
        self.intervals.push(EnergyInterval {
            start,
            end,
            watthours,
        });
        Ok(())
    }

    fn add_bad(&mut self, place: impl FnOnce() -> String, reason: String) {
        if self.bad.len() < REASONS {
            self.bad.push_back((place(), reason));
        } else {
            self.more_bad += 1;
        }
    }

    fn is_empty(&self) -> bool {
        self.intervals.is_empty() && self.no_value == 0 && self.bad.is_empty()
    }

    /// The intervals in order. If one comes twice, the later row counts.
    ///
    /// # Errors
    /// If two overlap.
    fn finish(mut self) -> Result<IntervalRows> {
        // Stable, so that the last of equal ones stays last.
        self.intervals.sort_by_key(|it| (it.start, it.end));
        self.intervals.reverse();
        self.intervals.dedup_by_key(|it| (it.start, it.end));
        self.intervals.reverse();
        let mut pairs = self.intervals.iter().zip(self.intervals.iter().skip(1));
        if let Some((one, other)) = pairs.find(|(one, other)| other.start < one.end) {
            bail!(
                "two intervals overlap: one from {} to {}, and one from {} to {}; it contains more than one series, or sums of others",
                one.start,
                one.end,
                other.start,
                other.end
            );
        }
        Ok(IntervalRows {
            table: self,
            next: 0,
            place: String::new(),
        })
    }
}

impl ReadRows for IntervalRows {
    fn next_row(&mut self) -> Result<Option<ParsedRow>> {
        if let Some((place, reason)) = self.table.bad.pop_front() {
            self.place = place;
            return Ok(Some(ParsedRow::Bad(reason)));
        }
        for (left, row) in [
            (
                &mut self.table.more_bad,
                ParsedRow::Bad("likewise".to_owned()),
            ),
            (&mut self.table.no_value, ParsedRow::NoValue),
        ] {
            if *left > 0 {
                *left -= 1;
                return Ok(Some(row));
            }
        }
        let interval = self.table.intervals.get(self.next);
        self.next += 1;
        Ok(
            interval.map(|it| match Measures::new(None, Some(it.watthours)) {
                Ok(measures) => ParsedRow::Reading(Reading {
                    time: it.end,
                    measures,
                }),
                Err(_) => ParsedRow::Bad("expected a finite number".to_owned()),
            }),
        )
    }

    fn place(&self) -> String {
        self.place.clone()
    }

    fn starts(&self) -> Option<Vec<Timestamp>> {
        let ends = self.table.intervals.iter().map(|it| Some(it.end));
        let before = std::iter::once(None).chain(ends);
        let intervals = self.table.intervals.iter().zip(before);
        let starts = intervals.filter(|(it, before)| Some(it.start) != *before);
        Some(starts.map(|(it, _)| it.start).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_millis(hour * 3_600_000).unwrap()
    }

    fn table(intervals: &[(i64, i64, f64)]) -> IntervalTable {
        let mut table = IntervalTable::default();
        for &(start, end, energy) in intervals {
            table.add(String::new, at(start), at(end), energy).unwrap();
        }
        table
    }

    #[test]
    fn intervals_are_sorted_and_the_later_row_counts() {
        let mut rows = table(&[(5, 6, 1.0), (1, 2, 2.0), (2, 3, 3.0), (1, 2, 4.0)])
            .finish()
            .unwrap();
        assert_eq!(rows.starts().unwrap(), [at(1), at(5)]);
        let mut found = Vec::new();
        while let Some(ParsedRow::Reading(reading)) = rows.next_row().unwrap() {
            found.push((reading.time, reading.measures.watthours().unwrap()));
        }
        assert_eq!(found, [(at(2), 4.0), (at(3), 3.0), (at(6), 1.0)]);
    }

    #[test]
    fn overlaps_and_intervals_without_length_are_refused() {
        let error = table(&[(0, 24, 9.0), (1, 2, 1.0)]).finish().err().unwrap();
        assert!(
            error.to_string().contains("two intervals overlap"),
            "{error}"
        );
        let mut rows = table(&[(2, 2, 1.0), (3, 2, 1.0)]).finish().unwrap();
        for _ in 0..2 {
            assert!(matches!(rows.next_row().unwrap(), Some(ParsedRow::Bad(_))));
        }
        assert_eq!(rows.next_row().unwrap(), None);
    }

    #[test]
    fn reasons_are_bounded() {
        let mut table = IntervalTable::default();
        for _ in 0..REASONS + 5 {
            table.add_bad(String::new, "no".to_owned());
        }
        let mut rows = table.finish().unwrap();
        let mut bad = 0;
        while let Some(ParsedRow::Bad(_)) = rows.next_row().unwrap() {
            bad += 1;
        }
        assert_eq!(bad, REASONS + 5);
    }
}

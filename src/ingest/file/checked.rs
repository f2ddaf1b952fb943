//! A file that was read to its end: its readings in order, and the errors in them.
//!
//! Energies of intervals go to a sensor whose register is `interval`: each value is the energy since
//! the previous value, stored at the end of its interval. If an interval begins later than the
//! previous one ended, a value of zero at its start keeps its energy from being spread over the gap.
//! So the energy of each day equals the sum in the file, also on days of 23 and 25 hours, and a file
//! may be imported again, corrected, or after a later one.

use anyhow::{Result, anyhow, bail};

use super::covering::{CoveringSums, EnergyInterval, SumFinder};
use super::in_order::{Placed, ReadingsInOrder, ValueRules};
use super::register_course::RegisterCourse;
use super::spool::{SortedValues, Spooled};
use super::summary::ImportSummary;
use crate::ingest::table::RowTraits;

use crate::domain::{Measures, Reading, Register, Timestamp};
use crate::store::Store;

/// The maximum number of intervals that do not follow another one: their starts are in memory.
const STARTS: usize = 1_000_000;
const IS_REGISTER: &str = "its energies only rise, and are what a meter's register shows, but each value of the sensor is the energy of an interval: add a sensor for registers, with --register counter, or net if it runs backwards, or store the energy between them, with --from-registers; if they are energies of intervals, describe the file as a format with `intervals = true`: wattkeeper formats add";

/// The readings of a file.
pub(crate) struct CheckedValues {
    values: SortedValues,
    rules: ValueRules,
    length_ms: i64,
    pub(crate) summary: ImportSummary,
    /// A doubt about the kind of the values, for the user.
    pub(crate) doubt: Option<&'static str>,
    /// The starts of intervals that do not follow another one.
    pub(crate) starts: Vec<Timestamp>,
    /// Sums of other values, which are left out.
    sums: CoveringSums,
}

impl CheckedValues {
    /// Checks the values of a file. `place` formats the places of values for errors.
    ///
    /// # Errors
    /// If two values at one time differ, or two intervals overlap.
    pub(super) fn new(
        values: SortedValues,
        rules: ValueRules,
        traits: &RowTraits,
        place: impl Fn(u64) -> String,
    ) -> Result<Self> {
        let length_ms = match values.usual_distance()? {
            0 => rules.usual_length_ms,
            length_ms => length_ms,
        };
        let has_intervals = rules.energies.has_intervals();
        let mut summary = ImportSummary::new(has_intervals, rules.zone.clone());
        let mut starts = Vec::new();
        let (mut before, mut course) = (None::<Placed>, RegisterCourse::default());
        let (mut sums, none) = (SumFinder::default(), CoveringSums::default());
        let mut reader = ReadingsInOrder::new(&values, (&rules, &none), length_ms)?;
        while let Some(placed) =
            reader.next(&mut |one, other| differ(&rules, traits, &place, one, other))?
        {
            if let Some(interval) = placed.interval() {
                let end = before.map(|it: Placed| it.reading.time);
                if !sums.waits_for(interval.end) {
                    sums.decide(end).map_err(|sum| overlap(before, &sum))?;
                }
                let start = interval.start;
                if end.is_some_and(|end| start < end) {
                    if sums.see_overlapping(interval) {
                        continue;
                    }
                    return Err(overlap(before, &interval));
                }
                sums.see(interval);
                if end != Some(start) {
                    if starts.len() == STARTS {
                        bail!("it has more than {STARTS} gaps between intervals: split it");
                    }
                    starts.push(start);
                }
            }
            let energy = placed.reading.measures.watthours();
            course.see(energy);
            let since = placed.start.or(before.map(|it| it.reading.time));
            if let (Some(energy), Some(since), Some(plausible)) = (energy, since, rules.plausible) {
                let ms = placed.reading.time.millis() - since.millis();
                course.see_energy(energy, ms, plausible);
            }
            summary.count(placed.reading, placed.start);
            before = Some(placed);
        }
        let end = before.map(|it| it.reading.time);
        sums.decide(end).map_err(|sum| overlap(before, &sum))?;
        summary.duplicates = reader.duplicates;
        if has_intervals && rules.plausible.is_some() && course.is_register() {
            bail!(IS_REGISTER);
        }
        Ok(Self {
            doubt: course.doubt(has_intervals),
            values,
            rules,
            length_ms,
            summary,
            starts,
            sums: sums.into_sums(),
        })
    }

    /// The number of intervals that are sums of others, and are left out.
    pub(super) fn sums(&self) -> usize {
        self.sums.count()
    }

    /// Reads the readings, in time order except for means of power.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(crate) fn readings(&self) -> Result<impl Iterator<Item = Result<Reading>>> {
        let mut reader =
            ReadingsInOrder::new(&self.values, (&self.rules, &self.sums), self.length_ms)?;
        Ok(std::iter::from_fn(move || {
            let next = reader.next(&mut |_, _| Ok(())).transpose()?;
            Some(next.map(|placed| placed.reading))
        }))
    }

    /// Reads the readings in parts that the store takes at once, each with `false`; then the starts
    /// of intervals, with `true`.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(crate) fn parts(&self) -> Result<impl Iterator<Item = Result<(Vec<Reading>, bool)>>> {
        let mut readings = self.readings()?;
        let values = std::iter::from_fn(move || {
            let part: Result<Vec<_>> = readings.by_ref().take(Store::IMPORT_CHUNK).collect();
            match part {
                Ok(part) if part.is_empty() => None,
                other => Some(other.map(|part| (part, false))),
            }
        });
        let starts = self.starts.chunks(Store::IMPORT_CHUNK).map(|starts| {
            let begins = |time: &Timestamp| {
                let measures = Measures::new(None, Some(Register::BEGINS))?;
                Ok(Reading {
                    time: *time,
                    measures,
                })
            };
            let part: Result<Vec<_>> = starts.iter().map(begins).collect();
            part.map(|part| (part, true))
        });
        Ok(values.chain(starts))
    }
}

/// The error for an interval that overlaps the one before.
fn overlap(before: Option<Placed>, interval: &EnergyInterval) -> anyhow::Error {
    let EnergyInterval { start, end, .. } = *interval;
    let to = before.map_or(end, |it| it.reading.time);
    let from = before.and_then(|it| it.start).unwrap_or(to);
    let mut both = [(from, to), (start, end)];
    both.sort();
    let [(from, to), (other, last)] = both;
    anyhow!(
        "two intervals overlap: one from {from} to {to}, and one from {other} to {last}; the file has more than one series, or sums of other values"
    )
}

/// Asks which of two different values at one time to take.
fn differ(
    rules: &ValueRules,
    traits: &RowTraits,
    place: impl Fn(u64) -> String,
    one: &Spooled,
    other: &Spooled,
) -> Result<()> {
    if rules.later_counts {
        return Ok(());
    }
    let (first, second) = if one.place <= other.place {
        (one, other)
    } else {
        (other, one)
    };
    let number = |spooled: &Spooled| {
        let watts = spooled.value.watts.map(|it| format!("{it} W"));
        let energy = spooled.value.watthours.map(|it| format!("{it} Wh"));
        [watts, energy]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" and ")
    };
    let time = Timestamp::from_millis(one.key().0).unwrap_or(Timestamp::MIN);
    let remedy = traits.difference(first.value.traits, second.value.traits);
    bail!(
        "{} and {} have different values at {time}, {} and {}: {}",
        place(first.place),
        place(second.place),
        number(first),
        number(second),
        remedy.unwrap_or_else(
            || "nothing else in them says which one is meant: leave one out".to_owned()
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Zone;
    use crate::domain::time::at;
    use crate::ingest::file::in_order::FileEnergies;
    use crate::ingest::file::spool::Spool;
    use crate::ingest::table::{FileValue, When};

    fn checked(values: &[FileValue], rules: ValueRules) -> Result<CheckedValues> {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(dir.path());
        for (value, place) in values.iter().zip(1..) {
            let value = *value;
            spool.push(Spooled { value, place }).unwrap();
        }
        let place = |place| format!("line {place}");
        CheckedValues::new(spool.finish(), rules, &RowTraits::default(), place)
    }

    fn found(checked: &CheckedValues) -> Vec<(String, Option<f64>, Option<f64>)> {
        let readings = checked.readings().unwrap().map(|reading| {
            let reading = reading.unwrap();
            let measures = reading.measures;
            (
                reading.time.to_string(),
                measures.watts(),
                measures.watthours(),
            )
        });
        readings.collect()
    }

    fn energy(when: When, watthours: f64) -> FileValue {
        FileValue::new(when, None, Some(watthours))
    }

    fn hours(from: i64, to: i64) -> When {
        let at = |hour: i64| Timestamp::from_millis(hour * 3_600_000).unwrap();
        When::Between(at(from), at(to))
    }

    fn intervals() -> ValueRules {
        ValueRules {
            energies: FileEnergies::Intervals,
            ..ValueRules::default()
        }
    }

    #[test]
    fn intervals_are_sorted_and_begin_where_none_ended() {
        let values = [(5, 6, 1.0), (1, 2, 4.0), (2, 3, 3.0), (1, 2, 4.0)];
        let values = values.map(|(from, to, value)| energy(hours(from, to), value));
        let checked = checked(&values, intervals()).unwrap();
        let starts: Vec<_> = checked
            .starts
            .iter()
            .map(|it| it.millis() / 3_600_000)
            .collect();
        assert_eq!((starts, checked.summary.duplicates), (vec![1, 5], 1));
        let energies: Vec<_> = found(&checked)
            .into_iter()
            .map(|it| it.2.unwrap())
            .collect();
        assert_eq!(energies, [4.0, 3.0, 1.0]);
    }

    #[test]
    fn what_differs_or_overlaps_is_refused() {
        let error = |values: &[FileValue]| checked(values, intervals()).err().unwrap().to_string();
        let overlap = error(&[energy(hours(0, 24), 9.0), energy(hours(1, 2), 1.0)]);
        assert!(overlap.contains("two intervals overlap"), "{overlap}");
        let twice = error(&[energy(hours(0, 1), 9.0), energy(hours(0, 1), 1.0)]);
        assert!(
            twice.starts_with(
                "line 1 and line 2 have different values at 1970-01-01T01:00:00.000Z, 9 Wh and 1 Wh"
            ),
            "{twice}"
        );
        let moment = When::At(at("2026-01-05T10:00:00"));
        let power = FileValue::new(moment, Some(5.0), None);
        let both = [power, energy(moment, 1.0), power];
        let merged = checked(&both, ValueRules::default()).unwrap();
        assert_eq!(
            found(&merged),
            [("2026-01-05T10:00:00.000Z".to_owned(), Some(5.0), Some(1.0))]
        );
        let later = ValueRules {
            later_counts: true,
            ..ValueRules::default()
        };
        let replaced = checked(&[energy(moment, 1.0), energy(moment, 2.0)], later).unwrap();
        assert_eq!(found(&replaced)[0].2, Some(2.0));
    }

    #[test]
    fn starts_become_ends_also_on_days_of_other_lengths() {
        let berlin = ValueRules {
            zone: Some(Zone::parse("Europe/Berlin").unwrap()),
            ..intervals()
        };
        let from = |time: &str| energy(When::From(Timestamp::parse(time).unwrap()), 1.0);
        let days = [
            "2026-03-27T23:00:00",
            "2026-03-28T23:00:00",
            "2026-03-29T22:00:00",
        ];
        let days = checked(&days.map(from), berlin.clone()).unwrap();
        let ends: Vec<_> = found(&days).into_iter().map(|it| it.0).collect();
        let expected = [
            "2026-03-28T23:00:00.000Z",
            "2026-03-29T22:00:00.000Z",
            "2026-03-30T22:00:00.000Z",
        ];
        assert_eq!(
            (ends, days.starts.len()),
            (expected.map(str::to_owned).to_vec(), 1)
        );
        let months = [
            "2026-01-31T23:00:00",
            "2026-02-28T23:00:00",
            "2026-03-31T22:00:00",
        ];
        let months = checked(&months.map(from), berlin).unwrap();
        assert_eq!(found(&months)[2].0, "2026-04-30T22:00:00.000Z");
        let quarters = [
            "2026-01-05T10:00:00",
            "2026-01-05T10:15:00",
            "2026-01-05T11:00:00",
        ];
        let quarters = checked(&quarters.map(from), intervals()).unwrap();
        let starts: Vec<_> = quarters.starts.iter().map(ToString::to_string).collect();
        assert_eq!(
            starts,
            ["2026-01-05T10:00:00.000Z", "2026-01-05T11:00:00.000Z"]
        );
    }
}

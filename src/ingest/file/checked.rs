//! A file that was read to its end: its readings in order, and the errors in them.
//!
//! Energies of intervals go to a sensor whose register is `interval`: each value is the energy since
//! the previous value, stored at the end of its interval. If an interval begins later than the
//! previous one ended, a value of zero at its start keeps its energy from being spread over the gap.
//! So the energy of each day equals the sum in the file, also on days of 23 and 25 hours, and a file
//! may be imported again, corrected, or after a later one.

use anyhow::{Result, bail};

use super::register_course::RegisterCourse;
use super::spool::{MergedValues, SortedValues, Spooled};
use super::summary::ImportSummary;
use crate::ingest::table::{NO_LENGTH, RowTraits};

use crate::domain::{LocalDate, Measures, Reading, Register, Timestamp, Zone};
use crate::ingest::table::When;
use crate::store::Store;

/// The maximum number of intervals that do not follow another one: their starts are in memory.
const STARTS: usize = 1_000_000;
const DAY_MS: i64 = 86_400_000;
const IS_REGISTER: &str = "its energies only rise, and are what a meter's register shows, but each value of the sensor is the energy of an interval: add a sensor for registers, with --register counter, or net if it runs backwards; if they are energies of intervals, describe the file as a format with `intervals = true`: wattkeeper formats add";

/// The rules for the values of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueRules {
    /// Whether registers are energies of intervals.
    pub(crate) has_intervals: bool,
    /// Whether the later of two values at the same time counts, as in the program that wrote the
    /// file.
    pub(crate) later_counts: bool,
    /// Whether the separator in doubtful numbers separates thousands: for power, and for energy.
    pub(crate) thousands: [bool; 2],
    /// The length of an interval that the file does not determine; 0 if it is unknown.
    pub(crate) usual_length_ms: i64,
    /// The highest plausible power of the sensor, in watts; `None` if its kind of register is certain.
    pub(crate) plausible: Option<u32>,
    /// The zone of days and months.
    pub(crate) zone: Option<Zone>,
    /// Whether energies below zero are taken as their magnitude.
    pub(crate) magnitude: bool,
}

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
}

/// A reading, and its start if it is an interval.
#[derive(Clone, Copy)]
struct Placed {
    start: Option<Timestamp>,
    reading: Reading,
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
        let mut summary = ImportSummary::new(rules.has_intervals, rules.zone.clone());
        let mut starts = Vec::new();
        let (mut before, mut course) = (None::<Placed>, RegisterCourse::default());
        let mut reader = ReadingsInOrder::new(&values, &rules, length_ms)?;
        while let Some(placed) =
            reader.next(&mut |one, other| differ(&rules, traits, &place, one, other))?
        {
            if let Some(start) = placed.start {
                let end = before.map(|it: Placed| it.reading.time);
                if let Some(end) = end.filter(|end| start < *end) {
                    let from = before.and_then(|it| it.start).unwrap_or(end);
                    let mut both = [(from, end), (start, placed.reading.time)];
                    both.sort();
                    let [(from, to), (other, last)] = both;
                    bail!(
                        "two intervals overlap: one from {from} to {to}, and one from {other} to {last}; the file has more than one series, or sums of other values"
                    );
                }
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
        summary.duplicates = reader.duplicates;
        if rules.has_intervals && rules.plausible.is_some() && course.is_register() {
            bail!(IS_REGISTER);
        }
        Ok(Self {
            doubt: course.doubt(rules.has_intervals),
            values,
            rules,
            length_ms,
            summary,
            starts,
        })
    }

    /// Reads the readings, in time order except for means of power.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(crate) fn readings(&self) -> Result<impl Iterator<Item = Result<Reading>>> {
        let mut reader = ReadingsInOrder::new(&self.values, &self.rules, self.length_ms)?;
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

/// Merges values at one time, and finds the ends of intervals.
struct ReadingsInOrder<'a> {
    merged: MergedValues<'a>,
    rules: &'a ValueRules,
    /// The length of an interval without a neighbour; 0 if it is unknown.
    length_ms: i64,
    /// The end of the last interval.
    last_end: Option<Timestamp>,
    ahead: Option<Spooled>,
    /// A reading to return next, found together with the previous one.
    second: Option<Placed>,
    duplicates: u64,
}

impl<'a> ReadingsInOrder<'a> {
    fn new(values: &'a SortedValues, rules: &'a ValueRules, length_ms: i64) -> Result<Self> {
        let mut merged = values.read()?;
        Ok(Self {
            ahead: merged.next()?,
            merged,
            rules,
            length_ms,
            last_end: None,
            second: None,
            duplicates: 0,
        })
    }

    /// Returns the next reading. Calls `differ` with two values that differ at one time.
    fn next(
        &mut self,
        differ: &mut dyn FnMut(&Spooled, &Spooled) -> Result<()>,
    ) -> Result<Option<Placed>> {
        if let Some(second) = self.second.take() {
            return Ok(Some(second));
        }
        let Some(mut spooled) = self.ahead.take() else {
            return Ok(None);
        };
        self.convert(&mut spooled);
        let first = spooled;
        loop {
            self.ahead = self.merged.next()?;
            let Some(mut other) = self.ahead.filter(|it| it.value.when == spooled.value.when)
            else {
                break;
            };
            self.convert(&mut other);
            let pairs = [
                (&mut spooled.value.watts, other.value.watts),
                (&mut spooled.value.watthours, other.value.watthours),
            ];
            let (mut is_new, mut is_different) = (false, false);
            for (known, value) in pairs {
                is_new |= known.is_none() && value.is_some();
                is_different |= value.is_some() && known.is_some_and(|known| Some(known) != value);
                *known = value.or(*known);
            }
            if is_different {
                differ(&first, &other)?;
            } else if !is_new {
                self.duplicates += 1;
            }
        }
        self.place(&spooled)
    }

    fn convert(&self, spooled: &mut Spooled) {
        let value = &mut spooled.value;
        let numbers = [&mut value.watts, &mut value.watthours];
        for ((number, doubtful), thousands) in numbers
            .into_iter()
            .zip(value.doubtful)
            .zip(self.rules.thousands)
        {
            if doubtful && thousands {
                // Three digits follow the separator, so this is a whole number.
                *number = number.map(|it| (it * 1e3).round());
            }
        }
        if self.rules.magnitude {
            value.watthours = value.watthours.map(f64::abs);
        }
    }

    /// The reading of a value, once all values at its time are merged.
    fn place(&mut self, spooled: &Spooled) -> Result<Option<Placed>> {
        let value = spooled.value;
        let (watts, energy) = (value.watts, value.watthours);
        let placed = |time, start, watts, energy| -> Result<Placed> {
            let measures = Measures::new(watts, energy)?;
            Ok(Placed {
                start,
                reading: Reading { time, measures },
            })
        };
        let has_energy = self.rules.has_intervals && energy.is_some();
        let (start, end) = match value.when {
            When::At(time) => return placed(time, None, watts, energy).map(Some),
            // -0 is the beginning of an interval, in a file of our own.
            When::Until(time) if !has_energy || energy.is_some_and(is_beginning) => {
                self.last_end = Some(time);
                return placed(time, None, watts, energy).map(Some);
            }
            When::Until(end) => {
                let start = self.start_of(end);
                self.last_end = Some(end);
                if start == end {
                    bail!(NO_LENGTH);
                }
                return placed(end, Some(start), watts, energy).map(Some);
            }
            When::Between(start, end) => (start, end),
            When::From(start) => (start, self.end_of(start)),
        };
        if has_energy && start == end {
            bail!(NO_LENGTH);
        }
        let start_of_energy = Some(start).filter(|_| self.rules.has_intervals);
        if watts.is_none() {
            return placed(end, start_of_energy, None, energy).map(Some);
        }
        // A mean belongs to the middle, because energy is computed from the mean of two neighbours.
        let middle = start.saturating_add_millis((end.millis() - start.millis()) / 2);
        if energy.is_some() {
            self.second = Some(placed(end, start_of_energy, None, energy)?);
        }
        placed(middle, None, watts, None).map(Some)
    }

    /// The end of an interval that begins at `start`: the start of the next one, unless there is a
    /// gap.
    fn end_of(&self, start: Timestamp) -> Timestamp {
        let next = self.ahead.map(|it| it.key().0 - start.millis());
        match next.filter(|next| self.is_usual(*next)) {
            Some(next) => start.saturating_add_millis(next),
            None => self.at_distance(start, false),
        }
    }

    /// The start of an interval that ends at `end`: the end of the one before it, likewise.
    fn start_of(&self, end: Timestamp) -> Timestamp {
        let before = self.last_end.filter(|before| *before < end);
        let before = before.filter(|before| self.is_usual(end.millis() - before.millis()));
        before.unwrap_or_else(|| self.at_distance(end, true))
    }

    /// Whether two neighbours are so far apart without a gap.
    const fn is_usual(&self, distance_ms: i64) -> bool {
        let length = self.length_ms;
        length == 0 || distance_ms <= length + length / 4
    }

    /// The other end of an interval of the usual length. Days and months differ in length.
    fn at_distance(&self, time: Timestamp, is_start: bool) -> Timestamp {
        let length = self.length_ms;
        let zone = &self.rules.zone.clone().unwrap_or(Zone::UTC);
        let date = LocalDate::at(time, zone);
        let is_midnight = date.start(zone) == time;
        let step = if is_start { -1 } else { 1 };
        let other = match length.div_euclid(DAY_MS / 24) {
            23..=25 => date.plus_days(step),
            672..=744 if date.day() == 1 => {
                // The first of the month before or after, from a day that is surely in it.
                let inside = date.plus_days(if is_start { -1 } else { 31 });
                inside.and_then(|inside| LocalDate::new(inside.year(), inside.month(), 1))
            }
            _ => None,
        };
        match other.filter(|_| is_midnight) {
            Some(date) => date.start(zone),
            None => time.saturating_add_millis(i64::from(step) * length),
        }
    }
}

/// Whether an energy marks only where an interval begins.
const fn is_beginning(energy: f64) -> bool {
    energy == 0.0 && energy.is_sign_negative()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::ingest::file::spool::Spool;
    use crate::ingest::table::FileValue;

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
            has_intervals: true,
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

//! Rows of hours that come twice. Whether such a row is of the first or of the second pass, only the
//! rows around it can tell: they wait here until the last row is read.
//!
//! `repetition` decides a run of such rows, by their order or their place beside each other.

use std::collections::BTreeMap;

use super::repetition::{
    Decided, RepeatedRun, RowOrder, RunRow, WaitingRow, has_value, hour_numbers, passes_of,
};
use crate::domain::{LocalDate, Timestamp, Zone};
use crate::ingest::table::{FileValue, RowWhen, WhenDoubt, clock_text};

/// The maximum number of rows in such hours: they are in memory.
const ROWS: usize = 100_000;
/// The maximum numbers of distances that are counted, and of remarks.
const DISTANCES: usize = 100;
const REMARKS: usize = 20;

/// The rows of hours that come twice, and the order of the file by the others.
#[derive(Default)]
pub(crate) struct Passes {
    zone: Option<Zone>,
    waiting: Vec<WaitingRow>,
    /// The times of the sure rows before and after each run.
    around: Vec<[Option<Timestamp>; 2]>,
    is_open: bool,
    last: Option<Timestamp>,
    /// How often times rose, and fell.
    rises: u64,
    falls: u64,
    distances: BTreeMap<i64, u64>,
}

/// The rows with their times, and remarks about them.
pub(super) type Resolved = (Vec<(FileValue, u64)>, Vec<String>);

impl Passes {
    /// Sets the zone of the file's times, for messages.
    pub(crate) fn set_zone(&mut self, zone: Option<&Zone>) {
        self.zone = zone.cloned();
    }

    /// Takes the next row, and returns it if its time is sure.
    ///
    /// # Errors
    /// If too many rows wait.
    pub(super) fn take(
        &mut self,
        value: FileValue,
        place: u64,
    ) -> Result<Option<FileValue>, String> {
        if value.doubt.is_none() {
            self.see(value.when.first());
            return Ok(Some(value));
        }
        // Two repeated hours of different years may follow each other.
        let before = self.waiting.last().map(|row| anchor(&row.value));
        let is_far =
            before.is_some_and(|before| (before.millis() - anchor(&value).millis()).abs() > DAY_MS);
        if !self.is_open || is_far {
            self.around.push([self.last, None]);
            self.is_open = true;
        }
        if self.waiting.len() == ROWS {
            return Err(format!(
                "it has more than {ROWS} rows in hours that came twice: split it, or give times with an offset"
            ));
        }
        let run = self.around.len();
        self.waiting.push(WaitingRow { value, place, run });
        Ok(None)
    }

    fn see(&mut self, time: Timestamp) {
        if std::mem::take(&mut self.is_open)
            && let Some([_, after]) = self.around.last_mut()
        {
            *after = Some(time);
        }
        if let Some(last) = self.last.replace(time) {
            let distance = time.millis() - last.millis();
            self.rises += u64::from(distance > 0);
            self.falls += u64::from(distance < 0);
            let distance = distance.abs();
            if self.distances.len() < DISTANCES || self.distances.contains_key(&distance) {
                *self.distances.entry(distance).or_default() += 1;
            }
        }
    }

    /// After the last row: all rows that waited.
    ///
    /// # Errors
    /// The question, if nothing decides.
    pub(super) fn resolve(self) -> Result<Resolved, String> {
        let order = match (self.rises, self.falls) {
            (1.., 0) => Some(RowOrder::OldestFirst),
            (0, 1..) => Some(RowOrder::NewestFirst),
            _ => None,
        };
        let usual = self.distances.iter().max_by_key(|(_, count)| **count);
        let usual_ms = usual.map_or(0, |(distance, _)| *distance);
        let (hours, rows): (Vec<&WaitingRow>, Vec<&WaitingRow>) =
            self.waiting.iter().partition(|row| is_hour(row));
        let mut groups: Vec<Vec<&WaitingRow>> = Vec::new();
        // The hours of a day may be at several places.
        let mut days = BTreeMap::<_, Vec<&WaitingRow>>::new();
        for row in hours {
            days.entry(anchor(&row.value)).or_default().push(row);
        }
        groups.extend(days.into_values());
        groups.extend(
            rows.chunk_by(|one, other| one.run == other.run)
                .map(<[_]>::to_vec),
        );
        let (mut found, mut once) = (Vec::new(), Vec::<Timestamp>::new());
        let mut places = BTreeMap::<(i64, u8), usize>::new();
        for (kind, rows) in groups.iter().flat_map(|rows| by_kind(rows)) {
            let Some(first) = rows.first() else { continue };
            let around = self.around.get(first.run.saturating_sub(1));
            let run = RepeatedRun {
                around: around.copied().unwrap_or_default(),
                order,
                usual_ms,
            };
            let decided = decide(&rows, &run).ok_or_else(|| self.unclear(first))?;
            if let Some(single) = decided.once {
                once.push(single);
                // The same hour at another place of the file may be its other pass.
                let is_elsewhere = rows.iter().find(|row| {
                    let key = (row.value.when.first().millis(), kind);
                    *places.entry(key).or_insert(row.run) != row.run
                });
                if let Some(row) = is_elsewhere {
                    return Err(self.unclear(row));
                }
            }
            for (row, when) in rows.iter().zip(decided.times) {
                let value = FileValue {
                    when,
                    doubt: None,
                    ..row.value
                };
                if has_value(row) {
                    found.push((value, row.place));
                }
            }
        }
        once.sort_unstable();
        once.dedup();
        let remarks = once.iter().take(REMARKS).map(|time| {
            format!(
                "{} came twice, when the clocks were set back, and the file has it once: its values count for the first pass, and the second one is missing",
                self.hour(*time)
            )
        });
        Ok((found, remarks.collect()))
    }

    fn unclear(&self, row: &WaitingRow) -> String {
        if let Some(WhenDoubt::Hour(hour)) = row.value.doubt
            && hour.hours < 24
        {
            return format!(
                "{} has hours up to 24 and a value for the hour that was skipped when the clocks were set forward: its numbers fit neither the hours that passed nor the clock",
                self.date(hour.day)
            );
        }
        format!(
            "{} came twice, when the clocks were set back, and the order of its rows, from number {} on, does not show which pass each one is of: sort the rows by time, or give times with an offset such as +02:00",
            self.hour(anchor(&row.value)),
            row.place
        )
    }

    fn date(&self, time: Timestamp) -> String {
        let zone = self.zone.clone().unwrap_or(Zone::UTC);
        LocalDate::at(time, &zone).to_string()
    }

    /// The repeated hour with that time in or before its first pass, in words.
    fn hour(&self, time: Timestamp) -> String {
        let zone = self.zone.clone().unwrap_or(Zone::UTC);
        // The first pass ends with the change, and the second one is as long.
        let period = zone.period_at(time.saturating_add_millis(-1));
        let change = period.last.saturating_add_millis(1);
        let end = change.saturating_add_millis(period.ahead_ms);
        let [start, end] = [zone.shown_at(change), end].map(clock_text);
        format!("the hour from {start} to {end} in {}", zone.name())
    }
}

const DAY_MS: i64 = 86_400_000;

/// A time in or before the first pass.
fn anchor(value: &FileValue) -> Timestamp {
    match value.doubt {
        Some(WhenDoubt::FirstEnd(first)) => first.first(),
        Some(WhenDoubt::Hour(hour)) => hour.day,
        Some(WhenDoubt::Sure { label, .. }) => label,
        _ => value.when.first(),
    }
}

const fn is_hour(row: &WaitingRow) -> bool {
    matches!(row.value.doubt, Some(WhenDoubt::Hour(_)))
}

fn decide(rows: &[&WaitingRow], run: &RepeatedRun) -> Option<Decided> {
    if rows.iter().any(|row| is_hour(row)) {
        return hour_numbers(rows, run.order);
    }
    let rows: Vec<_> = rows.iter().map(|row| RunRow::of(&row.value)).collect();
    passes_of(&rows, run)
}

/// The rows of each kind of measures. A row without a value belongs to the only kind.
fn by_kind<'a>(rows: &[&'a WaitingRow]) -> Vec<(u8, Vec<&'a WaitingRow>)> {
    let kind = |row: &WaitingRow| {
        u8::from(row.value.watts.is_some()) | u8::from(row.value.watthours.is_some()) << 1
    };
    let mut kinds: Vec<u8> = rows
        .iter()
        .map(|row| kind(row))
        .filter(|kind| *kind > 0)
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    let is_only = kinds.len() == 1;
    let of = |wanted: u8| {
        let found = rows.iter().filter(|row| {
            let kind = kind(row);
            kind == wanted || (is_only && kind == 0)
        });
        (wanted, found.copied().collect())
    };
    kinds.into_iter().map(of).collect()
}

/// A value without measures, for a row that has none.
pub(super) fn empty(at: RowWhen) -> FileValue {
    FileValue {
        doubt: at.doubt,
        ..FileValue::new(at.when, None, None)
    }
}

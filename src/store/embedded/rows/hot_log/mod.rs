//! The log of settled rows and activities, read at start only.
//!
//! It is a sequence of chunks (`rows/chunk.rs`) with consecutive numbers, in files (`rows/log_files/mod.rs`). What settles is appended: later
//! rows replace earlier ones at the same time, and a later activity the one before. Where rows of a sensor are gone, because they are
//! sealed, deleted or replaced, a group with all that is left of the sensor is appended with that, *anew*: what comes before no longer
//! counts. So the first chunks can be removed as soon as each sensor has such a group behind them. A sensor that keeps too many of them
//! is carried over: what counts of it is appended anew. A sensor that is known at all has a group that counts, be it for its activity
//! alone.
//!
//! Of sealed rows alone, that may wait until much of what the log has of the sensor is outdated: a start drops rows whose measures
//! are in a block.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::mem;
use std::ops::Range;

use crate::domain::SensorId;
use crate::store::embedded::blocks::Volumes;
use crate::store::embedded::rows::chunk::{self, ChunkPacker, RowChunk, RowGroup};
use crate::store::embedded::rows::hot_edit::{HotEdit, RowsEdit};
use crate::store::embedded::rows::hot_sensor::LoggedSensor;
use crate::store::embedded::rows::hot_sensors::HotSensors;
use crate::store::embedded::rows::log_files;
use crate::store::error::StoreError;
use crate::store::rows::activity::Activity;
use crate::store::rows::sensor_rows::{Rows, merged};

/// So much is tolerated of each sensor besides three times what it takes: a group of one row and an activity weighs three.
const TOLERATED: usize = 16;
/// The same for the whole log: some 100 KB. Tests reach less.
const TOLERATED_IN_ALL: usize = if cfg!(test) { 128 } else { 8_192 };

/// What the log holds. Weights are those of groups: see [`RowGroup::weight`]. [`HotSensors`] have what counts of each sensor.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct HotLog {
    /// The number of the first chunk.
    first: u64,
    /// The weight of each chunk.
    weights: VecDeque<usize>,
    weight: usize,
    /// The sensors by the chunks since which their groups count.
    oldest: BTreeSet<(u64, SensorId)>,
    live_weight: usize,
}

/// A change of the log that is being written.
pub(crate) struct LogChange {
    pub(crate) chunks: Vec<RowChunk>,
    /// The number of the first of them.
    pub(crate) number: u64,
    /// The number of the first chunk that counts afterwards.
    first: u64,
    /// What counts of the sensors at these places from now on.
    sensors: Vec<(usize, Option<LoggedSensor>)>,
}

impl HotLog {
    /// Reads the chunks of these numbers: what counts of each sensor, its rows and its activity.
    pub(crate) fn load(
        files: &Volumes,
        numbers: &Range<u64>,
    ) -> Result<(Self, HotSensors), StoreError> {
        let (mut log, mut hot, mut rows) =
            (Self::default(), HotSensors::default(), Rows::default());
        log.first = numbers.start;
        log_files::read(files, numbers, |number, value| {
            let groups = chunk::decode(value)?;
            let weight = groups.iter().map(RowGroup::weight).sum();
            log.weights.push_back(weight);
            log.weight += weight;
            for group in groups {
                let place = hot.place(&group.sensor);
                let known = hot.logged(place);
                let logged = Self::after(known.as_ref(), &group, number, group.weight());
                log.set(place, logged, &mut hot);
                apply(group, &mut rows);
            }
            Ok(())
        })?;
        hot.load(rows, numbers.clone());
        Ok((log, hot))
    }

    /// The number of the next chunk.
    fn end(&self) -> u64 {
        self.first.wrapping_add(self.weights.len() as u64)
    }

    /// What counts of a sensor after `group`, if it begins in the chunk of this number and has this weight; `known` is what counted
    /// before.
    fn after(
        known: Option<&LoggedSensor>,
        group: &RowGroup<'_>,
        number: u64,
        more: usize,
    ) -> Option<LoggedSensor> {
        if group.is_end() {
            return None;
        }
        let before = known.filter(|_| !group.is_anew).copied();
        let before = before.unwrap_or(LoggedSensor {
            since: number,
            weight: 0,
            has_rows: false,
            activity: Activity::default(),
        });
        Some(LoggedSensor {
            since: before.since,
            weight: before.weight + more,
            has_rows: before.has_rows || !group.rows.is_empty(),
            activity: group.activity.unwrap_or(before.activity),
        })
    }

    /// Notes what counts of the sensor at `place`.
    fn set(&mut self, place: usize, logged: Option<LoggedSensor>, hot: &mut HotSensors) {
        let Some((sensor, known)) = hot.logged_mut(place) else {
            return;
        };
        let before = mem::replace(known, logged);
        let weight = |logged: Option<LoggedSensor>| logged.map_or(0, |logged| logged.weight);
        self.live_weight += weight(logged);
        self.live_weight -= weight(before);
        let [before, since] = [before, logged].map(|it| it.map(|logged| logged.since));
        if before == since {
            return;
        }
        if let Some(before) = before {
            self.oldest.remove(&(before, sensor.clone()));
        }
        self.oldest
            .extend(since.map(|since| (since, sensor.clone())));
    }

    /// The change by which the rows of up to `most` frozen sensors settle, with their activities.
    pub(crate) fn settling(&self, hot: &HotSensors, most: usize) -> LogChange {
        let weights = hot.settling(most).map(|sensor| sensor.rows.len() + 2);
        let mut carried = self.carried(hot, weights.sum());
        let mut appending = Appending::new(self, hot);
        for settling in hot.settling(most) {
            let (older, rows, known) = (settling.settled, settling.rows, settling.logged);
            let is_carried = !carried.is_empty() && carried.remove(settling.sensor);
            // Without older rows, anew costs nothing.
            let is_anew = is_carried
                || older.is_empty()
                || is_worth_it(known, rows.len() + 2, older.len() + rows.len());
            let rows = if is_anew && !older.is_empty() {
                Cow::Owned(merged(older, rows))
            } else {
                Cow::Borrowed(rows)
            };
            let group = RowGroup {
                sensor: settling.sensor.clone(),
                is_anew,
                activity: Some(settling.activity),
                rows,
            };
            appending.add(settling.place, known, &group);
        }
        appending.carry_over(carried);
        appending.finish()
    }

    /// The change that goes with `edits`, each of another sensor, which has a place.
    pub(crate) fn editing(&self, hot: &HotSensors, edits: &[HotEdit]) -> LogChange {
        let mut appending = Appending::new(self, hot);
        let mut more = 0;
        for edit in edits {
            let Some((place, known)) = hot.find_logged(&edit.sensor) else {
                continue;
            };
            if let Some(group) = group_of(edit, known) {
                more += group.weight();
                appending.add(place, known, &group);
            }
        }
        // What appends nothing outdates nothing.
        if more > 0 {
            let mut carried = self.carried(hot, more);
            for edit in edits {
                carried.remove(&edit.sensor);
            }
            appending.carry_over(carried);
        }
        appending.finish()
    }

    /// The sensors that keep the first chunks of a log that is too long. They have about the weight `more`, so that the log gets
    /// shorter while as much settles.
    fn carried(&self, hot: &HotSensors, more: usize) -> HashSet<SensorId> {
        if self.weight <= 2 * self.live_weight + TOLERATED_IN_ALL {
            return HashSet::new();
        }
        let mut weight = 0;
        let oldest = self.oldest.iter().map(|(_, sensor)| sensor);
        let some = oldest.take_while(|sensor| {
            let is_room = weight <= more;
            weight += hot.settled(sensor).len() + 2;
            is_room
        });
        some.cloned().collect()
    }

    /// Notes a change that was written.
    pub(crate) fn note(&mut self, change: LogChange, hot: &mut HotSensors) {
        for _ in self.first..change.first {
            let weight = self.weights.pop_front();
            self.weight -= weight.unwrap_or_default();
        }
        self.first = change.first;
        for chunk in change.chunks {
            self.weights.push_back(chunk.weight);
            self.weight += chunk.weight;
        }
        for (place, logged) in change.sensors {
            self.set(place, logged, hot);
        }
        hot.set_logged_chunks(self.first..self.end());
    }
}

/// The group that an edit takes, if any; `known` is what counted of the sensor before.
fn group_of<'a>(edit: &'a HotEdit, known: Option<&LoggedSensor>) -> Option<RowGroup<'a>> {
    let has_rows = known.is_some_and(|known| known.has_rows);
    let activity = edit.activity.or(known.map(|known| known.activity));
    let left = match &edit.rows {
        RowsEdit::Removed => {
            return known.map(|_| RowGroup {
                sensor: edit.sensor.clone(),
                is_anew: true,
                activity: None,
                rows: Cow::default(),
            });
        }
        RowsEdit::Kept => None,
        RowsEdit::Replaced(left) => Some(left),
        RowsEdit::Sealed(left) => {
            let is_worth_it = left.is_empty() || is_worth_it(known, 0, left.len());
            is_worth_it.then_some(left)
        }
    };
    let left = left.filter(|_| has_rows);
    if left.is_none() && activity == known.map(|known| known.activity) {
        return None;
    }
    Some(RowGroup {
        sensor: edit.sensor.clone(),
        is_anew: left.is_some() || !has_rows,
        activity: Some(activity?),
        rows: left.map_or(Cow::default(), Cow::from),
    })
}

/// Whether a sensor, if `more` were appended, had so much in the log for the `count` rows that it has that these are appended anew.
fn is_worth_it(logged: Option<&LoggedSensor>, more: usize, count: usize) -> bool {
    logged.is_some_and(|logged| logged.weight + more > 3 * count + TOLERATED)
}

/// A change being put together of groups.
struct Appending<'a> {
    log: &'a HotLog,
    hot: &'a HotSensors,
    packer: ChunkPacker,
    sensors: Vec<(usize, Option<LoggedSensor>)>,
}

impl<'a> Appending<'a> {
    fn new(log: &'a HotLog, hot: &'a HotSensors) -> Self {
        Self {
            log,
            hot,
            packer: ChunkPacker::default(),
            sensors: Vec::new(),
        }
    }

    /// Appends a group of the sensor at `place`, of which the log has `known`.
    fn add(&mut self, place: usize, known: Option<&LoggedSensor>, group: &RowGroup<'_>) {
        let parts = self.packer.add(group);
        let begin = self.log.end().wrapping_add(parts.first_chunk as u64);
        let logged = HotLog::after(known, group, begin, parts.weight);
        self.sensors.push((place, logged));
    }

    /// Appends what counts of these sensors, anew.
    fn carry_over(&mut self, carried: HashSet<SensorId>) {
        for sensor in carried {
            let Some((place, Some(known))) = self.hot.find_logged(&sensor) else {
                continue;
            };
            let group = RowGroup {
                rows: self.hot.settled(&sensor).into(),
                activity: Some(known.activity),
                is_anew: true,
                sensor,
            };
            self.add(place, Some(known), &group);
        }
    }

    fn finish(self) -> LogChange {
        let log = self.log;
        let chunks = self.packer.finish();
        LogChange {
            number: log.end(),
            first: log.oldest.first().map_or(log.end(), |(since, _)| *since),
            chunks,
            sensors: self.sensors,
        }
    }
}

impl LogChange {
    /// The numbers of the chunks that count afterwards.
    pub(crate) fn numbers(&self) -> Range<u64> {
        self.first..self.number.wrapping_add(self.chunks.len() as u64)
    }
}

/// Applies a group to the rows before it.
pub(crate) fn apply(group: RowGroup<'_>, rows: &mut Rows) {
    let more = group.rows.into_owned();
    if group.is_anew {
        rows.replace(&group.sensor, more);
    } else {
        rows.merge(group.sensor, more);
    }
}

#[cfg(test)]
pub(crate) mod tests;

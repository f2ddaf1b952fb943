//! The tree `hot`: a log of settled rows and activities, read at start only.
//!
//! Chunks (`rows/chunk.rs`) have consecutive numbers. What settles is appended: later rows replace earlier ones at the same time,
//! and a later activity the one before. Where rows of a sensor are gone, because they are sealed, deleted or replaced, the same
//! transaction appends a group with all that is left of the sensor, *anew*: what comes before no longer counts. So the first
//! chunks can be removed as soon as each sensor has such a group behind them. A sensor that keeps too many of them is carried
//! over: what counts of it is appended anew. A sensor that is known at all has a group that counts, be it for its activity alone.
//!
//! Of sealed rows alone, that may wait until much of what the log has of the sensor is outdated: a start drops rows whose measures
//! are in a block.
//!
//! `meta` has the numbers of the first chunk and of the one after the last under [`KEY`], both u64 little-endian, so that a missing
//! chunk is noticed. Each transaction that changes the tree writes them.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::ops::Range;

use crate::domain::{Reading, SensorId};
use crate::store::embedded::engine::WriteBatch;
use crate::store::embedded::rows::chunk::{self, ChunkPacker, RowChunk, RowGroup};
use crate::store::error::StoreError;
use crate::store::rows::activity::{Activities, Activity};
use crate::store::rows::sensor_map::SensorMap;
use crate::store::rows::sensor_rows::{Rows, merged};

/// The key in `meta` of the numbers of the chunks.
pub(crate) const KEY: &str = "hot";
/// So much is tolerated of each sensor besides three times what it takes: a group of one row and an activity weighs three.
const TOLERATED: usize = 16;
/// The same for the whole log: some 100 KB. Tests reach less.
const TOLERATED_IN_ALL: usize = if cfg!(test) { 128 } else { 8_192 };
/// The most chunks removed in one transaction.
const REMOVED_AT_ONCE: u64 = 256;

/// What the tree holds. Weights are those of groups: see [`RowGroup::weight`].
#[derive(Debug, Default, PartialEq)]
pub(crate) struct HotLog {
    /// The number of the first chunk.
    first: u64,
    /// The weight of each chunk.
    weights: VecDeque<usize>,
    weight: usize,
    sensors: SensorMap<LoggedSensor>,
    /// The sensors by the chunks since which their groups count.
    oldest: BTreeSet<(u64, SensorId)>,
    live_weight: usize,
}

/// What counts of a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LoggedSensor {
    /// The first chunk that may have any of it.
    since: u64,
    /// The weight of its groups.
    weight: usize,
    /// Whether there are rows in them, if only outdated ones.
    has_rows: bool,
    activity: Activity,
}

/// A change of what the database has of a sensor, other than that more settles.
pub(crate) struct HotEdit {
    pub(crate) sensor: SensorId,
    pub(crate) rows: RowsEdit,
    /// Its activity from now on; `None` if that stays.
    pub(crate) activity: Option<Activity>,
}

/// A change of the settled rows of a sensor. Those that are left are ascending.
pub(crate) enum RowsEdit {
    Kept,
    /// Some are in blocks by now, with the measures that the log has. These are left.
    Sealed(Vec<Reading>),
    /// Others than these must not come back.
    Replaced(Vec<Reading>),
    /// The sensor is removed: nothing is left, nor of its activity.
    Removed,
}

impl RowsEdit {
    /// The rows that are left; `None` if all of them are.
    pub(crate) fn left(self) -> Option<Vec<Reading>> {
        match self {
            Self::Kept => None,
            Self::Sealed(left) | Self::Replaced(left) => Some(left),
            Self::Removed => Some(Vec::new()),
        }
    }
}

/// A change of the log that is being written.
pub(crate) struct LogChange {
    chunks: Vec<RowChunk>,
    /// The number of the first of them.
    number: u64,
    removed: Range<u64>,
    sensors: Vec<(SensorId, Option<LoggedSensor>)>,
}

impl HotLog {
    /// Reads the log, with the activities, and the rows in it that count.
    pub(crate) fn load(tree: &sled::Tree, meta: &sled::Tree) -> Result<(Self, Rows), StoreError> {
        let numbers = numbers(meta)?;
        let (mut log, mut rows) = (Self::default(), Rows::default());
        log.first = numbers.start;
        for entry in tree {
            let (key, value) = entry?;
            let number = chunk::number_of(&key)?;
            if number != log.end() || !numbers.contains(&number) {
                return Err(missing(log.end(), &numbers));
            }
            let groups = chunk::decode(&value)?;
            let weight = groups.iter().map(RowGroup::weight).sum();
            log.weights.push_back(weight);
            log.weight += weight;
            for group in groups {
                let logged = log.after(&group, number, group.weight());
                log.set(group.sensor.clone(), logged);
                apply(group, &mut rows);
            }
        }
        if log.end() != numbers.end {
            return Err(missing(log.end(), &numbers));
        }
        Ok((log, rows))
    }

    /// The number of the next chunk.
    fn end(&self) -> u64 {
        self.first.wrapping_add(self.weights.len() as u64)
    }

    /// The activity of each sensor.
    pub(crate) fn activities(&self) -> Activities {
        let known = self.sensors.iter();
        known
            .map(|(sensor, logged)| (sensor.clone(), logged.activity))
            .collect()
    }

    /// What counts of the sensor of `group` after it, if it begins in the chunk of this number and has this weight.
    fn after(&self, group: &RowGroup, number: u64, more: usize) -> Option<LoggedSensor> {
        if group.is_end() {
            return None;
        }
        let known = self.sensors.get(&group.sensor).copied();
        let before = known.filter(|_| !group.is_anew).unwrap_or(LoggedSensor {
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

    fn set(&mut self, sensor: SensorId, logged: Option<LoggedSensor>) {
        let before = match logged {
            Some(logged) => {
                self.live_weight += logged.weight;
                self.sensors.insert(sensor.clone(), logged)
            }
            None => self.sensors.remove(&sensor),
        };
        self.live_weight -= before.map_or(0, |before| before.weight);
        let [before, since] = [before, logged].map(|it| it.map(|logged| logged.since));
        if before == since {
            return;
        }
        if let Some(before) = before {
            self.oldest.remove(&(before, sensor.clone()));
        }
        self.oldest.extend(since.map(|since| (since, sensor)));
    }

    /// The change by which the frozen rows settle, and these activities of all their sensors.
    pub(crate) fn settling(
        &self,
        settled: &Rows,
        frozen: &Rows,
        activities: &Activities,
    ) -> LogChange {
        let mut carried = self.carried(settled, frozen.len() + 2 * activities.len());
        let mut groups = Vec::with_capacity(activities.len() + carried.len());
        for (sensor, activity) in activities {
            let (older, rows) = (settled.of(sensor), frozen.of(sensor));
            // Without older rows, anew costs nothing.
            let is_anew = carried.remove(sensor)
                || older.is_empty()
                || self.is_worth_it(sensor, rows.len() + 2, older.len() + rows.len());
            let rows = if is_anew {
                merged(older, rows)
            } else {
                rows.to_vec()
            };
            groups.push(RowGroup {
                sensor: sensor.clone(),
                is_anew,
                activity: Some(*activity),
                rows,
            });
        }
        let carried = carried.into_iter();
        groups.extend(carried.filter_map(|sensor| self.all_of(sensor, settled)));
        self.appending(&groups)
    }

    /// The change that goes with `edits`, each of another sensor.
    pub(crate) fn editing(&self, settled: &Rows, edits: &[HotEdit]) -> LogChange {
        let groups = edits.iter().filter_map(|edit| self.group_of(edit));
        let mut groups: Vec<RowGroup> = groups.collect();
        // What appends nothing outdates nothing.
        if !groups.is_empty() {
            let mut carried = self.carried(settled, groups.iter().map(RowGroup::weight).sum());
            for edit in edits {
                carried.remove(&edit.sensor);
            }
            let carried = carried.into_iter();
            groups.extend(carried.filter_map(|sensor| self.all_of(sensor, settled)));
        }
        self.appending(&groups)
    }

    /// What counts of a sensor, anew.
    fn all_of(&self, sensor: SensorId, settled: &Rows) -> Option<RowGroup> {
        let activity = self.sensors.get(&sensor)?.activity;
        Some(RowGroup {
            rows: settled.of(&sensor).to_vec(),
            activity: Some(activity),
            is_anew: true,
            sensor,
        })
    }

    /// The group that an edit takes, if any.
    fn group_of(&self, edit: &HotEdit) -> Option<RowGroup> {
        let known = self.sensors.get(&edit.sensor);
        let has_rows = known.is_some_and(|known| known.has_rows);
        let activity = edit.activity.or(known.map(|known| known.activity));
        let left = match &edit.rows {
            RowsEdit::Removed => {
                return known.map(|_| RowGroup {
                    sensor: edit.sensor.clone(),
                    is_anew: true,
                    activity: None,
                    rows: Vec::new(),
                });
            }
            RowsEdit::Kept => None,
            RowsEdit::Replaced(left) => Some(left),
            RowsEdit::Sealed(left) => {
                let is_worth_it = left.is_empty() || self.is_worth_it(&edit.sensor, 0, left.len());
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
            rows: left.cloned().unwrap_or_default(),
        })
    }

    /// Whether a sensor, if `more` were appended, had so much in the log for the `count` rows that it has that these are appended
    /// anew.
    fn is_worth_it(&self, sensor: &SensorId, more: usize, count: usize) -> bool {
        let logged = self.sensors.get(sensor);
        logged.is_some_and(|logged| logged.weight + more > 3 * count + TOLERATED)
    }

    /// The sensors that keep the first chunks of a log that is too long. They have about the weight `more`, so that the log gets
    /// shorter while as much settles.
    fn carried(&self, settled: &Rows, more: usize) -> HashSet<SensorId> {
        if self.weight <= 2 * self.live_weight + TOLERATED_IN_ALL {
            return HashSet::new();
        }
        let mut weight = 0;
        let oldest = self.oldest.iter().map(|(_, sensor)| sensor);
        let some = oldest.take_while(|sensor| {
            let is_room = weight <= more;
            weight += settled.of(sensor).len() + 2;
            is_room
        });
        some.cloned().collect()
    }

    fn appending(&self, groups: &[RowGroup]) -> LogChange {
        let number = self.end();
        let mut packer = ChunkPacker::default();
        let mut sensors = Vec::with_capacity(groups.len());
        for group in groups {
            let parts = packer.add(group);
            let begin = number.wrapping_add(parts.first_chunk as u64);
            let logged = self.after(group, begin, parts.weight);
            sensors.push((group.sensor.clone(), logged));
        }
        let chunks = packer.finish();
        let kept_from = self.oldest.first().map_or(number, |(since, _)| *since);
        let kept_from = kept_from.min(self.first.saturating_add(REMOVED_AT_ONCE));
        let has_chunks = !chunks.is_empty();
        LogChange {
            chunks,
            number,
            removed: self.first..if has_chunks { kept_from } else { self.first },
            sensors,
        }
    }

    /// Notes a change that was written.
    pub(crate) fn note(&mut self, change: LogChange) {
        for _ in change.removed.clone() {
            let weight = self.weights.pop_front();
            self.weight -= weight.unwrap_or_default();
        }
        self.first = change.removed.end;
        for chunk in change.chunks {
            self.weights.push_back(chunk.weight);
            self.weight += chunk.weight;
        }
        for (sensor, logged) in change.sensors {
            self.set(sensor, logged);
        }
    }
}

impl LogChange {
    /// Adds the change to a transaction.
    pub(crate) fn put(&self, tree: &sled::Tree, meta: &sled::Tree, batch: &mut WriteBatch) {
        if self.chunks.is_empty() {
            return;
        }
        let chunks = batch.of(tree);
        let mut end = self.number;
        for chunk in &self.chunks {
            chunks.insert(&chunk::key(end), chunk.value.as_slice());
            end = end.wrapping_add(1);
        }
        for number in self.removed.clone() {
            chunks.remove(&chunk::key(number));
        }
        let numbers = [self.removed.end, end].map(u64::to_le_bytes);
        batch.of(meta).insert(KEY, numbers.concat());
    }
}

/// Applies a group to the rows before it.
pub(crate) fn apply(group: RowGroup, rows: &mut Rows) {
    if group.is_anew {
        rows.replace(&group.sensor, group.rows);
    } else {
        rows.merge(group.sensor, group.rows);
    }
}

/// The numbers of the chunks.
pub(crate) fn numbers(meta: &sled::Tree) -> Result<Range<u64>, StoreError> {
    let Some(value) = meta.get(KEY)? else {
        return Ok(0..0);
    };
    let numbers = value
        .split_first_chunk::<8>()
        .and_then(|(first, end)| Some((*first, <[u8; 8]>::try_from(end).ok()?)));
    let (first, end) = numbers.ok_or_else(|| {
        let value = value.escape_ascii();
        StoreError::Damaged(format!("invalid numbers of the chunks of rows: {value}"))
    })?;
    Ok(u64::from_le_bytes(first)..u64::from_le_bytes(end))
}

/// The error for chunks that are not those of `numbers`: up to `number`, they are.
pub(crate) fn missing(number: u64, numbers: &Range<u64>) -> StoreError {
    let Range { start, end } = numbers;
    StoreError::Damaged(format!(
        "the chunks of hot rows should be those from {start} to before {end}: {number} is missing, or there are others"
    ))
}

#[cfg(test)]
pub(crate) mod tests;

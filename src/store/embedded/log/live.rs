//! What the log has of each sensor's settled rows and activity, and what is to be appended to it.
//!
//! What settles is appended: later rows replace earlier ones at the same time, and a later activity the one before. Where rows of a
//! sensor are gone, because they are sealed, deleted or replaced, a group with all that is left of the sensor is appended, *anew*:
//! what comes before no longer counts. So a segment is outdated as soon as each sensor has such a group behind it. A sensor that is
//! known at all has a group that counts, be it for its activity alone.
//!
//! Of sealed rows alone, that may wait until much of what the log has of the sensor is outdated: a start drops rows whose measures
//! are in a block.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem;

use crate::domain::SensorId;
use crate::store::embedded::log::packer::LogPacker;
use crate::store::embedded::rows::{HotEdit, HotSensors, LoggedSensor, RowGroup, RowsEdit};
use crate::store::rows::activity::Activity;
use crate::store::rows::sensor_rows::{Rows, merged};

/// So much is tolerated of each sensor besides three times what it takes: a group of one row and an activity weighs three.
const TOLERATED: usize = 16;
/// About how many bytes something of the weight 1 takes.
const WEIGHT_BYTES: usize = 14;

/// What counts in the log. Weights are those of groups: see [`RowGroup::weight`]. [`HotSensors`] have what counts of each sensor.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct LiveRows {
    /// The sensors by the records since which their groups count.
    oldest: BTreeSet<(u64, SensorId)>,
    weight: usize,
}

/// A commit of the log that is being put together.
pub(crate) struct LogChange {
    pub(crate) packer: LogPacker,
    /// What counts of the sensors at these places from now on.
    sensors: Vec<(usize, Option<LoggedSensor>)>,
}

impl LogChange {
    /// An empty one, whose first record has this position.
    pub(crate) fn new(first: u64) -> Self {
        Self {
            packer: LogPacker::new(first),
            sensors: Vec::new(),
        }
    }

    /// Appends a group of the sensor at `place`, of which the log has `known`.
    fn add(&mut self, place: usize, known: Option<&LoggedSensor>, group: &RowGroup<'_>) {
        let packed = self.packer.add(group);
        let logged = LiveRows::after(known, group, packed.since, packed.weight);
        self.sensors.push((place, logged));
    }
}

impl LiveRows {
    /// Notes a group that the record at `position` has, and puts its rows to those before.
    pub(crate) fn load(
        &mut self,
        group: RowGroup<'_>,
        position: u64,
        hot: &mut HotSensors,
        rows: &mut Rows,
    ) {
        let place = hot.place(&group.sensor);
        let known = hot.logged(place);
        let logged = Self::after(known.as_ref(), &group, position, group.weight());
        self.set(place, logged, hot);
        apply(group, rows);
    }

    /// About how many bytes it would take if it were written anew.
    pub(crate) const fn bytes(&self) -> usize {
        self.weight * WEIGHT_BYTES
    }

    /// Some of the sensors that need records before that at `position`.
    pub(crate) fn before(&self, position: u64, most: usize) -> Vec<SensorId> {
        let some = self.oldest.iter().take(most);
        some.take_while(|(since, _)| *since < position)
            .map(|(_, sensor)| sensor.clone())
            .collect()
    }

    /// What counts of a sensor after `group`, if it begins in the record of this number and has this weight; `known` is what counted
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
        self.weight += weight(logged);
        self.weight -= weight(before);
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

    /// The change by which the rows of up to `most` frozen sensors settle, with their activities. Its first record gets the position
    /// `first`.
    pub(crate) fn settling(hot: &HotSensors, most: usize, first: u64) -> LogChange {
        let mut change = LogChange::new(first);
        for settling in hot.settling(most) {
            let (older, rows, known) = (settling.settled, settling.rows, settling.logged);
            // Without older rows, anew costs nothing.
            let is_anew =
                older.is_empty() || is_worth_it(known, rows.len() + 2, older.len() + rows.len());
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
            change.add(settling.place, known, &group);
        }
        change
    }

    /// The change that goes with `edits`, each of another sensor, which has a place.
    pub(crate) fn editing(hot: &HotSensors, edits: &[HotEdit], first: u64) -> LogChange {
        let mut change = LogChange::new(first);
        for edit in edits {
            if let Some((place, known)) = hot.find_logged(&edit.sensor)
                && let Some(group) = group_of(edit, known)
            {
                change.add(place, known, &group);
            }
        }
        change
    }

    /// Appends all that counts of a sensor, anew.
    pub(crate) fn carry(hot: &HotSensors, sensor: &SensorId, change: &mut LogChange) {
        if let Some((place, Some(known))) = hot.find_logged(sensor) {
            let group = RowGroup {
                rows: hot.settled(sensor).into(),
                activity: Some(known.activity),
                is_anew: true,
                sensor: sensor.clone(),
            };
            change.add(place, Some(known), &group);
        }
    }

    /// Notes a change that was written.
    pub(crate) fn note(&mut self, change: LogChange, hot: &mut HotSensors) {
        for (place, logged) in change.sensors {
            self.set(place, logged, hot);
        }
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

/// Applies a group to the rows before it.
pub(crate) fn apply(group: RowGroup<'_>, rows: &mut Rows) {
    let more = group.rows.into_owned();
    if group.is_anew {
        rows.replace(&group.sensor, more);
    } else {
        rows.merge(group.sensor, more);
    }
}

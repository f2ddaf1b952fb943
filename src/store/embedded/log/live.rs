//! Each sensor's settled rows and activity in the log, and the changes to append to it.
//!
//! Appending rows to the log settles them: later rows replace earlier ones at the same time, and a
//! later activity replaces the one before. When rows are sealed or deleted, a group names their
//! range: earlier rows in it are outdated. If the sensor has no rows left, the group is a
//! *restart*: it makes everything earlier of the sensor outdated. Cleaning appends the live rows of
//! a sensor again, in parts. After the last part, everything before the first one is outdated. So a
//! segment is outdated as soon as each sensor has such groups after it. Each known sensor has a
//! live group, if only for its activity.

use std::collections::BTreeSet;
use std::mem;

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::embedded::log::packer::LogPacker;
use crate::store::embedded::rows::{
    CarriedRows, HotEdit, HotSensors, LoggedSensor, RowGroup, RowsEdit, SettledRows,
};
use crate::store::rows::activity::Activity;

/// About how many bytes a row takes; the head of a group takes about as many, and so does an
/// activity.
const ROW_BYTES: usize = 14;
/// The number of a sensor's rows that are carried in one part. Small in debug builds, which tests
/// use, so that these have several parts.
const CARRIED_AT_ONCE: usize = if cfg!(any(test, debug_assertions)) {
    8
} else {
    2_048
};

/// The live rows and activities in the log. [`HotSensors`] knows the share of each sensor.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct LiveRows {
    /// The sensors by the record with which their live groups begin.
    oldest: BTreeSet<(u64, SensorId)>,
}

/// A commit of the log that is being prepared.
pub(crate) struct LogChange {
    pub(crate) packer: LogPacker,
    /// The live parts of the sensors at these places after the commit.
    sensors: Vec<(usize, Option<LoggedSensor>)>,
}

impl LogChange {
    /// Creates an empty commit, whose first record gets this position.
    pub(crate) fn new(first: u64) -> Self {
        Self {
            packer: LogPacker::new(first),
            sensors: Vec::new(),
        }
    }

    /// Appends a group of the sensor at `place`, whose part in the log is `known`. Returns the
    /// position of its first record.
    fn add(&mut self, place: usize, known: Option<&LoggedSensor>, group: &RowGroup<'_>) -> u64 {
        let since = self.packer.add(group);
        let logged = LiveRows::after(known, group, since);
        self.sensors.push((place, logged));
        since
    }
}

impl LiveRows {
    /// Notes a group in the record at `position`, and changes the rows in memory accordingly.
    pub(crate) fn load(&mut self, group: &RowGroup<'_>, position: u64, hot: &mut HotSensors) {
        let place = hot.place(&group.sensor);
        let known = hot.logged(place);
        let logged = Self::after(known.as_ref(), group, position);
        self.set(place, logged, hot);
        hot.load_group(place, group);
    }

    /// About how many bytes the log would take with this many rows and without outdated groups.
    pub(crate) fn bytes(&self, rows: usize) -> usize {
        (rows + 2 * self.oldest.len()) * ROW_BYTES
    }

    /// Up to `most` sensors that need records before the one at `position`.
    pub(crate) fn before(&self, position: u64, most: usize) -> Vec<SensorId> {
        let some = self.oldest.iter().take(most);
        some.take_while(|(since, _)| *since < position)
            .map(|(_, sensor)| sensor.clone())
            .collect()
    }

    /// A sensor's live part of the log after `group`, which begins in the record with this number.
    /// `known` is the part before.
    fn after(
        known: Option<&LoggedSensor>,
        group: &RowGroup<'_>,
        number: u64,
    ) -> Option<LoggedSensor> {
        if group.is_end() {
            return None;
        }
        let before = known.filter(|_| !group.is_restart()).copied();
        let before = before.unwrap_or(LoggedSensor {
            since: number,
            activity: Activity::default(),
            carried: None,
        });
        Some(LoggedSensor {
            activity: group.activity.unwrap_or(before.activity),
            ..before
        })
    }

    /// Notes the live part of the sensor at `place`.
    fn set(&mut self, place: usize, logged: Option<LoggedSensor>, hot: &mut HotSensors) {
        let Some((sensor, known)) = hot.logged_mut(place) else {
            return;
        };
        let before = mem::replace(known, logged);
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

    /// The change that settles the rows of up to `most` frozen sensors, with their activities. Its
    /// first record gets the position `first`.
    pub(crate) fn settling(hot: &HotSensors, most: usize, first: u64) -> LogChange {
        let mut change = LogChange::new(first);
        for settling in hot.settling(most) {
            let group = RowGroup {
                sensor: settling.sensor.clone(),
                // Without older rows, this costs nothing.
                replaced: settling.settled.is_empty().then_some(TimeRange::ALL),
                activity: Some(settling.activity),
                rows: settling.rows.into(),
            };
            change.add(settling.place, settling.logged, &group);
        }
        change
    }

    /// The change for `edits`, each of another sensor, which has a place.
    pub(crate) fn editing(hot: &HotSensors, edits: &[HotEdit], first: u64) -> LogChange {
        let mut change = LogChange::new(first);
        for edit in edits {
            if let Some((place, known)) = hot.find_logged(&edit.sensor)
                && let Some(group) = group_of(edit, known, hot.settled(&edit.sensor))
            {
                change.add(place, known, &group);
            }
        }
        change
    }

    /// Appends a part of a sensor's live rows again.
    pub(crate) fn carry(hot: &HotSensors, sensor: &SensorId, change: &mut LogChange) {
        let (Some((place, Some(known))), Some(settled)) =
            (hot.find_logged(sensor), hot.settled(sensor))
        else {
            return;
        };
        let start = known
            .carried
            .map_or(Timestamp::MIN, |carried| carried.up_to);
        let rest = TimeRange::new(start, Timestamp::MAX).unwrap_or(TimeRange::ALL);
        let mut rows: Vec<Reading> = settled
            .range(rest)
            .take(CARRIED_AT_ONCE + 1)
            .copied()
            .collect();
        let next = (rows.len() > CARRIED_AT_ONCE).then(|| rows.pop()).flatten();
        let end = next.map_or(Timestamp::MAX, |next| next.time.saturating_add_millis(-1));
        let group = RowGroup {
            sensor: sensor.clone(),
            replaced: TimeRange::new(start, end),
            // Also in the parts before the last one, so that none is taken for the end of the
            // sensor.
            activity: Some(known.activity),
            rows: rows.into(),
        };
        let position = change.add(place, Some(known), &group);
        let since = known.carried.map_or(position, |carried| carried.since);
        if let Some((_, Some(logged))) = change.sensors.last_mut() {
            logged.carried = next.map(|next| CarriedRows {
                since,
                up_to: next.time,
            });
            if next.is_none() {
                logged.since = since;
            }
        }
    }

    /// Notes a change that was written.
    pub(crate) fn note(&mut self, change: LogChange, hot: &mut HotSensors) {
        for (place, logged) in change.sensors {
            self.set(place, logged, hot);
        }
    }
}

/// The group for an edit, if it needs one; `known` is the sensor's part of the log before.
fn group_of<'a>(
    edit: &'a HotEdit,
    known: Option<&LoggedSensor>,
    settled: Option<&SettledRows>,
) -> Option<RowGroup<'a>> {
    let group = |replaced, activity, rows: &'a [Reading]| RowGroup {
        sensor: edit.sensor.clone(),
        replaced,
        activity,
        rows: rows.into(),
    };
    let (replaced, rows) = match &edit.rows {
        RowsEdit::Removed => return known.map(|_| group(Some(TimeRange::ALL), None, &[])),
        RowsEdit::Kept => (None, &[][..]),
        RowsEdit::Corrected(rows) => (None, rows.as_slice()),
        RowsEdit::Gone(range) => {
            let gone = settled.map_or(0, |settled| settled.range(*range).count());
            let is_all = settled.is_some_and(|settled| gone == settled.len());
            let range = if is_all { TimeRange::ALL } else { *range };
            ((gone > 0).then_some(range), &[][..])
        }
    };
    let known = known.map(|known| known.activity);
    let activity = match edit.activity.filter(|activity| Some(*activity) != known) {
        // Without it, the group would be the end of the sensor.
        None if replaced == Some(TimeRange::ALL) => known,
        changed => changed,
    };
    let is_nothing = replaced.is_none() && activity.is_none() && rows.is_empty();
    (!is_nothing).then(|| group(replaced, activity, rows))
}

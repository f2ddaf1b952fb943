//! The hot rows and the activity of each sensor, in memory.

use indexmap::IndexMap;

use crate::domain::{Arrivals, Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::Measure;
use crate::store::embedded::rows::commit::{Commit, CommittedSensor};
use crate::store::embedded::rows::group::RowGroup;
use crate::store::embedded::rows::hot_edit::{HotEdit, RowsEdit};
use crate::store::embedded::rows::hot_sensor::{HotSensor, LoggedSensor};
use crate::store::embedded::rows::settled_rows::SettledRows;
use crate::store::records::Order;
use crate::store::rows::Activity;
use crate::store::rows::sensor_rows::{in_range, merge_into, without};

/// Up to this capacity, the memory of frozen rows is kept: most uploads bring one row.
const KEPT_CAPACITY: usize = 4;
/// A sensor with this many rows accepts no more uploads until some are sealed. The more there are,
/// the more of them fit into a block that is rewritten for them. A row takes 40 bytes.
pub(crate) const MOST_OF_SENSOR: usize = if cfg!(test) { 20_000 } else { 262_144 };
/// While all sensors together have this many, those with more than their share accept no more.
const MOST_OF_ALL: usize = 4 * MOST_OF_SENSOR;
/// The minimum share: this many rows in order make a block (`writer/sealing.rs`).
const LEAST_SHARE: usize = 256;

/// The hot rows of all sensors, one for each reading that is not sealed yet, and their activities.
///
/// Operations on a generation are cheap: the places of its sensors are known.
#[derive(Debug, Default)]
pub(crate) struct HotSensors {
    /// A sensor keeps its place until the end of the process, even if it is removed.
    sensors: IndexMap<SensorId, HotSensor, foldhash::fast::RandomState>,
    /// The places of the sensors with young rows.
    young: Vec<usize>,
    /// The sensors of the frozen commits. The rows of the first [`Self::settled_sensors`] are
    /// already settled.
    frozen: Vec<FrozenSensor>,
    settled_sensors: usize,
    counts: RowCounts,
    /// The newest arrival of all sensors. Each upload reads it, so it is kept ready.
    newest_arrival: Option<Timestamp>,
}

/// A sensor of the frozen commits.
#[derive(Debug)]
struct FrozenSensor {
    place: usize,
    /// Its activity after its last frozen commit.
    activity: Activity,
}

/// The number of rows in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RowCounts {
    pub(crate) young: usize,
    pub(crate) frozen: usize,
    pub(crate) settled: usize,
}

/// A sensor's rows that are about to settle, and the settled rows that they join.
pub(crate) struct SettlingSensor<'a> {
    pub(crate) place: usize,
    pub(crate) sensor: &'a SensorId,
    /// Ascending. Empty if all are already sealed.
    pub(crate) rows: &'a [Reading],
    pub(crate) activity: Activity,
    pub(crate) settled: &'a SettledRows,
    /// Its live part of the log.
    pub(crate) logged: Option<&'a LoggedSensor>,
}

impl HotSensors {
    /// The state of a sensor, if it ever uploaded.
    pub(crate) fn of(&self, sensor: &SensorId) -> Option<&HotSensor> {
        self.sensors.get(sensor)
    }

    /// The activity of a sensor.
    pub(crate) fn activity(&self, sensor: &SensorId) -> Option<Activity> {
        self.of(sensor)?.activity
    }

    /// The activity of each sensor that has one.
    pub(crate) fn activities(&self) -> impl Iterator<Item = (&SensorId, Activity)> {
        let sensors = self.sensors.iter();
        sensors.filter_map(|(sensor, hot)| Some((sensor, hot.activity?)))
    }

    /// The newest arrival of all sensors.
    pub(crate) const fn newest_arrival(&self) -> Option<Timestamp> {
        self.newest_arrival
    }

    /// The number of rows.
    pub(crate) const fn counts(&self) -> RowCounts {
        self.counts
    }

    /// Whether a sensor has so many rows that it must wait until some of them are sealed.
    pub(crate) fn is_behind(&self, sensor: &HotSensor) -> bool {
        let rows = sensor.count();
        let are_many = self.counts.young + self.count_all_sealable() >= MOST_OF_ALL;
        let share = MOST_OF_ALL / self.sensors.len().max(1);
        rows >= MOST_OF_SENSOR || (are_many && rows > share.max(LEAST_SHARE))
    }

    /// The number of rows that are not young. One that is both frozen and settled counts twice.
    pub(crate) const fn count_all_sealable(&self) -> usize {
        self.counts.frozen + self.counts.settled
    }

    /// The same for one sensor.
    pub(crate) fn count_sealable(&self, sensor: &SensorId) -> usize {
        self.of(sensor).map_or(0, HotSensor::count_sealable)
    }

    /// Whether all rows are in the log.
    #[cfg(test)]
    pub(crate) const fn is_settled(&self) -> bool {
        self.counts.young == 0 && self.counts.frozen == 0
    }

    /// The sensors that have rows, in order.
    pub(crate) fn with_rows(&self) -> std::collections::BTreeSet<SensorId> {
        let sensors = self.sensors.iter();
        let some = sensors.filter(|(_, hot)| hot.count_sealable() > 0 || !hot.young.is_empty());
        some.map(|(sensor, _)| sensor.clone()).collect()
    }

    /// The row of `sensor` at `time`.
    #[cfg(test)]
    pub(crate) fn get(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Option<crate::domain::Measures> {
        self.of(sensor)?.row(time)
    }

    /// The rows of `sensor` in `range`, ascending.
    pub(crate) fn range(&self, sensor: &SensorId, range: TimeRange) -> Vec<Reading> {
        self.rows(sensor, range, None, Order::Ascending, usize::MAX)
    }

    /// The first `most` of the rows of `sensor` in `range`, in this order of time; with `measure`,
    /// only rows that have it.
    pub(crate) fn rows(
        &self,
        sensor: &SensorId,
        range: TimeRange,
        measure: Option<Measure>,
        order: Order,
        most: usize,
    ) -> Vec<Reading> {
        self.of(sensor)
            .map_or_else(Vec::new, |hot| hot.rows(range, measure, order, most))
    }

    /// The first `most` of the rows of `sensor` in `range` that are not young, ascending.
    pub(crate) fn sealable(
        &self,
        sensor: &SensorId,
        range: TimeRange,
        most: usize,
    ) -> Vec<Reading> {
        let hot = self.of(sensor);
        hot.map_or_else(Vec::new, |hot| hot.sealable(range, most))
    }

    /// The settled rows of `sensor`.
    pub(crate) fn settled(&self, sensor: &SensorId) -> Option<&SettledRows> {
        Some(&self.of(sensor)?.settled)
    }

    /// The number of sensors with young rows.
    pub(crate) const fn count_young_sensors(&self) -> usize {
        self.young.len()
    }

    /// The number of sensors with frozen commits; their rows may already be sealed.
    pub(crate) const fn count_unsettled_sensors(&self) -> usize {
        self.frozen.len() - self.settled_sensors
    }

    /// Whether there are young or frozen commits of `sensor`: a start would read them from the
    /// journal.
    pub(crate) fn is_landing(&self, sensor: &SensorId) -> bool {
        let place = self.sensors.get_index_of(sensor);
        let frozen = self.frozen.iter().map(|frozen| &frozen.place);
        place.is_some_and(|place| self.young.iter().chain(frozen).any(|it| *it == place))
    }

    /// Returns the rows that are to settle next, of up to `most` sensors.
    pub(crate) fn settling(&self, most: usize) -> impl Iterator<Item = SettlingSensor<'_>> {
        let unsettled = self.frozen.iter().skip(self.settled_sensors).take(most);
        unsettled.filter_map(|frozen| {
            let (sensor, hot) = self.sensors.get_index(frozen.place)?;
            Some(SettlingSensor {
                place: frozen.place,
                sensor,
                rows: &hot.frozen,
                activity: frozen.activity,
                settled: &hot.settled,
                logged: hot.logged.as_ref(),
            })
        })
    }

    /// The sensors at `places`, each with the number of its rows that are not young.
    pub(crate) fn sealable_at(&self, places: &[usize]) -> impl Iterator<Item = (&SensorId, usize)> {
        let sensors = places.iter().map(|place| self.sensors.get_index(*place));
        sensors
            .flatten()
            .map(|(sensor, hot)| (sensor, hot.count_sealable()))
    }

    /// The place of a sensor. Gives it one if it has none.
    pub(crate) fn place(&mut self, sensor: &SensorId) -> usize {
        let place = self.sensors.get_index_of(sensor);
        place.unwrap_or_else(|| {
            self.sensors
                .insert_full(sensor.clone(), HotSensor::default())
                .0
        })
    }

    /// The live part in the log of the sensor at `place`.
    pub(crate) fn logged(&self, place: usize) -> Option<LoggedSensor> {
        self.sensors.get_index(place)?.1.logged
    }

    /// The sensor at `place`, and its live part in the log.
    pub(crate) fn logged_mut(
        &mut self,
        place: usize,
    ) -> Option<(&SensorId, &mut Option<LoggedSensor>)> {
        let (sensor, hot) = self.sensors.get_index_mut(place)?;
        Some((sensor, &mut hot.logged))
    }

    /// The place of a sensor, and its live part in the log.
    pub(crate) fn find_logged(&self, sensor: &SensorId) -> Option<(usize, Option<&LoggedSensor>)> {
        let (place, _, hot) = self.sensors.get_full(sensor)?;
        Some((place, hot.logged.as_ref()))
    }

    /// Adds a commit, where readers see it.
    pub(crate) fn hold(&mut self, commit: Commit) {
        for (sensor, CommittedSensor { rows, activity }) in commit {
            let entry = self.sensors.entry(sensor);
            let place = entry.index();
            let hot = entry.or_default();
            if hot.young.is_empty() {
                self.young.push(place);
            }
            let before = hot.young.len();
            hot.note_newest(&rows);
            merge_into(&mut hot.young, &rows);
            self.counts.young += hot.young.len() - before;
            hot.activity = Some(activity);
            self.newest_arrival = self.newest_arrival.max(newest_arrival(Some(activity)));
        }
    }

    /// Freezes the young rows. The generation before must have ended.
    pub(crate) fn freeze(&mut self) {
        for place in self.young.drain(..) {
            let Some((_, hot)) = self.sensors.get_index_mut(place) else {
                continue;
            };
            std::mem::swap(&mut hot.young, &mut hot.frozen);
            let activity = hot.activity.unwrap_or_default();
            self.frozen.push(FrozenSensor { place, activity });
        }
        self.counts.frozen = std::mem::take(&mut self.counts.young);
    }

    /// Settles the rows that [`Self::settling`] returned, which are in the log now. Returns the
    /// places of the sensors.
    pub(crate) fn settle(&mut self, most: usize) -> Vec<usize> {
        let unsettled = self.frozen.iter().skip(self.settled_sensors).take(most);
        let places: Vec<usize> = unsettled.map(|frozen| frozen.place).collect();
        self.settled_sensors += places.len();
        for place in &places {
            let Some((_, hot)) = self.sensors.get_index_mut(*place) else {
                continue;
            };
            let before = hot.settled.len();
            hot.settled.merge(&hot.frozen);
            self.counts.settled += hot.settled.len() - before;
            self.counts.frozen -= hot.frozen.len();
            hot.frozen.clear();
            hot.frozen.shrink_to(KEPT_CAPACITY);
        }
        places
    }

    /// Forgets the frozen commits, all of which have settled: they are no longer in the journal.
    pub(crate) fn end_generation(&mut self) {
        self.frozen.clear();
        self.settled_sensors = 0;
    }

    /// Drops the frozen rows of `sensor` in `range`, which are sealed.
    pub(crate) fn drop_frozen(&mut self, sensor: &SensorId, range: TimeRange) {
        if let Some(hot) = self.sensors.get_mut(sensor) {
            let sealed = in_range(&hot.frozen, range).len();
            hot.frozen.retain(|row| !range.contains(row.time));
            self.counts.frozen -= sealed;
        }
    }

    /// Drops the frozen rows of `sensor` at the times of `sealed`, ascending, which were sealed
    /// before a start.
    pub(crate) fn drop_sealed(&mut self, sensor: &SensorId, sealed: &[Reading]) {
        if let Some(hot) = self.sensors.get_mut(sensor) {
            let left = without(&hot.frozen, sealed);
            self.counts.frozen -= hot.frozen.len() - left.len();
            hot.frozen = left;
        }
    }

    /// Removes the settled rows of the sensor at `place` in `range`, then adds `rows`, ascending,
    /// which replace those at the same times.
    pub(crate) fn change_settled(
        &mut self,
        place: usize,
        range: Option<TimeRange>,
        rows: &[Reading],
    ) {
        let Some((_, hot)) = self.sensors.get_index_mut(place) else {
            return;
        };
        self.counts.settled -= hot.settled.len();
        if let Some(range) = range {
            hot.settled.remove(range);
        }
        hot.settled.merge(rows);
        hot.note_newest(rows);
        self.counts.settled += hot.settled.len();
    }

    /// Applies a group from the log to the sensor at `place`.
    pub(crate) fn load_group(&mut self, place: usize, group: &RowGroup<'_>) {
        self.change_settled(place, group.replaced, &group.rows);
    }

    /// Sets the activities from the log, whose rows are loaded already.
    pub(crate) fn load_activities(&mut self) {
        for hot in self.sensors.values_mut() {
            hot.activity = hot.logged.map(|logged| logged.activity);
            self.newest_arrival = self.newest_arrival.max(newest_arrival(hot.activity));
        }
    }

    /// Applies changes that are in the log.
    pub(crate) fn apply(&mut self, edits: Vec<HotEdit>) {
        let mut activities = Vec::new();
        for edit in edits {
            let place = self.place(&edit.sensor);
            match edit.rows {
                RowsEdit::Kept => {}
                RowsEdit::Corrected(rows) => self.change_settled(place, None, &rows),
                RowsEdit::Gone(range) => self.change_settled(place, Some(range), &[]),
                RowsEdit::Removed => self.change_settled(place, Some(TimeRange::ALL), &[]),
            }
            activities.extend(edit.activity.map(|activity| (edit.sensor, Some(activity))));
        }
        self.set_activities(activities);
    }

    /// Sets the activities of some sensors, `None` for a removed one.
    pub(crate) fn set_activities(
        &mut self,
        activities: impl IntoIterator<Item = (SensorId, Option<Activity>)>,
    ) {
        let mut had_newest = false;
        for (sensor, activity) in activities {
            let hot = self.sensors.entry(sensor).or_default();
            had_newest |= newest_arrival(hot.activity) == self.newest_arrival;
            hot.activity = activity;
            self.newest_arrival = self.newest_arrival.max(newest_arrival(activity));
        }
        // The newest arrival may be gone. Recomputed here, so that no upload has to do it.
        if had_newest {
            let arrivals = self
                .activities()
                .map(|(_, activity)| newest_arrival(Some(activity)));
            self.newest_arrival = arrivals.max().flatten();
        }
    }
}

fn newest_arrival(activity: Option<Activity>) -> Option<Timestamp> {
    activity?.arrivals.map(Arrivals::newest)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::store::embedded::rows::hot_edit::RowsEdit;
    use crate::store::rows::sensor_rows::at_time;
    use crate::store::tests::{at, reading};

    const SENSORS: usize = 3;

    fn sensor(number: usize) -> SensorId {
        SensorId::new(&format!("sensor {number}")).unwrap()
    }

    #[derive(Clone, Debug)]
    enum HotStep {
        /// Commits rows of some sensors.
        Hold(Vec<(usize, i64, i32)>),
        /// Freezes the young rows, after settling the frozen ones.
        Freeze,
        /// Settles up to this many sensors.
        Settle(usize),
        /// Seals the frozen rows of a sensor from one time to another.
        Seal(usize, (i64, i64)),
        /// Deletes, or seals, the settled rows of a sensor from one time to another.
        Delete(usize, (i64, i64)),
        /// Corrects settled rows of a sensor.
        Correct(usize, BTreeSet<i64>),
        /// Drops frozen rows of a sensor that were sealed before a start.
        DropSealed(usize, BTreeSet<i64>),
        /// Removes a sensor that has no commits that settle later.
        Remove(usize),
        /// Forgets arrivals, as after a wrong clock.
        Forget(usize),
    }

    fn any_step() -> impl Strategy<Value = HotStep> {
        let ms = || 0_i64..30;
        let span = || (ms(), ms()).prop_map(|(one, other)| (one.min(other), one.max(other)));
        let times = || proptest::collection::btree_set(ms(), 0..12);
        let rows = proptest::collection::vec((0..SENSORS, ms(), -9_i32..9), 1..12);
        prop_oneof![
            6 => rows.prop_map(HotStep::Hold),
            3 => Just(HotStep::Freeze),
            2 => (1..=SENSORS).prop_map(HotStep::Settle),
            2 => (0..SENSORS, span()).prop_map(|(of, sealed)| HotStep::Seal(of, sealed)),
            2 => (0..SENSORS, span()).prop_map(|(of, deleted)| HotStep::Delete(of, deleted)),
            1 => (0..SENSORS, times()).prop_map(|(of, corrected)| HotStep::Correct(of, corrected)),
            1 => (0..SENSORS, times()).prop_map(|(of, sealed)| HotStep::DropSealed(of, sealed)),
            1 => (0..SENSORS).prop_map(HotStep::Remove),
            1 => (0..SENSORS).prop_map(HotStep::Forget),
        ]
    }

    type PlainRows = BTreeMap<(usize, i64), f64>;

    /// A model of the hot rows.
    #[derive(Default)]
    struct PlainHot {
        young: PlainRows,
        frozen: PlainRows,
        settled: PlainRows,
        activities: BTreeMap<usize, Activity>,
        /// The activities of the sensors with frozen commits that have not settled.
        frozen_activities: BTreeMap<usize, Activity>,
        /// All sensors with frozen commits.
        generation: BTreeSet<usize>,
        uploads: i64,
    }

    fn of(rows: &PlainRows, sensor: usize) -> Vec<Reading> {
        let rows = rows.range((sensor, i64::MIN)..=(sensor, i64::MAX));
        rows.map(|(&(_, ms), &watts)| reading(ms, watts)).collect()
    }

    fn range((start, end): (i64, i64)) -> TimeRange {
        TimeRange::new(at(start), at(end)).unwrap()
    }

    fn forget(rows: &mut PlainRows, sensor: usize, is_gone: impl Fn(i64) -> bool) {
        rows.retain(|&(of, ms), _| of != sensor || !is_gone(ms));
    }

    impl PlainHot {
        /// A commit of these rows, which the model contains from now on.
        fn commit(&mut self, rows: &[(usize, i64, i32)]) -> Commit {
            let mut commit = Commit::default();
            for &(of, ms, watts) in rows {
                self.uploads += 1;
                let activity = self.activities.entry(of).or_default();
                *activity = activity.arrived(at(self.uploads));
                let row = reading(ms, f64::from(watts));
                commit.add(sensor(of), vec![row], *activity);
                self.young.insert((of, ms), f64::from(watts));
            }
            commit
        }

        /// Settles up to `most` sensors, in the same order as `hot`.
        fn settle(&mut self, hot: &mut HotSensors, most: usize) {
            let settling: BTreeSet<SensorId> =
                hot.settling(most).map(|it| it.sensor.clone()).collect();
            assert_eq!(settling.len(), most.min(hot.count_unsettled_sensors()));
            let places = hot.settle(most);
            let some = (0..SENSORS).filter(|of| settling.contains(&sensor(*of)));
            let mut counts = BTreeMap::new();
            for number in some {
                let rows = of(&self.frozen, number);
                self.frozen.retain(|(of, _), _| *of != number);
                let rows = rows
                    .into_iter()
                    .map(|row| (row.time.millis(), row.measures));
                let rows = rows.filter_map(|(ms, it)| Some(((number, ms), it.watts()?)));
                self.settled.extend(rows);
                self.frozen_activities.remove(&number).unwrap();
                counts.insert(sensor(number), of(&self.settled, number).len());
            }
            let noted = hot.sealable_at(&places);
            let noted = noted.map(|(sensor, count)| (sensor.clone(), count));
            assert_eq!(noted.collect::<BTreeMap<_, _>>(), counts);
        }

        fn has_young(&self, sensor: usize) -> bool {
            !of(&self.young, sensor).is_empty()
        }

        fn is_landing(&self, sensor: usize) -> bool {
            self.has_young(sensor) || self.generation.contains(&sensor)
        }

        fn step(&mut self, step: &HotStep, hot: &mut HotSensors) {
            match step {
                HotStep::Hold(rows) => hot.hold(self.commit(rows)),
                HotStep::Freeze => {
                    self.settle(hot, usize::MAX);
                    hot.end_generation();
                    hot.freeze();
                    self.generation = (0..SENSORS).filter(|of| self.has_young(*of)).collect();
                    let activities = self.generation.iter().map(|of| (*of, self.activities[of]));
                    self.frozen_activities = activities.collect();
                    self.frozen = std::mem::take(&mut self.young);
                }
                HotStep::Settle(most) => self.settle(hot, *most),
                HotStep::Seal(number, span) => {
                    hot.drop_frozen(&sensor(*number), range(*span));
                    forget(&mut self.frozen, *number, |ms| {
                        (span.0..=span.1).contains(&ms)
                    });
                }
                HotStep::Delete(number, span) => {
                    forget(&mut self.settled, *number, |ms| {
                        (span.0..=span.1).contains(&ms)
                    });
                    self.edit(hot, *number, RowsEdit::Gone(range(*span)));
                }
                HotStep::Correct(number, times) => {
                    let corrected = times.iter().map(|&ms| ((*number, ms), 7.0));
                    self.settled.extend(corrected);
                    let rows = times.iter().map(|ms| reading(*ms, 7.0)).collect();
                    self.edit(hot, *number, RowsEdit::Corrected(rows));
                }
                HotStep::DropSealed(number, times) => {
                    let rows: Vec<Reading> = times.iter().map(|ms| reading(*ms, 7.0)).collect();
                    hot.drop_sealed(&sensor(*number), &rows);
                    forget(&mut self.frozen, *number, |ms| times.contains(&ms));
                }
                HotStep::Remove(number) if !self.is_landing(*number) => {
                    self.settled.retain(|(of, _), _| of != number);
                    self.edit(hot, *number, RowsEdit::Removed);
                    self.activities.remove(number);
                    hot.set_activities([(sensor(*number), None)]);
                }
                HotStep::Remove(_) => {}
                HotStep::Forget(number) => {
                    if let Some(activity) = self.activities.get_mut(number) {
                        *activity = activity.forgetting_after(at(self.uploads - 3));
                    }
                    self.edit(hot, *number, RowsEdit::Kept);
                }
            }
        }

        fn edit(&self, hot: &mut HotSensors, number: usize, rows: RowsEdit) {
            hot.apply(vec![HotEdit {
                sensor: sensor(number),
                rows,
                activity: self.activities.get(&number).copied(),
            }]);
        }

        fn assert_is(&self, hot: &HotSensors) {
            let counts = RowCounts {
                young: self.young.len(),
                frozen: self.frozen.len(),
                settled: self.settled.len(),
            };
            assert_eq!(hot.counts(), counts);
            let activities: BTreeMap<SensorId, Activity> = hot
                .activities()
                .map(|(sensor, activity)| (sensor.clone(), activity))
                .collect();
            let expected = self.activities.iter();
            let expected = expected.map(|(of, activity)| (sensor(*of), *activity));
            assert_eq!(activities, expected.collect());
            let arrivals = self.activities.values().filter_map(|it| it.arrivals);
            assert_eq!(hot.newest_arrival(), arrivals.map(Arrivals::newest).max());
            let settling: BTreeMap<SensorId, _> = hot
                .settling(usize::MAX)
                .map(|it| (it.sensor.clone(), (it.rows.to_vec(), it.activity)))
                .collect();
            let expected = self.frozen_activities.iter();
            let expected =
                expected.map(|(it, activity)| (sensor(*it), (of(&self.frozen, *it), *activity)));
            assert_eq!(settling, expected.collect());
            for number in 0..SENSORS {
                self.assert_sensor_is(hot, number);
            }
        }

        fn assert_sensor_is(&self, hot: &HotSensors, number: usize) {
            let id = sensor(number);
            assert_eq!(hot.is_landing(&id), self.is_landing(number));
            let settled = hot.settled(&id).into_iter().flat_map(SettledRows::iter);
            assert!(settled.eq(&of(&self.settled, number)));
            let mut sealable = self.settled.clone();
            sealable.extend(self.frozen.clone());
            let mut all = sealable.clone();
            all.extend(self.young.clone());
            let (sealable, all) = (of(&sealable, number), of(&all, number));
            for most in [1, 5, usize::MAX] {
                let some = sealable.get(..most).unwrap_or(&sealable);
                assert_eq!(hot.sealable(&id, TimeRange::ALL, most), some);
            }
            assert_eq!(hot.range(&id, TimeRange::ALL), all);
            assert_eq!(hot.with_rows().contains(&id), !all.is_empty());
            for ms in 0..30 {
                assert_eq!(hot.get(&id, at(ms)), at_time(&all, at(ms)));
            }
        }
    }

    proptest! {
        /// After any commits, freezes, settlings, seals, replacements and removals, readers find
        /// the same as in a plain map.
        #[test]
        fn hot_rows_equal_plain_maps(
            steps in proptest::collection::vec(any_step(), 1..40),
        ) {
            let (mut hot, mut plain) = (HotSensors::default(), PlainHot::default());
            for step in &steps {
                plain.step(step, &mut hot);
                plain.assert_is(&hot);
            }
        }
    }

    #[test]
    fn sensors_with_more_than_their_share_wait_while_there_are_very_many_rows() {
        let mut hot = HotSensors::default();
        let many: Vec<Reading> = (0..)
            .take(MOST_OF_SENSOR - 1)
            .map(|n| reading(n, 1.0))
            .collect();
        let mut are_behind = |number: usize| {
            let place = hot.place(&sensor(number));
            let rows = if number < 4 {
                &many[..]
            } else {
                &many[..5_000]
            };
            hot.change_settled(place, None, rows);
            let of = |number| hot.is_behind(hot.of(&sensor(number)).unwrap());
            [of(0), of(number)]
        };
        for number in 0..4 {
            assert_eq!(are_behind(number), [false, false]);
        }
        assert_eq!(are_behind(4), [true, false]);
        // One sensor is behind by its own number of rows.
        hot.change_settled(0, None, &[reading(-1, 1.0)]);
        hot.change_settled(1, Some(TimeRange::ALL), &[]);
        let of = |number| hot.is_behind(hot.of(&sensor(number)).unwrap());
        assert_eq!([0, 1, 2].map(of), [true, false, false]);
    }

    /// Its rows are sealed once there are 256, so it must reach that number.
    #[test]
    fn a_sensor_whose_rows_come_in_order_never_waits_for_others() {
        let mut hot = HotSensors::default();
        let many: Vec<Reading> = (0..)
            .take(MOST_OF_SENSOR - 1)
            .map(|n| reading(n, 1.0))
            .collect();
        for number in 0..10_000 {
            let place = hot.place(&sensor(number));
            let rows = if number < 5 { &many[..] } else { &many[..255] };
            hot.change_settled(place, None, rows);
        }
        let of = |number| hot.is_behind(hot.of(&sensor(number)).unwrap());
        assert_eq!([0, 4, 5, 9_999].map(of), [true, true, false, false]);
    }

    #[test]
    fn the_newest_arrival_follows_every_change() {
        let arrived = |ms| Activity::default().arrived(at(ms));
        let mut hot = HotSensors::default();
        let set = |hot: &mut HotSensors, of, activity| {
            hot.set_activities([(sensor(of), activity)]);
            hot.newest_arrival()
        };
        assert_eq!(set(&mut hot, 0, Some(arrived(5))), Some(at(5)));
        assert_eq!(set(&mut hot, 1, Some(arrived(9))), Some(at(9)));
        assert_eq!(set(&mut hot, 0, Some(arrived(7))), Some(at(9)));
        assert_eq!(set(&mut hot, 1, Some(arrived(6))), Some(at(7)));
        assert_eq!(set(&mut hot, 0, None), Some(at(6)));
        assert_eq!(set(&mut hot, 1, None), None);
    }
}

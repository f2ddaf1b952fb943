use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::domain::{Arrivals, Reading};
use crate::store::embedded::engine::WriteBatch;
use crate::store::embedded::rows::Hot;
use crate::store::embedded::rows::commit::Commit;
use crate::store::embedded::rows::log_files::LogFiles;
use crate::store::rows::Activities;
use crate::store::rows::sensor_rows::without;
use crate::store::tests::{at, reading};

/// Appends a group as an earlier process might have.
pub(crate) fn append(hot: &Hot, meta: &sled::Tree, group: &RowGroup<'_>) {
    let numbers = hot.held().logged_chunks();
    let mut packer = ChunkPacker::default();
    packer.add(group);
    let change = LogChange {
        chunks: packer.finish(),
        number: numbers.end,
        first: numbers.start,
        sensors: Vec::new(),
    };
    log_files::tests::rewrite(&hot.files, |chunks| {
        for (number, chunk) in (numbers.end..).zip(&change.chunks) {
            chunks.push((chunk::key(number).to_vec(), chunk.value.clone()));
        }
    });
    let value = [change.numbers().start, change.numbers().end].map(u64::to_le_bytes);
    meta.insert(log_files::KEY, value.concat()).unwrap();
    hot.change().set_logged_chunks(change.numbers());
}

/// A log, what is in memory of its rows and activities, what readers should see, and the blocks that rows were sealed into: times
/// and watts by sensor.
struct LogBench {
    dir: PathBuf,
    files: LogFiles,
    meta: sled::Tree,
    log: HotLog,
    hot: HotSensors,
    settled: Rows,
    activities: Activities,
    /// How many uploads there were: each comes a millisecond after the one before.
    uploads: i64,
    blocks: BTreeMap<(SensorId, i64), f64>,
}

fn activities(hot: &HotSensors) -> Activities {
    let known = hot.activities();
    known.map(|(of, activity)| (of.clone(), activity)).collect()
}

/// What counts of each sensor in the log.
fn all_logged(hot: &HotSensors) -> BTreeMap<SensorId, LoggedSensor> {
    let known = hot.activities();
    let logged = known.filter_map(|(of, _)| Some((of.clone(), *hot.find_logged(of)?.1?)));
    logged.collect()
}

#[derive(Clone, Debug)]
enum LogStep {
    /// Rows settle, with the activities of their sensors.
    Settle(Vec<(usize, i64, i32)>),
    /// The first so many of a sensor's rows are sealed.
    Seal(usize, usize),
    /// Rows are sealed before they settle.
    SealFrozen(usize, Vec<(i64, i32)>),
    Delete(usize, i64, i64),
    /// History goes over rows, and into blocks.
    Import(usize, i64, i32),
    /// Some arrivals are forgotten.
    Forget(Vec<usize>),
    Remove(usize),
    Reopen,
}

const SENSORS: usize = 5;

fn sensor(number: usize) -> SensorId {
    SensorId::new(&format!("sensor {number}")).unwrap()
}

fn any_step() -> impl Strategy<Value = LogStep> {
    let (ms, watts) = (0_i64..60, -9_i32..9);
    let rows = proptest::collection::vec((0..SENSORS, ms.clone(), watts.clone()), 1..40);
    let frozen = proptest::collection::vec((ms.clone(), watts.clone()), 1..6);
    prop_oneof![
        6 => rows.prop_map(LogStep::Settle),
        3 => (0..SENSORS, 1_usize..40).prop_map(|(of, count)| LogStep::Seal(of, count)),
        2 => (0..SENSORS, frozen).prop_map(|(of, rows)| LogStep::SealFrozen(of, rows)),
        2 => (0..SENSORS, ms.clone(), ms.clone())
            .prop_map(|(of, a, b)| LogStep::Delete(of, a.min(b), a.max(b))),
        2 => (0..SENSORS, ms, watts).prop_map(|(of, ms, watts)| LogStep::Import(of, ms, watts)),
        1 => proptest::collection::vec(0..SENSORS, 1..4).prop_map(LogStep::Forget),
        1 => (0..SENSORS).prop_map(LogStep::Remove),
        1 => Just(LogStep::Reopen),
    ]
}

impl LogBench {
    fn write(&mut self, change: LogChange) {
        self.append(&change);
        self.name(&change);
        self.log.note(change, &mut self.hot);
    }

    fn append(&mut self, change: &LogChange) {
        self.files.append(change.number, &change.chunks).unwrap();
    }

    fn name(&mut self, change: &LogChange) {
        let mut batch = WriteBatch::default();
        let numbers = change.numbers();
        self.files.name(&numbers, &self.meta, &mut batch).unwrap();
        batch.apply().unwrap();
        self.files.free_outdated();
    }

    /// What a start finds.
    fn loaded(&self) -> (HotLog, HotSensors) {
        let files = Volumes::in_folder(log_files::folder(&self.dir));
        HotLog::load(&files, &log_files::numbers(&self.meta).unwrap()).unwrap()
    }

    fn count_chunks(&self) -> usize {
        self.log.weights.len()
    }

    fn write_edits(&mut self, edits: Vec<HotEdit>) {
        for edit in &edits {
            self.hot.place(&edit.sensor);
        }
        self.write(self.log.editing(&self.hot, &edits));
        self.hot.apply(edits);
    }

    fn edit(&mut self, of: &SensorId, rows: RowsEdit, activity: Option<Activity>) {
        let left = match &rows {
            RowsEdit::Kept => None,
            RowsEdit::Sealed(left) | RowsEdit::Replaced(left) => Some(left.clone()),
            RowsEdit::Removed => Some(Vec::new()),
        };
        self.write_edits(vec![HotEdit {
            sensor: of.clone(),
            rows,
            activity,
        }]);
        if let Some(left) = left {
            self.settled.replace(of, left);
        }
        let activity = activity.map(|activity| (of.clone(), activity));
        self.activities.extend(activity);
    }

    /// The activity of a sensor after one more upload.
    fn uploaded(&mut self, of: &SensorId) -> Activity {
        self.uploads += 1;
        let known = self.activities.get(of).copied().unwrap_or_default();
        known.arrived(at(self.uploads))
    }

    /// Settles these rows, and one more upload of each of their sensors and of `others`, whose rows were sealed. Returns the weight of
    /// what was written.
    fn settle(&mut self, frozen: &Rows, others: &[SensorId]) -> usize {
        let sealed = vec![reading(0, 1.0)];
        let mut commit = Commit::default();
        for (of, rows) in frozen.iter() {
            commit.add(of.clone(), rows.to_vec(), self.uploaded(of));
            self.settled.merge(of.clone(), rows.to_vec());
        }
        for of in others {
            commit.add(of.clone(), sealed.clone(), self.uploaded(of));
        }
        let activities = commit.iter();
        let activities = activities.map(|(of, committed)| (of.clone(), committed.activity));
        self.activities.extend(activities);
        self.hot.hold(commit);
        self.hot.freeze();
        for of in others {
            self.hot.drop_frozen(of, &sealed);
        }
        // In two slices, if there are so many.
        let mut written = 0;
        while self.hot.count_unsettled_sensors() > 0 {
            let most = self.hot.count_unsettled_sensors().div_ceil(2);
            let change = self.log.settling(&self.hot, most);
            written += change
                .chunks
                .iter()
                .map(|chunk| chunk.weight)
                .sum::<usize>();
            self.append(&change);
            self.hot.settle(most);
            if self.hot.count_unsettled_sensors() == 0 {
                self.name(&change);
            }
            self.log.note(change, &mut self.hot);
        }
        self.hot.end_generation();
        written
    }

    fn seal(&mut self, of: &SensorId, rows: &[Reading]) {
        for row in rows {
            let place = (of.clone(), row.time.millis());
            self.blocks.insert(place, row.measures.watts().unwrap());
        }
    }

    fn is_sealed(&self, of: &SensorId, row: &Reading) -> bool {
        let sealed = self.blocks.get(&(of.clone(), row.time.millis()));
        sealed.copied() == row.measures.watts()
    }

    fn step(&mut self, step: &LogStep) {
        match step {
            LogStep::Settle(rows) => {
                let mut frozen = Rows::default();
                for (of, ms, watts) in rows {
                    frozen.merge(sensor(*of), vec![reading(*ms, f64::from(*watts))]);
                }
                self.settle(&frozen, &[]);
            }
            LogStep::Seal(of, count) => {
                let of = sensor(*of);
                let rows = self.settled.of(&of);
                let (sealed, left) = rows.split_at(rows.len().min(*count));
                let (sealed, left) = (sealed.to_vec(), left.to_vec());
                self.seal(&of, &sealed);
                self.edit(&of, RowsEdit::Sealed(left), None);
            }
            LogStep::SealFrozen(of, rows) => {
                let (of, mut frozen) = (sensor(*of), Rows::default());
                for (ms, watts) in rows {
                    frozen.merge(of.clone(), vec![reading(*ms, f64::from(*watts))]);
                }
                let frozen = frozen.of(&of);
                self.seal(&of, frozen);
                let left = without(self.settled.of(&of), frozen);
                self.edit(&of, RowsEdit::Replaced(left), None);
                self.settle(&Rows::default(), &[of]);
            }
            LogStep::Delete(of, start, end) => {
                let of = sensor(*of);
                let is_gone = |ms: i64| (*start..=*end).contains(&ms);
                self.blocks
                    .retain(|(sensor, ms), _| *sensor != of || !is_gone(*ms));
                let mut left = self.settled.of(&of).to_vec();
                left.retain(|row| !is_gone(row.time.millis()));
                let known = self.activities.get(&of).copied();
                self.edit(&of, RowsEdit::Replaced(left), known);
            }
            LogStep::Import(of, ms, watts) => {
                let (of, row) = (sensor(*of), reading(*ms, f64::from(*watts)));
                let mut left = self.settled.of(&of).to_vec();
                match left.iter_mut().find(|hot| hot.time == row.time) {
                    Some(hot) => *hot = row,
                    None => self.seal(&of, &[row]),
                }
                let known = self.activities.get(&of).copied().unwrap_or_default();
                let activity = known.with_reading(&row);
                self.edit(&of, RowsEdit::Replaced(left), Some(activity));
                self.edit(&of, RowsEdit::Kept, Some(activity.with_reading(&row)));
            }
            LogStep::Forget(some) => self.forget(some),
            LogStep::Remove(of) => {
                let of = sensor(*of);
                self.blocks.retain(|(sensor, _), _| *sensor != of);
                self.edit(&of, RowsEdit::Removed, None);
                self.hot.set_activities([(of.clone(), None)]);
                self.activities.remove(&of);
            }
            LogStep::Reopen => {
                let (log, mut hot) = self.loaded();
                self.files = LogFiles::open(&self.dir, &hot.logged_chunks()).unwrap();
                self.settled = self.recovered(&hot.all_settled());
                for of in hot.with_rows() {
                    hot.replace_settled(&of, self.settled.of(&of).to_vec());
                }
                (self.log, self.hot) = (log, hot);
            }
        }
    }

    /// Forgets the last arrivals of some sensors.
    fn forget(&mut self, some: &[usize]) {
        let mut edits = Vec::new();
        for of in some.iter().copied().collect::<BTreeSet<usize>>() {
            let of = sensor(of);
            let Some(known) = self.activities.get_mut(&of) else {
                continue;
            };
            *known = known.forgetting_after(at(self.uploads - 5));
            edits.push(HotEdit {
                sensor: of,
                rows: RowsEdit::Kept,
                activity: Some(*known),
            });
        }
        self.write_edits(edits);
    }

    /// What a start takes from these rows.
    fn recovered(&self, rows: &Rows) -> Rows {
        let mut recovered = Rows::default();
        for (of, rows) in rows.iter() {
            let left = rows.iter().filter(|row| !self.is_sealed(of, row));
            recovered.replace(of, left.copied().collect());
        }
        recovered
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever settles, is sealed, deleted, imported, removed and carried over, a start finds what readers saw, and the log
    /// stays short.
    #[test]
    fn a_start_finds_what_readers_saw(steps in proptest::collection::vec(any_step(), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let mut bench = LogBench::new(&dir);
        for step in &steps {
            bench.step(step);
            let (log, hot) = bench.loaded();
            prop_assert_eq!(&log, &bench.log);
            prop_assert_eq!(bench.hot.all_settled(), bench.settled.clone());
            for loaded in [&hot, &bench.hot] {
                prop_assert_eq!(activities(loaded), bench.activities.clone());
            }
            prop_assert_eq!(all_logged(&hot), all_logged(&bench.hot));
            // A row that says the same as its block may be either.
            prop_assert_eq!(bench.recovered(&hot.all_settled()), bench.recovered(&bench.settled));
            let live: usize = bench.settled.iter().map(|(_, rows)| rows.len() + 2).sum();
            let tolerated = SENSORS * 2 * TOLERATED + 3 * live;
            prop_assert!(bench.log.live_weight <= tolerated, "{} of {live}", bench.log.live_weight);
        }
    }
}

impl LogBench {
    fn new(dir: &tempfile::TempDir) -> Self {
        let db = sled::open(dir.path().join("sled")).unwrap();
        Self {
            dir: dir.path().to_owned(),
            files: LogFiles::open(dir.path(), &(0..0)).unwrap(),
            meta: db.open_tree("meta").unwrap(),
            log: HotLog::default(),
            hot: HotSensors::default(),
            settled: Rows::default(),
            activities: Activities::default(),
            uploads: 0,
            blocks: BTreeMap::new(),
        }
    }

    fn assert_reopened(&self) {
        let (log, hot) = self.loaded();
        assert_eq!(log, self.log);
        assert_eq!(hot.all_settled(), self.settled);
        assert_eq!(activities(&hot), self.activities);
        assert_eq!(all_logged(&hot), all_logged(&self.hot));
    }
}

/// Sensors that are silent, one of which has rows that are never sealed, do not keep what others leave behind.
#[test]
fn silent_sensors_are_carried_over() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = LogBench::new(&dir);
    let (rows_only, silent, busy) = (sensor(0), sensor(1), sensor(2));
    for round in 0..300 {
        let mut frozen = Rows::default();
        if round == 0 {
            frozen.merge(rows_only.clone(), vec![reading(0, 1.0), reading(1, 2.0)]);
        }
        let rows: Vec<Reading> = (0..100).map(|n| reading(round * 100 + n, 1.0)).collect();
        frozen.merge(busy.clone(), rows.clone());
        let others = if round == 0 {
            vec![silent.clone()]
        } else {
            Vec::new()
        };
        bench.settle(&frozen, &others);
        bench.edit(&busy, RowsEdit::Sealed(Vec::new()), None);
        let count = bench.count_chunks();
        assert!(count < 12, "{count} chunks in round {round}");
    }
    assert!(bench.log.first > 300, "{}", bench.log.first);
    bench.assert_reopened();
    assert_eq!(bench.settled.of(&rows_only).len(), 2);
    // Of the first round, in which three sensors uploaded.
    let newest = |of| bench.activities[of].arrivals.map(Arrivals::newest);
    assert!(
        [&rows_only, &silent]
            .map(newest)
            .iter()
            .all(|it| *it <= Some(at(3)) && it.is_some())
    );
}

/// Nor do they keep what is left behind where nothing settles.
#[test]
fn silent_sensors_are_carried_over_while_others_are_edited() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = LogBench::new(&dir);
    let (silent, edited) = (sensor(0), sensor(1));
    let mut frozen = Rows::default();
    frozen.merge(silent.clone(), vec![reading(0, 1.0)]);
    let rows: Vec<Reading> = (0..200).map(|n| reading(n, 1.0)).collect();
    frozen.merge(edited.clone(), rows.clone());
    bench.settle(&frozen, &[]);
    for round in 0..1_000 {
        bench.step(&LogStep::Delete(1, 1_000, 1_000));
        let count = bench.count_chunks();
        assert!(count < 24, "{count} chunks in round {round}");
    }
    bench.assert_reopened();
    assert_eq!(bench.settled.of(&silent).len(), 1);
}

/// Rows that are corrected for ever leave little behind, nor do uploads whose rows are sealed at once, nor imports.
#[test]
fn outdated_groups_leave_little_behind() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = LogBench::new(&dir);
    for round in 0..200 {
        let mut frozen = Rows::default();
        let rows: Vec<Reading> = (0..10).map(|n| reading(n, f64::from(round))).collect();
        frozen.merge(sensor(0), rows.clone());
        bench.settle(&frozen, &[sensor(1)]);
        let activity = bench.uploaded(&sensor(2));
        bench.edit(&sensor(2), RowsEdit::Kept, Some(activity));
        assert!(
            bench.count_chunks() < 100,
            "{} chunks in round {round}",
            bench.count_chunks()
        );
        assert!(
            bench.log.weight < 250,
            "{} in round {round}",
            bench.log.weight
        );
    }
    bench.assert_reopened();
}

/// A log of many silent sensors is not written again for each upload of another.
#[test]
fn many_silent_sensors_are_seldom_carried_over() {
    const MANY: usize = 2_000;
    let dir = tempfile::tempdir().unwrap();
    let mut bench = LogBench::new(&dir);
    let silent: Vec<SensorId> = (1..=MANY).map(sensor).collect();
    bench.settle(&Rows::default(), &silent);
    let mut written = 0;
    let least = bench.log.live_weight;
    for round in 0..3_000 {
        let mut frozen = Rows::default();
        frozen.merge(sensor(0), vec![reading(round, 1.0)]);
        written += bench.settle(&frozen, &[]);
        bench.edit(&sensor(0), RowsEdit::Sealed(Vec::new()), None);
    }
    // Of the upload three, of what seals it two, and about as much for what is carried over.
    assert!(written < 3_000 * (3 + 2 + 5), "{written}");
    assert!(
        bench.log.weight < 3 * least,
        "{} of {least}",
        bench.log.weight
    );
    bench.assert_reopened();
}

//! Tests of the committing thread's work without the thread: each test calls the rounds itself, so
//! that nothing depends on their speed.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;

use tempfile::TempDir;
use tokio::sync::{Notify, mpsc, oneshot};

use super::*;
use crate::domain::{Measures, Reading, Sensor, TimeRange, Upload, UploadedReading};
use crate::store::backend::{Append, ReadingsChange, ReadingsWriter, SensorJob};
use crate::store::blocks::BlockSource as _;
use crate::store::change;
use crate::store::embedded::disk::open;
use crate::store::embedded::disk::sync::fault;
use crate::store::embedded::facts::FactChanges;
use crate::store::embedded::journal::record::PAGE;
use crate::store::embedded::load;
use crate::store::embedded::log::files::SEGMENT_BYTES;
use crate::store::embedded::open::begin;
use crate::store::embedded::rows::hot_sensors::MOST_OF_SENSOR;
use crate::store::embedded::writer::history;
use crate::store::embedded::writer::landing::SETTLED_AT_ONCE;
use crate::store::embedded::writer::queue::Concern;
use crate::store::handle::Store;
use crate::store::records::Order;
use crate::store::settings::{OpenMode, StoreSettings};
use crate::store::tests::{NOW, all, at, house, open_registered, open_with, reading};

type Answered<T> = oneshot::Receiver<Result<T, StoreError>>;

/// A store whose committing thread is driven by the test.
struct Bench {
    committer: Mutex<Committer>,
    queue: Mutex<Queue>,
    tasks: mpsc::Sender<Task>,
    // Last, so that the folder outlives the open files in it.
    dir: TempDir,
}

impl Bench {
    /// A store with blocks of at most `block_readings`, `history` of the sensor [`house`], and
    /// sensors from 0 to `others`.
    fn new(block_readings: usize, history: Vec<Reading>, others: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), block_readings);
        let known = store.registry().sensor(&house()).cloned().unwrap();
        let registered = store.edit(move |edit| {
            (0..others).try_for_each(|n| {
                let id = other(n);
                edit.put_sensor(Sensor {
                    id,
                    ..known.clone()
                })
            })
        });
        registered.unwrap();
        if !history.is_empty() {
            store.import_durably(&house(), history).unwrap();
        }
        Self::over(store, dir)
    }

    /// Takes the place of the thread of `store`.
    fn over(store: Store, dir: TempDir) -> Self {
        store.close().unwrap();
        let settings = store.shared().settings;
        drop(store);
        Self::opened(settings, dir)
    }

    /// After a stop and a start.
    fn reopened(self) -> Self {
        let settings = self.shared().settings;
        let Self { committer, dir, .. } = self;
        committer.into_inner().unwrap().finish();
        Self::opened(settings, dir)
    }

    fn opened(settings: StoreSettings, dir: TempDir) -> Self {
        let hold = open::hold(dir.path(), OpenMode::Existing).unwrap();
        let loaded = load::load(dir.path(), settings.cache_bytes).unwrap();
        let begun = begin(dir.path(), settings, hold, loaded.unwrap());
        let (_, committer) = begun.unwrap();
        let (tasks, receiver) = mpsc::channel(1_024);
        let queue = Queue::new(receiver, Arc::new(Notify::new())).unwrap();
        for folder in ["blocks", "log"] {
            fault::count_below(&dir.path().join(folder));
        }
        Self {
            committer: Mutex::new(committer),
            queue: Mutex::new(queue),
            tasks,
            dir,
        }
    }

    fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.committer.lock().unwrap().shared)
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The number of syncs of volumes since the last call.
    fn syncs_of_volumes(&self) -> u64 {
        fault::counted(&self.folder("blocks"))
    }

    /// Puts an upload into the queue.
    fn upload(&self, sensor: &SensorId, times: Range<i64>) -> Answered<impl Sized + use<>> {
        let (answer, answered) = oneshot::channel();
        self.queue(Task::Append(append(sensor, times), answer));
        answered
    }

    fn queue(&self, task: Task) {
        assert!(self.tasks.try_send(task).is_ok(), "the queue is full");
    }

    /// Commits an upload, and does nothing else.
    fn commit(&self, sensor: &SensorId, times: impl Iterator<Item = i64>) {
        self.try_commit(sensor, times).unwrap();
    }

    /// Tries to commit an upload, which may be refused.
    fn try_commit(
        &self,
        sensor: &SensorId,
        times: impl Iterator<Item = i64>,
    ) -> Result<(), StoreError> {
        let (answer, mut answered) = oneshot::channel();
        let task = Task::Append(append(sensor, times), answer);
        self.with(|committer| committer.commit(iter::once(task)));
        answered.try_recv().unwrap().map(drop)
    }

    /// Does one round of the thread.
    fn round(&self) {
        let mut queue = self.queue.lock().unwrap();
        assert!(self.committer.lock().unwrap().round(&mut queue));
    }

    fn freeze(&self) {
        self.with(|committer| committer.freeze().unwrap());
    }

    fn is_due(&self) -> bool {
        self.with(|committer| committer.due().is_some())
    }

    /// The store as the next start finds it, without a stop.
    fn restart(self) -> (Store, TempDir) {
        let Self { committer, dir, .. } = self;
        drop(committer);
        (open_with(dir.path(), 4_096), dir)
    }

    fn with<T>(&self, look: impl FnOnce(&mut Committer) -> T) -> T {
        look(&mut self.committer.lock().unwrap())
    }
}

impl ReadingsWriter for Bench {
    fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError> {
        let (answer, mut answered) = oneshot::channel();
        self.queue(history::task(sensor, job, answer));
        loop {
            self.round();
            if let Ok(outcome) = answered.try_recv() {
                return outcome;
            }
        }
    }
}

fn other(n: usize) -> SensorId {
    SensorId::new(&format!("sensor {n}")).unwrap()
}

fn append(sensor: &SensorId, times: impl Iterator<Item = i64>) -> Append {
    let measures = Measures::new(Some(1.0), None).unwrap();
    let readings = times.map(|ms| UploadedReading {
        time: Some(at(ms)),
        measures,
    });
    Append {
        account: None,
        upload: Upload::new(sensor.clone(), readings.collect()).unwrap(),
        arrival: at(NOW),
    }
}

/// The answer, if it has come. It must not be an error.
fn answer_to<T>(answered: &mut Answered<T>) -> Option<T> {
    answered.try_recv().ok().map(Result::unwrap)
}

fn is_answered<T>(answered: &mut Answered<T>) -> bool {
    answer_to(answered).is_some()
}

/// The times of the hot rows of a sensor.
fn hot_times(shared: &Shared, sensor: &SensorId) -> Vec<i64> {
    let rows = shared.hot.held().range(sensor, TimeRange::ALL);
    rows.iter().map(|row| row.time.millis()).collect()
}

/// The number of readings of a sensor that are in blocks.
fn count_sealed(shared: &Shared, sensor: &SensorId) -> usize {
    let sealed = shared.sealed.of(sensor);
    let blocks = sealed.summaries(TimeRange::ALL, Order::Ascending, usize::MAX);
    blocks.unwrap().iter().map(|it| it.count as usize).sum()
}

/// Late rows in all blocks need a commit for each block, with a sync of the volume. Small blocks
/// take no time to encode, so encoding alone would not end a round.
#[test]
fn few_blocks_with_late_rows_are_written_between_two_looks_at_the_queue() {
    const BLOCKS: i64 = 100;
    let history = (0..16 * BLOCKS).map(|n| reading(n * 1_000, 1.0));
    let bench = Bench::new(16, history.collect(), 0);
    bench.commit(&house(), (0..BLOCKS).map(|n| n * 16_000 + 500));
    bench.freeze();
    let mut most = 0;
    while bench.is_due() {
        bench.round();
        most = most.max(bench.syncs_of_volumes());
    }
    assert_eq!(most, 4);
    // Nevertheless every sensor with enough rows is sealed.
    assert!(hot_times(&bench.shared(), &house()).len() < 16);
}

#[test]
fn sensors_that_are_sealed_together_share_a_sync_of_the_volume() {
    const SENSORS: usize = 4;
    let bench = Bench::new(4_096, Vec::new(), SENSORS);
    for n in 0..SENSORS {
        bench.commit(&other(n), 0..256);
    }
    bench.freeze();
    assert_eq!(bench.syncs_of_volumes(), 0);
    bench.round();
    assert_eq!(bench.syncs_of_volumes(), 1);
    for n in 0..SENSORS {
        assert_eq!(count_sealed(&bench.shared(), &other(n)), 256);
    }
}

/// Frozen sensors, each of which is sealed in a slice of its own.
fn with_slices(sensors: usize) -> Bench {
    let bench = Bench::new(4_096, Vec::new(), sensors);
    for n in 0..sensors {
        bench.commit(&other(n), 0..1_024);
    }
    bench.freeze();
    bench
}

/// Otherwise uploads would have to wait for all slices at once when the journal is full.
#[test]
fn two_slices_land_between_two_looks_at_the_queue_once_landing_is_behind() {
    let bench = with_slices(8);
    bench.round();
    assert_eq!(bench.syncs_of_volumes(), 1);
    let is_behind = || bench.with(|committer| committer.landing.is_behind());
    let mut times = 0..;
    while !is_behind() {
        // None of the remaining slices lands meanwhile.
        assert!(bench.with(|committer| committer.landing.fits(PAGE)));
        bench.commit(&house(), times.by_ref().take(1));
    }
    // Checked after the first slice, so there is one less.
    bench.commit(&house(), times.by_ref().take(1));
    assert_eq!(bench.syncs_of_volumes(), 0);
    bench.round();
    assert_eq!(bench.syncs_of_volumes(), 2);
}

/// The journal is full, and the frozen commits have not landed.
#[test]
fn uploads_wait_for_landing_and_none_is_refused() {
    let bench = with_slices(4);
    let has_room = || bench.with(|committer| committer.landing.fits(PAGE));
    let mut times = 0..;
    while has_room() {
        bench.commit(&house(), times.by_ref().take(1));
    }
    assert_eq!(bench.syncs_of_volumes(), 0);
    // It is answered after all slices, without which there is no space.
    bench.commit(&house(), times.by_ref().take(1));
    assert_eq!(bench.syncs_of_volumes(), 4);
    // Repeatedly, because only the slices land that uploads wait for.
    for _ in 0..3 {
        while has_room() {
            bench.commit(&house(), times.by_ref().take(1));
        }
        bench.commit(&house(), times.by_ref().take(1));
    }
    let sent: Vec<i64> = (0..times.start).collect();
    let (store, _dir) = bench.restart();
    let stored = all(&store).into_iter();
    let stored: Vec<i64> = stored.map(|reading| reading.time.millis()).collect();
    assert_eq!(stored, sent);
    for n in 0..4 {
        let count = store.count_readings(&other(n), TimeRange::ALL);
        assert_eq!(count.unwrap(), 1_024);
    }
}

/// As with a device whose clock jumps, or a malicious client with a write key.
#[test]
fn a_sensor_with_very_many_scattered_readings_waits_until_some_are_sealed() {
    const BLOCKS: i64 = 40;
    const UPLOADED: i64 = 5_000;
    let history = (0..64 * BLOCKS).map(|n| reading(n * 1_000, 1.0));
    let bench = Bench::new(64, history.collect(), 1);
    // Some in each block.
    let scattered = |round: i64| (0..UPLOADED).map(move |n| n * 509 + 1 + round);
    let upload = |round| bench.try_commit(&house(), scattered(round));
    let most = i64::try_from(MOST_OF_SENSOR).unwrap() / UPLOADED;
    for round in 0..most {
        upload(round).unwrap();
    }
    for _ in 0..3 {
        let refused = upload(most);
        assert!(
            matches!(&refused, Err(StoreError::SensorBehind(sensor)) if sensor == "house"),
            "{refused:?}"
        );
        bench.commit(&other(0), 0..1);
    }
    let shared = bench.shared();
    assert!(hot_times(&shared, &house()).len() <= MOST_OF_SENSOR);
    while bench.is_due() {
        bench.round();
    }
    assert!(hot_times(&shared, &house()).len() < 64);
    upload(most).unwrap();
    drop(shared);
    let (store, _dir) = bench.restart();
    let history = (0..64 * BLOCKS).map(|n| n * 1_000);
    let expected: BTreeSet<i64> = (0..=most).flat_map(scattered).chain(history).collect();
    let stored = all(&store).into_iter();
    assert!(stored.map(|reading| reading.time.millis()).eq(expected));
    assert_eq!(store.check().problems, []);
}

/// Its uploads are refused until rows are sealed, so its own uploads do not trigger another
/// attempt.
#[test]
fn a_sensor_that_waits_has_its_rows_sealed_once_they_can_be() {
    let bench = Bench::new(4_096, Vec::new(), 0);
    let (blocks, aside) = (bench.folder("blocks"), bench.folder("aside"));
    // No volume can be created.
    fs::rename(&blocks, &aside).unwrap();
    let most = i64::try_from(MOST_OF_SENSOR).unwrap();
    for first in (0..most).step_by(5_000) {
        bench.commit(&house(), first..first + 5_000);
    }
    while bench.is_due() {
        bench.round();
    }
    assert_eq!(hot_times(&bench.shared(), &house()).len(), MOST_OF_SENSOR);
    fs::rename(&aside, &blocks).unwrap();
    assert!(!bench.is_due());
    let refused = bench.try_commit(&house(), most..=most);
    assert!(matches!(refused, Err(StoreError::SensorBehind(_))));
    while bench.is_due() {
        bench.round();
    }
    bench.commit(&house(), most..=most);
}

/// A segment that was written over has remains of an older record behind its last one.
#[test]
fn segments_of_the_log_do_not_pile_up_over_starts() {
    let mut bench = Bench::new(64, Vec::new(), 2);
    for start in 0..30 {
        let begin = start * 100_000;
        for n in 0..40 {
            // Those of the house are sealed, the others are settled, and deleted by the next ones.
            bench.commit(&house(), (0..40).map(|ms| begin + n * 1_000 + ms));
            bench.commit(&other(0), (0..40).map(|ms| n * 1_000 + ms * 20));
            bench.freeze();
            bench.round();
        }
        // The work of a start ends.
        let mut rounds = 0;
        while bench.is_due() {
            bench.round();
            rounds += 1;
            assert!(rounds < 1_000, "start {start}");
        }
        let segments = fs::read_dir(bench.folder("log")).unwrap().count();
        let live = bench.with(|committer| {
            let rows = committer.shared.hot.held().counts().settled;
            committer.db.live.bytes(rows) + usize::try_from(committer.db.blocks).unwrap() * 100
        });
        // Cleaning leaves four more than twice that, and two are for reuse.
        let most = 2 * live / SEGMENT_BYTES + 4 + 2 + 2;
        assert!(segments <= most, "{segments} of {most} at start {start}");
        bench = bench.reopened();
    }
}

/// While a change of a sensor waits until its uploads are in the log, later tasks for the sensor
/// wait behind it.
#[test]
fn uploads_stay_behind_a_change_of_their_sensor_and_others_go_on() {
    let bench = Bench::new(4_096, Vec::new(), 1);
    bench.commit(&house(), 1..2);
    let (answer, mut changed) = oneshot::channel();
    // Answers with the number of readings that it finds.
    let look = |stored: &mut dyn ReadingsChange| {
        let rows = stored.view();
        let rows = rows.rows(TimeRange::ALL, None, Order::Ascending, usize::MAX);
        Ok(rows?.len())
    };
    bench.queue(history::task(&house(), Box::new(look), answer));
    let mut behind = bench.upload(&house(), 2..3);
    let mut others = bench.upload(&other(0), 1..2);
    bench.round();
    assert!(is_answered(&mut others));
    assert!(!is_answered(&mut changed) && !is_answered(&mut behind));
    // And later tasks, too.
    let mut later = bench.upload(&house(), 3..4);
    let mut others = bench.upload(&other(0), 2..3);
    bench.round();
    assert!(is_answered(&mut others));
    while bench.is_due() {
        bench.round();
    }
    assert_eq!(answer_to(&mut changed), Some(1));
    assert!(is_answered(&mut behind) && is_answered(&mut later));
    assert_eq!(hot_times(&bench.shared(), &house()), [1, 2, 3]);
}

/// A full journal causes rows to be sealed while a correction of one of them is being committed.
/// The correction is then a hot row of its own, which an import must find.
#[test]
fn an_import_corrects_a_row_over_a_sealed_value() {
    let bench = Bench::new(4_096, Vec::new(), 0);
    bench.commit(&house(), 0..300);
    while bench.with(|committer| committer.landing.fits(PAGE)) {
        bench.commit(&house(), 10..11);
    }
    assert_eq!(hot_times(&bench.shared(), &house()).len(), 300);
    bench.commit(&house(), 10..11);
    let shared = bench.shared();
    assert_eq!(count_sealed(&shared, &house()), 300);
    assert_eq!(hot_times(&shared, &house()), [10]);
    change::import(&bench, &house(), vec![reading(10, 9.0)]).unwrap();
    drop(shared);
    let (store, _dir) = bench.restart();
    assert_eq!(all(&store)[10], reading(10, 9.0));
    assert_eq!(store.check().problems, []);
}

/// A start reads a generation from the journal until all of it has settled. Readings deleted before
/// would come back.
#[test]
fn changes_wait_until_all_of_a_generation_has_settled() {
    const SENSORS: usize = 2 * SETTLED_AT_ONCE + 1;
    for slices in 0..=3 {
        let bench = Bench::new(4_096, Vec::new(), SENSORS);
        for n in 0..SENSORS {
            bench.commit(&other(n), 0..2);
        }
        bench.freeze();
        for _ in 0..slices {
            bench.with(|committer| committer.land_some().unwrap());
        }
        let settled = bench.shared().hot.held().counts().settled;
        assert_eq!(settled, 2 * (slices * SETTLED_AT_ONCE).min(SENSORS));
        for n in 0..SENSORS {
            let concern = Concern::Sensor(other(n));
            let must_wait = bench.with(|committer| committer.landing.has(&concern));
            assert_eq!(must_wait, slices < 3);
        }
        let (store, _dir) = bench.restart();
        for n in 0..SENSORS {
            let count = store.count_readings(&other(n), TimeRange::ALL);
            assert_eq!(count.unwrap(), 2);
        }
        assert_eq!(store.check().problems, []);
        assert!(store.shared().hot.held().is_settled());
    }
}

/// A full disk, just when a file of facts was replaced: the old file has no name any more, so nothing
/// may be acknowledged in it.
#[test]
fn a_file_of_facts_that_was_replaced_on_a_full_disk_takes_no_more_changes() {
    /// Of no record.
    const KIND: u8 = 99;
    let bench = Bench::new(4_096, Vec::new(), 0);
    let folder = bench.dir.path().join("facts");
    let put = |number: usize| {
        bench.with(|committer| {
            let mut changes = FactChanges::default();
            changes.put(KIND, "a", format!("{number:04000}").into_bytes());
            committer.db.change_facts("changing", &changes)
        })
    };
    fault::fail_at(&folder, ErrorKind::StorageFull);
    let mut numbers = 0..20;
    let refused = numbers.find(|number| {
        let changed = put(*number);
        bench.with(Committer::work);
        changed.is_err()
    });
    fault::heal(&folder);
    assert!(refused.is_some());
    assert!(matches!(put(21), Err(StoreError::Poisoned(_))));
    let last = refused.unwrap() - 1;
    let (store, _dir) = bench.restart();
    assert_eq!(store.check().problems, []);
    let key = (KIND, b"a".to_vec());
    let kept = store
        .shared()
        .facts
        .read(|facts| facts.value(&key).cloned());
    assert_eq!(kept, Some(format!("{last:04000}").into_bytes()));
}

/// Notes take space in the journal. It is freed without uploads, too.
#[test]
fn notes_alone_leave_the_journal() {
    let bench = Bench::new(4_096, Vec::new(), 0);
    for _ in 0..300 {
        bench.with(|committer| {
            committer.db.sync().unwrap();
            committer.work();
        });
    }
    for _ in 0..4 {
        bench.with(Committer::work);
    }
    assert!(!bench.is_due());
    bench.commit(&house(), 0..3);
    let (store, _dir) = bench.restart();
    assert_eq!(store.damage(), Vec::<String>::new());
    assert_eq!(all(&store).len(), 3);
}

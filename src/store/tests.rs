//! Tests of invariants on disk after any sequence of changes, and of repairs by a start.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::embedded::disk::{Mark, open, sync};
use super::embedded::facts::FactChanges;
use super::embedded::facts::change::kind_of;
use super::embedded::journal::record;
use super::embedded::log::LiveRows;
use super::embedded::log::{LogItem, load};
use super::embedded::rows::HotSensors;
use super::records::RecordKind;
use super::records::RecordsView as _;
use super::registry::records::encode_sensor;
use super::*;
pub(super) use crate::domain::time::at;
use crate::domain::{
    Account, AccountName, ApiId, ApiKey, Credential, Measures, Meter, MeterKind, Phases, Plan,
    Reading, Role, Scope, Sensor, SensorId, SentParts, TimeRange, Timestamp, Upload,
    UploadedReading, Zone,
};
use crate::locks::write;

pub(super) const NOW: i64 = 1_700_000_000_000;

/// Values without any pattern, which no compressor shortens: `SplitMix64`, without the bits of huge
/// exponents.
pub(super) fn noise(n: i64) -> f64 {
    let mut bits = n.cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    f64::from_bits((bits ^ bits >> 31) >> 2)
}

pub(super) fn house() -> SensorId {
    SensorId::new("house").unwrap()
}

pub(super) fn reading(ms: i64, watts: f64) -> Reading {
    Reading {
        time: at(ms),
        measures: Measures::new(Some(watts), Some(watts / 2.0)).unwrap(),
    }
}

pub(super) fn open_with(dir: &Path, block_readings: usize) -> Store {
    let settings = StoreSettings {
        block_readings,
        ..StoreSettings::default()
    };
    Store::open(dir, settings, OpenMode::CreateIfMissing).unwrap()
}

pub(super) fn open_registered(dir: &Path, block_readings: usize) -> Store {
    let store = open_with(dir, block_readings);
    register_house(&store);
    store
}

/// Registers an account with the sensor [`house`].
pub(super) fn register_house(store: &Store) {
    let name = AccountName::new("home").unwrap();
    let account = Account {
        name: name.clone(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created: at(0),
    };
    store.edit(move |edit| edit.put_account(account)).unwrap();
    let sensor = Sensor {
        id: house(),
        account: name,
        name: "House".into(),
        authorized: true,
        role: Role::Grid,
        meter: Meter::new(MeterKind::Net),
        part_of: None,
        silent_after: None,
        is_announced: true,
        sent_parts: SentParts::default(),
        created: at(0),
    };
    store.put_sensor_durably(sensor).unwrap();
}

pub(super) fn upload(times: &[Option<i64>]) -> Upload {
    let measures = Measures::new(Some(1.0), None).unwrap();
    let readings = times.iter().map(|ms| UploadedReading {
        time: ms.map(at),
        measures,
    });
    Upload::new(house(), readings.collect()).unwrap()
}

/// Leaves the record of a sensor as an interrupted removal does.
fn mark_removed(store: &Store, sensor: &Sensor) {
    let record = encode_sensor(sensor, true).unwrap();
    let mut changes = FactChanges::default();
    changes.put(kind_of(RecordKind::Sensors), sensor.id.as_str(), record);
    store.change_facts(changes);
}

pub(super) fn all(store: &Store) -> Vec<Reading> {
    let mut scan = store.scan(&house(), TimeRange::ALL);
    let mut readings = Vec::new();
    while let Some(run) = scan.next_run().unwrap() {
        assert!(!run.is_empty());
        readings.extend(run);
    }
    readings
}

/// Opens a store, and waits until it has sealed everything that is due.
fn open_sealed(dir: &Path, block_readings: usize) -> Store {
    let store = open_with(dir, block_readings);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.unwrap();
    for _ in 0..1_000 {
        // Between two tasks, the committing thread does a slice of due work.
        runtime.block_on(store.ping()).unwrap();
    }
    store
}

/// Checks that there are no problems. Returns the number of blocks.
fn check_sealed(store: &Store) -> u64 {
    let findings = store.check();
    assert_eq!(findings.problems, []);
    assert_eq!(
        findings.readings,
        store.count_readings(&house(), TimeRange::ALL).unwrap()
    );
    findings.blocks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn blocks_stay_in_order(
        chunks in proptest::collection::vec((any::<bool>(), proptest::collection::vec(0_i64..4_000, 1..200)), 1..12),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 32);
        for (is_import, times) in chunks {
            if is_import {
                store.import_durably(&house(), times.iter().map(|&ms| reading(ms, 2.0)).collect()).unwrap();
            } else {
                let times: Vec<Option<i64>> = times.into_iter().map(Some).collect();
                store.append_durably_blocking(upload(&times), at(NOW)).unwrap();
            }
        }
        store.close().unwrap();
        check_sealed(&store);
    }
}

#[test]
fn readings_in_order_fill_their_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 100);
    for n in 0..1_000 {
        store
            .append_durably_blocking(upload(&[Some(n * 60_000)]), at(NOW + n))
            .unwrap();
    }
    store.close().unwrap();
    drop(store);
    let store = open_sealed(dir.path(), 100);
    assert_eq!(check_sealed(&store), 10);
    // The rest is not worth a block.
    assert!(store.shared().hot.held().counts().settled < 100);
    assert_eq!(all(&store).len(), 1_000);
}

#[test]
fn many_small_imports_do_not_leave_small_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 100);
    // Backwards too: then the neighbour to merge with is the next block.
    for n in (0..250).map(|n| n + 1_000).chain((0..250).rev()) {
        store
            .import_durably(&house(), vec![reading(n, 1.0), reading(n + 5_000, 1.0)])
            .unwrap();
    }
    assert_eq!(all(&store).len(), 1_000);
    assert!(check_sealed(&store) <= 40);
}

/// While rows become blocks, a scan misses no reading that was acknowledged before it, and sees
/// none twice.
#[test]
fn readers_see_every_reading_once_while_rows_are_sealed() {
    const UPLOADS: i64 = 1_500;
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 32);
    let acknowledged = std::sync::atomic::AtomicI64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..UPLOADS {
                // Each third upload has a late row, so that blocks are split and merged too.
                let late = (n % 3 == 0).then_some(Some(n * 10 - 500 * 10 + 5));
                let times: Vec<Option<i64>> = [Some(n * 10)].into_iter().chain(late).collect();
                store
                    .append_durably_blocking(upload(&times), at(NOW))
                    .unwrap();
                acknowledged.store(n + 1, std::sync::atomic::Ordering::SeqCst);
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let mut before = 0;
                while before < UPLOADS {
                    before = acknowledged.load(std::sync::atomic::Ordering::SeqCst);
                    let readings = all(&store);
                    assert!(readings.windows(2).all(|pair| pair[0].time < pair[1].time));
                    let seen = readings.iter().filter(|reading| {
                        let ms = reading.time.millis();
                        ms >= 0 && ms % 10 == 0 && ms < before * 10
                    });
                    assert_eq!(i64::try_from(seen.count()).unwrap(), before);
                    let count = store.count_readings(&house(), TimeRange::ALL).unwrap();
                    assert!(count >= readings.len() as u64);
                }
            });
        }
    });
    assert!(check_sealed(&store) > 50);
}

#[test]
fn a_late_row_covers_its_block_until_it_is_sealed_into_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .import_durably(&house(), (0..60).map(|n| reading(n * 10, 5.0)).collect())
        .unwrap();
    store
        .append_durably_blocking(upload(&[Some(100), Some(101)]), at(NOW))
        .unwrap();
    let seen = |store: &Store| {
        let readings = all(store);
        let of = |ms| {
            readings
                .iter()
                .find(|reading| reading.time == at(ms))
                .map(|reading| reading.measures)
        };
        (readings.len(), of(100), of(101))
    };
    let corrected = Measures::new(Some(1.0), Some(2.5)).ok();
    let late = Measures::new(Some(1.0), None).ok();
    assert_eq!(seen(&store), (61, corrected, late));
    assert_eq!(store.count_readings(&house(), TimeRange::ALL).unwrap(), 61);
    let newer: Vec<Option<i64>> = (0..70).map(|n| Some(10_000 + n)).collect();
    store
        .append_durably_blocking(upload(&newer), at(NOW))
        .unwrap();
    store.close().unwrap();
    drop(store);
    let store = open_sealed(dir.path(), 64);
    let late_row = store.shared().hot.held().get(&house(), at(100));
    assert!(late_row.is_none());
    assert_eq!(seen(&store), (131, corrected, late));
    check_sealed(&store);
}

#[test]
fn an_import_corrects_a_hot_row() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .append_durably_blocking(upload(&[Some(1), Some(2)]), at(NOW))
        .unwrap();
    store
        .import_durably(&house(), vec![reading(1, 9.0), reading(3, 9.0)])
        .unwrap();
    let watts: Vec<f64> = all(&store)
        .iter()
        .map(|reading| reading.measures.watts().unwrap())
        .collect();
    assert_eq!(watts, [9.0, 1.0, 9.0]);
    let newest = store
        .activity(&house())
        .unwrap()
        .unwrap()
        .newest_power
        .unwrap();
    assert_eq!((newest.time, newest.watts), (at(3), 9.0));
}

#[test]
fn a_start_drops_rows_that_are_sealed_and_keeps_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .import_durably(&house(), (0..50).map(|n| reading(n, 5.0)).collect())
        .unwrap();
    // They are in the journal, together with rows that were sealed before a kill.
    let readings = [(7, 5.0), (8, 6.0), (60, 5.0)].map(|(ms, watts)| UploadedReading {
        time: Some(at(ms)),
        measures: Measures::new(Some(watts), None).unwrap(),
    });
    let rows = Upload::new(house(), readings.to_vec()).unwrap();
    store.append_durably_blocking(rows, at(NOW)).unwrap();
    let left = killed(dir.path());
    let store = open_with(left.path(), 64);
    let rows: Vec<i64> = store
        .shared()
        .hot
        .held()
        .range(&house(), TimeRange::ALL)
        .iter()
        .map(|row| row.time.millis())
        .collect();
    assert_eq!(rows, [8, 60]);
    assert_eq!(all(&store).len(), 51);
}

#[test]
fn an_interrupted_removal_is_finished_at_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 16);
    store
        .import_durably(&house(), (0..50).map(|n| reading(n, 5.0)).collect())
        .unwrap();
    store
        .append_durably_blocking(upload(&[Some(100)]), at(NOW))
        .unwrap();
    let sensor = store.registry().sensor(&house()).cloned().unwrap();
    mark_removed(&store, &sensor);
    drop(store);
    let store = open_with(dir.path(), 16);
    let shared = store.shared();
    assert_eq!(logged_rows(&store), []);
    assert_eq!(store.check().blocks, 0);
    assert_eq!(shared.facts.all(RecordKind::Sensors).unwrap(), []);
    let refused = store.append_durably_blocking(upload(&[None]), at(NOW));
    assert!(matches!(refused, Err(StoreError::UnknownSensor(id)) if id == "house"));
}

#[test]
fn activity_is_as_before_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    for (ms, times) in [
        (0, [None, Some(5)]),
        (200_000, [None, None]),
        (200_001, [Some(NOW + 900_000), None]),
    ] {
        store
            .append_durably_blocking(upload(&times), at(NOW + ms))
            .unwrap();
    }
    let before = store.activity(&house()).unwrap();
    assert!(before.unwrap().arrivals.unwrap().active(at(NOW + 200_002)));
    drop(store);
    let store = open_with(dir.path(), 64);
    assert_eq!(store.activity(&house()).unwrap(), before);
    assert_eq!(store.newest_arrival(), Some(at(NOW + 200_001)));
}

/// More sensors than settle at once.
#[test]
fn activities_of_many_sensors_are_as_before_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    let house = store.registry().sensor(&house()).cloned().unwrap();
    let ids: Vec<SensorId> = (0..600)
        .map(|n| SensorId::new(&format!("sensor {n}")).unwrap())
        .collect();
    for (n, id) in (0..).zip(&ids) {
        let id = id.clone();
        store
            .put_sensor_durably(Sensor {
                id: id.clone(),
                ..house.clone()
            })
            .unwrap();
        let measures = Measures::new(Some(1.0), None).unwrap();
        let time = Some(at(n));
        let upload = Upload::new(id, vec![UploadedReading { time, measures }]).unwrap();
        store.append_durably_blocking(upload, at(NOW + n)).unwrap();
    }
    store.close().unwrap();
    drop(store);
    let store = open_with(dir.path(), 64);
    for (n, id) in (0..).zip(&ids) {
        let newest = store
            .activity(id)
            .unwrap()
            .unwrap()
            .arrivals
            .unwrap()
            .newest();
        assert_eq!(newest, at(NOW + n));
    }
    assert_eq!(store.check().problems, []);
}

#[test]
fn an_assigned_time_is_never_taken() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    // NOW is sealed, NOW + 1 is hot, NOW + 2 is in the same upload.
    store
        .import_durably(&house(), vec![reading(NOW, 7.0), reading(NOW + 10, 7.0)])
        .unwrap();
    store
        .append_durably_blocking(upload(&[Some(NOW + 1)]), at(NOW))
        .unwrap();
    store
        .append_durably_blocking(upload(&[None, Some(NOW + 2), None]), at(NOW))
        .unwrap();
    drop(store);
    let store = open_with(dir.path(), 64);
    // The clock went back a little, but times stay after those assigned earlier.
    store
        .append_durably_blocking(upload(&[None]), at(NOW - 30_000))
        .unwrap();
    let times: Vec<i64> = all(&store)
        .iter()
        .map(|reading| reading.time.millis() - NOW)
        .collect();
    assert_eq!(times, [0, 1, 2, 3, 4, 5, 10]);
}

#[test]
fn a_closed_store_can_only_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .append_durably_blocking(upload(&[Some(1)]), at(NOW))
        .unwrap();
    assert!(store.unavailable().is_none());
    store.close().unwrap();
    assert!(matches!(
        store.append_durably_blocking(upload(&[Some(2)]), at(NOW)),
        Err(StoreError::Closed)
    ));
    assert!(matches!(store.unavailable(), Some(StoreError::Closed)));
    assert_eq!(all(&store).len(), 1);
}

#[test]
fn the_registry_keeps_its_references() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    let home = AccountName::new("home").unwrap();
    let other = Account {
        name: AccountName::new("other").unwrap(),
        plan: Plan::Free,
        zone: Zone::UTC,
        phases: Phases::default(),
        created: at(0),
    };
    let sensor = store.registry().sensor(&house()).cloned().unwrap();
    let stranger = Sensor {
        account: other.name.clone(),
        ..sensor.clone()
    };
    assert!(matches!(
        store.put_sensor_durably(stranger.clone()),
        Err(StoreError::UnknownAccount(_))
    ));
    store.edit(move |edit| edit.put_account(other)).unwrap();
    assert!(matches!(
        store.put_sensor_durably(stranger),
        Err(StoreError::SensorTaken(_))
    ));
    assert_eq!(store.registry().sensor(&house()), Some(&sensor));
    assert!(matches!(
        store.edit({
            let home = home.clone();
            move |edit| edit.remove_account(&home)
        }),
        Err(StoreError::AccountHasSensors(_))
    ));
    store.remove_sensor_durably(&house()).unwrap();
    assert!(matches!(
        store.remove_sensor_durably(&house()),
        Err(StoreError::UnknownSensor(_))
    ));
    store.edit(move |edit| edit.remove_account(&home)).unwrap();
    drop(store);
    let store = open_with(dir.path(), 64);
    assert_eq!(
        store
            .registry()
            .accounts()
            .map(|account| account.name.as_str().to_owned())
            .collect::<Vec<_>>(),
        ["other"]
    );
}

#[test]
fn after_a_failed_sync_nothing_is_acknowledged_until_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .append_durably_blocking(upload(&[Some(1)]), at(NOW))
        .unwrap();
    sync::fault::fail_below(dir.path());
    for _ in 0..2 {
        let refused = store.append_durably_blocking(upload(&[Some(2)]), at(NOW + 60_000));
        assert!(
            matches!(refused, Err(StoreError::Poisoned(_))),
            "{refused:?}"
        );
    }
    sync::fault::heal(dir.path());
    // The disk works again, but its content is unknown until it is read again.
    assert!(matches!(
        store.append_durably_blocking(upload(&[Some(3)]), at(NOW)),
        Err(StoreError::Poisoned(_))
    ));
    assert!(matches!(
        store.import_durably(&house(), vec![reading(4, 1.0)]),
        Err(StoreError::Poisoned(_))
    ));
    assert!(matches!(
        store.remove_sensor_durably(&house()),
        Err(StoreError::Poisoned(_))
    ));
    assert!(matches!(store.unavailable(), Some(StoreError::Poisoned(_))));
    assert!(matches!(store.close(), Err(StoreError::Poisoned(_))));
    // An upload that was not acknowledged does not count as an arrival.
    assert_eq!(store.newest_arrival(), Some(at(NOW)));
    drop(store);
    let store = open_with(dir.path(), 64);
    assert!(all(&store).contains(&Reading {
        time: at(1),
        measures: Measures::new(Some(1.0), None).unwrap()
    }));
    store
        .append_durably_blocking(upload(&[Some(3)]), at(NOW))
        .unwrap();
}

#[test]
fn interval_mode_syncs_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    drop(open_registered(dir.path(), 64));
    let durability = Durability::Interval(Duration::from_millis(50));
    let settings = StoreSettings {
        durability,
        ..StoreSettings::default()
    };
    let store = Store::open(dir.path(), settings, OpenMode::Existing).unwrap();
    sync::fault::fail_below(dir.path());
    // The answer needs no sync. The later sync fails, and that is noticed.
    store
        .append_durably_blocking(upload(&[Some(1)]), at(NOW))
        .unwrap();
    while store.unavailable().is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    sync::fault::heal(dir.path());
    assert!(matches!(store.unavailable(), Some(StoreError::Poisoned(_))));
}

#[test]
fn an_interrupted_first_start_is_repaired() {
    let dir = tempfile::tempdir().unwrap();
    let settings = StoreSettings::default();
    // The log has its first record, and then the start failed.
    drop(Store::open(dir.path(), settings, OpenMode::CreateIfMissing).unwrap());
    fs::remove_dir_all(dir.path().join("facts")).unwrap();
    fs::remove_file(dir.path().join("journal")).unwrap();
    let segment = dir.path().join("log/00000001");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[64..].fill(0);
    fs::write(&segment, bytes).unwrap();
    let store = Store::open(dir.path(), settings, OpenMode::CreateIfMissing).unwrap();
    assert_eq!(store.registry().accounts().count(), 0);
}

#[test]
fn a_store_of_an_older_format_is_refused_with_the_way_to_move_it() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sled")).unwrap();
    for mode in [OpenMode::CreateIfMissing, OpenMode::Existing] {
        let refused = Store::open(dir.path(), StoreSettings::default(), mode);
        let error = refused.err().unwrap();
        assert!(matches!(error, StoreError::OlderFormat { .. }), "{error}");
        let said = error.to_string();
        for part in [
            "an older format",
            "format 7",
            "wattkeeper backup",
            "wattkeeper restore",
        ] {
            assert!(said.contains(part), "{said}");
        }
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

/// The error of opening a store that says that it has this format.
fn refusal_of_format(format: u8) -> StoreError {
    let dir = tempfile::tempdir().unwrap();
    drop(open_registered(dir.path(), 64));
    for file in ["a", "b"] {
        let path = dir.path().join("facts").join(file);
        let mut bytes = fs::read(&path).unwrap();
        bytes[8] = format;
        let checksum = crc32fast::hash(&bytes[..32]).to_le_bytes();
        bytes[32..36].copy_from_slice(&checksum);
        fs::write(&path, bytes).unwrap();
    }
    let refused = Store::open(dir.path(), StoreSettings::default(), OpenMode::Existing);
    refused.err().unwrap()
}

/// A version must not mistake data that another one keeps elsewhere for damage.
#[test]
fn another_format_is_refused() {
    let error = refusal_of_format(6);
    assert!(matches!(error, StoreError::OlderFormat { .. }), "{error}");
    let error = refusal_of_format(8);
    assert!(matches!(error, StoreError::NewerFormat { .. }), "{error}");
    let said = format!(
        "the store has format 8, and wattkeeper {} reads up to format 7: install the version that wrote it or a newer one, or \
         restore a backup from before the upgrade into another data dir",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(error.to_string(), said);
}

#[test]
fn the_longest_name_survives_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    let sensor = store.registry().sensor(&house()).cloned().unwrap();
    let named = |length| Sensor {
        name: "n".repeat(length),
        ..sensor.clone()
    };
    assert!(matches!(
        store.put_sensor_durably(named(70_000)),
        Err(StoreError::TextTooLong { .. })
    ));
    // That is an error of the caller, not a failed write.
    assert!(store.unavailable().is_none());
    store.put_sensor_durably(named(1_024)).unwrap();
    drop(store);
    let store = open_with(dir.path(), 64);
    assert_eq!(store.registry().sensor(&house()), Some(&named(1_024)));
}

#[test]
fn a_scan_keeps_the_folder_locked() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    let scan = store.scan(&house(), TimeRange::ALL);
    drop(store);
    let hold = || open::hold(dir.path(), OpenMode::Existing);
    assert!(matches!(hold(), Err(StoreError::Locked { .. })));
    drop(scan);
    hold().unwrap();
}

#[test]
fn an_interrupted_import_leaves_the_newest_power_that_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .import_durably(&house(), vec![reading(0, 5.0)])
        .unwrap();
    let volume = dir.path().join("blocks/00000001");
    let whole = fs::read(&volume).unwrap();
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&volume, damaged).unwrap();
    // It fails between its first commit and its second, which would change this block.
    store
        .import_durably(&house(), vec![reading(0, 5.0), reading(10, 9.0)])
        .unwrap_err();
    fs::write(&volume, whole).unwrap();
    drop(store);
    let store = open_with(dir.path(), 64);
    assert_eq!(all(&store), [reading(0, 5.0)]);
    let newest = store
        .activity(&house())
        .unwrap()
        .unwrap()
        .newest_power
        .unwrap();
    assert_eq!((newest.time, newest.watts), (at(0), 5.0));
}

/// Late rows keep coming for all of the history, faster than one round of sealing can seal them.
#[test]
fn sealing_keeps_up_with_late_rows_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .import_durably(
            &house(),
            (0..6_400).map(|n| reading(n * 1_000, 5.0)).collect(),
        )
        .unwrap();
    for round in 0..300 {
        let times: Vec<Option<i64>> = (0..100).map(|n| Some(n * 64_000 + 500 + round)).collect();
        store
            .append_durably_blocking(upload(&times), at(NOW))
            .unwrap();
    }
    // Rows of one generation land while those of the one before are sealed.
    let hot_rows = store.shared().hot.held().counts().settled;
    assert!(hot_rows < 9_000, "{hot_rows} of 30,000 rows are not sealed");
    store.close().unwrap();
    check_sealed(&store);
    assert_eq!(all(&store).len(), 36_400);
}

/// A sensor that always has enough rows to seal does not starve the others.
#[test]
fn every_sensor_gets_its_turn_at_sealing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    let house_sensor = store.registry().sensor(&house()).cloned().unwrap();
    let others: Vec<SensorId> = (0..4)
        .map(|n| SensorId::new(&format!("other {n}")).unwrap())
        .collect();
    for id in &others {
        store
            .put_sensor_durably(Sensor {
                id: id.clone(),
                ..house_sensor.clone()
            })
            .unwrap();
    }
    let readings = (0..25_600).map(|n| reading(n * 1_000, 5.0));
    store.import_durably(&house(), readings.collect()).unwrap();
    for round in 0..60 {
        let late: Vec<Option<i64>> = (0..400).map(|n| Some(n * 64_000 + 500 + round)).collect();
        store
            .append_durably_blocking(upload(&late), at(NOW))
            .unwrap();
        for id in &others {
            let new: Vec<UploadedReading> = (0..10)
                .map(|n| UploadedReading {
                    time: Some(at(round * 1_000 + n)),
                    measures: Measures::new(Some(1.0), None).unwrap(),
                })
                .collect();
            let upload = Upload::new(id.clone(), new).unwrap();
            store.append_durably_blocking(upload, at(NOW)).unwrap();
        }
    }
    for id in &others {
        let rows = store.shared().hot.held().range(id, TimeRange::ALL).len();
        assert!(rows < 300, "{rows} of 600 rows of {id} are not sealed");
    }
}

/// Permissions can change while an upload is queued.
#[test]
fn an_upload_is_refused_if_its_sensor_was_revoked_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.unwrap();
    let append = |account, ms| {
        let account = AccountName::new(account).unwrap();
        runtime.block_on(store.append_durably(&account, upload(&[Some(ms)]), at(NOW)))
    };
    let is_refused = |outcome| matches!(outcome, Err(StoreError::UnknownSensor(_)));
    assert!(is_refused(append("other", 1)));
    assert_eq!(append("home", 2).unwrap(), 1);
    let sensor = store.registry().sensor(&house()).unwrap().clone();
    let revoked = Sensor {
        authorized: false,
        ..sensor
    };
    store.put_sensor_durably(revoked).unwrap();
    assert!(is_refused(append("home", 3)));
    assert_eq!(all(&store).len(), 1);
}

/// Callers that wait for a place in the queue, but are no longer polled, do not keep the store from
/// closing.
#[test]
fn closing_does_not_wait_for_callers_that_are_not_polled() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    let home = AccountName::new("home").unwrap();
    let held = write(&store.shared().registry);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut callers: Vec<_> = (0..2_200)
        .map(|n| Box::pin(store.append_durably(&home, upload(&[Some(n)]), at(NOW))))
        .collect();
    for caller in &mut callers {
        assert!(caller.as_mut().poll(&mut context).is_pending());
    }
    drop(held);
    std::thread::scope(|scope| {
        let (done, closed) = std::sync::mpsc::channel();
        let store = &store;
        scope.spawn(move || done.send(store.close()));
        let outcome = closed.recv_timeout(Duration::from_mins(2));
        drop(callers);
        assert!(outcome.is_ok(), "close hangs");
    });
}

/// To spare the card, there is no sync before one is due.
#[test]
fn uploads_cost_no_sync_in_interval_mode() {
    let dir = tempfile::tempdir().unwrap();
    drop(open_registered(dir.path(), 64));
    let settings = StoreSettings {
        durability: Durability::Interval(Duration::from_hours(1)),
        ..StoreSettings::default()
    };
    let store = Store::open(dir.path(), settings, OpenMode::Existing).unwrap();
    sync::fault::fail_below(dir.path());
    let stored: Vec<Result<usize, StoreError>> = (0..20)
        .map(|n| store.append_durably_blocking(upload(&[Some(n)]), at(NOW)))
        .collect();
    sync::fault::heal(dir.path());
    assert!(stored.iter().all(Result::is_ok), "{stored:?}");
}

#[test]
fn deferred_uploads_are_read_and_are_stored_at_stop() {
    let dir = tempfile::tempdir().unwrap();
    let mut stored = open_registered(dir.path(), 16);
    let settings = StoreSettings {
        durability: Durability::Interval(Duration::from_hours(1)),
        ..StoreSettings::default()
    };
    for round in 0..3_i64 {
        drop(stored);
        stored = Store::open(dir.path(), settings, OpenMode::Existing).unwrap();
        let times: Vec<Option<i64>> = (0..10).map(|n| Some(n * 10 + round)).collect();
        stored
            .append_durably_blocking(upload(&times), at(NOW + round))
            .unwrap();
        // Next to rows of an earlier round, over them, and in between.
        stored
            .append_durably_blocking(upload(&[Some(0), Some(95), None]), at(NOW + round))
            .unwrap();
        assert!(!stored.shared().hot.held().is_settled());
        assert_eq!(
            all(&stored).len(),
            usize::try_from(11 * (round + 1) + 1).unwrap()
        );
        assert_eq!(stored.newest_arrival(), Some(at(NOW + round)));
        check_sealed(&stored);
    }
    stored.close().unwrap();
    assert!(stored.shared().hot.held().is_settled());
    check_sealed(&stored);
}

/// The last slice of a generation writes all of its sensors at once, so their number is limited.
#[test]
fn young_rows_of_many_sensors_are_frozen_though_they_are_few() {
    const SENSORS: usize = 2_048;
    let dir = tempfile::tempdir().unwrap();
    let settings = StoreSettings {
        durability: Durability::Interval(Duration::from_hours(1)),
        ..StoreSettings::default()
    };
    drop(open_registered(dir.path(), 64));
    let store = Store::open(dir.path(), settings, OpenMode::Existing).unwrap();
    let known = store.registry().sensor(&house()).cloned().unwrap();
    let id = |n: usize| SensorId::new(&format!("sensor {n}")).unwrap();
    let registered = store.edit(move |edit| {
        (0..SENSORS).try_for_each(|n| {
            edit.put_sensor(Sensor {
                id: id(n),
                ..known.clone()
            })
        })
    });
    registered.unwrap();
    for n in 0..SENSORS {
        assert_eq!(store.shared().hot.held().counts().young, n);
        let readings = upload(&[Some(0)]).readings().to_vec();
        let of_sensor = Upload::new(id(n), readings).unwrap();
        store.append_durably_blocking(of_sensor, at(NOW)).unwrap();
    }
    // The thread continues by itself until everything has landed. Interval mode alone would leave
    // the rows young for an hour.
    while !store.shared().hot.held().is_settled() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Uploads go on while an account or a key changes; a change of a sensor's readings comes after the
/// uploads before it.
#[test]
fn a_change_of_the_registry_lands_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .append_durably_blocking(upload(&[Some(1), Some(2)]), at(NOW))
        .unwrap();
    let account = store.registry().accounts().next().cloned().unwrap();
    store.edit(move |edit| edit.put_account(account)).unwrap();
    assert_eq!(store.shared().hot.held().counts().young, 2);
    let range = TimeRange::new(at(1), at(1)).unwrap();
    assert_eq!(store.delete_durably(&house(), range).unwrap(), 1);
    assert!(store.shared().hot.held().is_settled());
    drop(store);
    let store = open_with(dir.path(), 64);
    assert_eq!(store.count_readings(&house(), TimeRange::ALL).unwrap(), 1);
    check_sealed(&store);
}

#[test]
fn a_sensor_added_again_has_none_of_its_old_readings() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 16);
    store
        .import_durably(&house(), (0..50).map(|n| reading(n, 5.0)).collect())
        .unwrap();
    let sensor = store.registry().sensor(&house()).cloned().unwrap();
    // A removal that failed half way: marked on disk, gone from memory.
    mark_removed(&store, &sensor);
    let mut registry = Registry::clone(&store.registry());
    registry.sensors.remove(&house());
    *write(&store.shared().registry) = Arc::new(registry);
    store.put_sensor_durably(sensor).unwrap();
    assert_eq!(all(&store), []);
}

/// The total length of all files of the store.
fn bytes_of(dir: &Path) -> u64 {
    // Segments, volumes and the index change meanwhile.
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let length = |path: PathBuf| {
        if path.is_dir() {
            bytes_of(&path)
        } else {
            fs::metadata(&path).map_or(0, |file| file.len())
        }
    };
    entries.map(|entry| length(entry.path())).sum()
}

/// Years of single uploads, many of them late, corrected and deleted, again and again.
#[test]
fn the_folder_stays_small_under_any_changes() {
    const READINGS: i64 = 10_000;
    // The journal, garbage among the blocks, the log, and the index.
    const AT_MOST: u64 = 1_024 * 1024 + 256 * 1024 + 1_536 * 1024;
    let dir = tempfile::tempdir().unwrap();
    drop(open_registered(dir.path(), 512));
    let settings = StoreSettings {
        durability: Durability::Interval(Duration::from_secs(1)),
        block_readings: 512,
        ..StoreSettings::default()
    };
    let store = Store::open(dir.path(), settings, OpenMode::Existing).unwrap();
    for round in 0..6 {
        for n in 0..READINGS {
            let late = (n * 7_919 + round) % READINGS;
            let times = [Some(n * 60_000), (n % 8 == 0).then_some(late * 60_000)];
            let times = &times[..=usize::from(times[1].is_some())];
            store
                .append_durably_blocking(upload(times), at(NOW + round * READINGS + n))
                .unwrap();
        }
        let bytes = bytes_of(dir.path());
        assert!(bytes <= AT_MOST, "round {round}: {bytes} bytes");
        assert_eq!(store.check().problems, []);
        if round % 2 == 1 {
            let half = TimeRange::new(at(0), at(READINGS / 2 * 60_000)).unwrap();
            store.delete_durably(&house(), half).unwrap();
        }
    }
    drop(store);
    let bytes = bytes_of(dir.path());
    assert!(bytes <= AT_MOST, "at rest: {bytes} bytes");
}

/// A record after the ring may be the last write before a kill.
#[test]
fn a_start_shortens_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 512);
    store.close().unwrap();
    drop(store);
    let number = last_in_journal(dir.path()) + 1;
    let journal = dir.path().join("journal");
    let mut bytes = fs::read(&journal).unwrap_or_default();
    bytes.resize(1024 * 1024, 0);
    bytes.extend(record::tests::forged(number));
    bytes.resize(2 * 1024 * 1024, 0);
    fs::write(&journal, &bytes).unwrap();
    let store = open_with(dir.path(), 512);
    assert_eq!(all(&store).len(), 1);
    assert_eq!(fs::metadata(&journal).unwrap().len(), 1024 * 1024);
    drop(store);
    assert_eq!(all(&open_with(dir.path(), 512)).len(), 1);
}

#[test]
fn thousands_of_the_longest_ids_come_and_go() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 512);
    let credential = |n: i64| Credential {
        api_id: ApiId::new(&format!("{:x<104}{:016x}", "", noise(n).to_bits())).unwrap(),
        account: AccountName::new("home").unwrap(),
        scope: Scope::Full,
        label: String::new(),
        key_hash: ApiKey::new("key").unwrap().hash(),
        created: at(0),
    };
    let all: Vec<Credential> = (0..5_000).map(credential).collect();
    for some in all.chunks(10) {
        let some = some.to_vec();
        let put = store.edit(move |edit| {
            let mut some = some.into_iter();
            some.try_for_each(|credential| edit.put_credential(credential))
        });
        put.unwrap();
    }
    for credential in &all {
        let _ = store.record_use(&credential.api_id, at(NOW));
    }
    store.write_last_uses_durably().unwrap();
    assert_eq!(store.check().problems, []);
    store.close().unwrap();
    drop(store);
    let store = open_with(dir.path(), 512);
    assert_eq!(store.check().problems, []);
    assert_eq!(store.registry().credentials().count(), all.len());
    for credential in &all {
        assert_eq!(store.last_use(&credential.api_id), Some(at(NOW)));
    }
    // None of the records stays.
    let removed = all.clone();
    let remove = store.edit(move |edit| {
        let mut removed = removed.iter();
        removed.try_for_each(|credential| edit.remove_credential(&credential.api_id))
    });
    remove.unwrap();
    for kind in [RecordKind::Credentials, RecordKind::LastUses] {
        assert_eq!(store.shared().facts.all(kind).unwrap(), []);
    }
}

/// The rows of the house that a start would read from the log.
fn logged_rows(store: &Store) -> Vec<Reading> {
    let shared = store.shared();
    let (mut live, mut hot) = (LiveRows::default(), HotSensors::default());
    let (dir, mark): (_, Mark) = (&shared.dir, shared.sealed.mark);
    let log = load::load(dir, mark, 0).unwrap();
    let damaged = log.read(dir, mark, |head, item| {
        if let LogItem::Rows(group) = item {
            live.load(&group, head.position, &mut hot);
        }
        Ok(())
    });
    assert_eq!(damaged.unwrap(), []);
    hot.range(&house(), TimeRange::ALL)
}

/// The number of the last commit in the journal.
fn last_in_journal(dir: &Path) -> u64 {
    let found = super::embedded::journal::file::load(dir).unwrap();
    found.last().unwrap()
}

/// The store in `dir` after a kill: a copy of its files as they are.
fn killed(dir: &Path) -> tempfile::TempDir {
    fn files(dir: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("index") {
                continue;
            }
            if path.is_dir() {
                files(&path, found);
            } else if let Ok(bytes) = fs::read(&path) {
                found.push((path, bytes));
            }
        }
    }
    let read = || {
        let mut found = Vec::new();
        files(dir, &mut found);
        found.sort();
        found
    };
    // A copy made while files change may be in a state that never existed.
    let mut found = read();
    loop {
        let again = read();
        if found == again {
            break;
        }
        found = again;
    }
    let left = tempfile::tempdir().unwrap();
    for folder in ["blocks", "log", "facts"] {
        fs::create_dir_all(left.path().join(folder)).unwrap();
    }
    for (path, bytes) in found {
        let name = path.strip_prefix(dir).unwrap();
        fs::write(left.path().join(name), bytes).unwrap();
    }
    left
}

/// A store with blocks everywhere and late rows over them. Some of the rows were sealed; returns
/// the time of one of these.
fn with_late_rows_sealed(dir: &Path) -> (Store, i64) {
    let store = open_registered(dir, 64);
    let history = (0..6_400).map(|n| reading(n * 1_000, 5.0));
    store.import_durably(&house(), history.collect()).unwrap();
    let late: Vec<Option<i64>> = (0..100).map(|n| Some(n * 64_000 + 500)).collect();
    store
        .append_durably_blocking(upload(&late), at(NOW))
        .unwrap();
    // This waits until everything is in the log; then sealing continues until fewer rows are left
    // than fill a block.
    store
        .forget_arrivals_after_durably_blocking(at(NOW))
        .unwrap();
    while store.shared().hot.held().counts().settled >= 64 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let hot = &store.shared().hot;
    let mut times = late.iter().flatten();
    let time = *times
        .find(|time| hot.held().get(&house(), at(**time)).is_none())
        .unwrap();
    // The log contains their removal.
    assert_eq!(
        logged_rows(&store),
        hot.held().range(&house(), TimeRange::ALL)
    );
    check_sealed(&store);
    (store, time)
}

/// The time of a settled row of the house.
fn a_settled_time(store: &Store) -> Timestamp {
    let held = store.shared().hot.held();
    let mut settled = held.settled(&house()).unwrap().iter();
    settled.nth(5).unwrap().time
}

/// The power at a time, before and after a kill.
fn at_time_after_a_kill(store: &Store, dir: &Path, ms: i64) -> Option<f64> {
    let found = |store: &Store| {
        check_sealed(store);
        let readings = all(store);
        let found = readings.iter().find(|reading| reading.time == at(ms));
        found.map(|reading| reading.measures.watts().unwrap())
    };
    let before = found(store);
    let left = killed(dir);
    assert_eq!(found(&open_with(left.path(), 64)), before);
    before
}

#[test]
fn a_sealed_row_stays_as_it_is_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let (store, late) = with_late_rows_sealed(dir.path());
    assert_eq!(at_time_after_a_kill(&store, dir.path(), late), Some(1.0));
}

#[test]
fn a_sealed_row_that_was_deleted_does_not_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let (store, late) = with_late_rows_sealed(dir.path());
    let moment = TimeRange::at(at(late));
    assert_eq!(store.delete_durably(&house(), moment).unwrap(), 1);
    assert_eq!(at_time_after_a_kill(&store, dir.path(), late), None);
}

#[test]
fn a_settled_row_that_was_deleted_does_not_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = with_late_rows_sealed(dir.path());
    let settled = a_settled_time(&store);
    let moment = TimeRange::at(settled);
    assert_eq!(store.delete_durably(&house(), moment).unwrap(), 1);
    assert_eq!(
        at_time_after_a_kill(&store, dir.path(), settled.millis()),
        None
    );
}

#[test]
fn an_import_over_a_sealed_row_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (store, late) = with_late_rows_sealed(dir.path());
    store
        .import_durably(&house(), vec![reading(late, 9.0)])
        .unwrap();
    assert_eq!(at_time_after_a_kill(&store, dir.path(), late), Some(9.0));
}

#[test]
fn an_import_over_a_settled_row_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = with_late_rows_sealed(dir.path());
    let settled = a_settled_time(&store).millis();
    store
        .import_durably(&house(), vec![reading(settled, 9.0)])
        .unwrap();
    assert_eq!(at_time_after_a_kill(&store, dir.path(), settled), Some(9.0));
}

/// A settled row is corrected by one that is sealed before it settles.
#[test]
fn a_correction_that_is_sealed_at_once_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = with_late_rows_sealed(dir.path());
    let hot = &store.shared().hot;
    let last = hot
        .held()
        .range(&house(), TimeRange::ALL)
        .pop()
        .unwrap()
        .time;
    let times = (0..300).map(|n| at(6_400_000 + n)).chain([last]);
    let readings = times.map(|time| UploadedReading {
        time: Some(time),
        measures: Measures::new(Some(3.0), None).unwrap(),
    });
    let newer = Upload::new(house(), readings.collect()).unwrap();
    store.append_durably_blocking(newer, at(NOW)).unwrap();
    store
        .forget_arrivals_after_durably_blocking(at(NOW))
        .unwrap();
    assert_eq!(store.shared().hot.held().get(&house(), last), None);
    assert_eq!(
        at_time_after_a_kill(&store, dir.path(), last.millis()),
        Some(3.0)
    );
}

#[test]
fn a_sensor_that_was_removed_has_no_rows_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let (store, late) = with_late_rows_sealed(dir.path());
    let sensor = store.registry().sensor(&house()).cloned().unwrap();
    store.remove_sensor_durably(&house()).unwrap();
    store.put_sensor_durably(sensor).unwrap();
    assert_eq!(at_time_after_a_kill(&store, dir.path(), late), None);
    let left = killed(dir.path());
    assert_eq!(all(&open_with(left.path(), 64)), []);
}

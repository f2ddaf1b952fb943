//! Invariants on disk after any sequence of changes, and what a start repairs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::engine::locks::write;
use super::engine::{keys, mark, open, sync};
use super::registry::records::encode_sensor;
use super::rows::hot;
use super::*;
use crate::domain::{
    Account, AccountName, Measures, Meter, MeterKind, Plan, Reading, Role, Sensor, SensorId,
    TimeRange, Timestamp, Upload, UploadedReading, Zone,
};

pub(super) const NOW: i64 = 1_700_000_000_000;

/// Values without any pattern, which no compressor shortens: `SplitMix64`, less the bits of huge exponents.
pub(super) fn noise(n: i64) -> f64 {
    let mut bits = n.cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    f64::from_bits((bits ^ bits >> 31) >> 2)
}

pub(super) fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms).unwrap()
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
    let name = AccountName::new("home").unwrap();
    store
        .put_account_durably(Account {
            name: name.clone(),
            plan: Plan::Paid,
            zone: Zone::UTC,
            price: None,
            created: at(0),
        })
        .unwrap();
    let sensor = Sensor {
        id: house(),
        account: name,
        name: "House".into(),
        authorized: true,
        role: Role::Grid,
        meter: Meter::new(MeterKind::Net),
        part_of: None,
        silent_after: None,
        created: at(0),
    };
    store.put_sensor_durably(sensor).unwrap();
    store
}

pub(super) fn upload(times: &[Option<i64>]) -> Upload {
    let measures = Measures::new(Some(1.0), None).unwrap();
    let readings = times.iter().map(|ms| UploadedReading {
        time: ms.map(at),
        measures,
    });
    Upload::new(house(), readings.collect()).unwrap()
}

/// Leaves the record of a sensor as a removal that is cut short does.
fn mark_removed(store: &Store, sensor: &Sensor) {
    let record = encode_sensor(sensor, true).unwrap();
    let sensors = &store.shared.trees.registry.sensors;
    sensors.insert(sensor.id.as_str(), record).unwrap();
}

fn all(store: &Store) -> Vec<Reading> {
    let mut scan = store.scan(&house(), TimeRange::ALL);
    let mut readings = Vec::new();
    while let Some(run) = scan.next_run().unwrap() {
        assert!(!run.is_empty());
        readings.extend(run);
    }
    readings
}

/// Opens a store, and waits until it has sealed what is due.
fn open_sealed(dir: &Path, block_readings: usize) -> Store {
    let store = open_with(dir, block_readings);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.unwrap();
    for _ in 0..1_000 {
        // Between two tasks, the committing thread does a slice of what is due.
        runtime.block_on(store.ping()).unwrap();
    }
    store
}

/// Checks that nothing is wrong. Returns the number of blocks.
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
    assert_eq!(store.shared.trees.hot.tree.len(), 0);
    assert_eq!(all(&store).len(), 1_000);
}

#[test]
fn many_small_imports_do_not_leave_small_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 100);
    // Backwards too: there the neighbour to merge with is the next block.
    for n in (0..250).map(|n| n + 1_000).chain((0..250).rev()) {
        store
            .import_durably(&house(), vec![reading(n, 1.0), reading(n + 5_000, 1.0)])
            .unwrap();
    }
    assert_eq!(all(&store).len(), 1_000);
    assert!(check_sealed(&store) <= 40);
}

/// While rows become blocks, a scan misses no reading that was acknowledged before it, and sees none twice.
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
fn a_late_row_lies_over_its_block_until_it_is_sealed_into_it() {
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
    let late_row = store.shared.trees.hot.get(&house(), at(100));
    assert!(late_row.unwrap().is_none());
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
    let newest = store.activity(&house()).unwrap().newest_power.unwrap();
    assert_eq!((newest.time, newest.watts), (at(3), 9.0));
}

/// A full journal has rows sealed while a correction of one of them is being committed. The correction is then a hot row of
/// its own, which an import must find.
#[test]
fn an_import_corrects_a_row_over_a_sealed_value() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 4_096);
    let times: Vec<Option<i64>> = (0..300).map(Some).collect();
    store
        .append_durably_blocking(upload(&times), at(NOW))
        .unwrap();
    // More than the journal has room for.
    for n in 0..200 {
        store
            .append_durably_blocking(upload(&[Some(10)]), at(NOW + n))
            .unwrap();
    }
    store
        .import_durably(&house(), vec![reading(10, 9.0)])
        .unwrap();
    assert_eq!(all(&store)[10], reading(10, 9.0));
    check_sealed(&store);
}

#[test]
fn a_start_drops_rows_that_are_sealed_and_keeps_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .import_durably(&house(), (0..50).map(|n| reading(n, 5.0)).collect())
        .unwrap();
    let put = |reading: Reading| {
        let value = hot::encode(reading.measures);
        store
            .shared
            .trees
            .hot
            .tree
            .insert(keys::key(&house(), reading.time), value)
            .unwrap();
    };
    put(reading(7, 5.0));
    put(reading(8, 6.0));
    put(reading(60, 5.0));
    drop(store);
    let store = open_with(dir.path(), 64);
    let rows: Vec<i64> = store
        .shared
        .trees
        .hot
        .range(&house(), TimeRange::ALL)
        .map(|row| row.unwrap().time.millis())
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
    let trees = &store.shared.trees;
    let left = [
        &trees.hot.tree,
        &trees.sealed.blocks,
        &trees.sealed.summaries,
        &trees.activity,
        &trees.registry.sensors,
    ];
    assert_eq!(left.map(sled::Tree::len), [0; 5]);
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
    let before = store.activity(&house());
    assert!(before.unwrap().arrivals.unwrap().active(at(NOW + 200_002)));
    drop(store);
    let store = open_with(dir.path(), 64);
    assert_eq!(store.activity(&house()), before);
    assert_eq!(store.newest_arrival(), Some(at(NOW + 200_001)));
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
        price: None,
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
    store.put_account_durably(other).unwrap();
    assert!(matches!(
        store.put_sensor_durably(stranger),
        Err(StoreError::SensorTaken(_))
    ));
    assert_eq!(store.registry().sensor(&house()), Some(&sensor));
    assert!(matches!(
        store.remove_account_durably(&home),
        Err(StoreError::AccountHasSensors(_))
    ));
    store.remove_sensor_durably(&house()).unwrap();
    assert!(matches!(
        store.remove_sensor_durably(&house()),
        Err(StoreError::UnknownSensor(_))
    ));
    store.remove_account_durably(&home).unwrap();
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
    // The disk works again, but what it holds is unknown until it is read again.
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
    // The answer needs no sync. The sync that is due later fails, and that is noticed.
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
    // sled has created its files, and then the start failed.
    let config = open::config(dir.path(), &settings);
    drop(open::open_sled(dir.path(), &config).unwrap());
    let store = Store::open(dir.path(), settings, OpenMode::CreateIfMissing).unwrap();
    assert_eq!(store.registry().accounts().count(), 0);
}

#[test]
fn a_foreign_database_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let settings = StoreSettings::default();
    let config = open::config(dir.path(), &settings);
    let (closing, db) = open::open_sled(dir.path(), &config).unwrap();
    db.open_tree("other")
        .unwrap()
        .insert("key", "value")
        .unwrap();
    drop((closing, db));
    let refused = Store::open(dir.path(), settings, OpenMode::CreateIfMissing);
    assert!(matches!(refused, Err(StoreError::Damaged(_))));
}

/// An older version must not take for damage what a newer one keeps elsewhere.
#[test]
fn a_newer_format_is_refused_before_anything_else_is_read() {
    let dir = tempfile::tempdir().unwrap();
    drop(open_registered(dir.path(), 64));
    let config = open::config(dir.path(), &StoreSettings::default());
    let (closing, db) = open::open_sled(dir.path(), &config).unwrap();
    let meta = db.open_tree("meta").unwrap();
    meta.insert("format", &3_u32.to_le_bytes()).unwrap();
    meta.remove(mark::CHANGES).unwrap();
    drop((meta, db, closing));
    let refused = Store::open(dir.path(), StoreSettings::default(), OpenMode::Existing);
    let error = refused.err().unwrap();
    assert!(matches!(error, StoreError::NewerFormat { .. }), "{error}");
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
    let blocks = store.shared.trees.sealed.blocks.clone();
    let key = keys::key(&house(), at(0));
    let whole = blocks.insert(key.as_slice(), b"damage").unwrap().unwrap();
    // It fails between its first transaction and its second.
    store
        .import_durably(&house(), vec![reading(10, 9.0)])
        .unwrap_err();
    blocks.insert(key, whole).unwrap();
    drop((store, blocks));
    let store = open_with(dir.path(), 64);
    assert_eq!(all(&store), [reading(0, 5.0)]);
    let newest = store.activity(&house()).unwrap().newest_power.unwrap();
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
    // Those of one generation land while those of the one before are sealed.
    let hot_rows = store.shared.trees.hot.tree.len();
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
        let rows = store.shared.trees.hot.range(id, TimeRange::ALL).count();
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

/// Callers that wait to be let in, but are no longer polled, do not keep the store from closing.
#[test]
fn closing_does_not_wait_for_callers_that_are_not_polled() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    let home = AccountName::new("home").unwrap();
    let held = write(&store.shared.registry);
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
        assert!(!stored.shared.trees.hot.held().is_empty());
        assert_eq!(
            all(&stored).len(),
            usize::try_from(11 * (round + 1) + 1).unwrap()
        );
        assert_eq!(stored.newest_arrival(), Some(at(NOW + round)));
        check_sealed(&stored);
    }
    stored.close().unwrap();
    assert!(stored.shared.trees.hot.held().is_empty());
    check_sealed(&stored);
}

/// Uploads go on while an account or a key changes; a change of a sensor's readings comes after the uploads before it.
#[test]
fn a_change_of_the_registry_lands_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    store
        .append_durably_blocking(upload(&[Some(1), Some(2)]), at(NOW))
        .unwrap();
    let account = store.registry().accounts().next().cloned().unwrap();
    store.put_account_durably(account).unwrap();
    assert_eq!(store.shared.trees.hot.held().young(), 2);
    let range = TimeRange::new(at(1), at(1)).unwrap();
    assert_eq!(store.delete_durably(&house(), range).unwrap(), 1);
    assert!(store.shared.trees.hot.held().is_empty());
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
    *write(&store.shared.registry) = Arc::new(registry);
    store.put_sensor_durably(sensor).unwrap();
    assert_eq!(all(&store), []);
}

/// The length of all files of the store.
fn bytes_of(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let length = |path: PathBuf| {
        if path.is_dir() {
            bytes_of(&path)
        } else {
            fs::metadata(&path).unwrap().len()
        }
    };
    entries.map(length).sum()
}

/// Years of single uploads, many of them late, corrected and deleted, again and again.
#[test]
fn the_folder_stays_small_whatever_comes() {
    const READINGS: i64 = 10_000;
    // The journal, garbage among the blocks, and sled's files for the hot rows.
    const AT_MOST: u64 = 512 * 1024 + 256 * 1024 + 1_536 * 1024;
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

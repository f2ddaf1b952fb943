//! Tests of salvage: intact data is in the new store, and the rest is listed.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::*;
use crate::domain::Reading;
use crate::store::handle::Store;
use crate::store::settings::OpenMode;
use crate::store::tests::{NOW, all, at, house, open_registered, reading, upload};

/// A store with blocks, settled rows, and uploads that are only in the journal, as a kill leaves
/// it.
fn filled(dir: &Path) -> Vec<Reading> {
    let store = open_registered(dir, 16);
    let history = (0..100).map(|n| reading(n * 10, 5.0));
    store.import_durably(&house(), history.collect()).unwrap();
    let newer: Vec<Option<i64>> = (0..10).map(|n| Some(5_000 + n)).collect();
    store
        .append_durably_blocking(upload(&newer), at(NOW))
        .unwrap();
    let readings = all(&store);
    store.close().unwrap();
    readings
}

fn salvaged(dir: &Path, new_dir: &Path) -> (Salvaged, Store) {
    let seen = Arc::new(Mutex::new(0));
    let watched = Arc::clone(&seen);
    let settings = StoreSettings::default();
    let watch = move |readings| *watched.lock().unwrap() = readings;
    let report = salvage(dir, new_dir, settings, at(NOW), watch).unwrap();
    assert_eq!(*seen.lock().unwrap(), report.counts.readings);
    let store = Store::open(new_dir, settings, OpenMode::Existing).unwrap();
    assert_eq!(store.check().problems, []);
    assert_eq!(store.damage(), Vec::<String>::new());
    (report, store)
}

/// Salvages a store after `damage` to it. Returns the stored readings, the report, and the readings
/// of the new store.
fn after(damage: impl Fn(&Path)) -> (Vec<Reading>, Salvaged, Vec<Reading>) {
    let (dir, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let stored = filled(dir.path());
    damage(dir.path());
    let before = files(dir.path());
    let (report, store) = salvaged(dir.path(), &new.path().join("new"));
    // The damaged store is not changed.
    assert!(files(dir.path()) == before);
    let left = all(&store);
    (stored, report, left)
}

/// The names and the contents of the files in a folder.
fn files(dir: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        // The index is not persistent, and is removed once the store is closed.
        if path.ends_with("index") {
            continue;
        }
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if !path.ends_with("lock") {
            files.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

fn flip(path: &Path, place: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[place] ^= 0x20;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_whole_store_is_saved_whole() {
    let (stored, report, left) = after(|_| ());
    assert_eq!(left, stored);
    assert_eq!((report.lost, report.mended), (vec![], vec![]));
    assert_eq!((report.counts.accounts, report.counts.sensors), (1, 1));
    assert_eq!(report.counts.readings, 110);
}

#[test]
fn the_loss_of_a_block_is_listed_with_its_range() {
    let (stored, report, left) = after(|dir| {
        let volume = dir.join("blocks/00000001");
        let end = fs::metadata(&volume).unwrap().len();
        // Its last block contains the last readings of the import.
        flip(&volume, usize::try_from(end).unwrap() - 1);
    });
    let [lost] = &report.lost[..] else {
        panic!("{:?}", report.lost);
    };
    let range = lost.range.unwrap();
    assert_eq!(lost.sensor, Some(house()));
    let expected: Vec<Reading> = stored
        .iter()
        .filter(|reading| !range.contains(reading.time))
        .copied()
        .collect();
    assert_eq!(left, expected);
    assert_eq!(lost.readings, Some((stored.len() - left.len()) as u64));
}

/// The volumes alone give all blocks; unsealed rows are lost with the log.
#[test]
fn without_the_log_all_blocks_are_saved() {
    let (stored, report, left) = after(|dir| fs::remove_dir_all(dir.join("log")).unwrap());
    assert!(!report.lost.is_empty());
    let sealed: Vec<Reading> = stored
        .into_iter()
        .filter(|reading| reading.time < at(5_000))
        .collect();
    let left: Vec<Reading> = left
        .into_iter()
        .filter(|reading| reading.time < at(5_000))
        .collect();
    assert_eq!(left, sealed);
}

#[test]
fn without_facts_the_readings_are_saved_under_a_new_account() {
    let (stored, report, left) = after(|dir| fs::remove_dir_all(dir.join("facts")).unwrap());
    assert_eq!(left, stored);
    assert!(
        report.lost[0]
            .what
            .contains("everything that people entered")
    );
    assert_eq!(report.mended.len(), 2);
    assert!(report.mended[0].contains("salvaged"), "{:?}", report.mended);
}

#[test]
fn an_empty_folder_of_a_store_has_nothing_to_save() {
    let (dir, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(dir.path());
    for part in ["facts", "log", "blocks"] {
        fs::remove_dir_all(dir.path().join(part)).unwrap();
        fs::create_dir(dir.path().join(part)).unwrap();
    }
    let settings = StoreSettings::default();
    let new_dir = new.path().join("new");
    let refused = salvage(dir.path(), &new_dir, settings, at(NOW), |_| ());
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("none of its files is readable")
    );
    // There is no store, and the salvage can be repeated.
    let opened = Store::open(&new_dir, settings, OpenMode::Existing);
    assert!(matches!(opened.err(), Some(StoreError::NoStore(_))));
    let within = salvage(
        dir.path(),
        &dir.path().join("new"),
        settings,
        at(NOW),
        |_| (),
    );
    assert!(within.unwrap_err().to_string().contains("choose another"));
}

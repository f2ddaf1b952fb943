//! Power cuts during a backup, by command or on schedule, and during a restore. Every backup is
//! complete, the previous one is there, and a restored store is complete or absent.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wattkeeper::{OpenMode, StoreSettings, restore};

use super::disk::{Disk, Event, FATES, Fate, History, history};
use super::power::{Recording, cut};
use super::preload::{Control, EIO, Fault, NAME, SYNC};
use crate::chance::{Chance, rounds};
use crate::copies::{self, fill, is_unfinished};
use crate::service::{PATIENCE, Place, SENSORS, assert_nothing, names, open, readings};
use crate::truth::Truth;

const HISTORY: u32 = 500;
const TIMES: usize = 5 * FATES.len();
/// The folder of backups, below the data dir so that it is recorded.
const COPIES: &str = "copies";
const OLD: &str = "wattkeeper-20200101T000000Z.backup";

/// A store with an earlier backup.
fn place_with_copy(truth: &Truth, chance: &mut Chance) -> Place {
    let place = Place::new();
    fill(&place, truth, HISTORY, chance);
    let dir = place.data_dir().join(COPIES);
    fs::create_dir(&dir).unwrap();
    let old = dir.join(OLD);
    place.run(&["backup", old.to_str().unwrap()], b"").unwrap();
    place
}

/// Runs and records a command.
fn record(place: &Place, command: Command) -> Recording {
    let disk = Disk::of(&place.data_dir());
    let control = Control::new(place);
    let mut command = control.record(command);
    let status = command.stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
    Recording {
        disk,
        history: history(control.log(), &place.data_dir()),
    }
}

/// Moments after each change in `folder` and at the end, each with every fate; the random ones
/// several times.
fn cuts(history: &History, folder: &str) -> Vec<usize> {
    let is_in = |path: &Path| path.starts_with(folder);
    let mut cuts = Vec::new();
    for (number, (path, event)) in history.iter().enumerate() {
        let is_moved_in = matches!(event, Event::Rename { to } if is_in(to));
        if is_moved_in || is_in(path) {
            cuts.extend([number + 1; TIMES]);
        }
    }
    cuts.extend([history.len(); TIMES]);
    cuts
}

/// The verified backups of an image, without unfinished ones.
fn whole_copies(image: &Path, truth: &Truth, moment: &str) -> Vec<PathBuf> {
    let dir = image.join(COPIES);
    let (left, done): (Vec<_>, Vec<_>) = names(&dir)
        .into_iter()
        .partition(|name| is_unfinished(name));
    assert!(left.len() <= 1, "{moment}: {left:?}");
    let copies: Vec<PathBuf> = done.iter().map(|name| dir.join(name)).collect();
    for copy in &copies {
        let breaches = copies::breaches(copy, truth, u64::MAX);
        assert!(breaches.is_empty(), "{moment}: {breaches:#?}");
    }
    copies
}

#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_during_a_backup() {
    let mut chance = Chance::of_this_run();
    let mut images = 0;
    for _ in 0..rounds(1) {
        let truth = Truth::default();
        let place = place_with_copy(&truth, &mut chance);
        let new = place.data_dir().join(COPIES).join("new");
        let mut recording = record(&place, place.command(&["backup", new.to_str().unwrap()]));
        let cuts = cuts(&recording.history, COPIES);
        let end = recording.history.len();
        let look = |image: &Path, cut: usize, fate: Fate| {
            images += 1;
            let moment = format!("{fate:?} after {cut} of {end} records");
            let copies = whole_copies(image, &truth, &moment);
            assert!(copies.contains(&image.join(COPIES).join(OLD)), "{moment}");
            // The command reported success.
            assert!(cut < end || copies.len() == 2, "{moment}");
        };
        cut(&mut recording, &cuts, &mut chance, look, &FATES);
    }
    eprintln!("{images} disks after power cuts");
}

/// Keeping one backup: the old one is removed, and at every moment there is one.
#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_during_a_scheduled_backup() {
    let mut chance = Chance::of_this_run();
    let mut images = 0;
    for _ in 0..rounds(1) {
        let truth = Truth::default();
        let place = place_with_copy(&truth, &mut chance);
        let dir = place.data_dir().join(COPIES);
        let disk = Disk::of(&place.data_dir());
        let control = Control::new(&place);
        let mut command = control.record(place.serve_command());
        command
            .env("WATTKEEPER_BACKUP_DIR", &dir)
            .env("WATTKEEPER_BACKUP_KEEP", "1");
        let service = place.start(command);
        let service = service.unwrap_or_else(|ended| panic!("{ended:?}"));
        let begun = Instant::now();
        while dir.join(OLD).exists() {
            assert!(begun.elapsed() < PATIENCE, "{:?}", names(&dir));
            thread::sleep(Duration::from_millis(5));
        }
        // Not killed: the recording must include the removal.
        assert_eq!(service.stop().status, Some(0));
        let mut recording = Recording {
            disk,
            history: history(control.log(), &place.data_dir()),
        };
        let cuts = cuts(&recording.history, COPIES);
        let look = |image: &Path, cut: usize, fate: Fate| {
            images += 1;
            let moment = format!("{fate:?} after {cut} records");
            let copies = whole_copies(image, &truth, &moment);
            assert!(!copies.is_empty(), "{moment}: no backup is left");
        };
        cut(&mut recording, &cuts, &mut chance, look, &FATES);
    }
    eprintln!("{images} disks after power cuts");
}

#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_during_a_restore() {
    let mut chance = Chance::of_this_run();
    let (mut images, mut again) = (0, 0);
    for _ in 0..rounds(1) {
        let truth = Truth::default();
        let from = place_with_copy(&truth, &mut chance);
        let copy = from.data_dir().join(COPIES).join(OLD);
        let place = Place::empty();
        fs::create_dir(place.data_dir()).unwrap();
        let mut recording = record(&place, place.command(&["restore", copy.to_str().unwrap()]));
        let end = recording.history.len();
        let is_naming =
            |event: &Event| !matches!(event, Event::Write { .. } | Event::Truncate { .. });
        // Names and syncs, mostly towards the end, when the store is moved into place.
        let mut cuts: Vec<usize> = (end.saturating_sub(12)..=end)
            .flat_map(|moment| [moment; FATES.len()])
            .collect();
        for (number, (_, event)) in recording.history.iter().enumerate() {
            if is_naming(event) && chance.one_in(8) || chance.one_in(20) {
                cuts.extend([number + 1; FATES.len()]);
            }
        }
        cuts.sort_unstable();
        let look = |image: &Path, cut: usize, fate: Fate| {
            images += 1;
            let moment = format!("{fate:?} after {cut} of {end} records");
            let is_there = image.join("facts").exists();
            // The command reported success.
            assert!(is_there || cut < end, "{moment}: it is missing");
            if !is_there {
                again += 1;
                let restored = restore(&copy, image, StoreSettings::default(), |_| {});
                assert!(restored.is_ok(), "{moment}: {restored:?}");
            }
            let store = open(image, OpenMode::Existing);
            let store = store.unwrap_or_else(|error| panic!("{moment}: {error}"));
            assert_eq!(store.check().problems, [], "{moment}");
            assert_nothing(&truth.breaches(u64::MAX, |sensor| readings(&store, sensor)));
            assert_eq!(readings(&store, SENSORS[3]).len(), HISTORY as usize);
            store.close().unwrap();
        };
        cut(&mut recording, &cuts, &mut chance, look, &FATES);
    }
    eprintln!("{images} disks after power cuts, {again} of them restored again");
}

/// With any failing call, a restore that reports a failure leaves no store, and one that reports
/// success leaves a complete one.
#[test]
#[ignore = "needs cc"]
fn a_restore_says_whether_there_is_a_store() {
    let mut chance = Chance::of_this_run();
    let truth = Truth::default();
    let from = place_with_copy(&truth, &mut chance);
    let copy = from.data_dir().join(COPIES).join(OLD);
    let (mut failures, mut successes) = (0, 0);
    for kinds in [NAME, SYNC] {
        for call in 1.. {
            let place = Place::empty();
            fs::create_dir(place.data_dir()).unwrap();
            let control = Control::new(&place);
            control.fail(Fault {
                from: call,
                many: i64::MAX,
                kinds,
                error: EIO,
                torn: false,
            });
            let command = place.command(&["restore", copy.to_str().unwrap()]);
            let output = control.load(command).output().unwrap();
            let is_there = place.data_dir().join("facts").exists();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.success(), is_there, "{kinds} {call}: {said}");
            if is_there {
                successes += 1;
                let store = open(&place.data_dir(), OpenMode::Existing).unwrap();
                assert_eq!(store.check().problems, []);
                assert_nothing(&truth.breaches(u64::MAX, |sensor| readings(&store, sensor)));
                store.close().unwrap();
            } else {
                failures += 1;
            }
            if control.calls() < call {
                break;
            }
        }
    }
    eprintln!("{failures} restores failed, {successes} did not");
}

//! Power cuts: records a service under load, and rebuilds the possible contents of the disk at many
//! moments (`disk.rs`). Each must open, be valid, and contain everything acknowledged by then.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use wattkeeper::AccountName;
use wattkeeper::SensorId;
use wattkeeper::TimeRange;
use wattkeeper::{Measures, Reading};
use wattkeeper::{OpenMode, Store};

use super::disk::{Disk, Event, FATES, Fate, History, history};
use super::preload::Control;
use crate::chance::{Chance, rounds};
use crate::copies::fill;
use crate::load::{BEGIN_MS, Source};
use crate::service::{PATIENCE, Place, SENSORS, Service, at, copy, open, readings, scratch};
use crate::truth::Truth;

/// Uploads per thread.
const UPLOADS: usize = 40;
/// Corrections of a run, each with a contract.
const ENTRIES: usize = 4;
/// Enough to fill the journal more than once.
pub(super) const MANY_UPLOADS: usize = 400;

/// A recorded run.
pub(super) struct Recording {
    /// The disk before it.
    pub(super) disk: Disk,
    pub(super) history: History,
}

/// Runs a service on `place`, loads it and kills it.
fn record(place: &Place, sources: &[Source], truth: &Truth, chance: &mut Chance) -> Recording {
    record_uploads(UPLOADS, place, sources, truth, chance)
}

pub(super) fn record_uploads(
    uploads: usize,
    place: &Place,
    sources: &[Source],
    truth: &Truth,
    chance: &mut Chance,
) -> Recording {
    record_beside(uploads, place, sources, truth, chance, |_, _| {})
}

/// The same, with other work beside the uploads.
pub(super) fn record_beside(
    uploads: usize,
    place: &Place,
    sources: &[Source],
    truth: &Truth,
    chance: &mut Chance,
    beside: impl Fn(&Service, &Control) + Sync,
) -> Recording {
    let disk = Disk::of(&place.data_dir());
    let control = Control::new(place);
    // Records of an earlier run.
    let _ = fs::remove_file(control.log());
    let service = place.start(control.record(place.serve_command()));
    let service = service.unwrap_or_else(|ended| panic!("{ended:?}"));
    service.assert_holds(truth);
    thread::scope(|scope| {
        for source in sources {
            let mut chance = Chance::new(chance.number());
            let (service, control) = (&service, &control);
            scope.spawn(move || {
                for _ in 0..uploads {
                    let status = source.send(service, truth, &mut chance, || control.records());
                    assert_eq!(status, Some(200), "{}", service.said());
                }
            });
        }
        let (service, control, beside) = (&service, &control, &beside);
        scope.spawn(move || beside(service, control));
        // Without a sensor there is nothing to correct.
        if !sources.is_empty() {
            scope.spawn(move || enter(place, truth, control));
        }
    });
    if chance.one_in(2) {
        assert_eq!(service.stop().status, Some(0));
    } else {
        service.kill();
    }
    Recording {
        disk,
        history: history(control.log(), &place.data_dir()),
    }
}

/// Makes corrections, and after each a contract whose price is their number.
fn enter(place: &Place, truth: &Truth, control: &Control) {
    for _ in 0..ENTRIES {
        let number = (truth.entered_by(u64::MAX) + 1).to_string();
        let at = ["--at", "2026-01-05", "--kwh", &number];
        let reading = [&["correct", "utility", SENSORS[0]], &at[..]].concat();
        assert!(place.run(&reading, b"").is_some());
        let flat = [
            "contract",
            "flat",
            "--price",
            &number,
            "--currency",
            "EUR",
            "--yes",
        ];
        assert!(place.run(&flat, b"").is_some());
        truth.entered(control.records());
    }
}

/// The missing ones of the corrections and contracts that were acknowledged within the first
/// `records`.
fn missing_entries(store: &Store, truth: &Truth, records: u64) -> Option<String> {
    let wanted = i64::try_from(truth.entered_by(records)).unwrap();
    let registry = store.registry();
    let home = AccountName::new("home").unwrap();
    let made = registry.corrections(&home);
    let made = made.map_or(0, wattkeeper::Corrections::count);
    let contracts = registry.contracts(&home);
    let price = contracts.and_then(|all| all.flat_price().map(|(price, _)| price));
    let price = price.map_or(0, |price| price.millionths() / 1_000_000);
    let is_there = i64::try_from(made).unwrap() >= wanted && price >= wanted;
    (!is_there).then(|| format!("{made} corrections and the price {price} instead of {wanted}"))
}

pub(super) fn sources() -> Vec<Source> {
    SENSORS[..3].iter().map(|id| Source::new(id)).collect()
}

/// Checks that the store in `image`, a disk after `cut` records, has no problems.
pub(super) fn assert_whole(image: &Path, truth: &Truth, cut: usize, fate: Fate) {
    let breaches = breaches(image, truth, cut as u64);
    assert!(
        breaches.is_empty(),
        "{fate:?} after {cut} records: {breaches:#?}"
    );
}

/// The problems of the store in `data_dir` after `records` records.
pub(super) fn breaches(data_dir: &Path, truth: &Truth, records: u64) -> Vec<String> {
    let (sender, receiver) = mpsc::channel();
    let dir = data_dir.to_owned();
    // Nobody receives it after the timeout.
    thread::spawn(move || drop(sender.send(open(&dir, OpenMode::Existing))));
    let store: Store = match receiver.recv_timeout(PATIENCE) {
        Ok(Ok(store)) => store,
        Ok(Err(error)) => return vec![error.to_string()],
        Err(_) => return vec!["opening hangs".into()],
    };
    let mut breaches = truth.breaches(records, |sensor| readings(&store, sensor));
    breaches.extend(missing_entries(&store, truth, records));
    breaches.extend(
        store
            .check()
            .problems
            .into_iter()
            .map(|problem| problem.what),
    );
    if let Err(error) = store.close() {
        breaches.push(error.to_string());
    }
    breaches
}

/// Cuts the power of a recorded run after each of `cuts` (ascending), and checks each disk with
/// `look`.
pub(super) fn cut(
    recording: &mut Recording,
    cuts: &[usize],
    chance: &mut Chance,
    mut look: impl FnMut(&Path, usize, Fate),
    fates: &[Fate],
) {
    let mut done = 0;
    for (number, &cut) in cuts.iter().enumerate() {
        for (path, event) in &recording.history[done..cut] {
            recording.disk.apply(path, event);
        }
        done = cut;
        let fate = fates[number % fates.len()];
        let image = scratch();
        recording.disk.write_to(image.path(), fate, chance);
        look(image.path(), cut, fate);
    }
}

/// Moments for power cuts: half of them just after an answer, the others anywhere.
pub(super) fn moments(
    truth: &Truth,
    history: &History,
    count: u64,
    chance: &mut Chance,
) -> Vec<usize> {
    let answers: Vec<u64> = truth
        .records()
        .into_iter()
        .filter(|&record| record > 0)
        .collect();
    let mut moments: Vec<usize> = (0..count)
        .map(|number| {
            if number % 2 == 0 {
                usize::try_from(answers[chance.index(answers.len())]).unwrap()
            } else {
                chance.index(history.len() + 1)
            }
        })
        .collect();
    moments.sort_unstable();
    moments
}

/// Chains of cuts: records the service that starts after a cut, including its recovery.
#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_at_random_moments() {
    const CHAIN: u64 = 3;
    let mut chance = Chance::of_this_run();
    let mut images = 0;
    for _ in 0..rounds(1) {
        let place = Place::new();
        let (truth, sources) = (Truth::default(), sources());
        for _ in 0..CHAIN {
            let mut recording = record(&place, &sources, &truth, &mut chance);
            let moments = moments(&truth, &recording.history, 60, &mut chance);
            let next = moments[chance.index(moments.len())];
            let left = scratch();
            let mut is_left = false;
            let look = |image: &Path, cut: usize, fate: Fate| {
                if cut == next && !is_left {
                    copy(image, left.path());
                    is_left = true;
                }
                images += 1;
                assert_whole(image, &truth, cut, fate);
            };
            cut(&mut recording, &moments, &mut chance, look, &FATES);
            fs::remove_dir_all(place.data_dir()).unwrap();
            copy(left.path(), &place.data_dir());
            truth.cut(next as u64);
        }
        place.assert_sound(&truth);
    }
    eprintln!("{images} disks after power cuts");
}

/// A store with so many deleted blocks that the others are moved at the next start.
fn place_to_move(truth: &Truth, chance: &mut Chance) -> Place {
    const KEPT: u32 = 16_000;
    const DELETED: i64 = 80_000;
    let place = Place::new();
    fill(&place, truth, KEPT, chance);
    let store = open(&place.data_dir(), OpenMode::Existing).unwrap();
    let sensor = SensorId::new(SENSORS[3]).unwrap();
    let early = |n: i64| at(BEGIN_MS - DELETED * 1_000 + n * 1_000);
    let noise: Vec<Reading> = (0..DELETED)
        .map(|n| {
            let watts = f64::from(u32::try_from(chance.below(1 << 32)).unwrap());
            let measures = Measures::new(Some(watts), None).unwrap();
            Reading {
                time: early(n),
                measures,
            }
        })
        .collect();
    for some in noise.chunks(Store::IMPORT_CHUNK) {
        store.import_durably(&sensor, some.to_vec()).unwrap();
    }
    let range = TimeRange::new(early(0), early(DELETED - 1)).unwrap();
    store.delete_durably(&sensor, range).unwrap();
    store.close().unwrap();
    place
}

/// Moves blocks to another file and removes the old one under uploads.
#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_while_blocks_are_moved() {
    let mut chance = Chance::of_this_run();
    let mut images = 0;
    for _ in 0..rounds(1) {
        let truth = Truth::default();
        let place = place_to_move(&truth, &mut chance);
        let mut recording = record(&place, &sources(), &truth, &mut chance);
        let is_removal = |(path, event): &(PathBuf, Event)| {
            path.starts_with("blocks") && matches!(event, Event::Unlink)
        };
        let removed = recording.history.iter().position(is_removal);
        let removed = removed.expect("no file of blocks is removed");
        let mut cuts = moments(&truth, &recording.history, 20, &mut chance);
        for (number, (path, _)) in recording.history.iter().enumerate().take(removed + 30) {
            if path.starts_with("blocks") && chance.one_in(2) || number + 4 > removed {
                cuts.extend([number + 1; FATES.len()]);
            }
        }
        cuts.sort_unstable();
        let look = |image: &Path, cut: usize, fate: Fate| {
            images += 1;
            assert_whole(image, &truth, cut, fate);
        };
        cut(&mut recording, &cuts, &mut chance, look, &FATES);
    }
    eprintln!("{images} disks after power cuts");
}

/// Cuts after every single answer, with nothing unsynced stored.
#[test]
#[ignore = "needs cc"]
fn no_acknowledged_row_is_lost() {
    let mut chance = Chance::of_this_run();
    let place = Place::new();
    let truth = Truth::default();
    let mut recording = record(&place, &sources(), &truth, &mut chance);
    let answers: Vec<usize> = truth
        .records()
        .iter()
        .map(|&r| usize::try_from(r).unwrap())
        .collect();
    let look = |image: &Path, cut: usize, _: Fate| {
        let breaches = breaches(image, &truth, cut as u64);
        assert!(breaches.is_empty(), "after {cut} records: {breaches:#?}");
    };
    cut(
        &mut recording,
        &answers,
        &mut chance,
        look,
        &[Fate::Dropped],
    );
}

/// Whether the ring of the journal starts over: a store continues after the records of an earlier
/// run.
fn begins_journal((path, event): &(PathBuf, Event)) -> bool {
    let is_record = |bytes: &[u8]| bytes.iter().any(|byte| *byte != 0);
    path == Path::new("journal")
        && matches!(event, Event::Write { offset: 0, bytes } if is_record(bytes))
}

/// Cuts around the moments when the journal is full and its commits go into the log.
#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_when_the_journal_starts_over() {
    let mut chance = Chance::of_this_run();
    let place = Place::new();
    let truth = Truth::default();
    let mut recording = record_uploads(MANY_UPLOADS, &place, &sources(), &truth, &mut chance);
    let history = &recording.history;
    let beginnings: Vec<usize> = (0..history.len())
        .filter(|&number| begins_journal(&history[number]))
        .collect();
    assert!(!beginnings.is_empty());
    let around = beginnings
        .iter()
        .flat_map(|&number| number.saturating_sub(24)..number + 8)
        .filter(|&cut| cut <= history.len());
    let mut cuts: Vec<usize> = around.flat_map(|cut| [cut; FATES.len()]).collect();
    cuts.sort_unstable();
    let look = |image: &Path, cut: usize, fate: Fate| {
        assert_whole(image, &truth, cut, fate);
    };
    cut(&mut recording, &cuts, &mut chance, look, &FATES);
}

/// Commits land in slices while others go into the journal: blocks, rows, their activities, and
/// then space is free. A cut anywhere in between loses nothing.
#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_while_commits_land() {
    const CUTS: usize = 60;
    let mut chance = Chance::of_this_run();
    let place = Place::new();
    let truth = Truth::default();
    let mut recording = record_uploads(MANY_UPLOADS, &place, &sources(), &truth, &mut chance);
    let history = &recording.history;
    let landing: Vec<usize> = (0..history.len())
        .filter(|&number| {
            let (path, _) = &history[number];
            is_landing(path)
        })
        .collect();
    assert!(landing.len() > CUTS, "{}", landing.len());
    let cuts: Vec<usize> = (0..CUTS)
        .map(|number| landing[number * landing.len() / CUTS])
        .flat_map(|cut| [cut; FATES.len()])
        .collect();
    let look = |image: &Path, cut: usize, fate: Fate| {
        assert_whole(image, &truth, cut, fate);
    };
    cut(&mut recording, &cuts, &mut chance, look, &FATES);
}

/// Whether commits that leave the journal are written to this file.
pub(crate) fn is_landing(path: &Path) -> bool {
    ["log", "blocks"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

/// Landed commits are durable before their place in the journal is overwritten: from then on they
/// are only in the log. Cuts at the end of each stretch of uploads that contains a restart of the
/// journal and no other writes.
#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_before_more_commits_land() {
    let mut chance = Chance::of_this_run();
    // Nothing is sealed: sealing would sync landed commits, too.
    let place = Place::with_blocks_of(4_096);
    let truth = Truth::default();
    let mut recording = record_uploads(MANY_UPLOADS, &place, &sources(), &truth, &mut chance);
    let (mut is_anew, mut cuts) = (false, Vec::new());
    for (number, event) in recording.history.iter().enumerate() {
        let (path, what) = event;
        if begins_journal(event) {
            is_anew = true;
        } else if is_landing(path)
            && matches!(what, Event::Write { .. })
            && std::mem::take(&mut is_anew)
        {
            cuts.push(number);
        }
    }
    if is_anew {
        cuts.push(recording.history.len());
    }
    assert!(!cuts.is_empty());
    let look = |image: &Path, cut: usize, fate: Fate| {
        assert_whole(image, &truth, cut, fate);
    };
    cut(&mut recording, &cuts, &mut chance, look, &[Fate::Dropped]);
}

/// The same with syncs of the log that do nothing: this is noticed, so the other tests would notice
/// it.
#[test]
#[ignore = "needs cc"]
fn syncs_that_do_nothing_are_noticed() {
    let mut chance = Chance::of_this_run();
    let place = Place::new();
    let truth = Truth::default();
    let mut recording = record_uploads(MANY_UPLOADS, &place, &sources(), &truth, &mut chance);
    for (path, event) in &mut recording.history {
        if let Event::SyncEnd { failed, .. } = event {
            *failed |= path.starts_with("log");
        }
    }
    let mut moments = moments(&truth, &recording.history, 8, &mut chance);
    // In the end the journal has been overwritten, so the oldest commits are only in the log.
    moments.push(recording.history.len());
    let mut noticed = 0;
    let look = |image: &Path, cut: usize, _: Fate| {
        noticed += usize::from(!breaches(image, &truth, cut as u64).is_empty());
    };
    cut(
        &mut recording,
        &moments,
        &mut chance,
        look,
        &[Fate::Dropped],
    );
    assert!(noticed > 0);
}

/// A first start before anything was acknowledged: it can be repeated, with any remains.
#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_during_the_first_start() {
    let mut chance = Chance::of_this_run();
    let place = Place::empty();
    let mut recording = record(&place, &[], &Truth::default(), &mut chance);
    let cuts: Vec<usize> = (0..=recording.history.len())
        .flat_map(|cut| [cut; 4])
        .collect();
    let look = |image: &Path, cut: usize, fate: Fate| {
        let store = open(image, OpenMode::CreateIfMissing);
        let store = store.unwrap_or_else(|error| panic!("{fate:?} after {cut} records: {error}"));
        assert_eq!(store.check().problems, [], "{fate:?} after {cut} records");
        store.close().unwrap();
    };
    cut(&mut recording, &cuts, &mut chance, look, &FATES);
}

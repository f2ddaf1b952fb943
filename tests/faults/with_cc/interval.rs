//! Power cuts with uploads answered before they are stored (`store.durability` = "1s"): everything
//! acknowledged before the last completed sync is there, and the store is valid.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::disk::{Disk, Event, FATES, Fate, history};
use super::power::{Recording, assert_whole, cut, moments, sources};
use super::preload::Control;
use crate::chance::{Chance, rounds};
use crate::load::Source;
use crate::service::{PATIENCE, Place};
use crate::stops::Stops;
use crate::truth::Truth;

/// The number of syncs in a run.
const SYNCS: u64 = 3;

/// The number of the newest commit in the journal.
fn commits(place: &Place) -> u64 {
    const PAGE: usize = 4_096;
    let bytes = fs::read(place.data_dir().join("journal")).unwrap_or_default();
    let pages = bytes.chunks_exact(PAGE);
    // A continuation page of a record begins with bytes 0xFF.
    let begins = pages.filter(|page| page[..8] != [0xFF; 8]);
    let numbers = begins.map(|page| u64::from_le_bytes(page[8..16].try_into().unwrap()));
    numbers.max().unwrap_or(0)
}

/// Loads a service that syncs at intervals, for some of them.
fn record(place: &Place, sources: &[Source], truth: &Truth, chance: &mut Chance) -> Recording {
    let disk = Disk::of(&place.data_dir());
    let control = Control::new(place);
    let mut command = control.record(place.serve_command());
    command.env("WATTKEEPER_STORE_DURABILITY", "1s");
    // With large blocks only time makes it sync; with small ones it also syncs to seal.
    let block_readings = if chance.one_in(2) { "4096" } else { "16" };
    command.env("WATTKEEPER_STORE_BLOCK_READINGS", block_readings);
    let service = place.start(command);
    let service = service.unwrap_or_else(|ended| panic!("{ended:?}"));
    let stopping = AtomicBool::new(false);
    thread::scope(|scope| {
        for source in sources {
            let mut chance = Chance::new(chance.number());
            let (service, control, stopping) = (&service, &control, &stopping);
            scope.spawn(move || {
                while !stopping.load(Ordering::SeqCst) {
                    let status = source.send(service, truth, &mut chance, || control.records());
                    assert_eq!(status, Some(200), "{}", service.said());
                    thread::sleep(Duration::from_millis(10));
                }
            });
        }
        let _stops = Stops(&stopping);
        let (first, begun) = (commits(place), Instant::now());
        while commits(place) < first + SYNCS {
            assert!(begun.elapsed() < PATIENCE, "it does not sync");
            thread::sleep(Duration::from_millis(20));
        }
        // Some more uploads that are still in memory at the end.
        thread::sleep(Duration::from_millis(300));
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

/// The numbers of the records after which everything acknowledged before is in the journal: the
/// syncs of commits with readings. A commit without readings only notes the state of the log.
fn stored_at(history: &[(PathBuf, Event)]) -> Vec<u64> {
    let mut has_readings = false;
    let mut stored_at = Vec::new();
    for (records, (path, event)) in (1..).zip(history) {
        if path != Path::new("journal") {
            continue;
        }
        match event {
            Event::Write { bytes, .. } => {
                let length = bytes.get(4..8).unwrap_or_default();
                has_readings = length.iter().any(|byte| *byte != 0);
            }
            Event::SyncEnd { failed: false, .. } if has_readings => stored_at.push(records),
            _ => {}
        }
    }
    stored_at
}

#[test]
#[ignore = "needs cc"]
fn the_power_is_cut_between_syncs() {
    let mut chance = Chance::of_this_run();
    let (mut images, mut stored) = (0, 0);
    for _ in 0..rounds(1) {
        let place = Place::new();
        let truth = Truth::default();
        let mut recording = record(&place, &sources(), &truth, &mut chance);
        truth.stored_by(&stored_at(&recording.history));
        stored += truth.count();
        let moments = moments(&truth, &recording.history, 40, &mut chance);
        let look = |image: &Path, cut: usize, fate: Fate| {
            images += 1;
            assert_whole(image, &truth, cut, fate);
        };
        cut(&mut recording, &moments, &mut chance, look, &FATES);
    }
    assert!(stored > 0);
    eprintln!("{images} disks after power cuts, {stored} readings stored by syncs");
}

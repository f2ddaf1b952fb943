//! The files of facts are compacted while each call fails in turn. All acknowledged changes
//! are there after a power cut.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use wattkeeper::{AccountName, OpenMode, SensorId};

use super::disk::{Disk, FATES, Fate, history};
use super::inject::{ALL, in_turn};
use super::power::{Recording, cut};
use super::preload::{Control, EIO, Fault};
use crate::chance::Chance;
use crate::service::{Place, SENSORS, copy, open};

/// Changes of a run. One of them leads to a compaction.
const CHANGES: i64 = 6;

/// Identifies the file that has the name now.
fn identity(place: &Place) -> u64 {
    fs::metadata(place.data_dir().join("facts/a"))
        .unwrap()
        .ino()
}

/// Changes entries until the files are compacted, or this many times. Returns how many it made, and
/// whether the files are compacted.
fn change_entries(place: &Place, most: usize) -> (usize, bool) {
    let before = identity(place);
    let store = open(&place.data_dir(), OpenMode::Existing).unwrap();
    let id = SensorId::new(SENSORS[0]).unwrap();
    let mut sensor = store.registry().sensor(&id).unwrap().clone();
    let mut made = 0;
    while made < most && identity(place) == before {
        made += 1;
        sensor.name = format!("{made:050}");
        store.put_sensor_durably(sensor.clone()).unwrap();
    }
    store.close().unwrap();
    (made, identity(place) != before)
}

/// A store that is compacted within the next changes.
fn nearly_compacted() -> Place {
    let (mut made, _) = change_entries(&Place::new(), usize::MAX);
    // On a busy machine changes are made while the compaction waits for its turn. Then these were
    // too many.
    loop {
        made -= 3;
        let place = Place::new();
        if let (_, false) = change_entries(&place, made) {
            return place;
        }
    }
}

/// The price of the contract.
fn price(dir: &Path) -> i64 {
    let store = open(dir, OpenMode::Existing).unwrap();
    let problems = store.check().problems;
    assert!(problems.is_empty(), "{problems:?}");
    let home = AccountName::new("home").unwrap();
    let registry = store.registry();
    let flat = registry.contracts(&home).and_then(|all| all.flat_price());
    flat.map_or(0, |(price, _)| price.millionths() / 1_000_000)
}

/// The outcome of a run.
struct Run {
    calls: i64,
    is_compacted: bool,
    is_refused: bool,
}

fn run_with(original: &Place, fault: Fault, chance: &mut Chance) -> Run {
    let place = Place::empty();
    copy(&original.data_dir(), &place.data_dir());
    let before = identity(&place);
    let disk = Disk::of(&place.data_dir());
    let control = Control::new(&place);
    let service = place
        .start(control.record(place.serve_command()))
        .unwrap_or_else(|ended| panic!("{ended:?}"));
    control.fail(fault);
    let (mut acknowledged, mut is_refused) = (0, false);
    for number in 1..=CHANGES {
        let text = number.to_string();
        let flat = [
            "contract",
            "flat",
            "--price",
            &text,
            "--currency",
            "EUR",
            "--yes",
        ];
        match place.run(&flat, b"") {
            Some(_) => acknowledged = number,
            None => is_refused = true,
        }
    }
    // On a busy machine the work between changes may be behind.
    let until = Instant::now() + Duration::from_secs(10);
    while fault.from == i64::MAX && identity(&place) == before && Instant::now() < until {
        thread::sleep(Duration::from_millis(50));
    }
    let run = Run {
        calls: control.calls(),
        is_compacted: identity(&place) != before,
        is_refused,
    };
    service.kill();
    let history = history(control.log(), &place.data_dir());
    let cuts = [history.len(); FATES.len()];
    let mut recording = Recording { disk, history };
    let look = |image: &Path, _: usize, fate: Fate| {
        let found = price(image);
        assert!(
            found >= acknowledged,
            "{fault:?}, {fate:?}: {found} instead of {acknowledged}"
        );
    };
    cut(&mut recording, &cuts, chance, look, &FATES);
    run
}

#[test]
#[ignore = "needs cc"]
fn each_call_of_a_compaction_of_entries_fails_in_turn() {
    let mut chance = Chance::of_this_run();
    let original = nearly_compacted();
    let never = Fault {
        from: i64::MAX,
        many: 1,
        kinds: ALL,
        error: EIO,
        torn: false,
    };
    let run = run_with(&original, never, &mut chance);
    assert!(run.is_compacted, "{} calls", run.calls);
    assert!(!run.is_refused, "{} calls", run.calls);
    let mut refused = 0;
    let turns = in_turn(run.calls, 30, ALL, |fault| {
        refused += usize::from(run_with(&original, fault, &mut chance).is_refused);
    });
    assert!(3 * refused >= turns, "{refused} of {turns}");
}

//! A temporary shortage: disk space, the right to write, descriptors. A clear answer, and service
//! again once the cause is gone.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::preload::{CREATE, Control, ENOSPC, Fault, NAME, ONLY_FOLDERS, OPEN, SYNC, WRITE};
use crate::chance::Chance;
use crate::load::Source;
use crate::service::{PATIENCE, Place, SENSORS};
use crate::truth::Truth;

const EACCES: i64 = 13;
const EINVAL: i64 = 22;
const EMFILE: i64 = 24;
const EROFS: i64 = 30;

/// From the first call of these kinds on.
fn from_now(kinds: i64, error: i64) -> Fault {
    Fault {
        from: 1,
        many: i64::MAX,
        kinds,
        error,
        torn: false,
    }
}

/// A service that cannot start says why, and starts once the cause is gone.
fn assert_start_says_why(fault: Fault, mentions: &str) {
    let place = Place::new();
    let control = Control::new(&place);
    control.fail(fault);
    let ended = place
        .start(control.load(place.serve_command()))
        .err()
        .unwrap();
    assert_eq!(ended.status, Some(1), "{ended:?}");
    ended.assert_clear();
    assert!(ended.said.contains(mentions), "{ended:?}");
    control.heal();
    let service = place.start(control.load(place.serve_command())).unwrap();
    assert_eq!(service.upload(SENSORS[0], &[(0, 1.0)]), Some(200));
}

#[test]
#[ignore = "needs cc"]
fn a_start_on_a_full_disk() {
    assert_start_says_why(from_now(WRITE | CREATE, ENOSPC), "No space left on device");
}

/// The first call that needs space fails, and none after the reserve was removed.
#[test]
#[ignore = "needs cc"]
fn a_start_on_a_full_disk_with_a_reserve() {
    let place = Place::new();
    let control = Control::new(&place);
    let reserve = place.data_dir().join("reserve");
    let start = || place.start(control.load(place.serve_command())).unwrap();
    start().stop().assert_clear();
    assert_eq!(fs::metadata(&reserve).unwrap().len(), 1024 * 1024);
    control.fail(Fault {
        many: 1,
        ..from_now(WRITE | CREATE, ENOSPC)
    });
    let service = start();
    let said = service.said();
    assert!(said.contains("its reserve of 1 MiB was removed"), "{said}");
    assert!(!reserve.exists());
    assert_eq!(service.upload(SENSORS[0], &[(0, 1.0)]), Some(200));
    service.stop().assert_clear();
    start().stop().assert_clear();
    assert!(reserve.exists());
}

#[test]
#[ignore = "needs cc"]
fn a_start_on_a_disk_that_may_only_be_read() {
    let kinds = WRITE | SYNC | CREATE | NAME | OPEN;
    assert_start_says_why(from_now(kinds, EROFS), "Read-only file system");
}

/// As on many mounts by FUSE. The error names file systems that can do it.
#[test]
#[ignore = "needs cc"]
fn a_start_on_a_file_system_without_sync_of_folders() {
    let fault = from_now(SYNC | ONLY_FOLDERS, EINVAL);
    assert_start_says_why(fault, "cannot sync folders");
    assert_start_says_why(fault, "ext4, xfs, btrfs or f2fs");
}

#[test]
#[ignore = "needs cc"]
fn a_start_without_the_right_to_the_files() {
    assert_start_says_why(from_now(OPEN | CREATE, EACCES), "Permission denied");
}

#[test]
#[ignore = "needs cc"]
fn a_start_without_descriptors() {
    assert_start_says_why(from_now(OPEN | CREATE, EMFILE), "Too many open files");
}

/// Full, then not: uploads are refused for now, readings can be read, and uploads are accepted
/// again once there is space.
#[test]
#[ignore = "needs cc"]
fn a_disk_that_becomes_full() {
    let place = Place::new();
    let control = Control::new(&place);
    let truth = Truth::default();
    let mut chance = Chance::of_this_run();
    let source = Source::new(SENSORS[0]);
    let service = place.start(control.load(place.serve_command())).unwrap();
    for _ in 0..5 {
        assert_eq!(source.send(&service, &truth, &mut chance, || 0), Some(200));
    }
    control.fail(from_now(WRITE | CREATE, ENOSPC));
    for _ in 0..3 {
        assert_eq!(source.send(&service, &truth, &mut chance, || 0), Some(503));
    }
    service.assert_holds(&truth);
    control.heal();
    assert_eq!(source.send(&service, &truth, &mut chance, || 0), Some(200));
    // Once, not for each request: a sensor repeats its upload every second.
    let said = service.said();
    assert_eq!(said.matches("No space left on device").count(), 1, "{said}");
    service.stop().assert_clear();
    let service = place.start(control.load(place.serve_command())).unwrap();
    service.assert_holds(&truth);
    assert_eq!(source.send(&service, &truth, &mut chance, || 0), Some(200));
    assert_eq!(service.stop().status, Some(0));
    place.assert_sound(&truth);
}

/// In interval mode, acknowledged readings wait in memory while the disk is full, more are refused
/// meanwhile, and all are stored once there is space.
#[test]
#[ignore = "needs cc"]
fn a_disk_that_is_full_for_a_while_in_interval_mode() {
    let place = Place::new();
    let control = Control::new(&place);
    let truth = Truth::default();
    let mut chance = Chance::of_this_run();
    let source = Source::new(SENSORS[0]);
    let mut command = control.load(place.serve_command());
    command.env("WATTKEEPER_STORE_DURABILITY", "1s");
    let service = place.start(command).unwrap();
    control.fail(from_now(WRITE | CREATE, ENOSPC));
    let send = |chance: &mut Chance| source.send(&service, &truth, chance, || 0);
    assert_eq!(send(&mut chance), Some(200));
    let begun = Instant::now();
    while send(&mut chance) != Some(503) {
        assert!(begun.elapsed() < PATIENCE, "it does not notice");
        thread::sleep(Duration::from_millis(50));
    }
    // A change that has to follow these readings gets the error at once.
    let (start, end) = ("2000-01-01T00:00:00", "2030-01-01T00:00:00");
    let delete = [
        "readings", "delete", "--sensor", SENSORS[0], "--start", start, "--end", end, "--yes",
    ];
    assert_eq!(place.run(&delete, b""), None);
    service.assert_holds(&truth);
    control.heal();
    while send(&mut chance) != Some(200) {
        assert!(begun.elapsed() < PATIENCE, "it does not try again");
        thread::sleep(Duration::from_millis(50));
    }
    let said = service.said();
    assert_eq!(said.matches("No space left on device").count(), 1, "{said}");
    assert_eq!(service.stop().status, Some(0));
    place.assert_sound(&truth);
}

/// A stop that cannot store acknowledged readings ends with an error.
#[test]
#[ignore = "needs cc"]
fn a_stop_on_a_full_disk_in_interval_mode() {
    let place = Place::new();
    let control = Control::new(&place);
    let mut command = control.load(place.serve_command());
    command.env("WATTKEEPER_STORE_DURABILITY", "1h");
    let service = place.start(command).unwrap();
    control.fail(from_now(WRITE | CREATE, ENOSPC));
    assert_eq!(service.upload(SENSORS[0], &[(0, 1.0)]), Some(200));
    let ended = service.stop();
    assert_eq!(ended.status, Some(1), "{ended:?}");
    ended.assert_clear();
    assert!(ended.said.contains("No space left on device"), "{ended:?}");
}

/// This many readings are frozen at once, and suffice for sealing.
const READINGS: usize = 4_096;

/// Waits until the service has done something.
fn wait_until(what: &str, is_done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_done() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// With no descriptor left for files, open files can still be used; uploads need no others. No file
/// of blocks can be created then, or some other file gets the last descriptors. Readings are sealed
/// once there are descriptors.
#[test]
#[ignore = "needs cc"]
fn a_running_service_without_descriptors() {
    for from in [1, 2, 4, 8] {
        let place = Place::new();
        let control = Control::new(&place);
        let truth = Truth::default();
        let mut chance = Chance::of_this_run();
        let source = Source::new(SENSORS[0]);
        let service = place.start(control.load(place.serve_command())).unwrap();
        let mut send = |count| {
            let status = source.send_some(count, &service, &truth, &mut chance, || 0);
            assert_eq!(status, Some(200), "{from}: {}", service.said());
        };
        let volume = place.data_dir().join("blocks/00000001");
        let has_blocks = || fs::metadata(&volume).is_ok_and(|volume| volume.len() > 0);
        control.fail(Fault {
            from,
            ..from_now(OPEN | CREATE, EMFILE)
        });
        (0..8).for_each(|_| send(READINGS / 8));
        if from == 1 {
            let is_refused = || {
                service
                    .said()
                    .contains("cannot seal the readings of sensor")
            };
            wait_until("nothing is sealed", is_refused);
            assert!(!has_blocks());
            service.assert_holds(&truth);
        }
        (0..40).for_each(|_| send(1));
        control.heal();
        (0..8).for_each(|_| send(READINGS / 8));
        wait_until("nothing is sealed again", has_blocks);
        service.assert_holds(&truth);
        assert_eq!(service.stop().status, Some(0));
        place.assert_sound(&truth);
    }
}

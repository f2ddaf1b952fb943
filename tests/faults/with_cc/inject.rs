//! Each write, sync, creation and renaming fails in turn: nothing acknowledged is lost, the service
//! reports that it stores nothing more and keeps answering, stops on request, and starts again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::preload::{CREATE, Control, EIO, ENOSPC, Fault, NAME, ONLY_LANDING, READ, SYNC, WRITE};
use crate::chance::{Chance, rounds};
use crate::load::Source;
use crate::service::{Place, SENSORS, Service, copy};
use crate::stops::Stops;
use crate::truth::Truth;

pub(super) const ALL: i64 = WRITE | SYNC | CREATE | NAME;
/// Uploads of a scripted run. They land when the service stops.
const UPLOADS: usize = 12;
/// The uploads of each sensor that fill a generation: readings per upload, and number of uploads.
/// Together as many readings as are frozen at once; the last two sensors have too few for sealing.
const GENERATION: [(usize, usize); 4] = [(500, 5), (600, 2), (20, 10), (7, 28)];
/// The number of uploads of each sensor after the last failed call: enough to land in the log.
const UPLOADS_AFTER: usize = 100;

/// The scripted run: uploads in sequence until one is refused. Returns its status, or else 200.
fn script(service: &Service, truth: &Truth) -> Option<u16> {
    let source = Source::new(SENSORS[0]);
    let mut chance = Chance::new(1);
    let mut statuses = (0..UPLOADS).map(|_| source.send(service, truth, &mut chance, || 0));
    statuses
        .find(|status| *status != Some(200))
        .unwrap_or(Some(200))
}

/// The number of calls in a scripted run, from start to stop.
fn calls_of_a_run() -> i64 {
    let place = Place::new();
    let control = Control::new(&place);
    control.fail(Fault {
        from: i64::MAX,
        many: 1,
        kinds: ALL,
        error: EIO,
        torn: false,
    });
    let service = place.start(control.load(place.serve_command())).unwrap();
    let truth = Truth::default();
    assert_eq!(script(&service, &truth), Some(200));
    let ended = service.stop();
    assert_eq!(ended.status, Some(0), "{ended:?}");
    control.calls()
}

/// A run with `fault`, and one after it.
fn run_with(fault: Fault) {
    let place = Place::new();
    let control = Control::new(&place);
    let truth = Truth::default();
    control.fail(fault);
    match place.start(control.load(place.serve_command())) {
        Err(ended) => {
            assert_eq!(ended.status, Some(1), "{fault:?}: {ended:?}");
            ended.assert_clear();
        }
        Ok(service) => {
            let status = script(&service, &truth);
            if status != Some(200) {
                assert_refuses(&service, &truth, status, fault);
            }
            service.stop().assert_clear();
        }
    }
    assert_works_again(&place, &truth);
}

/// After a refused upload, asserts that all are refused and that the service still answers.
fn assert_refuses(service: &Service, truth: &Truth, first: Option<u16>, fault: Fault) {
    if first == Some(503) {
        // The disk is full. Each upload tries again, and a refused one may be stored.
        let said = service.said();
        assert!(
            said.contains("No space left on device"),
            "{fault:?}: {said}"
        );
        let reading = [(0, 1.0)];
        let ticket = truth.sending(SENSORS[0], &reading);
        let again = service.upload(SENSORS[0], &reading);
        // A shorter one may still find room in the journal.
        let is_expected = again == Some(200) || again == Some(503) && fault.many > 1;
        assert!(is_expected, "{again:?}, {fault:?}: {}", service.said());
        if again == Some(200) {
            truth.acknowledged(&ticket, 0);
        }
        return;
    }
    assert_eq!(first, Some(500), "{fault:?}: {}", service.said());
    for sensor in SENSORS {
        let again = service.upload(sensor, &[(0, 1.0)]);
        assert_eq!(again, Some(500), "{fault:?}: {}", service.said());
    }
    // Reads may fail, too, with an error. They must not hang.
    service.download(SENSORS[0]);
    let said = service.said();
    assert!(
        said.contains("accepts no more changes"),
        "{fault:?}: {said}"
    );
}

/// Asserts without the fault that everything acknowledged is there and uploads work.
fn assert_works_again(place: &Place, truth: &Truth) {
    place.assert_sound(truth);
    let service = place.serve();
    service.assert_holds(truth);
    assert_eq!(service.upload(SENSORS[1], &[(0, 1.0)]), Some(200));
    let ended = service.stop();
    assert_eq!(ended.status, Some(0), "{ended:?}");
}

/// Calls `run` with a fault of each of this many calls in turn. A short run samples them, with a
/// random offset. Returns the number of failed calls.
pub(super) fn in_turn(calls: i64, short: u64, kinds: i64, mut run: impl FnMut(Fault)) -> usize {
    let mut chance = Chance::of_this_run();
    let step = i64::try_from((u64::try_from(calls).unwrap() / rounds(short)).max(1)).unwrap();
    let first = 1 + i64::try_from(chance.below(step.unsigned_abs())).unwrap();
    let turns: Vec<i64> = (first..=calls)
        .step_by(step.unsigned_abs().try_into().unwrap())
        .collect();
    for &from in &turns {
        let fault = Fault {
            from,
            many: if chance.one_in(2) { 1 } else { i64::MAX },
            kinds,
            error: if chance.one_in(2) { EIO } else { ENOSPC },
            torn: chance.one_in(2),
        };
        eprintln!("{fault:?}");
        run(fault);
    }
    eprintln!("{} of {calls} calls failed in turn", turns.len());
    turns.len()
}

#[test]
#[ignore = "needs cc"]
fn each_call_fails_in_turn() {
    let calls = calls_of_a_run();
    assert!(calls > 50, "{calls}");
    in_turn(calls, 20, ALL, run_with);
}

/// Uploads until two generations have landed, or until an upload is refused; each sensor's uploads
/// follow each other. Returns the status of each sensor's last upload.
fn land(service: &Service, truth: &Truth) -> Vec<Option<u16>> {
    let sources = SENSORS.map(Source::new);
    let upload = |source: &Source, count, times| {
        let mut chance = Chance::new(1);
        let mut send = || source.send_some(count, service, truth, &mut chance, || 0);
        let refused = (0..times).map(|_| send()).find(|it| *it != Some(200));
        refused.unwrap_or(Some(200))
    };
    for _ in 0..2 {
        let statuses: Vec<_> = thread::scope(|scope| {
            let begin =
                |(source, (count, times))| scope.spawn(move || upload(source, count, times));
            let uploading: Vec<_> = sources.iter().zip(GENERATION).map(begin).collect();
            uploading.into_iter().map(|it| it.join().unwrap()).collect()
        });
        if statuses.iter().any(|status| *status != Some(200)) {
            return statuses;
        }
    }
    // Each waits for a slice of the last generation.
    vec![upload(&sources[3], 1, 20)]
}

/// A run that lands with `fault`, and one after it. Returns the number of calls made by its
/// landings, and whether uploads were refused.
fn land_with(fault: Fault) -> (i64, bool) {
    let place = Place::with_blocks_of(512);
    let control = Control::new(&place);
    let truth = Truth::default();
    let service = place.start(control.load(place.serve_command())).unwrap();
    control.fail(fault);
    let statuses = land(&service, &truth);
    let calls = control.calls();
    let refused = statuses.into_iter().find(|status| *status != Some(200));
    if let Some(status) = refused {
        assert_refuses(&service, &truth, status, fault);
    }
    service.stop().assert_clear();
    assert_works_again(&place, &truth);
    (calls, refused.is_some())
}

/// While commits land, uploads wait. Rows are sealed, late ones, too; others settle with the
/// activities; and the log is synced, before the space in the journal is free.
#[test]
#[ignore = "needs cc"]
fn each_call_of_a_landing_fails_in_turn() {
    let kinds = ALL | ONLY_LANDING;
    let never = Fault {
        from: i64::MAX,
        many: 1,
        kinds,
        error: EIO,
        torn: false,
    };
    let (calls, is_refused) = land_with(never);
    assert!(calls > 20 && !is_refused, "{calls}");
    let mut refused = 0;
    let turns = in_turn(calls, 24, kinds, |fault| {
        refused += usize::from(land_with(fault).1);
    });
    // Without a file for blocks, rows stay as they are; without another segment, one gets longer;
    // unneeded files may stay.
    // On a full disk, uploads go on while the journal has room.
    assert!(6 * refused >= turns, "{refused} of {turns}");
}

/// A fault under uploads and downloads from several threads, while others wait.
#[test]
#[ignore = "needs cc"]
fn a_call_fails_under_load() {
    let mut chance = Chance::of_this_run();
    for round in 0..rounds(6) {
        let place = Place::new();
        let control = Control::new(&place);
        let truth = Truth::default();
        let service = place.start(control.load(place.serve_command())).unwrap();
        // Most calls are those of the journal: in turns, one while commits land.
        let only = if round % 2 == 0 { ONLY_LANDING } else { 0 };
        let kind = if chance.one_in(2) { WRITE } else { SYNC };
        let fault = Fault {
            from: 1 + i64::try_from(chance.below(400)).unwrap(),
            // Some may fail without harm, such as those of a segment that is created in advance.
            many: if chance.one_in(2) { 3 } else { i64::MAX },
            kinds: kind | only,
            error: if chance.one_in(2) { EIO } else { ENOSPC },
            torn: chance.one_in(2),
        };
        eprintln!("{fault:?}");
        control.fail(fault);
        let statuses = statuses_under_load(&service, &control, fault, &truth, &mut chance);
        for status in &statuses {
            assert!(
                matches!(status, Some(200 | 500 | 503)),
                "{status:?}, {fault:?}: {}",
                service.said()
            );
        }
        if statuses.contains(&Some(500)) {
            assert_refuses(&service, &truth, Some(500), fault);
        } else if statuses.contains(&Some(503)) {
            // Clients wait until there is space, or forever.
            let said = service.said();
            assert!(
                said.contains("No space left on device"),
                "{fault:?}: {said}"
            );
        }
        service.stop().assert_clear();
        assert_works_again(&place, &truth);
    }
}

/// Uploads to all sensors while others download. Returns the status that ended each sensor's
/// uploads; 200 if they continued after all calls of the fault had failed.
fn statuses_under_load(
    service: &Service,
    control: &Control,
    fault: Fault,
    truth: &Truth,
    chance: &mut Chance,
) -> Vec<Option<u16>> {
    let stopping = AtomicBool::new(false);
    thread::scope(|scope| {
        let uploading: Vec<_> = SENSORS
            .iter()
            .map(|sensor| {
                let mut chance = Chance::new(chance.number());
                scope.spawn(move || {
                    let source = Source::new(sensor);
                    let (mut after, mut waited) = (0, 0);
                    loop {
                        // The failed calls may all be among those that are tried again.
                        let is_over = control.is_over(fault);
                        match source.send(service, truth, &mut chance, || 0) {
                            Some(200) if after == UPLOADS_AFTER => return Some(200),
                            Some(200) => after += usize::from(is_over),
                            // A retry may succeed: until then clients have to wait.
                            Some(503) if waited < 400 => {
                                waited += 1;
                                thread::sleep(Duration::from_millis(5));
                            }
                            status => return status,
                        }
                    }
                })
            })
            .collect();
        for sensor in SENSORS {
            let stopping = &stopping;
            scope.spawn(move || {
                while !stopping.load(Ordering::SeqCst) {
                    service.download(sensor);
                }
            });
        }
        let _stops = Stops(&stopping);
        let statuses = uploading.into_iter().map(|it| it.join().unwrap());
        statuses.collect()
    })
}

/// A killed store with facts, blocks, settled rows, and uploads that are only in the journal.
fn killed_store(truth: &Truth) -> Place {
    let place = Place::with_blocks_of(16);
    let service = place.serve();
    assert_eq!(script(&service, truth), Some(200));
    assert_eq!(service.stop().status, Some(0));
    let service = place.serve();
    assert_eq!(script(&service, truth), Some(200));
    service.kill();
    place
}

/// The accounts, keys and sensors of a store, as text.
fn entries(place: &Place) -> String {
    let lists = [["account", "list"], ["key", "list"], ["sensor", "list"]];
    let listed = lists.map(|list| place.run(&list, b"").unwrap());
    listed.join("\n")
}

/// Each read of a start fails, once or forever, before any command: it may refuse, and nothing is
/// lost.
#[test]
#[ignore = "needs cc"]
fn each_read_of_a_start_fails_in_turn() {
    let truth = Truth::default();
    let original = killed_store(&truth);
    let expected = {
        let place = Place::empty();
        copy(&original.data_dir(), &place.data_dir());
        entries(&place)
    };
    let commands: [&[&str]; 4] = [
        &["check"],
        &["backup", "backup-file"],
        &["account", "list"],
        &["serve"],
    ];
    let (mut refused, mut read) = (0, 0);
    for arguments in commands {
        for many in [1, i64::MAX] {
            let mut chance = Chance::of_this_run();
            let mut from = 1 + i64::try_from(chance.below(3)).unwrap();
            loop {
                let place = Place::empty();
                copy(&original.data_dir(), &place.data_dir());
                let control = Control::new(&place);
                let fault = Fault {
                    from,
                    many,
                    kinds: READ,
                    error: EIO,
                    torn: false,
                };
                control.fail(fault);
                let is_refused = if arguments == ["serve"] {
                    match place.start(control.load(place.serve_command())) {
                        Ok(service) => {
                            service.stop();
                            false
                        }
                        Err(ended) => {
                            ended.assert_clear();
                            true
                        }
                    }
                } else {
                    let command = place.command(arguments);
                    let output = control.load(command).output().unwrap();
                    !output.status.success()
                };
                let calls = control.calls();
                refused += u64::from(is_refused);
                read += 1;
                place.assert_sound(&truth);
                assert_eq!(entries(&place), expected, "{arguments:?} {fault:?}");
                if calls < from {
                    break;
                }
                from += i64::try_from(1 + chance.below(6 / rounds(1).min(6))).unwrap();
            }
        }
    }
    assert!(refused > 0);
    eprintln!("{read} starts with a read that fails, {refused} refused");
}

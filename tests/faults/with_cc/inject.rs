//! Each write, sync, creation and renaming in turn fails: nothing is acknowledged that is not there afterwards, the service
//! says that it stores no more and goes on answering, ends when it is told to, and starts anew.

use std::sync::atomic::AtomicBool;
use std::thread;

use super::preload::{CREATE, Control, EIO, ENOSPC, Fault, NAME, SYNC, WRITE};
use crate::chance::{Chance, rounds};
use crate::load::Source;
use crate::service::{Place, SENSORS, Service};
use crate::truth::Truth;

const ALL: i64 = WRITE | SYNC | CREATE | NAME;
/// Uploads of a scripted run: enough for rows to be sealed and for a second segment of sled's file.
const UPLOADS: usize = 12;

/// The scripted run: uploads one after the other, each of them noted, until one is not accepted. Its status, else 200.
fn script(service: &Service, truth: &Truth) -> Option<u16> {
    let source = Source::new(SENSORS[0]);
    let mut chance = Chance::new(1);
    let mut statuses = (0..UPLOADS).map(|_| source.send(service, truth, &mut chance, || 0));
    statuses
        .find(|status| *status != Some(200))
        .unwrap_or(Some(200))
}

/// How many calls a scripted run makes, from start to stop.
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

/// A run in which `fault` strikes, and the one after it.
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
                assert_refuses(&service, status, fault);
            }
            service.stop().assert_clear();
        }
    }
    assert_works_again(&place, &truth);
}

/// Once an upload was refused all are, and the service still answers.
fn assert_refuses(service: &Service, first: Option<u16>, fault: Fault) {
    assert_eq!(first, Some(503), "{fault:?}: {}", service.said());
    for sensor in SENSORS {
        let again = service.upload(sensor, &[(0, 1.0)]);
        assert_eq!(again, Some(503), "{fault:?}: {}", service.said());
    }
    // It may find that it cannot read either; then it says so. It must not hang.
    service.download(SENSORS[0]);
    let said = service.said();
    assert!(said.contains("takes no more changes"), "{fault:?}: {said}");
}

/// Without the fault: everything acknowledged is there, and uploads are taken.
fn assert_works_again(place: &Place, truth: &Truth) {
    place.assert_sound(truth);
    let service = place.serve();
    service.assert_holds(truth);
    assert_eq!(service.upload(SENSORS[1], &[(0, 1.0)]), Some(200));
    let ended = service.stop();
    assert_eq!(ended.status, Some(0), "{ended:?}");
}

#[test]
#[ignore = "needs cc"]
fn each_call_fails_in_turn() {
    let mut chance = Chance::of_this_run();
    let calls = calls_of_a_run();
    assert!(calls > 50, "{calls}");
    // A short run takes every so many-th call, another one each time.
    let step = i64::try_from((u64::try_from(calls).unwrap() / rounds(20)).max(1)).unwrap();
    let first = 1 + i64::try_from(chance.below(step.unsigned_abs())).unwrap();
    let turns: Vec<i64> = (first..=calls)
        .step_by(step.unsigned_abs().try_into().unwrap())
        .collect();
    for &from in &turns {
        let fault = Fault {
            from,
            many: if chance.one_in(2) { 1 } else { i64::MAX },
            kinds: ALL,
            error: if chance.one_in(2) { EIO } else { ENOSPC },
            torn: chance.one_in(2),
        };
        eprintln!("{fault:?}");
        run_with(fault);
    }
    eprintln!("{} of {calls} calls failed in turn", turns.len());
}

/// Uploads and downloads from several threads when the fault strikes: sled's writes then come from other threads than those
/// that wait for them.
#[test]
#[ignore = "needs cc"]
fn a_call_fails_under_load() {
    let mut chance = Chance::of_this_run();
    for _ in 0..rounds(6) {
        let place = Place::new();
        let control = Control::new(&place);
        let truth = Truth::default();
        let service = place.start(control.load(place.serve_command())).unwrap();
        let fault = Fault {
            from: 1 + i64::try_from(chance.below(400)).unwrap(),
            // One of three is sled's: the number of commits is written in between, and may fail.
            many: if chance.one_in(2) { 3 } else { i64::MAX },
            kinds: if chance.one_in(2) { WRITE } else { SYNC },
            error: if chance.one_in(2) { EIO } else { ENOSPC },
            torn: chance.one_in(2),
        };
        eprintln!("{fault:?}");
        control.fail(fault);
        let stopping = AtomicBool::new(false);
        thread::scope(|scope| {
            let uploading: Vec<_> = SENSORS
                .iter()
                .map(|sensor| {
                    let (service, truth, stopping) = (&service, &truth, &stopping);
                    let mut chance = Chance::new(chance.number());
                    scope.spawn(move || {
                        Source::new(sensor).run(service, truth, stopping, &mut chance, || 0)
                    })
                })
                .collect();
            for sensor in SENSORS {
                let (service, stopping) = (&service, &stopping);
                scope.spawn(move || {
                    while !stopping.load(std::sync::atomic::Ordering::SeqCst) {
                        service.download(sensor);
                    }
                });
            }
            for thread in uploading {
                let status = thread.join().unwrap();
                assert_eq!(status, Some(503), "{fault:?}: {}", service.said());
            }
            stopping.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        assert_refuses(&service, Some(503), fault);
        service.stop().assert_clear();
        assert_works_again(&place, &truth);
    }
}

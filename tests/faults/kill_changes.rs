//! kill -9 while accounts, keys and sensors change and readings are deleted. Acknowledged changes
//! persist; an interrupted one happened completely or not at all.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use wattkeeper::OpenMode;

use crate::chance::{Chance, rounds};
use crate::changes::{Deleted, Kind, Thing, days};
use crate::load::Source;
use crate::service::{Place, SENSORS, at, open, readings};
use crate::stops::Stops;
use crate::truth::Truth;

/// A store under repeated kills.
struct World {
    place: Place,
    truth: Truth,
    source: Source,
    things: Vec<Thing>,
    deleted: Vec<Deleted>,
    /// The number of requested changes, and of those that were not acknowledged.
    asked: u64,
    open: u64,
}

impl World {
    fn new() -> Self {
        let kinds = [
            (Kind::Account, "cellar"),
            (Kind::Key, "meter-key"),
            (Kind::Sensor, "comer"),
            (Kind::Correction, SENSORS[0]),
            (Kind::Contract, "2026-01-01"),
            (Kind::Prices, "day-ahead"),
            (Kind::Days, "tempo"),
            (Kind::Notices, "home"),
        ];
        let place = Place::new();
        let store = open(&place.data_dir(), OpenMode::Existing).unwrap();
        store.edit(move |edit| edit.change_notices(days())).unwrap();
        store.close().unwrap();
        drop(store);
        Self {
            place,
            truth: Truth::default(),
            source: Source::new(SENSORS[0]),
            things: kinds.map(|(kind, id)| Thing::new(kind, id)).into(),
            deleted: SENSORS[1..3].iter().map(|id| Deleted::new(id)).collect(),
            asked: 0,
            open: 0,
        }
    }

    /// Changes everything through a service until it is killed.
    fn kill_service(&mut self, chance: &mut Chance) {
        let service = self.place.serve();
        let pid = service.child.id().to_string();
        let stopping = AtomicBool::new(false);
        let goes_on = || !stopping.load(Ordering::SeqCst);
        let (place, truth, source) = (&self.place, &self.truth, &self.source);
        let counts: Vec<(u64, u64)> = thread::scope(|scope| {
            let mut threads = Vec::new();
            for thing in &mut self.things {
                let mut chance = Chance::new(chance.number());
                threads.push(scope.spawn(move || {
                    let mut counts = (0, 0);
                    while goes_on() {
                        let before = thing.states.0.len();
                        thing.change(&mut chance, |arguments, input| place.run(arguments, input));
                        counts.0 += 1;
                        counts.1 += u64::from(thing.states.0.len() > before);
                    }
                    counts
                }));
            }
            for deleted in &mut self.deleted {
                let mut chance = Chance::new(chance.number());
                let service = &service;
                threads.push(scope.spawn(move || {
                    let mut counts = (0, 0);
                    while goes_on() {
                        for _ in 0..3 {
                            let batch = deleted.batch(&mut chance);
                            let status = service.upload(deleted.sensor, &batch);
                            deleted.note_batch(&batch, status == Some(200));
                        }
                        let range = deleted.range(&mut chance);
                        let arguments = deletion(deleted.sensor, range);
                        let is_done = place.run(&borrowed(&arguments), b"").is_some();
                        deleted.note_deletion(range, is_done);
                        counts.0 += 1;
                        counts.1 += u64::from(!is_done);
                    }
                    counts
                }));
            }
            let mut sourced = Chance::new(chance.number());
            let (service, stopping) = (&service, &stopping);
            scope.spawn(move || source.run(service, truth, stopping, &mut sourced, || 0));
            let stops = Stops(stopping);
            thread::sleep(Duration::from_millis(200 + chance.below(1_200)));
            let killed = std::process::Command::new("kill")
                .args(["-s", "KILL", &pid])
                .status();
            assert!(killed.unwrap().success());
            drop(stops);
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        for (asked, open) in counts {
            self.asked += asked;
            self.open += open;
        }
        service.kill();
    }

    /// Runs commands without a service, each killed before it ends or soon after.
    fn kill_commands(&mut self, times: u64, longest: Duration, chance: &mut Chance) {
        let place = &self.place;
        for _ in 0..times {
            let after =
                longest.mul_f64(f64::from(u32::try_from(chance.below(1_000)).unwrap()) / 1_000.0);
            let number = chance.index(self.things.len() + 2 * self.deleted.len());
            self.asked += 1;
            if let Some(thing) = self.things.get_mut(number) {
                let before = thing.states.0.len();
                thing.change(chance, |arguments, input| {
                    place.run_killed(arguments, input, after)
                });
                self.open += u64::from(thing.states.0.len() > before);
                continue;
            }
            let index = number % self.deleted.len();
            let deleted = &mut self.deleted[index];
            let range = deleted.range(chance);
            let arguments = deletion(deleted.sensor, range);
            let is_done = place
                .run_killed(&borrowed(&arguments), b"", after)
                .is_some();
            deleted.note_deletion(range, is_done);
            self.open += u64::from(!is_done);
        }
    }

    /// Asserts that the store is valid and everything has an allowed state.
    fn settle(&mut self) {
        self.place.assert_sound(&self.truth);
        let store = open(&self.place.data_dir(), OpenMode::Existing).unwrap();
        for thing in &mut self.things {
            thing.settle(&store);
        }
        for deleted in &mut self.deleted {
            deleted.settle(&readings(&store, deleted.sensor));
        }
        store.close().unwrap();
    }
}

/// The arguments of a deletion.
fn deletion(sensor: &str, (first, last): (i64, i64)) -> Vec<String> {
    let (start, end) = (at(first).to_string(), at(last).to_string());
    let arguments = [
        "readings", "delete", "--sensor", sensor, "--start", &start, "--end", &end, "--yes",
    ];
    arguments.map(str::to_owned).to_vec()
}

fn borrowed(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn changes_through_a_service_that_is_killed() {
    const KILLS: u64 = 4;
    let mut chance = Chance::of_this_run();
    let (mut asked, mut open) = (0, 0);
    let stores = rounds(1);
    for _ in 0..stores {
        let mut world = World::new();
        for _ in 0..KILLS {
            world.kill_service(&mut chance);
            world.settle();
        }
        (asked, open) = (asked + world.asked, open + world.open);
    }
    let kills = stores * KILLS;
    eprintln!("{kills} kills, {asked} changes requested, {open} of them interrupted or refused");
}

#[test]
fn changes_by_commands_that_are_killed() {
    const KILLS: u64 = 12;
    let mut chance = Chance::of_this_run();
    let (mut asked, mut open) = (0, 0);
    let stores = rounds(1);
    for _ in 0..stores {
        let mut world = World::new();
        let service = world.place.serve();
        for deleted in &mut world.deleted {
            for _ in 0..20 {
                let batch = deleted.batch(&mut chance);
                let status = service.upload(deleted.sensor, &batch);
                assert_eq!(status, Some(200));
                deleted.note_batch(&batch, true);
            }
        }
        service.kill();
        let begun = Instant::now();
        world.place.run(&["sensor", "list"], b"").unwrap();
        let longest = begun.elapsed().mul_f64(1.2);
        for _ in 0..KILLS / 3 {
            // More than one in a row: the remains of a kill must not block the next command.
            world.kill_commands(3, longest, &mut chance);
            world.settle();
        }
        (asked, open) = (asked + world.asked, open + world.open);
    }
    eprintln!("{asked} commands, {open} of them killed before they ended or refused");
}

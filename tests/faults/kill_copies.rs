//! kill -9 during a backup, by command or on schedule, and during a restore. A backup is complete
//! or has no final name, the previous one is intact, and the remains block nothing.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use wattkeeper::OpenMode;

use crate::chance::{Chance, rounds};
use crate::copies::{breaches, fill, is_unfinished};
use crate::load::Source;
use crate::service::{PATIENCE, Place, SENSORS, Service, assert_nothing, names, open, readings};
use crate::stops::Stops;
use crate::truth::Truth;

/// Readings stored at the beginning.
const HISTORY: u32 = 4_000;

/// A moment up to `longest` from now.
fn moment(longest: Duration, chance: &mut Chance) -> Duration {
    longest.mul_f64(f64::from(u32::try_from(chance.below(1_000)).unwrap()) / 1_000.0)
}

/// The process to kill while `backup` runs.
#[derive(Clone, Copy, Debug)]
enum Victim {
    Command,
    CommandBesideService,
    Service,
}

const VICTIMS: [Victim; 3] = [
    Victim::Command,
    Victim::CommandBesideService,
    Victim::Service,
];

/// A store that is backed up under uploads.
struct Copied {
    place: Place,
    truth: Truth,
    source: Source,
    /// The number of acknowledged uploads.
    acknowledged: AtomicU64,
}

impl Copied {
    fn new(chance: &mut Chance) -> Self {
        let (place, truth) = (Place::new(), Truth::default());
        fill(&place, &truth, HISTORY, chance);
        Self {
            place,
            truth,
            source: Source::new(SENSORS[0]),
            acknowledged: AtomicU64::new(0),
        }
    }

    /// Runs `backup` and kills the victim. Returns whether it succeeded, and the number of uploads
    /// acknowledged before it began.
    fn backup(&self, victim: Victim, after: Duration, chance: &mut Chance) -> (bool, u64) {
        const BACKUP: [&str; 2] = ["backup", "copy"];
        if matches!(victim, Victim::Command) {
            let begun = self.acknowledged.load(Ordering::SeqCst);
            let printed = self.place.run_killed(&BACKUP, b"", after);
            return (printed.is_some(), begun);
        }
        let service = self.place.serve();
        let stopping = AtomicBool::new(false);
        let outcome = self.while_uploading(&service, &stopping, chance, || {
            let begun = self.acknowledged.load(Ordering::SeqCst);
            let printed = if matches!(victim, Victim::CommandBesideService) {
                self.place.run_killed(&BACKUP, b"", after)
            } else {
                let pid = service.child.id().to_string();
                thread::scope(|scope| {
                    scope.spawn(|| {
                        thread::sleep(after);
                        let killed = Command::new("kill").args(["-s", "KILL", &pid]).status();
                        assert!(killed.unwrap().success());
                    });
                    self.place.run(&BACKUP, b"")
                })
            };
            (printed.is_some(), begun)
        });
        service.kill();
        outcome
    }

    fn while_uploading<T>(
        &self,
        service: &Service,
        stopping: &AtomicBool,
        chance: &mut Chance,
        work: impl FnOnce() -> T,
    ) -> T {
        let mut chance = Chance::new(chance.number());
        thread::scope(|scope| {
            scope.spawn(move || {
                let record = || self.acknowledged.fetch_add(1, Ordering::SeqCst) + 1;
                self.source
                    .run(service, &self.truth, stopping, &mut chance, record)
            });
            let _stops = Stops(stopping);
            work()
        })
    }
}

#[test]
fn backups_cut_short_by_a_kill() {
    let mut chance = Chance::of_this_run();
    let copied = Copied::new(&mut chance);
    let copy = copied.place.path().join("copy");
    let begun = Instant::now();
    copied.place.run(&["backup", "copy"], b"").unwrap();
    let longest = begun.elapsed().mul_f64(1.5);
    fs::remove_file(&copy).unwrap();
    let (mut whole, mut parts) = (0, 0);
    let kills = rounds(9);
    for number in 0..kills {
        let victim = VICTIMS[usize::try_from(number).unwrap() % VICTIMS.len()];
        let after = moment(longest, &mut chance);
        let (is_done, begun) = copied.backup(victim, after, &mut chance);
        assert!(copy.exists() || !is_done, "{victim:?}: it is missing");
        if copy.exists() {
            assert_nothing(&breaches(&copy, &copied.truth, begun));
            fs::remove_file(&copy).unwrap();
            whole += 1;
        }
        let left = names(&copied.place.path());
        parts += left.iter().filter(|name| is_unfinished(name)).count();
        let known = [".copy.part", "data", "said"];
        assert!(
            left.iter().all(|name| known.contains(&name.as_str())),
            "{left:?}"
        );
        copied.place.assert_sound(&copied.truth);
    }
    // The remains are overwritten.
    copied.place.run(&["backup", "copy"], b"").unwrap();
    assert_nothing(&breaches(&copy, &copied.truth, u64::MAX));
    assert_eq!(names(&copied.place.path()), ["copy", "data", "said"]);
    eprintln!("{kills} kills: {whole} whole copies, {parts} parts");
}

/// A service with scheduled backups that takes one at every start.
struct Scheduled {
    place: Place,
    truth: Truth,
    source: Source,
    renamed: u32,
}

impl Scheduled {
    const KEEP: usize = 2;

    fn new(chance: &mut Chance) -> Self {
        let (place, truth) = (Place::new(), Truth::default());
        fill(&place, &truth, HISTORY, chance);
        fs::create_dir(place.path().join("copies")).unwrap();
        Self {
            place,
            truth,
            source: Source::new(SENSORS[0]),
            renamed: 0,
        }
    }

    fn serve(&self) -> Service {
        let mut command = self.place.serve_command();
        command
            .env("WATTKEEPER_BACKUP_DIR", "copies")
            .env("WATTKEEPER_BACKUP_KEEP", Self::KEEP.to_string());
        let started = self.place.start(command);
        started.unwrap_or_else(|ended| panic!("{ended:?}"))
    }

    fn copies(&self) -> Vec<String> {
        names(&self.place.path().join("copies"))
    }

    /// Backdates the existing backups, so that the next is due.
    fn let_time_pass(&mut self) {
        let dir = self.place.path().join("copies");
        for name in self.copies() {
            if is_new(&name) {
                self.renamed += 1;
                let (hour, minute) = (self.renamed / 60, self.renamed % 60);
                let old = format!("wattkeeper-20200101T{hour:02}{minute:02}00Z.backup");
                fs::rename(dir.join(name), dir.join(old)).unwrap();
            }
        }
    }

    /// Waits until the due backup exists and superfluous ones are gone.
    fn wait_for_copy(&self) {
        let begun = Instant::now();
        while !self.copies().iter().any(|name| is_new(name)) || self.copies().len() > Self::KEEP {
            assert!(begun.elapsed() < PATIENCE, "{:?}", self.copies());
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Whether this is the name of a backup that was not backdated.
fn is_new(name: &str) -> bool {
    !is_unfinished(name) && !name.contains("-2020")
}

#[test]
fn scheduled_copies_cut_short_by_a_kill() {
    let mut chance = Chance::of_this_run();
    let mut scheduled = Scheduled::new(&mut chance);
    let dir = scheduled.place.path().join("copies");
    let begun = Instant::now();
    let service = scheduled.serve();
    scheduled.wait_for_copy();
    let longest = begun.elapsed();
    service.kill();
    let (mut whole, mut parts) = (0, 0);
    let kills = rounds(8);
    for number in 0..kills {
        scheduled.let_time_pass();
        let service = scheduled.serve();
        thread::sleep(moment(longest, &mut chance));
        scheduled
            .source
            .send(&service, &scheduled.truth, &mut chance, || number + 1);
        service.kill();
        let copies = scheduled.copies();
        let left = copies.iter().filter(|name| is_unfinished(name)).count();
        assert!(left <= 1, "{copies:?}");
        // One more exists between the new one and the removal of the oldest.
        let done = copies.len() - left;
        assert!((1..=Scheduled::KEEP + 1).contains(&done), "{copies:?}");
        for name in copies.iter().filter(|name| !is_unfinished(name)) {
            // The new one contains everything acknowledged before earlier starts.
            let records = if is_new(name) { number } else { 0 };
            assert_nothing(&breaches(&dir.join(name), &scheduled.truth, records));
        }
        whole += copies.iter().filter(|name| is_new(name)).count();
        parts += left;
        scheduled.place.assert_sound(&scheduled.truth);
    }
    scheduled.let_time_pass();
    let service = scheduled.serve();
    scheduled.wait_for_copy();
    assert_eq!(service.stop().status, Some(0));
    let copies = scheduled.copies();
    assert!(!copies.iter().any(|name| is_unfinished(name)), "{copies:?}");
    assert_eq!(copies.len(), Scheduled::KEEP);
    let newest = copies.last().unwrap();
    assert_nothing(&breaches(&dir.join(newest), &scheduled.truth, u64::MAX));
    eprintln!("{kills} kills: {whole} whole copies, {parts} parts");
}

#[test]
fn restores_cut_short_by_a_kill() {
    let mut chance = Chance::of_this_run();
    let copied = Copied::new(&mut chance);
    copied.place.run(&["backup", "copy"], b"").unwrap();
    let copy = copied.place.path().join("copy");
    let arguments = ["restore", copy.to_str().unwrap()];
    let begun = Instant::now();
    Place::empty().run(&arguments, b"").unwrap();
    let longest = begun.elapsed().mul_f64(1.2);
    let (mut whole, mut begun) = (0, 0);
    let stores = rounds(4);
    for _ in 0..stores {
        let place = Place::empty();
        let facts = place.data_dir().join("facts");
        let mut is_restored = false;
        for _ in 0..2 {
            let after = moment(longest, &mut chance);
            let is_done = place.run_killed(&arguments, b"", after).is_some();
            assert!(facts.exists() || !is_done, "it is missing");
            begun += usize::from(place.data_dir().join("restoring").exists());
            if facts.exists() {
                is_restored = true;
                break;
            }
        }
        if is_restored {
            whole += 1;
        } else {
            // The remains block nothing.
            place.run(&arguments, b"").unwrap();
            assert!(!place.data_dir().join("restoring").exists());
        }
        place.assert_sound(&copied.truth);
        let store = open(&place.data_dir(), OpenMode::Existing).unwrap();
        assert_eq!(readings(&store, SENSORS[3]).len(), HISTORY as usize);
        store.close().unwrap();
    }
    eprintln!("{stores} stores: {whole} whole when killed, {begun} left to be restored again");
}

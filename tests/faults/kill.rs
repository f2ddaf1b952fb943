//! kill -9 under load, at random moments. Proves recovery, and that nothing is acknowledged too
//! early. It does not prove durability, because the page cache survives a kill: see
//! `with_cc/power.rs`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use crate::chance::{Chance, rounds};
use crate::load::{BEGIN_MS, Source};
use crate::service::{Place, SENSORS, Service, open};
use crate::stops::Stops;
use crate::truth::Truth;

/// The state of a sensor, according to the commands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Standing {
    Present,
    Removed,
    /// The command failed: the change may have happened or not.
    Unknown,
}

/// A store under repeated kills.
struct World {
    place: Place,
    truth: Truth,
    sources: Vec<Source>,
    /// Sensors added and removed, with their state.
    comers: Mutex<HashMap<String, Standing>>,
    numbers: AtomicI64,
}

impl World {
    fn number(&self) -> i64 {
        self.numbers.fetch_add(1, Ordering::SeqCst)
    }

    /// Imports history of the last sensor repeatedly.
    fn import(&self, stopping: &AtomicBool) {
        while !stopping.load(Ordering::SeqCst) {
            let first = BEGIN_MS - (self.number() + 1) * 100_000;
            let readings: Vec<(i64, f64)> = (0..50_u32)
                .map(|n| (first + i64::from(n) * 1_000, f64::from(n)))
                .collect();
            let mut table = String::from("time,watts\n");
            for (time, watts) in &readings {
                writeln!(table, "{time},{watts}").unwrap();
            }
            let ticket = self.truth.importing(SENSORS[3], &readings);
            if self
                .place
                .run(&["import", "-", "--sensor", SENSORS[3]], table.as_bytes())
                .is_some()
            {
                self.truth.acknowledged(&ticket, 0);
            }
        }
    }

    /// Registers sensors, gives them readings and removes them.
    fn come_and_go(&self, service: &Service, stopping: &AtomicBool) {
        while !stopping.load(Ordering::SeqCst) {
            let id = format!("comer-{}", self.number());
            let note = |standing| self.comers.lock().unwrap().insert(id.clone(), standing);
            note(Standing::Unknown);
            if self
                .place
                .run(
                    &[
                        "sensor",
                        "add",
                        &id,
                        "--account",
                        "home",
                        "--role",
                        "sub-meter",
                    ],
                    b"",
                )
                .is_none()
            {
                continue;
            }
            note(Standing::Present);
            let readings: Vec<_> = (0..100).map(|n| (BEGIN_MS + n * 1_000, 1.0)).collect();
            service.upload(&id, &readings);
            if self.number() % 3 == 0 {
                continue;
            }
            note(Standing::Unknown);
            if self
                .place
                .run(&["sensor", "remove", &id, "--yes"], b"")
                .is_some()
            {
                note(Standing::Removed);
            }
        }
    }

    /// Loads a service and kills it.
    fn load_and_kill(&self, chance: &mut Chance) {
        let service = self.place.serve();
        service.assert_holds(&self.truth);
        let stopping = AtomicBool::new(false);
        let pid = service.child.id().to_string();
        thread::scope(|scope| {
            for source in &self.sources {
                let mut chance = Chance::new(chance.number());
                let (service, stopping) = (&service, &stopping);
                scope.spawn(move || source.run(service, &self.truth, stopping, &mut chance, || 0));
            }
            scope.spawn(|| self.import(&stopping));
            scope.spawn(|| self.come_and_go(&service, &stopping));
            let _stops = Stops(&stopping);
            thread::sleep(Duration::from_millis(100 + chance.below(900)));
            let killed = std::process::Command::new("kill")
                .args(["-s", "KILL", &pid])
                .status();
            assert!(killed.unwrap().success());
        });
        service.kill();
    }

    /// Added sensors exist; removed ones are gone with their readings.
    fn assert_registry(&self) {
        let store = open(&self.place.data_dir(), wattkeeper::OpenMode::Existing).unwrap();
        let registry = store.registry();
        for (id, standing) in &*self.comers.lock().unwrap() {
            let id = wattkeeper::SensorId::new(id).unwrap();
            match standing {
                Standing::Present => assert!(registry.sensor(&id).is_some(), "{id:?} is lost"),
                Standing::Removed => assert!(registry.sensor(&id).is_none(), "{id:?} is back"),
                Standing::Unknown => {}
            }
        }
        store.close().unwrap();
    }
}

#[test]
fn killed_at_random_moments() {
    const KILLS: u64 = 6;
    let mut chance = Chance::of_this_run();
    let mut acknowledged = 0;
    let stores = rounds(1);
    for _ in 0..stores {
        let world = World {
            place: Place::new(),
            truth: Truth::default(),
            sources: SENSORS[..3].iter().map(|id| Source::new(id)).collect(),
            comers: Mutex::default(),
            numbers: AtomicI64::new(0),
        };
        for _ in 0..KILLS {
            world.load_and_kill(&mut chance);
            world.place.assert_sound(&world.truth);
            world.assert_registry();
        }
        let service = world.place.serve();
        service.assert_holds(&world.truth);
        let ended = service.stop();
        assert_eq!(ended.status, Some(0), "{ended:?}");
        acknowledged += world.truth.count();
    }
    assert!(acknowledged > 0);
    eprintln!(
        "{} kills, {acknowledged} readings acknowledged",
        stores * KILLS
    );
}

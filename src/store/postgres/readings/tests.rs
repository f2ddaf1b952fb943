//! Tests of readings in a real PostgreSQL.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::change::PostgresChange;
use super::seal::{ENOUGH_ROWS, seal_some};
use super::*;
use crate::domain::{
    AccountName, Measures, Reading, Sensor, SensorId, TimeRange, Timestamp, Upload, UploadedReading,
};
use crate::store::backend::{
    Append, ReadingsBackend, ReadingsChange, ReadingsWriter, RowsTurn, SensorTurn, UploadsBackend,
    wait,
};
use crate::store::change::tests::{Others, act, actions, others};
use crate::store::change::{delete, delete_equal, import};
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::postgres::PostgresPurpose;
use crate::store::postgres::PostgresSettings;
use crate::store::postgres::database::Postgres;
use crate::store::postgres::test_server::PostgresServer;
use crate::store::read::Scan;
use crate::store::records::Order;
use crate::store::registry::Registry;
use crate::store::rows::Activity;
use crate::store::settings::OpenMode;
use crate::store::tests::{at, house, open_registered, reading};

fn account() -> AccountName {
    AccountName::new("home").unwrap()
}

fn sensor(number: usize) -> SensorId {
    SensorId::new(&format!("s{number}")).unwrap()
}

/// A database with some sensors.
struct Place<'a> {
    server: &'a PostgresServer,
    database: String,
}

impl<'a> Place<'a> {
    fn new(server: &'a PostgresServer) -> Self {
        let database = server.create_database();
        let place = Self { server, database };
        // Creates the tables.
        drop(place.postgres());
        place
    }

    fn postgres(&self) -> Postgres {
        let settings = PostgresSettings {
            url: self.server.url(&self.database).parse().unwrap(),
            password_file: None,
            allow_async: true,
            allow_clear_text_password: false,
            connections: 8,
        };
        Postgres::open(settings, PostgresPurpose::Use(OpenMode::CreateIfMissing)).unwrap()
    }

    fn open(&self, block_readings: usize) -> Arc<PostgresReadings> {
        let postgres = Arc::new(self.postgres());
        let mut registry = Registry::default();
        for id in (0..8).map(sensor).chain([house()]) {
            let sensor = Sensor::new(id.clone(), account(), at(0));
            registry.sensors.insert(id, sensor);
        }
        let registry = Arc::new(registry);
        let snapshot = Arc::new(move || Ok(Arc::clone(&registry)));
        Arc::new(PostgresReadings::open(postgres, block_readings, snapshot).unwrap())
    }

    fn sql(&self, statements: &str) -> String {
        self.server.sql(&self.database, statements)
    }

    fn put_sensor(&self, sensor: &SensorId) {
        self.sql(&format!("insert into sensors (name) values ('{sensor}')"));
    }

    /// Removes a sensor. Its row of `sensors` goes first, so that nobody creates one of `activity`
    /// after that.
    fn remove_sensor(&self, sensor: &SensorId) {
        let number = format!("delete from sensors where name = '{sensor}' returning id");
        let number = self.sql(&number);
        if !number.is_empty() {
            for table in ["activity", "hot", "blocks"] {
                self.sql(&format!("delete from {table} where sensor = {number}"));
            }
        }
    }

    /// Checks the facts about the history that uploads rely on.
    fn assert_counted(&self) {
        let counted = "select coalesce(bool_and(unsealed >= (select count(*) from hot h where h.sensor = a.sensor) and \
            sealed_until is not distinct from (select max(last) from blocks b where b.sensor = a.sensor)), true) from activity a";
        assert_eq!(self.sql(counted), "t");
    }
}

fn append_of(sensor: &SensorId, readings: &[(Option<i64>, Measures)], arrival: i64) -> Append {
    let readings = readings.iter().map(|(time, measures)| UploadedReading {
        time: time.map(at),
        measures: *measures,
    });
    Append {
        account: Some(account()),
        upload: Upload::new(sensor.clone(), readings.collect()).unwrap(),
        arrival: at(arrival),
    }
}

/// Stores an upload, and waits for it.
fn store_by(readings: &PostgresReadings, append: Append) -> Result<usize, StoreError> {
    wait(readings.append(append))
}

fn timed(readings: &[Reading]) -> Vec<(Option<i64>, Measures)> {
    let timed = readings.iter();
    timed
        .map(|reading| (Some(reading.time.millis()), reading.measures))
        .collect()
}

fn watts(watts: f64) -> Measures {
    Measures::new(Some(watts), None).unwrap()
}

fn all_of(backend: &Arc<dyn ReadingsBackend>, sensor: &SensorId) -> Vec<Reading> {
    let mut scan = Scan::new(Arc::clone(backend), sensor.clone(), TimeRange::ALL);
    let mut readings = Vec::new();
    while let Some(run) = scan.next_run().unwrap() {
        readings.extend(run);
    }
    readings
}

fn stored(readings: &Arc<PostgresReadings>, sensor: &SensorId) -> Vec<Reading> {
    let backend: Arc<dyn ReadingsBackend> = Arc::<PostgresReadings>::clone(readings);
    all_of(&backend, sensor)
}

#[test]
#[ignore = "needs postgres"]
fn postgres_keeps_the_history_that_a_plain_map_keeps() {
    let place = Place::new(PostgresServer::shared());
    let readings = place.open(16);
    let backend: Arc<dyn ReadingsBackend> = Arc::<PostgresReadings>::clone(&readings);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(48));
    let run = |actions: Vec<_>| {
        place.remove_sensor(&house());
        place.put_sensor(&house());
        let append = |new: &[Reading]| {
            let append = append_of(&house(), &timed(new), 5_000);
            assert_eq!(store_by(&readings, append).unwrap(), new.len());
        };
        act(&backend, &*readings, append, &actions);
        place.assert_counted();
        Ok(())
    };
    runner.run(&actions(), run).unwrap();
}

/// An event of a sensor.
#[derive(Clone, Debug)]
enum Event {
    Upload(Vec<(Option<i64>, Measures)>, i64),
    Import(Vec<Reading>),
    Delete(TimeRange),
    DeleteEqual(Others),
    Seal(usize),
    Forget(i64),
}

fn event() -> impl Strategy<Value = Event> {
    let measures = prop_oneof![
        (0_i32..9).prop_map(|watts| (Some(f64::from(watts)), None)),
        (0_i32..9).prop_map(|watthours| (None, Some(f64::from(watthours)))),
        (0_i32..9, 0_i32..9).prop_map(|(w, wh)| (Some(f64::from(w)), Some(f64::from(wh)))),
    ];
    let measures = measures.prop_map(|(w, wh)| Measures::new(w, wh).unwrap());
    let time = || 0_i64..120;
    let uploaded = (proptest::option::of(time()), measures.clone());
    let reading = (time(), measures).prop_map(|(ms, measures)| Reading {
        time: at(ms),
        measures,
    });
    prop_oneof![
        5 => (proptest::collection::vec(uploaded, 1..9), time())
            .prop_map(|(readings, arrival)| Event::Upload(readings, arrival)),
        1 => proptest::collection::vec(reading, 1..40).prop_map(Event::Import),
        1 => (time(), 0_i64..40)
            .prop_map(|(start, more)| Event::Delete(TimeRange::new(at(start), at(start + more)).unwrap())),
        1 => others().prop_map(Event::DeleteEqual),
        2 => (1_usize..20).prop_map(Event::Seal),
        1 => time().prop_map(Event::Forget),
    ]
}

/// Both backends answer the same.
#[test]
#[ignore = "needs postgres"]
fn postgres_answers_as_the_embedded_backend_does() {
    let place = Place::new(PostgresServer::shared());
    let readings = place.open(16);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(24));
    let wait = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let run = |events: Vec<Event>| {
        place.remove_sensor(&house());
        place.put_sensor(&house());
        // Also looks for the newest arrival.
        readings.put_arrivals(&house(), None, None).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        let embedded: Arc<dyn ReadingsBackend> = Arc::<Shared>::clone(store.shared());
        for event in events {
            match event {
                Event::Upload(uploaded, arrival) => {
                    let append = append_of(&house(), &uploaded, arrival);
                    store
                        .append_durably_blocking(append.upload.clone(), append.arrival)
                        .unwrap();
                    store_by(&readings, append).unwrap();
                }
                Event::Import(imported) => {
                    import(&*store.backend, &house(), imported.clone()).unwrap();
                    import(&*readings, &house(), imported).unwrap();
                }
                Event::Delete(range) => {
                    let count = delete(&*store.backend, &house(), range).unwrap();
                    assert_eq!(delete(&*readings, &house(), range).unwrap(), count);
                }
                Event::DeleteEqual(others) => {
                    let given = others.of(all_of(&embedded, &house()));
                    let count = delete_equal(&*store.backend, &house(), given.clone()).unwrap();
                    let deleted = delete_equal(&*readings, &house(), given);
                    assert_eq!(deleted.unwrap(), count);
                }
                Event::Seal(enough) => {
                    seal_some(&readings.postgres, &house(), 16, enough).unwrap();
                }
                Event::Forget(time) => {
                    let count = store.count_arrivals_after(at(time)).unwrap();
                    assert_eq!(readings.count_arrivals_after(at(time)).unwrap(), count);
                    wait.block_on(store.forget_arrivals_after_durably(at(time)))
                        .unwrap();
                    let forgotten = wait.block_on(readings.forget_arrivals_after(at(time)));
                    assert_eq!(forgotten.unwrap(), count);
                }
            }
            assert_eq!(stored(&readings, &house()), all_of(&embedded, &house()));
            let known = |activity: Option<Activity>| activity.unwrap_or_default();
            assert_eq!(
                known(readings.activity(&house()).unwrap()),
                known(store.activity(&house()).unwrap())
            );
            assert_eq!(readings.newest_arrival(), store.newest_arrival());
            place.assert_counted();
        }
        Ok(())
    };
    let events = proptest::collection::vec(event(), 1..16);
    runner.run(&events, run).unwrap();
}

#[test]
#[ignore = "needs postgres"]
fn postgres_sensors_must_be_registered() {
    let place = Place::new(PostgresServer::shared());
    let readings = place.open(16);
    let unknown = |refused: StoreError| {
        assert!(matches!(refused, StoreError::UnknownSensor(_)), "{refused}");
    };
    let job = || Box::new(|_: &mut dyn ReadingsChange| Ok(3));
    let one = || append_of(&house(), &[(Some(7), watts(1.0))], 9);
    unknown(readings.change(&house(), job()).unwrap_err());
    unknown(store_by(&readings, one()).unwrap_err());
    place.put_sensor(&house());
    assert_eq!(readings.change(&house(), job()).unwrap(), 3);
    assert_eq!(store_by(&readings, one()).unwrap(), 1);
    let mut foreign = one();
    foreign.account = Some(AccountName::new("other").unwrap());
    unknown(store_by(&readings, foreign).unwrap_err());
    place.remove_sensor(&house());
    unknown(readings.change(&house(), job()).unwrap_err());
    unknown(store_by(&readings, one()).unwrap_err());
    assert_eq!(stored(&readings, &house()), []);
    unknown(readings.put_arrivals(&house(), None, None).unwrap_err());
    // A new sensor with the same name has another number.
    place.put_sensor(&house());
    assert_eq!(store_by(&readings, one()).unwrap(), 1);
    assert_eq!(stored(&readings, &house()).len(), 1);
    assert_eq!(place.sql("select count(*) from activity"), "1");
    assert_eq!(readings.newest_arrival(), Some(at(9)));
    readings.put_arrivals(&house(), None, Some(at(50))).unwrap();
    assert_eq!(readings.newest_arrival(), None);
    let known = readings.activity(&house()).unwrap().unwrap();
    let all = readings.activities(&[&sensor(7), &house()]);
    assert_eq!(all.unwrap(), [None, Some(known)]);
    assert_eq!(known.last_assigned, Some(at(50)));
    assert_eq!(known.newest_power.map(|power| power.time), Some(at(7)));
}

/// The threads that change the same sensors. Each uses times of its own.
const THREADS: i64 = 4;
/// Readings without a time get one from here on.
const UNTIMED_FROM: i64 = 1_000_000;

/// Measures by sensor and time.
type ModelOfSensors = BTreeMap<(usize, Timestamp), Measures>;

/// Changes two sensors often. Returns the remaining readings that had a time, and the number of
/// those without.
fn change_often(backend: &PostgresReadings, thread: i64) -> (ModelOfSensors, usize) {
    const ROUNDS: i64 = 60;
    let (mut model, mut untimed) = (ModelOfSensors::new(), 0);
    for round in 0..ROUNDS {
        let number = usize::try_from(round).unwrap() % 2;
        let of = sensor(number);
        let time = |round: i64, nth: i64| (round * 40 + nth) * THREADS + thread;
        let some: Vec<Reading> = (0..40)
            .map(|nth| reading(time(round, nth), f64::from(u32::try_from(nth).unwrap())))
            .collect();
        // Corrects an older one, which may be sealed.
        let late = reading(time(round / 2, round % 7), 5.5);
        for it in some.iter().chain([&late]) {
            model.insert((number, it.time), it.measures);
        }
        if round % 3 == 0 {
            import(backend, &of, some).unwrap();
        } else {
            store_by(backend, append_of(&of, &timed(&some), round)).unwrap();
        }
        store_by(backend, append_of(&of, &timed(&[late]), round)).unwrap();
        // At the same times in all threads.
        let two = [(None, watts(1.0)), (None, watts(2.0))];
        let arrival = UNTIMED_FROM + round;
        untimed += store_by(backend, append_of(&of, &two, arrival)).unwrap();
        if round % 4 == 1 {
            let moment = at(time(round, 3));
            let deleted = delete(backend, &of, TimeRange::at(moment)).unwrap();
            assert!(model.remove(&(number, moment)).is_some());
            assert_eq!(deleted, 1);
        }
        seal_some(&backend.postgres, &of, 64, 50).unwrap();
    }
    (model, untimed)
}

#[test]
#[ignore = "needs postgres"]
fn postgres_front_ends_do_not_lose_or_double_what_others_write() {
    let place = Place::new(PostgresServer::shared());
    for number in 0..2 {
        place.put_sensor(&sensor(number));
    }
    let backends = [place.open(64), place.open(64)];
    let (mut model, mut untimed) = (ModelOfSensors::new(), 0);
    thread::scope(|scope| {
        let backend = |thread| &backends[usize::try_from(thread % 2).unwrap()];
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || change_often(backend(thread), thread)))
            .collect();
        for thread in threads {
            let (part, count) = thread.join().unwrap();
            model.extend(part);
            untimed += count;
        }
    });
    let mut found_untimed = 0;
    for number in 0..2 {
        let found = stored(&backends[0], &sensor(number));
        assert!(found.is_sorted_by(|a, b| a.time < b.time));
        assert_eq!(found, stored(&backends[1], &sensor(number)));
        let (timed, assigned): (Vec<Reading>, Vec<Reading>) = found
            .into_iter()
            .partition(|reading| reading.time < at(UNTIMED_FROM));
        found_untimed += assigned.len();
        let model = model.iter().filter(|((of, _), _)| *of == number);
        let model = model.map(|((_, time), measures)| (*time, *measures));
        assert!(timed.iter().map(|it| (it.time, it.measures)).eq(model));
        while seal_some(&backends[0].postgres, &sensor(number), 64, 1).unwrap() {}
    }
    assert_eq!(found_untimed, untimed);
    place.assert_counted();
    assert_eq!(place.sql("select count(*) from hot"), "0");
    let total = (model.len() + untimed).to_string();
    assert_eq!(place.sql("select sum(count) from blocks"), total);
}

/// Readings of power, one a second.
fn many(count: usize) -> Vec<Reading> {
    let numbers = 0..i64::try_from(count).unwrap();
    numbers.map(|ms| reading(ms * 1_000, 7.0)).collect()
}

fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "needs postgres"]
fn postgres_rows_of_any_front_end_become_blocks_soon() {
    let place = Place::new(PostgresServer::shared());
    place.put_sensor(&house());
    let readings = place.open(512);
    let new = many(ENOUGH_ROWS + 100);
    // Uploads that come at the same time are stored together.
    let wait = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let few = new[..ENOUGH_ROWS - 1].iter();
    let few = few.map(|one| readings.append(append_of(&house(), &timed(&[*one]), 5)));
    let few = wait.block_on(futures_util::future::join_all(few));
    assert!(few.into_iter().all(|stored| stored.unwrap() == 1));
    assert_eq!(place.sql("select count(*) from blocks"), "0");
    let rest = append_of(&house(), &timed(&new[ENOUGH_ROWS - 1..]), 5);
    store_by(&readings, rest).unwrap();
    until(|| place.sql("select count(*) >= 2 from blocks") == "t");
    assert_eq!(stored(&readings, &house()), new);
    drop(readings);
    // As a front-end that died leaves them.
    place.sql(
        "insert into hot select sensor, generate_series(5000000, 6000000, 500), 7 from activity",
    );
    place.sql("update activity set unsealed = 3000");
    let readings = place.open(512);
    until(|| place.sql("select unsealed < 1024 from activity") == "t");
    assert_eq!(stored(&readings, &house()).len(), new.len() + 2_001);
    place.assert_counted();
}

#[test]
#[ignore = "needs postgres"]
fn postgres_front_end_that_dies_while_it_seals_leaves_all() {
    let place = Place::new(PostgresServer::shared());
    place.put_sensor(&house());
    let readings = place.open(64);
    let new = many(300);
    let append = append_of(&house(), &timed(&new), 5);
    store_by(&readings, append).unwrap();
    let id = house();
    let mut held = PostgresChange::hold(&readings.postgres, &id, 64).unwrap();
    let rows = held
        .view()
        .rows(TimeRange::ALL, None, Order::Ascending, usize::MAX)
        .unwrap();
    assert_eq!(rows, new);
    // Meanwhile nobody else seals the sensor, or waits for it.
    assert!(!seal_some(&readings.postgres, &id, 64, 1).unwrap());
    held.turn_over(SensorTurn {
        rows: RowsTurn::Deleted {
            range: TimeRange::ALL,
            gone: vec![TimeRange::ALL],
        },
        ..SensorTurn::default()
    })
    .unwrap();
    assert_eq!(stored(&readings, &house()), new);
    place.sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'");
    let lost = held.commit().unwrap_err();
    assert!(matches!(lost, StoreError::NotForNow(_)), "{lost}");
    assert_eq!(stored(&readings, &house()), new);
    assert!(!seal_some(&readings.postgres, &id, 64, 1).unwrap());
    assert_eq!(place.sql("select count(*) from hot"), "0");
    assert_eq!(stored(&readings, &house()), new);
    place.assert_counted();
}

#[test]
#[ignore = "needs postgres"]
fn postgres_uploads_fail_while_it_is_away_and_go_on_afterwards() {
    let server = PostgresServer::start(&[]);
    let place = Place::new(&server);
    for number in 0..8 {
        place.put_sensor(&sensor(number));
    }
    let readings = place.open(64);
    let begun = AtomicUsize::new(0);
    let acknowledged = |number: usize, first: i64| {
        let mut times = Vec::new();
        for nth in first.. {
            let append = append_of(&sensor(number), &[(Some(nth), watts(1.0))], nth);
            match store_by(&readings, append) {
                Ok(_) => {
                    begun.fetch_add(times.is_empty().into(), Ordering::Relaxed);
                    times.push(at(nth));
                }
                // Connections that broke during the outage may not be known to be lost yet.
                Err(StoreError::NotForNow(_)) if times.is_empty() => {}
                Err(StoreError::NotForNow(_)) => break,
                Err(other) => panic!("{other}"),
            }
        }
        times
    };
    // The second round must not repeat readings of the first one.
    for (is_kill, first) in [(false, 0), (true, 1_000_000)] {
        begun.store(0, Ordering::Relaxed);
        let kept: Vec<Vec<Timestamp>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|number| scope.spawn(move || acknowledged(number, first)))
                .collect();
            until(|| begun.load(Ordering::Relaxed) == 8);
            if is_kill {
                server.kill();
            } else {
                server.stop();
            }
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let id = house();
        assert!(matches!(
            readings.view(&id).err(),
            Some(StoreError::NotForNow(_))
        ));
        assert!(readings.activity(&id).is_err());
        server.start_again();
        until(|| readings.activity(&id).is_ok());
        for (number, times) in kept.iter().enumerate() {
            let found = stored(&readings, &sensor(number));
            let found: Vec<Timestamp> = found.iter().map(|reading| reading.time).collect();
            let missing: Vec<_> = times.iter().filter(|it| !found.contains(it)).collect();
            assert!(missing.is_empty(), "{number}: {missing:?}");
        }
    }
}

#[test]
#[ignore = "needs postgres"]
fn postgres_readings_are_for_those_who_are_known() {
    let place = Place::new(PostgresServer::shared());
    place.put_sensor(&house());
    let mut registry = Registry::default();
    let sensor = Sensor::new(house(), account(), at(0));
    registry.sensors.insert(house(), sensor);
    let (registry, is_known) = (Arc::new(registry), Arc::new(AtomicBool::new(true)));
    let known = Arc::clone(&is_known);
    let snapshot = Arc::new(move || {
        let away = || StoreError::NotForNow("nobody knows".into());
        let known = known.load(Ordering::Relaxed);
        known.then(|| Arc::clone(&registry)).ok_or_else(away)
    });
    let readings = PostgresReadings::open(Arc::new(place.postgres()), 64, snapshot).unwrap();
    let append = || append_of(&house(), &[(Some(1), watts(1.0))], 1);
    store_by(&readings, append()).unwrap();
    assert!(readings.view(&house()).is_ok());
    is_known.store(false, Ordering::Relaxed);
    let read = readings.view(&house()).map(drop);
    for refused in [read, store_by(&readings, append()).map(drop)] {
        assert!(matches!(refused, Err(StoreError::NotForNow(_))));
    }
}

/// No timeout makes PostgreSQL acknowledge a commit without its standby: callers give up first.
#[test]
#[ignore = "needs postgres"]
fn postgres_uploads_that_the_standby_lacks_are_not_acknowledged() {
    let server = PostgresServer::start(&[]);
    let standby = server.standby();
    let place = Place::new(&server);
    place.put_sensor(&house());
    let readings = place.open(64);
    let append = |ms| {
        store_by(
            &readings,
            append_of(&house(), &[(Some(ms), watts(1.0))], ms),
        )
    };
    assert_eq!(append(1).unwrap(), 1);
    standby.stop();
    let unsure = append(2).unwrap_err();
    assert!(matches!(unsure, StoreError::NotForNow(_)), "{unsure}");
    standby.start_again();
    until(|| append(2).is_ok());
    assert_eq!(stored(&readings, &house()).len(), 2);
}

/// PostgreSQL reports a commit as done, with a warning, if somebody cancels its wait for the
/// standby.
#[test]
#[ignore = "needs postgres"]
fn postgres_uploads_whose_wait_for_the_standby_is_cancelled_are_not_acknowledged() {
    let server = PostgresServer::start(&[]);
    let standby = server.standby();
    let place = Place::new(&server);
    place.put_sensor(&house());
    let readings = place.open(64);
    standby.stop();
    let unsure = std::thread::scope(|scope| {
        let cancel =
            "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'";
        scope.spawn(|| while server.sql("postgres", cancel) != "t" {});
        let append = append_of(&house(), &[(Some(1), watts(1.0))], 1);
        store_by(&readings, append).unwrap_err()
    });
    assert!(matches!(unsure, StoreError::NotForNow(_)), "{unsure}");
}

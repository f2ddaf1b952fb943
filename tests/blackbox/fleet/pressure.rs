//! A PostgreSQL server that runs out of something: connections, or room.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use serde_json::json;

use super::until;
use crate::backend::{PostgresServer, TestBackend};
use crate::support::{Service, at};

const THREADS: i64 = 16;
const UPLOADS: i64 = 24;
/// Size of the disk of a whole server: 40 MiB for PostgreSQL itself, and some for readings.
const DISK_MIB: u64 = 96;

fn time(nth: i64) -> String {
    at("2025-01-01T00:00:00")
        .saturating_add_millis(nth)
        .to_string()
}

#[test]
#[ignore = "needs postgres"]
fn postgres_with_few_connections_answers_some_later_and_loses_nothing() {
    // Some of them are the superuser's, and each front-end has one that listens.
    let server = PostgresServer::start(&["max_connections=14"]);
    let backend = TestBackend::at(server.url("postgres"));
    let start = |backend: TestBackend, connections: usize| {
        Service::start_at(backend, |config| {
            config.store.engine_connections = connections;
        })
    };
    let services = [start(backend.again(), 2), start(backend, 40)];
    services[0].register_house();
    let upload_first = |service: &Service| {
        let first = json!({"time": time(-1), "watts": 1});
        service.upload(&first).status()
    };
    let read =
        |service: &Service| service.result("rate", "2025-01-01T00:00:00", "2025-01-02T00:00:00");
    until("the other does not learn of the house", || {
        upload_first(&services[1]) == 200
    });
    let kept: Mutex<BTreeMap<String, f64>> = Mutex::default();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (services, kept) = (&services, &kept);
            scope.spawn(move || {
                for nth in 0..UPLOADS {
                    let service = &services[usize::try_from((nth + thread) % 2).unwrap()];
                    let time = time(nth * THREADS + thread);
                    let watts = f64::from(u32::try_from(nth).unwrap());
                    let answer = service.upload(&json!({"time": time, "watts": watts}));
                    match answer.status() {
                        200 => drop(kept.lock().unwrap().insert(time, watts)),
                        _ => answer.assert_problem(503, "storage_unavailable", ""),
                    }
                    let answer = read(service);
                    if answer.status() != 200 {
                        answer.assert_problem(503, "storage_unavailable", "");
                    }
                }
            });
        }
    });
    let kept = kept.into_inner().unwrap();
    assert!(!kept.is_empty());
    for service in &services {
        until("no upload is accepted", || upload_first(service) == 200);
        until("no read is answered", || read(service).status() == 200);
        let found: BTreeMap<String, f64> = service.all_watts().into_iter().collect();
        for (time, watts) in &kept {
            assert_eq!(found.get(time), Some(watts), "{time}");
        }
    }
}

#[test]
#[ignore = "needs postgres and the right to mount"]
fn postgres_whose_mounted_disk_is_full_loses_nothing_and_goes_on_once_there_is_room() {
    let server = PostgresServer::start_on_disk(DISK_MIB);
    let service = Service::start_at(TestBackend::at(server.url("postgres")), |_| {});
    service.register_house();
    let mut kept = BTreeMap::new();
    let mut upload = |nth: i64| {
        let batch = (0..1_000).map(|of_batch| {
            let time = time(nth * 1_000 + of_batch);
            json!({"time": time, "watts": of_batch})
        });
        let batch: Vec<_> = batch.collect();
        let answer = service.upload(&json!({"readings": batch}));
        if answer.status() == 200 {
            let watts = |reading: &serde_json::Value| reading["watts"].as_f64().unwrap();
            let readings = batch.iter();
            kept.extend(readings.map(|it| (it["time"].as_str().unwrap().to_owned(), watts(it))));
        } else {
            answer.assert_problem(503, "storage_unavailable", "");
        }
        answer.status()
    };
    assert_eq!(upload(0), 200);
    let filler = server.fill_disk();
    let mut nth = 1;
    until("uploads are accepted on a full disk", || {
        nth += 1;
        upload(nth) == 503
    });
    std::fs::remove_file(filler).unwrap();
    until("no upload is accepted", || {
        nth += 1;
        upload(nth) == 200
    });
    let found: BTreeMap<String, f64> = service.all_watts().into_iter().collect();
    for (time, watts) in &kept {
        assert_eq!(found.get(time), Some(watts), "{time}");
    }
}

//! Two front-ends on one database: each knows of changes made at the other.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use wattkeeper::Scope;
use wattkeeper::SensorId;
use wattkeeper::TimeRange;

use super::until;
use crate::backend::TestBackend;
use crate::support::{ACCOUNT, API_ID, SENSOR, Service, at, basic, both_as, key_of, upload_as};

const THREADS: i64 = 4;
const ROUNDS: i64 = 4;
const CHANGES: i64 = 24;

/// Power by time.
type Model = BTreeMap<String, f64>;

fn two() -> [Service; 2] {
    let backend = TestBackend::postgres();
    let services = [backend.again(), backend].map(|backend| Service::start_at(backend, |_| {}));
    services[0].register_house();
    let knows = |service: &Service| upload_as(service, None, Some(&basic(API_ID, &key_of(API_ID))));
    until("the other does not learn of the house", || {
        knows(&services[1]).status() == 200
    });
    let everything = services[0].store();
    let house = SensorId::new(SENSOR).unwrap();
    everything.delete_durably(&house, TimeRange::ALL).unwrap();
    services
}

/// A time that only this thread changes.
fn time(thread: i64, nth: i64) -> String {
    at("2025-01-01T00:00:00")
        .saturating_add_millis(nth * THREADS + thread)
        .to_string()
}

/// Uploads, batches and deletes, by one front-end or the other. Keeps `model` up to date.
fn change(services: &[Service; 2], thread: i64, round: i64, model: &mut Model) {
    let house = SensorId::new(SENSOR).unwrap();
    let first = round * 100_000;
    let mut put = |service: &Service, times: Vec<i64>, watts: f64| {
        let readings: Vec<Value> = times
            .iter()
            .map(|&nth| json!({"time": time(thread, nth), "watts": watts}))
            .collect();
        let count = readings.len();
        let answer = service.upload(&json!({"readings": readings}));
        answer.assert_json(&format!("{{\"accepted\":{count}}}"));
        let times = times.into_iter().map(|nth| (time(thread, nth), watts));
        model.extend(times);
    };
    for nth in 0..CHANGES {
        let service = &services[usize::try_from((nth + thread) % 2).unwrap()];
        let watts = f64::from(u32::try_from(nth * 10 + thread).unwrap());
        match nth % 6 {
            // So many are sealed soon.
            0 => put(
                service,
                (0..300).map(|n| first + nth * 300 + n).collect(),
                watts,
            ),
            // Of an earlier round, and of this one: maybe sealed by now.
            1 => put(service, vec![nth * 7, first + nth * 11], watts),
            _ => put(service, vec![first + 50_000 + nth], watts),
        }
    }
    // Others have readings in between.
    for nth in 40..=42 {
        let moment = at(&time(thread, first + nth));
        let service = &services[usize::try_from(nth % 2).unwrap()];
        let deleted = service
            .store()
            .delete_durably(&house, TimeRange::at(moment));
        let known = model.remove(&moment.to_string());
        assert_eq!(deleted.unwrap(), usize::from(known.is_some()));
    }
}

#[test]
#[ignore = "needs postgres"]
fn postgres_front_ends_given_the_same_sensor_agree_with_the_model() {
    let services = two();
    let mut models = [(); 4].map(|()| Model::new());
    for round in 0..ROUNDS {
        thread::scope(|scope| {
            for (thread, model) in (0..THREADS).zip(&mut models) {
                let services = &services;
                scope.spawn(move || change(services, thread, round, model));
            }
        });
        let all: Model = models
            .iter()
            .flatten()
            .map(|(time, watts)| (time.clone(), *watts))
            .collect();
        for service in &services {
            let found = service.all_watts();
            assert!(found.is_sorted_by(|one, next| one.0 < next.0));
            assert!(
                found.into_iter().collect::<Model>() == all,
                "after round {round}"
            );
        }
    }
    for service in &services {
        let found = service.store().check();
        assert!(found.is_clean(), "{:?}", found.problems);
    }
}

#[test]
#[ignore = "needs postgres"]
fn postgres_key_that_is_revoked_stops_everywhere_within_10_seconds() {
    let services = two();
    for (revoking, api_id) in [(0, "first-id"), (1, "second-id")] {
        services[revoking].add_key(ACCOUNT, api_id, Scope::Full);
        let key = key_of(api_id);
        let statuses = |service: &Service| {
            both_as(service, Some((api_id, &key)), None).map(|answer| answer.status())
        };
        for service in &services {
            until("the key does not work", || {
                statuses(service).into_iter().all(|status| status == 200)
            });
        }
        services[revoking].revoke_key(api_id);
        assert!(
            statuses(&services[revoking])
                .into_iter()
                .all(|it| it == 401)
        );
        thread::sleep(Duration::from_secs(10));
        for service in &services {
            assert!(statuses(service).into_iter().all(|it| it == 401));
        }
    }
}

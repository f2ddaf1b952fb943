//! Readings without a time: stored under the service's time, made unique for the sensor.

use serde_json::json;

use crate::support::{MINUTE, START, Service, at, key_of, points, power};

/// The time `ms` after a test's begin, as the service prints it.
fn after(ms: i64) -> String {
    at(START).saturating_add_millis(ms).to_string()
}

#[test]
fn two_posts_in_one_millisecond_are_two_readings() {
    let mut service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.accept(&json!({"time": null, "watts": 2}));
    service.restart();
    service.accept(&json!({"watts": 3}));
    assert_eq!(
        service.all_watts(),
        points([(START, 1.0), (&after(1), 2.0), (&after(2), 3.0)])
    );
}

#[test]
fn a_pair_of_posts_keeps_both_measures() {
    let service = Service::start();
    service.accept(&json!({"watthours": 1000}));
    service.accept(&json!({"watts": 230}));
    service.accept(&json!({"watthours": 1001}));
    service.accept(&json!({"watts": 231}));
    assert_eq!(
        service.all_watts(),
        points([(&after(1), 230.0), (&after(3), 231.0)])
    );
    let deltas = service.points("consumption", "2026-01-05", "2026-01-06");
    assert_eq!(deltas, points([(&after(2), 1.0)]));
}

#[test]
fn a_time_that_is_taken_is_passed_over() {
    let service = Service::start();
    for ms in [0, 1, 3] {
        service.accept(&json!({"time": after(ms), "watts": 100 + ms}));
    }
    for watts in [1, 2, 3] {
        service.accept(&json!({ "watts": watts }));
    }
    assert_eq!(
        service.all_watts(),
        points([
            (&after(0), 100.0),
            (&after(1), 101.0),
            (&after(2), 1.0),
            (&after(3), 103.0),
            (&after(4), 2.0),
            (&after(5), 3.0),
        ])
    );
}

#[test]
fn imported_times_are_passed_over_too() {
    let service = Service::start();
    let taken: Vec<_> = (0..5)
        .map(|ms| power(at(START).saturating_add_millis(ms), 9.0))
        .collect();
    service.import(&taken);
    service.accept(&json!({"watts": 1}));
    assert_eq!(service.all_watts().last(), Some(&(after(5), 1.0)));
}

#[test]
fn a_clock_set_back_a_little_overwrites_nothing() {
    let mut service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.advance(-30_000);
    service.accept(&json!({"watts": 2}));
    service.restart();
    service.accept(&json!({"watts": 3}));
    assert_eq!(
        service.all_watts(),
        points([(START, 1.0), (&after(1), 2.0), (&after(2), 3.0)])
    );
    service.clock.set(at(START).saturating_add_millis(MINUTE));
    service.accept(&json!({"watts": 4}));
    assert_eq!(service.all_watts().last(), Some(&(after(MINUTE), 4.0)));
}

#[test]
fn readings_of_a_batch_get_times_of_their_own() {
    let service = Service::start();
    let taken = after(1);
    let answer = service.upload(&json!({"readings": [
        {"watts": 1}, {"time": taken, "watts": 50}, {"watts": 2}, {"time": null, "watts": 3},
    ]}));
    answer.assert_json(r#"{"accepted":4}"#);
    let stored = service.all_watts();
    assert_eq!(stored.len(), 4);
    assert!(stored.contains(&(taken, 50.0)), "{stored:?}");
    let own: Vec<f64> = stored
        .into_iter()
        .map(|point| point.1)
        .filter(|&watts| watts < 50.0)
        .collect();
    assert_eq!(own, [1.0, 2.0, 3.0]);
}

#[test]
fn times_that_a_batch_brings_are_taken_too() {
    let service = Service::start();
    let answer = service.upload(&json!({"readings": [
        {"watts": 1}, {"watts": 2}, {"time": after(1), "watts": 50}, {"time": after(0), "watts": 51},
    ]}));
    answer.assert_json(r#"{"accepted":4}"#);
    assert_eq!(
        service.all_watts(),
        points([
            (START, 51.0),
            (&after(1), 50.0),
            (&after(2), 1.0),
            (&after(3), 2.0),
        ])
    );
}

#[test]
fn sensors_do_not_take_times_from_each_other() {
    let service = Service::start();
    service.add_sensor("home", "solar");
    service.accept(&json!({"watts": 1}));
    service.accept(&json!({"sensor_id": "solar", "watts": 2}));
    let query = format!(
        "sensor_id=solar&api_id=house-id&api_key={}&type=latest_rate",
        key_of("house-id")
    );
    let answer = service.get(&query);
    answer.assert_json(&format!(
        r#"{{"units":"watts","data":[{{"t":"{START}","v":2}}]}}"#
    ));
}

#[test]
fn uploads_at_once_never_overwrite_each_other() {
    let service = Service::start();
    let (clients, posts) = (8, 25);
    std::thread::scope(|scope| {
        for client in 0..clients {
            let service = &service;
            scope.spawn(move || {
                for post in 0..posts {
                    service.accept(&json!({"watts": client * 1_000 + post}));
                }
            });
        }
    });
    let stored = service.all_watts();
    let times: Vec<String> = stored.iter().map(|point| point.0.clone()).collect();
    assert_eq!(times, (0..clients * posts).map(after).collect::<Vec<_>>());
    for client in 0..clients {
        let first = f64::from(i32::try_from(client * 1_000).unwrap());
        let own = stored.iter().map(|point| point.1);
        let own: Vec<f64> = own
            .filter(|watts| (first..first + 1_000.0).contains(watts))
            .collect();
        // All of them, in the order of the answers.
        assert!(
            own.is_sorted() && own.len() == usize::try_from(posts).unwrap(),
            "{own:?}"
        );
    }
}

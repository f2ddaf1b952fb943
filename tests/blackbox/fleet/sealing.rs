//! A front-end is killed, or paused, while it seals.

use std::iter;

use serde_json::json;
use wattkeeper::OpenMode;

use super::{sql, until, while_held};
use crate::backend::TestBackend;
use crate::place::{Place, Serving};
use crate::support::at;

const ROUNDS: i64 = 4;
/// In one batch: enough to be sealed.
const READINGS: i64 = 3_000;

fn time(nth: i64) -> String {
    at("2025-01-01T00:00:00")
        .saturating_add_millis(nth * 1_000)
        .to_string()
}

/// Uploads as one batch; returns the status.
fn upload(server: &Serving, (api_id, api_key): &(String, String), first: i64) -> u16 {
    let readings: Vec<_> = (first..first + READINGS)
        .map(|nth| json!({"time": time(nth), "watts": nth}))
        .collect();
    let body = json!({
        "sensor_id": "house", "api_id": api_id, "api_key": api_key, "readings": readings,
    });
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    let agent = config.build().new_agent();
    let answer = agent.post(server.elec()).send(body.to_string()).unwrap();
    answer.status().as_u16()
}

/// The export of the first `count` readings.
fn table(count: i64) -> String {
    let rows = (0..count).map(|nth| format!("{},{nth},\n", time(nth)));
    iter::once("time,watts,watthours\n".to_owned())
        .chain(rows)
        .collect()
}

/// Waits until few rows are left unsealed; then each of `count` readings is kept once.
fn assert_kept_once(place: &Place, count: i64) {
    let store = place.open(OpenMode::Existing);
    let schema = place.backend.schema();
    let of_activity = |what: &str| sql(&format!("select {what} from {schema}.activity"));
    until("rows stay unsealed", || {
        of_activity("unsealed < 1024") == "t"
    });
    let found = store.check();
    assert!(found.is_clean(), "{:?}", found.problems);
    assert_eq!(found.readings, u64::try_from(count).unwrap());
    let kept =
        format!("(select count(*) from {schema}.hot) + (select sum(count) from {schema}.blocks)");
    assert_eq!(of_activity(&kept), count.to_string());
}

#[test]
#[ignore = "needs postgres"]
fn postgres_front_end_that_is_killed_while_it_seals_neither_loses_nor_doubles() {
    let place = Place::at(TestBackend::postgres());
    place.prepare();
    let key = place.key();
    for round in 0..ROUNDS {
        let mut server = place.serve(&[]);
        while_held(&place.backend, "blocks", |is_waiting| {
            assert_eq!(upload(&server, &key, round * READINGS), 200);
            until("nothing is sealed", is_waiting);
            // This is SIGKILL.
            server.child.kill().unwrap();
            server.child.wait().unwrap();
        });
        let exported = place.ok(&["export", "--sensor", "house"]);
        assert!(
            exported == table((round + 1) * READINGS),
            "after round {round}"
        );
    }
    // The next one seals what is left.
    assert_kept_once(&place, ROUNDS * READINGS);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_front_end_that_is_paused_while_it_seals_lets_the_others_go_on() {
    let place = Place::at(TestBackend::postgres());
    place.prepare();
    let key = place.key();
    let others = Place::at(place.backend.again());
    let (paused, other) = (place.serve(&[]), others.serve(&[]));
    while_held(&place.backend, "blocks", |is_waiting| {
        assert_eq!(upload(&paused, &key, 0), 200);
        until("nothing is sealed", is_waiting);
        paused.signal("STOP");
    });
    // It has the sensor, until PostgreSQL ends its transaction after a minute.
    until("nobody else can upload", || {
        upload(&other, &key, READINGS) == 200
    });
    assert_eq!(upload(&other, &key, 2 * READINGS), 200);
    // It may have sealed what the other one has sealed since; its transaction is gone.
    paused.signal("CONT");
    until("it takes no uploads any more", || {
        upload(&paused, &key, 3 * READINGS) == 200
    });
    assert_kept_once(&place, 4 * READINGS);
    let exported = place.ok(&["export", "--sensor", "house"]);
    assert!(exported == table(4 * READINGS));
}

//! A front-end is killed while it seals.

use std::fmt::Write as _;

use serde_json::json;
use wattkeeper::store::OpenMode;

use super::{sql, until, while_held};
use crate::home::TestHome;
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

fn upload(server: &Serving, (api_id, api_key): &(String, String), first: i64) {
    let readings: Vec<_> = (first..first + READINGS)
        .map(|nth| json!({"time": time(nth), "watts": nth}))
        .collect();
    let body = json!({
        "sensor_id": "house", "api_id": api_id, "api_key": api_key, "readings": readings,
    });
    let answer = ureq::post(server.elec()).send(body.to_string()).unwrap();
    assert_eq!(answer.status(), 200);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_front_end_that_is_killed_while_it_seals_neither_loses_nor_doubles() {
    let place = Place::at(TestHome::at_engine());
    place.prepare();
    let key = place.key();
    for round in 0..ROUNDS {
        let mut server = place.serve(&[]);
        while_held(&place.home, "blocks", |is_waiting| {
            upload(&server, &key, round * READINGS);
            until("nothing is sealed", is_waiting);
            // This is SIGKILL.
            server.child.kill().unwrap();
            server.child.wait().unwrap();
        });
        let mut expected = "time,watts,watthours\n".to_owned();
        for nth in 0..(round + 1) * READINGS {
            writeln!(expected, "{},{nth},", time(nth)).unwrap();
        }
        let exported = place.ok(&["export", "--sensor", "house"]);
        assert!(exported == expected, "after round {round}");
    }
    // The next one seals what is left, and nothing is kept twice.
    let store = place.open(OpenMode::Existing);
    let sealed = "select unsealed < 1024 from";
    let count = |what: &str| {
        let statement = format!("{what} {}.activity", place.home.schema());
        sql(&statement)
    };
    until("rows stay unsealed", || count(sealed) == "t");
    let found = store.check();
    assert!(found.is_clean(), "{:?}", found.problems);
    let all = u64::try_from(ROUNDS * READINGS).unwrap();
    assert_eq!(found.readings, all);
    let schema = place.home.schema();
    let kept = count(&format!(
        "select (select count(*) from {schema}.hot) + (select sum(count) from {schema}.blocks) from"
    ));
    assert_eq!(kept, all.to_string());
}

//! `/corrections`.

use serde_json::{Value, json};
use wattkeeper::{AccountName, Plan, Scope};
use wattkeeper::{Author, Correction, Fact, Made};
use wattkeeper::{MicroWh, SensorId};

use crate::support::{API_ID, API_KEY, MINUTE, Service, at, basic, house_basic, key_of, request};

const CORRECTIONS: &str = "/api/v0.2/corrections";

fn post_as(service: &Service, credentials: &str, body: &Value) -> (u16, Value) {
    let headers = [("Authorization", credentials)];
    let response = service.send(&request(
        "POST",
        CORRECTIONS,
        &headers,
        body.to_string().as_bytes(),
    ));
    (response.status(), response.json())
}

fn post(service: &Service, body: &Value) -> (u16, Value) {
    post_as(service, &house_basic(), body)
}

fn list(service: &Service, query: &str) -> (u16, Value) {
    let headers = [("Authorization", house_basic())];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let response = service.send(&request(
        "GET",
        &format!("{CORRECTIONS}{query}"),
        &headers,
        b"",
    ));
    (response.status(), response.json())
}

fn wrong() -> Value {
    json!({"sensor_id": "house", "kind": "wrong", "from": "2026-01-05T10:00:00", "to": "2026-01-05T11:00:00", "note": "loose"})
}

/// A service at half past ten with a reading of the house, and nothing else.
fn with_reading() -> Service {
    let service = Service::start();
    service.accept(&json!({"watts": 5, "watthours": 1000}));
    service.clock.advance(MINUTE);
    service
}

#[test]
fn corrections_are_added_listed_and_revoked() {
    let mut service = with_reading();
    let (status, added) = post(&service, &wrong());
    assert_eq!((status, &added["number"]), (200, &json!(1)), "{added}");
    assert_eq!(added["made_by"], format!("credential {API_ID}"));
    assert_eq!(
        json!([added["from"], added["note"], added["revoked"]]),
        json!(["2026-01-05T10:00:00.000Z", "loose", null])
    );
    // Credentials in the body, as in an upload.
    let mut own = wrong();
    own["api_id"] = API_ID.into();
    own["api_key"] = API_KEY.into();
    let sent = service.send(&request(
        "POST",
        CORRECTIONS,
        &[],
        own.to_string().as_bytes(),
    ));
    assert_eq!(sent.status(), 200);
    let (status, revoked) = post(&service, &json!({"revoke": 1, "note": "it was right"}));
    assert_eq!(
        (status, &revoked["revoked_note"]),
        (200, &json!("it was right"))
    );
    service.restart();
    let (_, all) = list(&service, "");
    assert_eq!(all["corrections"][0], revoked);
    assert_eq!(all["corrections"][1]["number"], 2);
    assert_eq!(list(&service, "?sensor_id=house").1, all);
    assert_eq!(list(&service, "?sensor_id=attic").0, 403);
}

#[test]
fn what_is_malformed_comes_first_then_the_key_then_the_scope() {
    let service = with_reading();
    service.add_account("other", Plan::Paid);
    service.add_key("other", "other-id", Scope::Full);
    service.add_key("home", "reader", Scope::Read);
    let reversed = json!({"sensor_id": "house", "kind": "wrong", "from": "2026-01-05T10:00:00", "to": "2026-01-05T09:00:00"});
    let stranger = basic("nobody", "wrong-key");
    assert_eq!(post_as(&service, &stranger, &reversed).0, 400);
    assert_eq!(post_as(&service, &stranger, &json!({"kind": "odd"})).0, 400);
    assert_eq!(post_as(&service, &stranger, &wrong()).0, 401);
    let reader = basic("reader", &key_of("reader"));
    let (status, answer) = post_as(&service, &reader, &wrong());
    assert_eq!(
        (status, &answer["code"]),
        (403, &json!("scope_insufficient"))
    );
    let other = basic("other-id", &key_of("other-id"));
    let (status, answer) = post_as(&service, &other, &wrong());
    assert_eq!(
        (status, &answer["code"]),
        (403, &json!("sensor_not_authorized"))
    );
    // Nobody revokes another account's.
    assert_eq!(post(&service, &wrong()).0, 200);
    let (status, answer) = post_as(&service, &other, &json!({"revoke": 1}));
    assert_eq!((status, &answer["code"]), (400, &json!("invalid_field")));
    let without = json!({"sensor_id": "house", "kind": "wrong", "from": "2026-01-04T10:00:00", "to": "2026-01-04T11:00:00"});
    let (status, answer) = post(&service, &without);
    assert_eq!(status, 400);
    assert!(
        answer["detail"]
            .as_str()
            .unwrap()
            .contains("no reading there"),
        "{answer}"
    );
    let headers = [("Authorization", reader.as_str())];
    let read = service.send(&request("GET", CORRECTIONS, &headers, b""));
    assert_eq!(read.json()["corrections"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_refused_names_its_field() {
    let service = with_reading();
    for (begins, changed) in [
        ("sensor_id: ", json!({"sensor_id": ""})),
        ("from: ", json!({"from": "soon"})),
        (
            "from: wrong needs it, such as 2026-01-05T10:30:00",
            json!({"from": null}),
        ),
        ("to: ", json!({"to": "2026-01-05T09:00:00"})),
        ("to: ", json!({"to": "2036-01-05T09:00:00"})),
        (
            "energy: wrong has no such field; expected from, to",
            json!({"energy": 5}),
        ),
        (
            "energy: energy needs it, in watt-hours, such as 12345.6",
            json!({"kind": "energy"}),
        ),
        (
            "factor: calibrate needs it, such as 1.020408",
            json!({"kind": "calibrate"}),
        ),
        ("note: ", json!({"note": "x".repeat(501)})),
        ("revoke: ", json!({"revoke": 7})),
    ] {
        let mut body = wrong();
        let changed = changed.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(changed);
        let (status, answer) = post(&service, &body);
        let detail = answer["detail"].as_str().unwrap();
        assert_eq!(status, 400, "{answer}");
        assert!(detail.starts_with(begins), "{answer}");
    }
    service.store().close().unwrap();
    assert_eq!(post(&service, &wrong()).0, 503);
}

#[test]
fn many_corrections_come_in_pieces() {
    let service = with_reading();
    service.add_sensor("home", "barn");
    assert_eq!(post(&service, &wrong()).0, 200);
    let home = AccountName::new("home").unwrap();
    let note = "x".repeat(500);
    for n in 0..500 {
        let sensor = if n % 100 == 0 { "barn" } else { "house" };
        let time = at("2026-01-01T00:00:00").saturating_add_millis(n * MINUTE);
        let made = Made::new(time, Author::CommandLine, &note).unwrap();
        let fact = Fact::Utility(time, MicroWh::new(n));
        let correction = Correction::new(1, SensorId::new(sensor).unwrap(), made, fact);
        let added = service.store().edit({
            let home = home.clone();
            move |edit| edit.add_correction(&home, correction.unwrap())
        });
        added.unwrap();
    }
    let who = house_basic();
    let headers = [("Authorization", who.as_str())];
    let answer = service.send(&request("GET", CORRECTIONS, &headers, b""));
    assert_eq!(answer.head.header("transfer-encoding"), Some("chunked"));
    let numbers = |answer: &Value| -> Vec<u64> {
        let all = answer["corrections"].as_array().unwrap().iter();
        all.map(|one| one["number"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&answer.json()), (1..=501).collect::<Vec<_>>());
    let (_, barn) = list(&service, "?sensor_id=barn");
    assert_eq!(numbers(&barn), [2, 102, 202, 302, 402]);
}

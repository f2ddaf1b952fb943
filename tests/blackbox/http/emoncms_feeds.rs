//! Emoncms' feeds: docs/EMONCMS.md line by line, as integrations of Home Assistant read them.

use serde_json::{Value, json};
use wattkeeper::{AccountName, Plan, Scope};
use wattkeeper::{Meter, MeterKind};
use wattkeeper::{Sensor, SensorId};

use crate::support::{ACCOUNT, Connection, Response, SENSOR, Service, key_of, request};

/// 2026-01-05T10:00:00Z in seconds.
const TEN: i64 = 1_767_607_200;

/// The name of the house, which Emoncms calls the tag.
const NAME: &str = "the house";

/// A service with readings of the house at 10:00, 10:01 and 10:03, and with a credential that reads.
fn start() -> Service {
    let service = Service::start();
    service.add_key(ACCOUNT, "reader", Scope::Read);
    for (minute, watts, watthours) in [
        (0, 100.0, 1_000.0),
        (1, 200.0, 1_002.5),
        (3, 400.0, 1_010.0),
    ] {
        let time = format!("2026-01-05T10:{minute:02}:00Z");
        service.accept(&json!({"time": time, "watts": watts, "watthours": watthours}));
    }
    service
}

fn get_as(service: &Service, api_id: &str, target: &str) -> Response {
    let mark = if target.contains('?') { '&' } else { '?' };
    let target = format!("{target}{mark}apikey={api_id}:{}", key_of(api_id));
    service.send(&request("GET", &target, &[], b""))
}

#[track_caller]
fn get(service: &Service, target: &str) -> Value {
    let answer = get_as(service, "reader", target);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    // Clients in Python take nothing else for JSON.
    assert_eq!(answer.head.header("content-type"), Some("application/json"));
    answer.json()
}

/// The id of a feed.
fn id(service: &Service, tag: &str, name: &str) -> String {
    let feeds = get(service, "/feed/list.json");
    let mut feeds = feeds.as_array().unwrap().iter();
    let name = format!("{tag} {name}");
    let feed = feeds.find(|feed| feed["tag"] == tag && feed["name"] == name);
    feed.unwrap()["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn assert_failed(answer: &Value, mentions: &str) {
    assert_eq!(answer["success"], false, "{answer}");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains(mentions), "{mentions:?} in {message}");
}

#[test]
fn feeds_are_listed_with_what_integrations_read() {
    let service = start();
    let feeds = get(&service, "/feed/list.json");
    let [power, energy] = feeds.as_array().unwrap().as_slice() else {
        panic!("{feeds}");
    };
    let feed = |id: &Value, name, unit, value| {
        json!({
            "id": id, "userid": "1", "name": format!("{NAME} {name}"), "tag": NAME, "public": "0", "size": "0", "engine": "5", "processList": "",
            "unit": unit, "time": TEN + 180, "value": value,
        })
    };
    assert_eq!(*power, feed(&power["id"], "power", "W", 400));
    assert_eq!(*energy, feed(&energy["id"], "energy", "Wh", 1_010));
    for feed in [power, energy] {
        let id = feed["id"].as_str().unwrap();
        assert!(id.parse::<i32>().unwrap() > 0, "{id}");
        assert_eq!(get(&service, &format!("/feed/aget.json?id={id}")), *feed);
        for (field, value) in feed.as_object().unwrap() {
            let got = get(&service, &format!("/feed/get.json?id={id}&field={field}"));
            assert_eq!(got, *value, "{field}");
        }
        let timed = get(&service, &format!("/feed/timevalue.json?id={id}"));
        assert_eq!(timed, json!({"time": TEN + 180, "value": feed["value"]}));
        let value = get(&service, &format!("/feed/value.json?id={id}"));
        assert_eq!(value, feed["value"]);
    }
    // No fraction where there is none, as PHP writes numbers.
    let power = format!("/feed/value.json?id={}", id(&service, NAME, "power"));
    assert_eq!(get_as(&service, "reader", &power).text(), "400");
    let then = |time: &str| get(&service, &format!("{power}&time={time}"));
    assert_eq!(then(&(TEN + 179).to_string()), 200);
    assert_eq!(then(&format!("{TEN}999")), 100);
    assert_eq!(then("2026-01-05T10:02:00Z"), 200);
    assert_eq!(then("2026-01-05"), Value::Null);
}

#[test]
fn feeds_keep_their_order_and_their_ids() {
    let mut service = start();
    let ids = |service: &Service| -> Vec<String> {
        let feeds = get(service, "/feed/list.json");
        let feeds = feeds.as_array().unwrap().iter();
        feeds
            .map(|feed| feed["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let before = ids(&service);
    service.clock.advance(1_000);
    // Its name comes before the house's.
    service.add_sensor(ACCOUNT, "attic");
    service.clock.advance(1_000);
    let mut intervals = Sensor::new(
        SensorId::new("intervals").unwrap(),
        AccountName::new(ACCOUNT).unwrap(),
        service.clock.now(),
    );
    intervals.meter = Meter::new(MeterKind::Interval);
    service.store().put_sensor_durably(intervals).unwrap();
    let all = ids(&service);
    assert_eq!(all[..2], before);
    // The energy of an interval is no register.
    assert_eq!(all.len(), 5);
    let value = get(&service, &format!("/feed/timevalue.json?id={}", all[2]));
    assert_eq!(value, json!({"time": null, "value": null}));
    // Home Assistant makes a number of it.
    let listed = get(&service, "/feed/list.json");
    assert_eq!(
        (&listed[2]["time"], &listed[2]["value"]),
        (&json!(0), &Value::Null)
    );
    service.restart();
    assert_eq!(ids(&service), all);
    // A reading changes no place, and neither does a new name.
    service.accept(&json!({"watts": 5}));
    let attic = SensorId::new("attic").unwrap();
    let rename = |sensor: &mut Sensor| sensor.name = "Zimmer".into();
    service
        .store()
        .update_sensor_durably(&attic, rename)
        .unwrap();
    assert_eq!(ids(&service), all);
    assert_eq!(id(&service, "Zimmer", "power"), all[2]);
}

#[test]
fn only_who_may_read_gets_the_feeds_of_the_account() {
    let service = start();
    service.add_key(ACCOUNT, "writer", Scope::Write);
    service.add_account("other", Plan::Paid);
    service.add_key("other", "stranger", Scope::Full);
    let power = id(&service, NAME, "power");
    for path in [
        "/feed/list.json".to_owned(),
        "/user/getuuid.json".to_owned(),
        format!("/feed/aget.json?id={power}"),
        format!("/feed/get.json?id={power}&field=unit"),
        format!("/feed/value.json?id={power}"),
        format!("/feed/timevalue.json?id={power}"),
        format!("/feed/data.json?id={power}&start={TEN}&end={TEN}&interval=60"),
    ] {
        for headers in [&[][..], &[("Authorization", "Bearer reader:wrong")]] {
            let refused = service.send(&request("GET", &path, headers, b""));
            assert_eq!(refused.status(), 401, "{path}");
            assert_failed(&refused.json(), "Invalid API key");
        }
        let bearer = format!("Bearer reader:{}", key_of("reader"));
        let headers = [("Authorization", bearer.as_str())];
        let answer = service.send(&request("GET", &path, &headers, b""));
        assert_eq!(answer.status(), 200, "{path}");
        let refused = get_as(&service, "writer", &path);
        assert_eq!(refused.status(), 403, "{path}");
        assert_failed(&refused.json(), "do not allow downloads");
        if path.contains("id=") {
            assert_failed(
                &get_as(&service, "stranger", &path).json(),
                "does not exist",
            );
        }
    }
    assert_eq!(
        get_as(&service, "stranger", "/feed/list.json").json(),
        json!([])
    );
    let uuid = get(&service, "/user/getuuid.json");
    assert_eq!(uuid["success"], true);
    let other = get_as(&service, "stranger", "/user/getuuid.json").json();
    assert_ne!(uuid["message"], other["message"]);
    assert_eq!(get(&service, "/user/getuuid.json"), uuid);
}

/// `/feed/data.json` of the house.
fn data(service: &Service, name: &str, parameters: &str) -> Value {
    let id = id(service, NAME, name);
    get(service, &format!("/feed/data.json?id={id}&{parameters}"))
}

#[test]
fn values_come_one_for_each_interval() {
    let service = start();
    let ms = |minute: i64| (TEN + 60 * minute) * 1_000;
    let range = format!("start={TEN}&end={}", TEN + 180);
    let power = data(&service, "power", &format!("{range}&interval=60"));
    assert_eq!(
        power,
        json!([[ms(0), 100], [ms(1), 200], [ms(2), null], [ms(3), 400]])
    );
    // Means, from the multiple of the interval at or before the start.
    let start = format!("start={}&end={}", TEN + 61, TEN + 150);
    let power = data(
        &service,
        "power",
        &format!("{start}&interval=120&skipmissing=1&dp=0"),
    );
    assert_eq!(power, json!([[ms(0), 150], [ms(2), 400]]));
    // A register as it stood at the time; null where none came since the time before.
    let energy = data(
        &service,
        "energy",
        &format!("{range}&interval=60&timeformat=unix"),
    );
    let at = |minute: i64| TEN + 60 * minute;
    assert_eq!(
        energy,
        json!([
            [at(0), 1_000],
            [at(1), 1_002.5],
            [at(2), null],
            [at(3), 1_010]
        ])
    );
    let energy = data(
        &service,
        "energy",
        &format!("{range}&interval=60&delta=1&timeformat=notime"),
    );
    assert_eq!(energy, json!([2.5, null, 7.5, null]));
    let energy = data(
        &service,
        "energy",
        &format!("{range}&interval=120&delta=1&timeformat=notime&dp=0"),
    );
    assert_eq!(energy, json!([3, 8]));
    // Days of the account; times as text, too.
    let days = "start=2026-01-04&end=2026-01-06T00:00:00Z&interval=daily&timeformat=notime";
    assert_eq!(
        data(&service, "energy", &format!("{days}&delta=1")),
        json!([null, 10, null])
    );
    let weeks = data(&service, "power", &format!("{range}&interval=weekly&dp=2"));
    assert_eq!(weeks, json!([[1_767_571_200_000_i64, 233.33]]));
    let years = data(
        &service,
        "power",
        &format!("start=0&end={TEN}&interval=annual&skipmissing=1"),
    );
    assert_eq!(years.as_array().unwrap().len(), 1);
}

#[test]
fn what_is_wrong_is_said_in_emoncms_shape() {
    let service = start();
    let id = id(&service, NAME, "power");
    let range = format!("start={TEN}&end={}", TEN + 60);
    for (target, mentions) in [
        ("/feed/aget.json".to_owned(), "id is required"),
        ("/feed/aget.json?id=7".to_owned(), "Feed does not exist"),
        (format!("/feed/get.json?id={id}"), "Missing field parameter"),
        (
            format!("/feed/value.json?id={id}&time=noon"),
            "time: expected",
        ),
        (
            format!("/feed/data.json?id=7&{range}&interval=60"),
            "does not exist",
        ),
        (
            format!("/feed/data.json?id={id}&end={TEN}&interval=60"),
            "start is required",
        ),
        (
            format!("/feed/data.json?id={id}&start={TEN}&end=1&interval=60"),
            "not after the end",
        ),
        (
            format!("/feed/data.json?id={id}&{range}"),
            "interval is required",
        ),
        (
            format!("/feed/data.json?id={id}&{range}&interval=0"),
            "interval: expected seconds",
        ),
        (
            format!("/feed/data.json?id={id}&{range}&interval=60&delta=1"),
            "only with a feed of energy",
        ),
        (
            format!("/feed/data.json?id={id}&{range}&interval=60&dp=11"),
            "dp: expected a number from 0 to 10",
        ),
        (
            format!("/feed/data.json?id={id}&start=0&end={TEN}&interval=60"),
            "request datapoint limit reached (20000)",
        ),
    ] {
        assert_failed(&get(&service, &target), mentions);
    }
    let unknown = get(&service, &format!("/feed/get.json?id={id}&field=password"));
    assert_eq!(unknown, false);
    let range = format!("start=0&end={}&interval=86400", 19_999 * 86_400);
    let most = get(&service, &format!("/feed/data.json?id={id}&{range}"));
    assert_eq!(most.as_array().unwrap().len(), 20_000);
}

#[test]
fn a_long_answer_is_streamed_and_is_the_same_packed_or_not() {
    let service = start();
    let energy = id(&service, NAME, "energy");
    let target = format!(
        "/feed/data.json?id={energy}&start={}&end={TEN}&interval=10&apikey=reader:{}",
        TEN - 199_990,
        key_of("reader")
    );
    let mut connection = Connection::open(service.address());
    let plain = connection.exchange(&request("GET", &target, &[], b""));
    let values = plain.json();
    assert_eq!(values.as_array().unwrap().len(), 20_000);
    assert_eq!(values[19_999], json!([TEN * 1_000, 1_000]));
    let headers = [("Accept-Encoding", "gzip")];
    let packed = connection.exchange(&request("GET", &target, &headers, b""));
    assert_eq!(packed.head.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() * 4 < plain.body.len());
}

#[test]
fn nothing_of_it_is_there_where_it_is_off() {
    let service = Service::start_with(|config| config.emoncms.enabled = false);
    for path in ["/feed/list.json", "/feed/data.json", "/user/getuuid.json"] {
        let answer = service.send(&request("GET", path, &[], b""));
        assert_eq!(answer.status(), 404, "{path}");
    }
}

#[test]
fn revoked_sensors_have_no_feeds() {
    let service = start();
    service.revoke_sensor(ACCOUNT, SENSOR);
    assert_eq!(get(&service, "/feed/list.json"), json!([]));
}

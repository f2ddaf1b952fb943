//! `/events`.

use serde_json::{Value, json};
use wattkeeper::{Meter, MeterKind, Role, Sensor, SensorId};
use wattkeeper::{Plan, Scope};

use crate::support::{Response, Service, at, basic, house_basic, key_of, register, request};

/// A counter that was reset once, and jumped once.
fn with_events() -> Service {
    let service = Service::start();
    let sensor = service
        .store()
        .registry()
        .sensors()
        .next()
        .cloned()
        .unwrap();
    let meter = Meter::new(MeterKind::Counter);
    let counter = Sensor { meter, ..sensor };
    service.store().put_sensor_durably(counter).unwrap();
    let shown = [5_000.0, 5_001.0, 3.0, 4.0, 900_000.0, 900_001.0];
    for (minute, watthours) in (0..).zip(shown) {
        let time = at("2026-01-05T10:00:00").saturating_add_millis(minute * 60_000);
        service.accept(&json!({"time": time.to_string(), "watthours": watthours}));
    }
    service
}

fn get_as(service: &Service, credentials: &str, query: &str) -> Response {
    let path = format!("/api/v0.2/events?{query}");
    service.send(&request(
        "GET",
        &path,
        &[("Authorization", credentials)],
        b"",
    ))
}

fn get(service: &Service, query: &str) -> Response {
    get_as(service, &house_basic(), query)
}

const DAY: &str = "start_time=2026-01-05&end_time=2026-01-06";

/// A plug and a meter of the grid that were offline say 0, and then their old register.
#[test]
fn a_0_after_an_outage_counts_nothing() {
    for (role, kind) in [
        (Role::SubMeter, MeterKind::Counter),
        (Role::GridImport, MeterKind::Counter),
        (Role::Grid, MeterKind::Net),
    ] {
        let service = Service::start();
        let mut sensors = service
            .store()
            .registry()
            .sensors()
            .cloned()
            .collect::<Vec<_>>();
        let sensor = Sensor {
            role,
            meter: Meter::new(kind),
            ..sensors.remove(0)
        };
        service.store().put_sensor_durably(sensor).unwrap();
        let upload = |minute: i64, watthours: f64| {
            let time = at("2026-01-05T10:00:00").saturating_add_millis(minute * 60_000);
            service.accept(&json!({"time": time.to_string(), "watthours": watthours}));
        };
        for (minute, shown) in [(0, 5_000.5), (1, 5_004.5), (2, 5_011.5), (300, 0.0)] {
            upload(minute, shown);
        }
        let open = get(&service, &format!("{DAY}&open=1")).json();
        assert_eq!(open["events"][0]["counted"], 0.0, "{role:?} {open}");
        upload(310, 5_074.5);
        let path = format!("/api/v0.2/energy?{DAY}&sensor_id=house");
        let who = [("Authorization", house_basic())];
        let who = who.each_ref().map(|(name, value)| (*name, value.as_str()));
        let energy = service.send(&request("GET", &path, &who, b"")).json();
        let row = &energy["data"][0];
        let imported = row.get("imported").unwrap_or(&row["energy"]);
        assert_eq!(*imported, json!(74), "{role:?} {energy}");
        let all = get(&service, DAY).json();
        assert_eq!(all["events"][0]["kind"], "dip", "{role:?} {all}");
        assert_eq!(
            get(&service, &format!("{DAY}&open=1")).json()["events"],
            json!([])
        );
    }
}

#[test]
fn events_are_listed_by_time() {
    let service = with_events();
    service.add_sensor("home", "quiet");
    let all = get(&service, DAY).json();
    assert_eq!(
        all,
        json!({"more": false, "events": [
            {
                "account": "home", "sensor_id": "house", "kind": "reset", "since": "2026-01-05T10:01:00.000Z",
                "time": "2026-01-05T10:02:00.000Z", "until": "2026-01-05T10:02:00.000Z", "before": 5_001.0, "after": 3.0,
                "counted": 3.0, "open": false, "decided": false
            },
            {
                "account": "home", "sensor_id": "house", "kind": "jump", "since": "2026-01-05T10:03:00.000Z",
                "time": "2026-01-05T10:04:00.000Z", "until": "2026-01-05T10:04:00.000Z", "before": 4.0, "after": 900_000.0,
                "counted": 0.0, "open": true, "decided": false
            },
        ]})
    );
    assert_eq!(get(&service, &format!("{DAY}&sensor_id=house")).json(), all);
    let none = json!({"events": [], "more": false});
    assert_eq!(
        get(&service, &format!("{DAY}&sensor_id=quiet")).json(),
        none
    );
    let kinds = |query: &str| -> Vec<Value> {
        let answer = get(&service, query).json();
        let events = answer["events"].as_array().unwrap().iter();
        events.map(|event| event["kind"].clone()).collect()
    };
    assert_eq!(kinds(&format!("{DAY}&open=1")), ["jump"]);
    // Both ends are included.
    let minute = "start_time=2026-01-05T10:02:00&end_time=2026-01-05T10:02:00";
    assert_eq!(kinds(minute), ["reset"]);
    assert_eq!(
        kinds("start_time=2026-01-05T10:02:01&end_time=2026-01-05T10:03:59"),
        [] as [&str; 0]
    );

    let table = get(&service, &format!("{DAY}&format=csv&open=1"));
    assert_eq!(
        table.text(),
        "sensor_id,kind,since,time,until,before,after,counted,open,decided\n\
         house,jump,2026-01-05T10:03:00.000Z,2026-01-05T10:04:00.000Z,2026-01-05T10:04:00.000Z,4,900000,0,true,false\n"
    );

    // A decided event is not open any more.
    let decided =
        json!({"sensor_id": "house", "kind": "event", "at": "2026-01-05T10:04:00", "counts": true});
    let headers = [("Authorization", house_basic())];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let path = "/api/v0.2/corrections";
    let posted = service.send(&request(
        "POST",
        path,
        &headers,
        decided.to_string().as_bytes(),
    ));
    assert_eq!(posted.status(), 200);
    assert_eq!(kinds(&format!("{DAY}&open=1")), [] as [&str; 0]);
    let jump = &get(&service, DAY).json()["events"][1];
    assert_eq!(
        json!([jump["counted"], jump["decided"]]),
        json!([899_996.0, true])
    );
}

#[test]
fn events_are_for_those_who_may_read_them() {
    let service = with_events();
    service.add_account("other", Plan::Paid);
    service.add_key("other", "other-id", Scope::Full);
    service.add_key("home", "writer", Scope::Write);
    service.add_key("home", "reader", Scope::Read);
    let stranger = basic("nobody", "wrong-key");
    get_as(&service, &stranger, "start_time=2026-01-05").assert_problem(
        400,
        "missing_field",
        "end_time",
    );
    get_as(&service, &stranger, DAY).assert_problem(401, "bad_credentials", "");
    get_as(&service, &basic("writer", &key_of("writer")), DAY).assert_problem(
        403,
        "scope_insufficient",
        "",
    );
    let reader = get_as(&service, &basic("reader", &key_of("reader")), DAY).json();
    assert_eq!(reader["events"].as_array().unwrap().len(), 2);
    let other = basic("other-id", &key_of("other-id"));
    assert_eq!(get_as(&service, &other, DAY).json()["events"], json!([]));
    get_as(&service, &other, &format!("{DAY}&sensor_id=house")).assert_problem(
        403,
        "sensor_not_authorized",
        "",
    );
    service.revoke_sensor("home", "house");
    assert_eq!(get(&service, DAY).json()["events"], json!([]));
}

/// More than the walk looks ahead of either sensor, and more than one chunk of an answer.
#[test]
fn many_events_come_in_pieces_by_time() {
    let service = with_events();
    service.add_sensor("home", "barn");
    let begin = at("2026-01-04T00:00:00");
    for (id, every) in [("house", 1), ("barn", 3)] {
        let registry = service.store().registry();
        let sensor = registry.sensor(&SensorId::new(id).unwrap());
        let meter = Meter::new(MeterKind::Counter);
        let counter = Sensor {
            meter,
            ..sensor.unwrap().clone()
        };
        let id = counter.id.clone();
        service.store().put_sensor_durably(counter).unwrap();
        // Each second one is a reset.
        let shown = |minute: i64| {
            if minute / every % 2 == 0 {
                5_000.0
            } else {
                3.0
            }
        };
        let minutes = (0..4_000_i64).filter(|minute| minute % every == 0);
        let readings = minutes.map(|minute| {
            let time = begin.saturating_add_millis(minute * 60_000);
            register(time, shown(minute))
        });
        let readings: Vec<_> = readings.collect();
        service.store().import_durably(&id, readings).unwrap();
    }
    let range = "start_time=2026-01-04&end_time=2026-01-07";
    let answer = get(&service, range);
    assert_eq!(answer.head.header("transfer-encoding"), Some("chunked"));
    let json = answer.json();
    assert_eq!(json["more"], false);
    let events = json["events"].as_array().unwrap();
    assert!(events.len() > 2_000, "{}", events.len());
    let place =
        |event: &Value| ["time", "sensor_id"].map(|name| event[name].as_str().unwrap().to_owned());
    assert!(
        events
            .windows(2)
            .all(|pair| place(&pair[0]) < place(&pair[1]))
    );
    let counts = ["house", "barn"].map(|id| {
        let own = get(&service, &format!("{range}&sensor_id={id}")).json();
        own["events"].as_array().unwrap().len()
    });
    assert_eq!(counts.iter().sum::<usize>(), events.len(), "{counts:?}");
    assert!(counts[1] > 500, "{counts:?}");
    let table = get(&service, &format!("{range}&format=csv"));
    assert_eq!(table.text().lines().count(), events.len() + 1);
}

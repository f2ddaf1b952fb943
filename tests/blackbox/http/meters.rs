//! Settings of a meter, and their effect on its readings: signs of power and register, power between two readings.

use serde_json::{Value, json};
use wattkeeper::{
    AccountName, Between, Measures, Meter, MeterKind, Reading, Role, Sensor, SensorId, Sign,
    Timestamp,
};

use crate::support::{Service, at, house_basic, power, request};

const MINUTE: i64 = 60_000;
const DAY: &str = "start_time=2026-01-05&end_time=2026-01-06";

fn add(service: &Service, id: &str, role: Role, meter: Meter, readings: Vec<Reading>) {
    let account = AccountName::new("home").unwrap();
    let sensor = Sensor {
        role,
        meter,
        ..Sensor::new(
            SensorId::new(id).unwrap(),
            account,
            at("2026-01-05T00:00:00"),
        )
    };
    let store = service.store();
    store.put_sensor_durably(sensor.clone()).unwrap();
    store.import_durably(&sensor.id, readings).unwrap();
}

fn get(service: &Service, path: &str, query: &str) -> Value {
    let headers = [("Authorization", house_basic())];
    let headers = headers.each_ref().map(|(name, it)| (*name, it.as_str()));
    let target = format!("/api/v0.2/{path}?{query}");
    let answer = service.send(&request("GET", &target, &headers, b""));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()
}

/// The energy of the day, and whether it is partial.
fn energy(service: &Service, sensor: &str) -> Value {
    let data = get(service, "energy", &format!("{DAY}&sensor_id={sensor}"));
    let row = &data["data"][0];
    json!([row["energy"], row["partial"]])
}

fn events(service: &Service, sensor: &str) -> usize {
    let answer = get(service, "events", &format!("{DAY}&sensor_id={sensor}"));
    answer["events"].as_array().unwrap().len()
}

/// The power of a sensor, corrected.
fn corrected(service: &Service, sensor: &str, more: &str) -> Vec<(String, f64)> {
    let query = format!("{DAY}&sensor_id={sensor}&type=rate&corrected=1{more}");
    let answer = get(service, "elec", &query);
    let points = answer["data"].as_array().unwrap().iter();
    let pair = |point: &Value| Some((point["t"].as_str()?.to_owned(), point["v"].as_f64()?));
    points.map(|point| pair(point).unwrap()).collect()
}

fn start() -> Timestamp {
    at("2026-01-05T00:00:00")
}

/// Power at these minutes of the day.
fn at_minutes(shown: impl IntoIterator<Item = (i64, f64)>) -> Vec<Reading> {
    let reading = |(minute, watts)| power(start().saturating_add_millis(minute * MINUTE), watts);
    shown.into_iter().map(reading).collect()
}

fn counter(between: Between) -> Meter {
    Meter {
        between,
        ..Meter::new(MeterKind::Counter)
    }
}

#[test]
fn power_that_is_sent_on_change_counts_until_the_next_one() {
    let service = Service::start();
    let kettle = || at_minutes([(600, 0.0), (604, 2_000.0), (606, 0.0), (610, 0.0)]);
    // 80 W for 12 of each 40 min.
    let fridge = || {
        at_minutes(
            (0..37)
                .flat_map(|n| [(n * 40, 80.0), (n * 40 + 12, 1.0)])
                .take(73),
        )
    };
    for (between, kettle_wh, fridge_wh) in [
        (Between::Hold, 66.666_667, 592.8),
        // The mean of neighbours is not what flowed.
        (Between::Line, 100.0, 972.0),
    ] {
        add(
            &service,
            "kettle",
            Role::SubMeter,
            counter(between),
            kettle(),
        );
        add(
            &service,
            "fridge",
            Role::SubMeter,
            counter(between),
            fridge(),
        );
        let found = energy(&service, "kettle");
        assert_eq!(found[0].as_f64(), Some(kettle_wh), "{between:?}");
        let found = energy(&service, "fridge");
        // Each of the 72 spans is rounded to a millionth of a watt-hour.
        let off = found[0].as_f64().unwrap() - fridge_wh;
        assert!(
            off.abs() < 1e-4 && found[1].is_null(),
            "{between:?}: {found}"
        );
        assert_eq!(events(&service, "fridge"), 0);
    }
}

#[test]
fn held_power_has_its_mean_by_time() {
    let service = Service::start();
    // A lamp, on for an hour and a half.
    let lamp = at_minutes([(0, 0.0), (600, 60.0), (690, 0.0), (900, 0.0)]);
    add(
        &service,
        "lamp",
        Role::SubMeter,
        counter(Between::Hold),
        lamp,
    );
    let hours = corrected(&service, "lamp", "&interval=1h");
    // Also those without a reading have one.
    assert_eq!(hours.len(), 15);
    let at_ten = ("2026-01-05T10:00:00.000Z".to_owned(), 60.0);
    let at_eleven = ("2026-01-05T11:00:00.000Z".to_owned(), 30.0);
    assert_eq!(hours[10..12], [at_ten, at_eleven]);
    assert_eq!(hours[9].1, 0.0);
    let day = corrected(&service, "lamp", "&interval=1d");
    // 90 Wh in the 15 hours that are known.
    assert_eq!(day, [("2026-01-05T00:00:00.000Z".to_owned(), 6.0)]);
    // The others are those of the readings.
    let most = corrected(&service, "lamp", "&interval=1d&agg=max");
    assert_eq!(most[0].1, 60.0);
    assert_eq!(corrected(&service, "lamp", "").len(), 4);
}

#[test]
fn nothing_is_known_after_a_day_without_power() {
    let service = Service::start();
    let two_days = at_minutes([(0, 100.0), (1_440, 50.0), (2_881, 0.0)]);
    add(
        &service,
        "lamp",
        Role::SubMeter,
        counter(Between::Hold),
        two_days,
    );
    let range = "start_time=2026-01-05&end_time=2026-01-08&sensor_id=lamp";
    let answer = get(&service, "energy", &format!("{range}&interval=1d"));
    let days = answer["data"].as_array().unwrap();
    assert_eq!((days.len(), &days[0]["energy"]), (1, &json!(2_400)));
    let answer = get(&service, "events", range);
    assert_eq!(answer["events"][0]["kind"], "gap");
    assert_eq!(answer["events"][0]["since"], "2026-01-06T00:00:00.000Z");
}

#[test]
fn power_and_register_have_a_sign_each() {
    let service = Service::start();
    // Panels whose power is negative while their register rises, or the other way round, or both.
    let readings = |watts: f64, wh: f64| -> Vec<Reading> {
        let reading = |nth: i32| Reading {
            time: start().saturating_add_millis(i64::from(nth) * 5 * MINUTE),
            measures: Measures::new(Some(watts), Some(wh * f64::from(nth))).unwrap(),
        };
        (0..100).map(reading).collect()
    };
    for (id, power_sign, register_sign) in [
        ("right", Sign::AsIs, Sign::AsIs),
        ("power", Sign::Inverted, Sign::AsIs),
        ("register", Sign::AsIs, Sign::Inverted),
        ("both", Sign::Inverted, Sign::Inverted),
    ] {
        let sign = |sign: Sign| if sign == Sign::Inverted { -1.0 } else { 1.0 };
        let meter = Meter {
            power_sign,
            register_sign,
            ..Meter::new(MeterKind::Counter)
        };
        let shown = readings(sign(power_sign) * 600.0, sign(register_sign) * 50.0);
        add(&service, id, Role::Solar, meter, shown);
        assert_eq!(energy(&service, id)[0], json!(4_950), "{id}");
        assert_eq!(events(&service, id), 0, "{id}");
        let day = corrected(&service, id, "&interval=1d");
        assert_eq!(day[0].1, 600.0, "{id}");
        let listed = service.sensor(id);
        let both = if id == "both" { "inverted" } else { "as-is" };
        assert_eq!(
            json!([
                listed["sign"],
                listed["power_sign"],
                listed["register_sign"]
            ]),
            json!([both, power_sign.as_str(), register_sign.as_str()])
        );
    }
}

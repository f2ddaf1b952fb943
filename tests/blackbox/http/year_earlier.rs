//! `year_earlier=1`: the same range a year earlier.

use wattkeeper::{AccountName, Measures, Meter, MeterKind, Reading, Role, Sensor, SensorId};

use crate::support::{HOUR, Response, Service, at, house_basic, request};

const CONTRACT: &str = r#"{"from":"2020-01-01","name":"Flat","currency":"EUR","components":[{"energy":{"price":0.3}},{"fixed":{"name":"standing charge","price":12,"per":"month"}}]}"#;

/// A house that draws as many watt-hours in each hour as hours have passed since December 2024.
fn two_winters() -> Service {
    let service = Service::start();
    let begin = at("2024-12-01T00:00:00");
    let account = AccountName::new("home").unwrap();
    let sensor = Sensor {
        role: Role::GridImport,
        meter: Meter::new(MeterKind::Counter),
        ..Sensor::new(SensorId::new("import").unwrap(), account, begin)
    };
    let store = service.store();
    store.put_sensor_durably(sensor.clone()).unwrap();
    let readings = (0..400 * 24).map(|hour| Reading {
        time: begin.saturating_add_millis(hour * HOUR),
        measures: Measures::new(
            None,
            Some(f64::from(i32::try_from(hour * (hour + 1) / 2).unwrap())),
        )
        .unwrap(),
    });
    store
        .import_durably(&sensor.id, readings.collect())
        .unwrap();
    let headers = [("Authorization", &*house_basic())];
    let put = request("POST", "/api/v0.2/contracts", &headers, CONTRACT.as_bytes());
    assert_eq!(service.send(&put).status(), 200);
    service
}

fn get(service: &Service, query: &str) -> Response {
    let headers = [("Authorization", &*house_basic())];
    let target = format!("/api/v0.2/{query}");
    service.send(&request("GET", &target, &headers, b""))
}

#[test]
fn the_answer_is_that_of_the_range_a_year_earlier() {
    let service = two_winters();
    // It is 10:30 on 5 January 2026, a Monday.
    for (asked, earlier) in [
        // A month, by dates.
        (
            "start_time=2025-12-01&end_time=2026-01-01",
            "start_time=2024-12-01&end_time=2025-01-01",
        ),
        // A Friday and a Saturday.
        (
            "start_time=2026-01-02&end_time=2026-01-04",
            "start_time=2025-01-03&end_time=2025-01-05",
        ),
        // The month that is running, up to the same time of day.
        (
            "start_time=2026-01-01&end_time=2026-02-01",
            "start_time=2025-01-01&end_time=2025-01-05T10:30:00",
        ),
    ] {
        for call in [
            "energy?interval=1d&format=csv&",
            "energy?",
            "statement?format=csv&",
            "statement?",
            "compare?",
            "what-if?battery=5&",
        ] {
            let found = get(&service, &format!("{call}{asked}&year_earlier=1"));
            assert_eq!(found.status(), 200, "{call}{asked}: {}", found.text());
            let direct = get(&service, &format!("{call}{earlier}"));
            assert_eq!(found.text(), direct.text(), "{call}{asked}");
            let other = get(&service, &format!("{call}{asked}&year_earlier=0"));
            assert_ne!(found.text(), other.text(), "{call}{asked}");
        }
    }
    let energy = get(
        &service,
        "energy?start_time=2025-12-02&end_time=2025-12-03&year_earlier=1",
    );
    // Hours 48 to 71 of the readings, with 49 to 72 watt-hours.
    let data = &energy.json()["data"][0];
    assert_eq!(data["t"], "2024-12-03T00:00:00.000Z");
    assert_eq!(data["imported"], 1_452, "{data}");
}

#[test]
fn other_words_are_refused() {
    let service = Service::start();
    let days = "start_time=2025-12-01&end_time=2026-01-01&year_earlier=yes";
    for call in [
        "energy?",
        "statement?",
        "compare?",
        "savings?",
        "what-if?battery=5&",
    ] {
        let answer = get(&service, &format!("{call}{days}"));
        assert_eq!(answer.status(), 400, "{call}");
        assert!(answer.text().contains("year_earlier"), "{}", answer.text());
    }
}

//! `GET /chart.svg`: a picture by itself.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::json;
use wattkeeper::Zone;
use wattkeeper::{Account, AccountName, Scope};
use wattkeeper::{Meter, MeterKind};
use wattkeeper::{Sensor, SensorId};

use crate::support::{HOUR, MINUTE, Response, SENSOR, Service, house_basic, key_of, request};

const WHO: &str = "sensor_id=house&api_id=house-id&api_key=house-id-S3CRET";

fn get(service: &Service, query: &str) -> Response {
    let address = format!("/chart.svg?{query}");
    service.send(&request("GET", &address, &[], b""))
}

/// The picture, with plain spaces.
fn text(response: &Response) -> String {
    response.text().replace('\u{202F}', " ")
}

#[test]
fn the_last_day_of_power() {
    let service = Service::start();
    for watts in [100, 900, -300] {
        service.accept(&json!({"watts": watts}));
        service.clock.advance(MINUTE);
    }
    let answer = get(&service, WHO);
    assert_eq!(answer.status(), 200);
    for (name, value) in [
        ("content-type", "image/svg+xml"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'",
        ),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "private, max-age=60"),
    ] {
        assert_eq!(answer.head.header(name), Some(value), "{name}");
    }
    let svg = text(&answer);
    assert!(
        svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart chart-auto\""),
        "{svg}"
    );
    assert!(
        svg.contains("<title>Power of the house, 4 Jan 2026 10:33 to 5 Jan 2026 10:33</title>"),
        "{svg}"
    );
    assert!(
        svg.contains("Peak 900 W (5 Jan 2026 10:31). Lowest \u{2212}300 W (5 Jan 2026 10:32)."),
        "{svg}"
    );
    assert!(svg.contains("width=\"720\" height=\"280\""));
    for part in ["chart-line", "chart-area", "chart-area-give", "<style>"] {
        assert!(svg.contains(part), "{part}");
    }
    assert!(!svg.contains("S3CRET") && !svg.contains(" style=") && !svg.contains("<script"));
}

#[test]
fn it_is_packed_for_those_who_take_that() {
    let service = Service::start();
    for watts in [100, 900, -300] {
        service.accept(&json!({"watts": watts}));
        service.clock.advance(MINUTE);
    }
    let plain = get(&service, WHO);
    let address = format!("/chart.svg?{WHO}");
    let packed = service.send(&request(
        "GET",
        &address,
        &[("Accept-Encoding", "gzip")],
        b"",
    ));
    for (answer, encoding) in [(&plain, None), (&packed, Some("gzip"))] {
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.head.header("content-encoding"), encoding);
        assert_eq!(answer.head.header("vary"), Some("Accept-Encoding"));
    }
    let mut unpacked = String::new();
    GzDecoder::new(&*packed.body)
        .read_to_string(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, plain.text());
    assert!(packed.body.len() < plain.body.len() / 2);
}

#[test]
fn size_theme_and_range() {
    let service = Service::start();
    service.accept(&json!({"watts": 5}));
    let more = "width=360&height=200&theme=dark&start_time=2026-01-01&end_time=2026-01-03";
    let svg = text(&get(&service, &format!("{WHO}&{more}")));
    assert!(
        svg.contains("class=\"chart chart-dark\" viewBox=\"0 0 360 200\""),
        "{svg}"
    );
    assert!(
        svg.contains("1 Jan 2026 00:00 to 3 Jan 2026 00:00"),
        "{svg}"
    );
    assert!(svg.contains("No readings in this range"));
}

/// The second day begins at 22:00 of the first one by UTC.
#[test]
fn a_range_is_ordered_in_the_zone_of_the_account() {
    let service = Service::start();
    let home = AccountName::new("home").unwrap();
    let account = service.store().registry().account(&home).cloned().unwrap();
    let zone = Zone::parse("Europe/Berlin").unwrap();
    service
        .store()
        .edit(move |edit| edit.put_account(Account { zone, ..account }))
        .unwrap();
    let range = "start_time=2026-07-02&end_time=2026-07-01T23:00:00";
    let answer = get(&service, &format!("{WHO}&{range}"));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert!(text(&answer).contains("2 Jul 2026 00:00 to 2 Jul 2026 01:00"));
    let range = "start_time=2026-07-01T22:30:00&end_time=2026-07-02";
    let answer = get(&service, &format!("{WHO}&{range}"));
    assert_eq!(answer.json()["code"], "invalid_range");
    // Malformed times are refused before the key is checked, as all that is malformed.
    let answer = get(&service, "sensor_id=house&end_time=tomorrow");
    assert_eq!(answer.json()["code"], "invalid_field");
}

#[test]
fn energy_is_bars_and_a_reset_is_marked() {
    let service = Service::start();
    let sensor = service
        .store()
        .registry()
        .sensor(&SensorId::new(SENSOR).unwrap())
        .cloned()
        .unwrap();
    let meter = Meter::new(MeterKind::Counter);
    service
        .store()
        .put_sensor_durably(Sensor { meter, ..sensor })
        .unwrap();
    for watthours in [80_000, 80_500, 200] {
        service.accept(&json!({"watthours": watthours}));
        service.clock.advance(HOUR);
    }
    let svg = text(&get(&service, &format!("{WHO}&kind=energy")));
    assert!(svg.contains("Total 0.70 kWh."), "{svg}");
    assert!(
        svg.contains("<title>5 Jan 2026 11:00: 0.35 kWh</title>"),
        "{svg}"
    );
    assert!(
        svg.contains("the counter was reset, from 80.5 kWh to 0.20 kWh"),
        "{svg}"
    );
}

#[test]
fn who_may_not_see_it() {
    let service = Service::start();
    service.add_key("home", "writer", Scope::Write);
    let writer = format!("sensor_id=house&api_id=writer&api_key={}", key_of("writer"));
    for (query, status, code) in [
        ("sensor_id=house", 401, "bad_credentials"),
        ("sensor_id=house&api_id=house-id", 401, "bad_credentials"),
        (
            "sensor_id=house&api_id=house-id&api_key=wrong",
            401,
            "bad_credentials",
        ),
        (&writer, 403, "scope_insufficient"),
        (
            &WHO.replace("house&", "other&"),
            403,
            "sensor_not_authorized",
        ),
        (
            "api_id=house-id&api_key=house-id-S3CRET",
            400,
            "missing_field",
        ),
        (&format!("{WHO}&width=1e3"), 400, "invalid_field"),
        (&format!("{WHO}&height=99"), 400, "invalid_field"),
        (&format!("{WHO}&theme=pink"), 400, "invalid_field"),
        (&format!("{WHO}&kind=pie"), 400, "invalid_field"),
        (&format!("{WHO}&start_time=tomorrow"), 400, "invalid_field"),
        (
            &format!("{WHO}&start_time=2026-01-02&end_time=2026-01-01"),
            400,
            "invalid_range",
        ),
    ] {
        let answer = get(&service, query);
        assert_eq!(
            (answer.status(), &answer.json()["code"]),
            (status, &json!(code)),
            "{query}"
        );
    }
    let basic = [("Authorization", &*house_basic())];
    let signed = service.send(&request("GET", "/chart.svg?sensor_id=house", &basic, b""));
    assert_eq!(signed.status(), 200);
    let posted = service.send(&request("POST", "/chart.svg", &[], b""));
    assert_eq!(
        (posted.status(), posted.head.header("allow")),
        (405, Some("GET"))
    );
}

#[test]
fn a_hostile_name_stays_text() {
    let service = Service::start();
    let sensor = service
        .store()
        .registry()
        .sensor(&SensorId::new(SENSOR).unwrap())
        .cloned()
        .unwrap();
    let name = "</title><script>alert(1)</script>".to_owned();
    service
        .store()
        .put_sensor_durably(Sensor { name, ..sensor })
        .unwrap();
    let svg = text(&get(&service, WHO));
    assert!(
        svg.contains("&lt;/title&gt;&lt;script&gt;alert(1)"),
        "{svg}"
    );
    assert!(!svg.contains("<script"));
}

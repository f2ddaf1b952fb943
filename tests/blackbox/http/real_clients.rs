//! Clients of the API that exist in the wild, with requests as they send them. Each must work unchanged.

use serde_json::{Value, json};

use crate::support::{API_ID, API_KEY, Response, SENSOR, START, Service, at, points, points_of};

/// A POST as a client writes it: these header lines, this body.
fn post(service: &Service, path: &str, headers: &str, body: &str) -> Response {
    let length = body.len();
    let headers = headers.trim().replace('\n', "\r\n");
    service.send(
        format!("POST {path} HTTP/1.1\r\n{headers}\r\nContent-Length: {length}\r\n\r\n{body}")
            .as_bytes(),
    )
}

fn get(service: &Service, parameters: &str, headers: &str) -> Response {
    let headers = headers.trim().replace('\n', "\r\n");
    service
        .send(format!("GET /api/v0.2/elec?{parameters} HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes())
}

#[test]
fn the_apis_own_python_uploader() {
    let service = Service::start();
    let headers = "Accept-Encoding: identity\nContent-Type: application/x-www-form-urlencoded\n\
                   Host: localhost\nUser-Agent: Python-urllib/3.11\nConnection: close";
    // Power and register in separate posts without time, back to back.
    for field in [r#""watts": 1234.5"#, r#""watthours": 882301.25"#] {
        let body = format!(
            r#"{{"sensor_id": "{SENSOR}", "api_id": "{API_ID}", "api_key": "{API_KEY}", {field}}}"#
        );
        let answer = post(&service, "/api/v0.2/elec/", headers, &body);
        assert_eq!(answer.status(), 200, "{}", answer.text());
    }
    assert_eq!(service.all_watts(), points([(START, 1234.5)]));
    let second = at(START).saturating_add_millis(1).to_string();
    let net = service.points("net_consumption", "2026-01-05", "2026-01-06");
    assert_eq!(net, points([(&second, 0.0)]));
    assert_eq!(service.sensor(SENSOR)["active"], true);
}

#[test]
fn a_meter_shell_script() {
    let service = Service::start();
    let headers = "Host: localhost\nUser-Agent: curl/7.88.1\nAccept: */*\n\
                   Content-Type: application/x-www-form-urlencoded";
    for (minute, watthours) in [(0, "882301"), (1, "882321.5")] {
        let body = format!(
            r#"{{"sensor_id":"{SENSOR}","api_id":"{API_ID}","api_key":"{API_KEY}","time":"2026-01-05T10:0{minute}:00","watts":"1234.5","watthours":"{watthours}"}}"#
        );
        let answer = post(&service, "/api/v0.2/elec", headers, &body);
        assert_eq!(answer.status(), 200, "{}", answer.text());
    }
    let both = service.points("rate", "2026-01-05", "2026-01-06");
    assert_eq!(both[1], ("2026-01-05T10:01:00.000Z".to_owned(), 1234.5));
    let deltas = service.points("consumption", "2026-01-05", "2026-01-06");
    assert_eq!(deltas, points([("2026-01-05T10:01:00.000Z", 20.5)]));
}

#[test]
fn a_hub_uploader() {
    let service = Service::start();
    let headers = "Host: localhost\nContent-Type: application/x-www-form-urlencoded;charset=utf-8";
    let body = format!(
        "{{ \"sensor_id\" : \"{SENSOR}\", \"api_id\" : \"{API_ID}\", \"api_key\" : \"{API_KEY}\",\n  \
         \"watts\" : 512, \"watthours\" : \"882301.5\", \"rate\" : 0.25, \"erate_avg\" : \"0.31\" }}\n"
    );
    let answer = post(&service, "/api/v0.2/elec", headers, &body);
    answer.assert_json(r#"{"accepted":1}"#);
    assert_eq!(service.all_watts(), points([(START, 512.0)]));
    let net = service.points("net_consumption", "2026-01-05", "2026-01-06");
    assert_eq!(net, points([(START, 0.0)]));
}

#[test]
fn a_thermostat_hub() {
    let service = Service::start();
    service.accept(&json!({"watts": 750}));
    service.clock.advance(60_000);
    // From a midnight to the same midnight.
    let query = format!(
        "type=latest_rate&start_time=2026-01-05&end_time=2026-01-05&sensor_id={SENSOR}&api_id={API_ID}&api_key={API_KEY}"
    );
    let answer = get(&service, &query, "Host: localhost\nAccept: */*");
    let result: Value = answer.json();
    let values: Vec<f64> = result["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["v"].as_f64().unwrap())
        .collect();
    assert_eq!(values, [750.0]);
}

#[test]
fn a_home_hub() {
    let service = Service::start();
    for minute in [27, 29, 28] {
        service.accept(&json!({"time": format!("2026-01-05T10:{minute}:00"), "watts": minute}));
    }
    let query = format!(
        "sensor_id={SENSOR}&api_id={API_ID}&api_key={API_KEY}&type=rate&start_time=2026-01-05T10%3A00%3A00&end_time=2026-01-05T10%3A30%3A00"
    );
    let headers = "Host: localhost\nAccept: application/json\nAccept-Encoding: gzip, deflate\nConnection: keep-alive";
    let answer = get(&service, &query, headers);
    assert_eq!(answer.head.header("content-encoding"), None);
    assert_eq!(answer.json()["units"], "watts");
    // It takes the last point as the latest.
    assert_eq!(
        points_of(&answer).last(),
        Some(&("2026-01-05T10:29:00.000Z".to_owned(), 29.0))
    );
    assert!(points_of(&answer).is_sorted());
}

#[test]
fn a_real_house_comes_back_identical() {
    let mut service = Service::start();
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/household-excerpt.csv"
    );
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<(&str, f64, f64)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.split(',');
            let mut next = || fields.next().unwrap();
            (next(), next().parse().unwrap(), next().parse().unwrap())
        })
        .collect();
    assert_eq!(rows.len(), 600);
    for hour in rows.chunks(60) {
        let readings: Vec<Value> = hour
            .iter()
            .map(|(time, watts, watthours)| json!({"time": time, "watts": watts, "watthours": watthours}))
            .collect();
        let answer = service.upload(&json!({ "readings": readings }));
        answer.assert_json(r#"{"accepted":60}"#);
    }
    service.restart();
    let expected: Vec<(String, f64)> = rows
        .iter()
        .map(|(time, watts, _)| (format!("{time}.000Z"), *watts))
        .collect();
    assert_eq!(service.all_watts(), expected);
    let (start, end) = ("2006-12-16", "2006-12-18");
    let rise = ((rows[599].2 - rows[0].2) * 10.0).round() / 10.0;
    let net = service.points("net_consumption", start, end);
    assert_eq!(net, points([("2006-12-17T03:23:00.000Z", rise)]));
    let deltas = service.points("consumption", start, end);
    assert_eq!(deltas.len(), 599);
    // The registers have one decimal, so every difference has.
    for (delta, pair) in deltas.iter().zip(rows.windows(2)) {
        let tenths = (pair[1].2 * 10.0).round() - (pair[0].2 * 10.0).round();
        assert_eq!(delta.1, tenths / 10.0, "{}", delta.0);
    }
}

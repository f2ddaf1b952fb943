//! Results as JSON, NDJSON and CSV.

use serde_json::json;

use crate::support::{Response, Service};

fn house() -> Service {
    let service = Service::start();
    for (time, watts, watthours) in [
        ("2026-01-05T10:00:00", 5.0, 1.0),
        ("2026-01-05T10:01:00.250", 6.5, 3.5),
    ] {
        service.accept(&json!({"time": time, "watts": watts, "watthours": watthours}));
    }
    service
}

#[track_caller]
fn assert_is(answer: &Response, content_type: &str, body: &str) {
    assert_eq!((answer.status(), answer.text()), (200, body));
    assert_eq!(answer.head.header("content-type"), Some(content_type));
}

const RANGE: &str = "start_time=2026-01-05&end_time=2026-01-06";
const NDJSON: &str = "application/x-ndjson";
const CSV: &str = "text/csv; charset=utf-8";

#[test]
fn the_three_formats_to_the_byte() {
    let service = house();
    let ask = |format: &str| service.ask(&format!("type=rate&{RANGE}{format}"));
    let json = concat!(
        r#"{"units":"watts","data":[{"t":"2026-01-05T10:00:00.000Z","v":5},"#,
        r#"{"t":"2026-01-05T10:01:00.250Z","v":6.5}]}"#
    );
    assert_is(&ask(""), "application/json", json);
    assert_is(&ask("&format=json"), "application/json", json);
    assert_is(
        &ask("&format=ndjson"),
        NDJSON,
        concat!(
            "{\"t\":\"2026-01-05T10:00:00.000Z\",\"v\":5}\n",
            "{\"t\":\"2026-01-05T10:01:00.250Z\",\"v\":6.5}\n",
        ),
    );
    assert_is(
        &ask("&format=csv"),
        CSV,
        "t,v\n2026-01-05T10:00:00.000Z,5\n2026-01-05T10:01:00.250Z,6.5\n",
    );
}

#[test]
fn every_type_has_every_format() {
    let service = house();
    for (kind, value) in [
        ("rate", "6.5"),
        ("consumption", "2.5"),
        ("latest_rate", "6.5"),
        ("net_consumption", "2.5"),
    ] {
        let range = "start_time=2026-01-05T10:00:30&end_time=2026-01-06";
        let ask = |format: &str| service.ask(&format!("type={kind}&{range}&format={format}"));
        let line = format!("2026-01-05T10:01:00.250Z,{value}");
        assert_is(&ask("csv"), CSV, &format!("t,v\n{line}\n"));
        let line = format!(r#"{{"t":"2026-01-05T10:01:00.250Z","v":{value}}}"#);
        assert_is(&ask("ndjson"), NDJSON, &format!("{line}\n"));
    }
}

#[test]
fn nothing_in_every_format() {
    let service = Service::start();
    for kind in ["rate", "consumption", "net_consumption"] {
        for more in ["", "&interval=1d"] {
            if kind == "net_consumption" && !more.is_empty() {
                continue;
            }
            let ask =
                |format: &str| service.ask(&format!("type={kind}&{RANGE}{more}&format={format}"));
            assert_is(&ask("csv"), CSV, "t,v\n");
            assert_is(&ask("ndjson"), NDJSON, "");
        }
    }
}

#[test]
fn buckets_have_every_format() {
    let service = house();
    let answer = service.ask(&format!("type=rate&{RANGE}&interval=1d&format=csv"));
    assert_is(&answer, CSV, "t,v\n2026-01-05T00:00:00.000Z,5.75\n");
}

#[test]
fn errors_stay_problem_details() {
    let service = house();
    for format in ["xml", "JSON", "csv,json", "text/csv"] {
        let answer = service.ask(&format!("type=rate&{RANGE}&format={format}"));
        answer.assert_problem(400, "invalid_field", "format");
    }
    let answer = service.ask("type=rate&format=csv");
    answer.assert_problem(400, "missing_field", "start_time");
    let answer = Service::start().ask("type=latest_rate&format=ndjson");
    answer.assert_problem(404, "no_recent_data", "");
}

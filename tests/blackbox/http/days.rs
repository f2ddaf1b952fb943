//! `/days`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wattkeeper::{Plan, Scope};

use crate::support::{Service, basic, house_basic, key_of, request};

const DAYS: &str = "/api/v0.2/days";
const TABLE: &str = "date,type\n2026-01-05,red\n2026-01-06,white\n";

fn send(service: &Service, method: &str, who: &str, query: &str, body: &str) -> (u16, String) {
    let headers = [("Authorization", who)];
    let path = format!("{DAYS}{query}");
    let response = service.send(&request(method, &path, &headers, body.as_bytes()));
    (response.status(), response.text().to_owned())
}

fn own(service: &Service, method: &str, query: &str, body: &str) -> (u16, Value) {
    let (status, text) = send(service, method, &house_basic(), query, body);
    (status, serde_json::from_str(&text).unwrap())
}

#[test]
fn days_are_put_corrected_read_listed_and_removed() {
    let mut service = Service::start();
    assert_eq!(own(&service, "GET", "", ""), (200, json!({"lists": []})));
    let accepted = json!({"list": "tempo", "accepted": 2});
    assert_eq!(own(&service, "PUT", "?list=tempo", TABLE), (200, accepted));
    // The announcement of one day is corrected, and another one comes.
    let later = r#"[{"date":"2026-01-07","type":"red"},{"date":"2026-01-06","type":"blue"}]"#;
    assert_eq!(own(&service, "PUT", "?list=tempo", later).0, 200);
    assert_eq!(own(&service, "PUT", "?list=peak", "2026-07-01,yes").0, 200);
    service.restart();
    let lists = json!({"lists": [
        {"account": "home", "list": "peak", "days": 1, "first": "2026-07-01", "last": "2026-07-01",
            "types": ["yes"]},
        {"account": "home", "list": "tempo", "days": 3, "first": "2026-01-05", "last": "2026-01-07",
            "types": ["blue", "red"]},
    ]});
    assert_eq!(own(&service, "GET", "", ""), (200, lists));
    let (_, csv) = send(
        &service,
        "GET",
        &house_basic(),
        "?list=tempo&format=csv",
        "",
    );
    assert_eq!(
        csv,
        "date,type\n2026-01-05,red\n2026-01-06,blue\n2026-01-07,red\n"
    );
    let middle = "?list=tempo&start_time=2026-01-06&end_time=2026-01-07";
    let day = json!([{"date": "2026-01-06", "type": "blue"}]);
    assert_eq!(own(&service, "GET", middle, ""), (200, day));
    assert_eq!(own(&service, "GET", "?list=x", ""), (200, json!([])));

    let removed = |count| (200, json!({"list": "tempo", "removed": count}));
    assert_eq!(own(&service, "DELETE", middle, ""), removed(1));
    assert_eq!(own(&service, "DELETE", middle, ""), removed(0));
    assert_eq!(own(&service, "DELETE", "?list=tempo", ""), removed(2));
    let (status, answer) = own(&service, "DELETE", "?list=tempo", "");
    assert_eq!(status, 400);
    let detail = answer["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("list: there is no day list \"tempo\""),
        "{detail}"
    );
    let (_, left) = own(&service, "GET", "", "");
    assert_eq!(left["lists"].as_array().unwrap().len(), 1);
}

#[test]
fn a_refusal_says_what_was_expected() {
    let service = Service::start();
    let put = |query, body| ("PUT", query, body);
    for ((method, query, body), detail) in [
        (put("", TABLE), "list is required"),
        (
            put("?list=tempo:red", TABLE),
            "list: expected 1 to 64 bytes of text without colons and control characters, such as tempo",
        ),
        (
            put("?list=a", "date,type\n2026-02-30,red\n"),
            "body: line 2: expected a date and the type of that day, of at most 64 bytes, such as 2026-01-05,red",
        ),
        (
            put("?list=a", "2026-02-03,\n"),
            "body: line 1: expected a date and the type",
        ),
        (
            put("?list=a", "2026-02-03T10:00:00Z,red"),
            "body: line 1: expected a date and",
        ),
        (
            put("?list=a", "2026-02-03,red\n2026-02-03,blue"),
            "body: two types for 2026-02-03; expected one for each date",
        ),
        (
            put("?list=a", r#"[{"date":"2026-02-30","type":"red"}]"#),
            "body: entry 1: expected a date such as 2026-01-05 and the type",
        ),
        (put("?list=a", "[{"), "body: expected a list such as"),
        (
            ("GET", "?list=a&start_time=2026-02-30", ""),
            "start_time: expected a date that exists, such as 2026-01-05",
        ),
        (
            ("DELETE", "?list=a&end_time=2026-02-03T00:00:00Z", ""),
            "end_time: expected a date that exists",
        ),
        (("DELETE", "", ""), "list is required"),
        (
            ("GET", "?format=xml", ""),
            "format: expected one of json, csv",
        ),
    ] {
        let (status, answer) = own(&service, method, query, body);
        assert_eq!(status, 400, "{method} {query} {body}");
        let found = answer["detail"].as_str().unwrap();
        assert!(found.starts_with(detail), "{found}");
    }
}

#[test]
fn an_account_has_so_many_lists_days_and_types() {
    let service = Service::start();
    let mut many = String::new();
    for year in 2000..2040 {
        for (month, day) in (1..=12).flat_map(|month| (1..=28).map(move |day| (month, day))) {
            writeln!(many, "{year}-{month:02}-{day:02},red").unwrap();
        }
    }
    let refused = |query: &str, body: &str, text: &str| {
        let (status, answer) = own(&service, "PUT", query, body);
        let found = answer["detail"].as_str().unwrap_or_default();
        assert!(status == 400 && found.contains(text), "{status} {found}");
    };
    refused(
        "?list=many",
        &many,
        "body: expected at most 10000 days at once",
    );
    let most: String = many
        .lines()
        .take(9_986)
        .flat_map(|line| [line, "\n"])
        .collect();
    assert_eq!(own(&service, "PUT", "?list=many", &most).0, 200);
    refused(
        "?list=a",
        &many[..16 * 15],
        "list: with \"a\", the account would exceed 10,000 days",
    );
    for n in 0..14 {
        assert_eq!(
            own(&service, "PUT", &format!("?list=s{n}"), "2026-01-05,a").0,
            200
        );
    }
    assert_eq!(
        own(&service, "DELETE", "?list=many&start_time=2001-01-01", "").0,
        200
    );
    assert_eq!(own(&service, "PUT", "?list=s14", TABLE).0, 200);
    refused(
        "?list=s15",
        TABLE,
        "list: the account \"home\" has 16 day lists, the maximum",
    );
    let mut types = String::new();
    for n in 1..18 {
        writeln!(types, "2026-01-{n:02},{n}").unwrap();
    }
    refused(
        "?list=s14",
        &types,
        "list: the day list \"s14\" would have more than 16 types",
    );
}

#[test]
fn each_account_has_lists_of_its_own() {
    let service = Service::start();
    service.add_account("other", Plan::Paid);
    service.add_key("other", "other-id", Scope::Full);
    service.add_key("home", "reader", Scope::Read);
    service.add_key("home", "writer", Scope::Write);
    assert_eq!(own(&service, "PUT", "?list=tempo", TABLE).0, 200);
    let reader = basic("reader", &key_of("reader"));
    for method in ["PUT", "DELETE"] {
        let (status, answer) = send(&service, method, &reader, "?list=tempo", TABLE);
        assert_eq!(status, 403);
        assert!(answer.contains("scope_insufficient"), "{answer}");
        let nobody = basic("nobody", "wrong-key");
        assert_eq!(send(&service, method, &nobody, "?list=tempo", TABLE).0, 401);
    }
    assert!(
        send(&service, "GET", &reader, "?list=tempo", "")
            .1
            .contains("white")
    );
    let writer = basic("writer", &key_of("writer"));
    assert_eq!(send(&service, "GET", &writer, "?list=tempo", "").0, 403);
    let other = basic("other-id", &key_of("other-id"));
    assert_eq!(send(&service, "GET", &other, "?list=tempo", "").1, "[]");
    assert_eq!(send(&service, "DELETE", &other, "?list=tempo", "").0, 400);
    assert_eq!(
        own(&service, "GET", "?list=tempo", "")
            .1
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

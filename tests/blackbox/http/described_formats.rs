//! `/formats`.

use serde_json::{Value, json};
use wattkeeper::{Plan, Scope};

use crate::support::{Service, basic, house_basic, key_of, request};

const FORMATS: &str = "/api/v0.2/formats";

fn send(service: &Service, method: &str, who: &str, query: &str, body: &str) -> (u16, Value) {
    let headers = [("Authorization", who)];
    let path = format!("{FORMATS}{query}");
    let response = service.send(&request(method, &path, &headers, body.as_bytes()));
    (response.status(), response.json())
}

fn own(service: &Service, method: &str, query: &str, body: &str) -> (u16, Value) {
    send(service, method, &house_basic(), query, body)
}

fn format(name: &str) -> String {
    format!("name = \"{name}\"\ncolumns = [\"a\"]\nread.unit = \"kWh\"\n")
}

#[test]
fn formats_are_put_kept_listed_and_removed() {
    let mut service = Service::start();
    assert_eq!(own(&service, "GET", "", ""), (200, json!({"formats": []})));
    let text = format("b");
    for name in ["b", "a", "b"] {
        let put = own(&service, "PUT", "", &format(name));
        assert_eq!(put, (200, json!({"name": name})));
    }
    service.restart();
    let (_, all) = own(&service, "GET", "", "");
    assert_eq!(all["formats"].as_array().unwrap().len(), 2);
    let row = json!({"account": "home", "name": "b", "columns": ["a"], "text": text});
    assert_eq!(all["formats"][1], row);
    let removed = own(&service, "DELETE", "?name=b", "");
    assert_eq!(removed, (200, json!({"removed": "b"})));
    let (status, answer) = own(&service, "DELETE", "?name=b", "");
    assert_eq!(status, 400);
    let detail = answer["detail"].as_str().unwrap();
    assert!(detail.starts_with("name: there is no format"), "{detail}");
}

#[test]
fn a_refusal_says_what_was_expected() {
    let service = Service::start();
    let long = format!("{}#{}", format("b"), "x".repeat(16_000));
    let (status, answer) = own(&service, "PUT", "", &long);
    let found = answer["detail"].as_str().unwrap();
    assert_eq!((status, &answer["code"]), (413, &json!("body_too_large")));
    assert!(found.contains("at most 16000 bytes"), "{found}");
    for ((method, query, body), expected) in [
        (("DELETE", "", ""), "name is required"),
        (("DELETE", "?name=", ""), "name"),
        (("PUT", "", ""), "body: line 1: missing field `name`"),
        (
            ("PUT", "", "name = \"b\"\ncolumns = []\n"),
            "body: line 2: expected the names",
        ),
        (("PUT", "", "name = "), "body: line 1: "),
    ] {
        let (status, answer) = own(&service, method, query, body);
        let found = answer["detail"].as_str().unwrap();
        assert!(
            status == 400 && found.starts_with(expected),
            "{status} {found}"
        );
    }
    for number in 0..50 {
        assert_eq!(
            own(&service, "PUT", "", &format(&number.to_string())).0,
            200
        );
    }
    let (status, answer) = own(&service, "PUT", "", &format("more"));
    let found = answer["detail"].as_str().unwrap();
    assert!(
        status == 400 && found.contains("50 formats of files"),
        "{found}"
    );
}

#[test]
fn each_account_has_formats_of_its_own() {
    let service = Service::start();
    service.add_account("other", Plan::Paid);
    service.add_key("other", "other-id", Scope::Full);
    service.add_key("home", "reader", Scope::Read);
    service.add_key("home", "writer", Scope::Write);
    assert_eq!(own(&service, "PUT", "", &format("a")).0, 200);
    let reader = basic("reader", &key_of("reader"));
    for method in ["PUT", "DELETE"] {
        let (status, answer) = send(&service, method, &reader, "?name=a", &format("a"));
        assert_eq!(
            (status, &answer["code"]),
            (403, &json!("scope_insufficient"))
        );
        let nobody = basic("nobody", "wrong-key");
        let (status, _) = send(&service, method, &nobody, "?name=a", &format("a"));
        assert_eq!(status, 401);
    }
    let (_, seen) = send(&service, "GET", &reader, "", "");
    assert_eq!(seen["formats"][0]["name"], "a");
    let writer = basic("writer", &key_of("writer"));
    assert_eq!(send(&service, "GET", &writer, "", "").0, 403);
    let other = basic("other-id", &key_of("other-id"));
    assert_eq!(
        send(&service, "GET", &other, "", ""),
        (200, json!({"formats": []}))
    );
    assert_eq!(send(&service, "DELETE", &other, "?name=a", "").0, 400);
}

//! The description of the API, and that it describes this API.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Connection, Service, house_basic, request};

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

fn document(service: &Service) -> Value {
    let answer = service.send(&request("GET", "/openapi.json", &[], b""));
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.head.header("content-type"), Some("application/json"));
    answer.json()
}

/// The methods of each path.
fn described(document: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let paths = document["paths"].as_object().unwrap();
    let methods = |item: &Value| {
        let methods = item.as_object().unwrap().keys();
        methods.map(|method| method.to_uppercase()).collect()
    };
    paths
        .iter()
        .map(|(path, item)| (path.clone(), methods(item)))
        .collect()
}

/// The routes as the sources have them: `only("GET, POST", ["/elec", "/elec/"])`, pages aside.
fn route_table() -> BTreeMap<String, BTreeSet<String>> {
    let mut sources = String::new();
    let mut waiting = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http")];
    while let Some(path) = waiting.pop() {
        if path.ends_with("pages") {
            continue;
        }
        if path.is_dir() {
            waiting.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            sources += &fs::read_to_string(&path).unwrap();
        }
    }
    let calls = sources.split("only(").skip(1);
    let routes = calls.filter_map(|call| {
        let mut texts = call.split(')').next()?.split('"').skip(1).step_by(2);
        let methods = texts.next()?.split(", ").map(str::to_owned).collect();
        // The second spelling: the first may be a constant.
        let path = texts.last()?.strip_suffix('/')?.to_owned();
        Some((path, methods))
    });
    routes.collect()
}

#[test]
fn it_matches_the_route_table() {
    let service = Service::start_with(|config| config.http.base_path = "/".to_owned());
    let document = document(&service);
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let routes = route_table();
    assert!(routes.len() >= 6, "{routes:?}");
    assert_eq!(described(&document), routes);
}

#[test]
fn what_is_described_is_answered_and_nothing_else() {
    for base_path in ["/api/v0.2", "/energy"] {
        let service = Service::start_with(|config| config.http.base_path = base_path.to_owned());
        let described = described(&document(&service));
        assert!(described.contains_key(&format!("{base_path}/elec")));
        for (path, methods) in described {
            for method in METHODS {
                let mut connection = Connection::open(service.address());
                connection.send(&request(method, &path, &[], b""));
                let head = connection.receive_head().unwrap();
                let is_answered = ![404, 405].contains(&head.status);
                assert_eq!(
                    is_answered,
                    methods.contains(method),
                    "{method} {path}: {}",
                    head.status
                );
                if !is_answered {
                    let allowed: BTreeSet<String> = head
                        .header("allow")
                        .unwrap()
                        .split(", ")
                        .map(str::to_owned)
                        .collect();
                    assert_eq!(allowed, methods, "{path}");
                }
            }
        }
    }
}

#[test]
fn each_error_is_a_problem() {
    let service = Service::start();
    let document = document(&service);
    let mut statuses = BTreeSet::new();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            assert!(operation["summary"].is_string(), "{operation}");
            for (status, answer) in operation["responses"].as_object().unwrap() {
                if status != "200" {
                    let schema = &answer["content"]["application/problem+json"]["schema"];
                    assert_eq!(schema["$ref"], "#/components/schemas/Problem", "{answer}");
                    statuses.insert(status.clone());
                }
            }
        }
    }
    let all = [
        "400", "401", "403", "404", "408", "413", "415", "429", "500", "503",
    ];
    assert_eq!(statuses.iter().map(String::as_str).collect::<Vec<_>>(), all);
    let codes = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
        .as_array()
        .unwrap();
    assert!(codes.contains(&json!("sensor_not_authorized")), "{codes:?}");
}

/// Where `scripts/test` installs it.
fn schemathesis() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/schemathesis/bin/schemathesis")
}

#[test]
#[ignore = "needs schemathesis"]
fn schemathesis_finds_no_5xx_and_nothing_undocumented() {
    let service = Service::start();
    service.accept(&json!({"watts": 234, "watthours": 1010.2}));
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(schemathesis())
        .current_dir(dir.path())
        .arg("run")
        .arg(format!("http://{}/openapi.json", service.address()))
        .args(["--header", &format!("Authorization: {}", house_basic())])
        .args(["--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"])
        .args(["--phases", "examples,coverage,fuzzing", "--max-examples", "60", "--seed", "1", "--no-color"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("Tested: 9"), "{said}");
}

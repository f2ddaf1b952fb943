//! The description of the API, and that it describes this API.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use wattkeeper::Scope;

use crate::support::{Connection, Service, basic, house_basic, key_of, request};

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

/// The routes as the sources have them: `only("GET", "/events")` and `taking("GET, POST", "/elec", ..)`,
/// pages aside.
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
    let sources = sources.replace("taking(", "only(");
    let calls = sources.split("only(").skip(1);
    let routes = calls.filter_map(|call| {
        let mut texts = call.split(')').next()?.split('"').skip(1).step_by(2);
        let methods = texts.next()?.split(", ").map(str::to_owned).collect();
        Some((texts.next()?.to_owned(), methods))
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
    assert!(routes.len() >= 18, "{routes:?}");
    assert_eq!(described(&document), routes);
}

/// An address for a described path.
fn target(path: &str) -> String {
    path.replace("{node}", "house")
}

#[test]
fn protocols_that_are_off_are_not_described() {
    let paths = |influx, emoncms| {
        let service = Service::start_with(|config| {
            config.influx.enabled = influx;
            config.emoncms.enabled = emoncms;
        });
        let document = document(&service);
        let parts = document["components"].to_string().to_lowercase();
        assert_eq!(parts.contains("influx"), influx, "{parts}");
        assert_eq!(parts.contains("apikey\":{"), emoncms, "{parts}");
        let paths = described(&document).into_keys();
        let of_elec = |path: &String| path.starts_with("/api/v0.2/");
        let starts = [
            "/input/", "/feed/", "/user/", "/write", "/query", "/ping", "/health", "/ready",
            "/api/v2/",
        ];
        let is_other = |path: &String| {
            let is_ours = ["/healthz", "/readyz"].contains(&path.as_str());
            !is_ours && starts.iter().any(|start| path.starts_with(start))
        };
        let (others, own): (Vec<_>, Vec<_>) = paths.partition(is_other);
        assert!(own.iter().any(of_elec), "{own:?}");
        others
    };
    assert_eq!(paths(false, false), [""; 0]);
    let influx = [
        "/api/v2/buckets",
        "/api/v2/query",
        "/api/v2/write",
        "/health",
        "/ping",
        "/query",
        "/ready",
        "/write",
    ];
    assert_eq!(paths(true, false), influx);
    let emoncms = paths(false, true);
    assert_eq!(emoncms.len(), 14, "{emoncms:?}");
    let starts = ["/input/", "/feed/", "/user/"];
    let is_of_emoncms = |path: &String| starts.iter().any(|start| path.starts_with(start));
    assert!(emoncms.iter().all(is_of_emoncms), "{emoncms:?}");
}

#[test]
fn what_is_described_is_answered_and_nothing_else() {
    for base_path in ["/api/v0.2", "/energy"] {
        let service = Service::start_with(|config| config.http.base_path = base_path.to_owned());
        let described = described(&document(&service));
        assert!(described.contains_key(&format!("{base_path}/elec")));
        assert!(described.contains_key("/input/get/{node}"));
        for (path, methods) in described {
            for method in METHODS {
                let mut connection = Connection::open(service.address());
                connection.send(&request(method, &target(&path), &[], b""));
                let head = connection.receive_head().unwrap();
                let is_answered = ![404, 405].contains(&head.status);
                // Without a body of its own. Emoncms' uploads by GET have no head alone.
                let is_upload = ["/input/post", "/input/bulk"]
                    .iter()
                    .any(|it| path.starts_with(it));
                let is_head = method == "HEAD" && methods.contains("GET") && !is_upload;
                assert_eq!(
                    is_answered,
                    methods.contains(method) || is_head,
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

/// The form of errors at this address: a problem, or the errors of another system's protocol.
fn error_at(path: &str) -> (&'static str, Value) {
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    match path {
        "/write" | "/query" => ("application/json", reference("InfluxError")),
        v2 if v2.starts_with("/api/v2/") => ("application/json", reference("InfluxError2")),
        emoncms if emoncms.starts_with("/input/") => {
            ("text/plain; charset=utf-8", json!({"type": "string"}))
        }
        feed if feed.starts_with("/feed/") || feed.starts_with("/user/") => {
            ("application/json", json!({"type": "object"}))
        }
        // Of version 2, too: the answer itself says what is wrong.
        "/health" => ("application/json", json!({"type": "object"})),
        _ => (PROBLEM, reference("Problem")),
    }
}

const PROBLEM: &str = "application/problem+json";

#[test]
fn each_error_is_a_problem_or_its_protocols_own() {
    let service = Service::start();
    let document = document(&service);
    let mut statuses = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let (media, expected) = error_at(path);
        for operation in item.as_object().unwrap().values() {
            assert!(operation["summary"].is_string(), "{operation}");
            for (status, answer) in operation["responses"].as_object().unwrap() {
                if status.starts_with('2') {
                    continue;
                }
                let contents = answer["content"].as_object().unwrap();
                let (media, expected) = if status == "421" {
                    error_at("/")
                } else {
                    (media, expected.clone())
                };
                let schema = contents[media]["schema"].as_object().unwrap();
                for (member, value) in expected.as_object().unwrap() {
                    assert_eq!(&schema[member], value, "{path}: {answer}");
                }
                // The checks before every protocol answer with a problem.
                let mut medias = BTreeSet::from([media]);
                medias.extend(["403", "429"].contains(&&**status).then_some(PROBLEM));
                let described: BTreeSet<&str> = contents.keys().map(String::as_str).collect();
                assert_eq!(described, medias, "{path}: {answer}");
                statuses.insert(status.clone());
            }
        }
    }
    let all = [
        "400", "401", "403", "404", "408", "413", "415", "421", "429", "500", "502", "503",
    ];
    assert_eq!(statuses.iter().map(String::as_str).collect::<Vec<_>>(), all);
    let codes = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
        .as_array()
        .unwrap();
    assert!(codes.contains(&json!("sensor_not_authorized")), "{codes:?}");
}

#[test]
fn errors_of_other_protocols_come_as_they_are_described() {
    let service = Service::start();
    service.add_key("home", "reader", Scope::Read);
    let document = document(&service);
    let reader = basic("reader", &key_of("reader"));
    let packed = [
        ("Authorization", reader.as_str()),
        ("Content-Encoding", "br"),
    ];
    let mut statuses = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let (media, _) = error_at(path);
        for (method, operation) in item.as_object().unwrap() {
            if media == PROBLEM {
                continue;
            }
            for headers in [&packed[..0], &packed[..1], &packed] {
                let answer = service.send(&request(
                    &method.to_uppercase(),
                    &target(path),
                    headers,
                    b"",
                ));
                let status = answer.status().to_string();
                let described = &operation["responses"][&status];
                assert!(described.is_object(), "{method} {path}: {status}");
                if answer.status() >= 300 {
                    assert_eq!(answer.head.header("content-type"), Some(media), "{path}");
                    statuses.insert(status);
                }
            }
        }
    }
    let all = ["400", "401", "403", "415"];
    assert_eq!(statuses.iter().map(String::as_str).collect::<Vec<_>>(), all);
}

/// Where `scripts/test` installs it.
fn schemathesis() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/schemathesis/bin/schemathesis")
}

/// Schemathesis knows no bodies of TOML: to it they are text.
const TOML_AS_TEXT: &str = r#"
import schemathesis

@schemathesis.serializer("application/toml")
def toml(context, value):
    return value if isinstance(value, bytes) else str(value).encode()
"#;

#[test]
#[ignore = "needs schemathesis"]
fn schemathesis_finds_no_5xx_and_nothing_undocumented() {
    let service = Service::start();
    service.accept(&json!({"watts": 234, "watthours": 1010.2}));
    let dir = tempfile::tempdir().unwrap();
    let hooks = dir.path().join("hooks.py");
    fs::write(&hooks, TOML_AS_TEXT).unwrap();
    let output = Command::new(schemathesis())
        .current_dir(dir.path())
        .env("SCHEMATHESIS_HOOKS", &hooks)
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
    let operations: usize = described(&document(&service))
        .values()
        .map(BTreeSet::len)
        .sum();
    // It does not test the address of the description itself.
    let tested = format!("Tested: {}", operations - 1);
    assert!(said.contains(&tested), "{tested} is missing: {said}");
}

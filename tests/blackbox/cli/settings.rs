//! `wattkeeper config` and `completions`.

use crate::place::{Place, Run};

#[test]
fn each_setting_and_where_it_came_from() {
    let place = Place::new();
    place.file("config.toml", b"[http]\nlisten = \"127.0.0.1:1234\"\n");
    let mut command = place.command(&["--json", "config", "-v", "--config", "config.toml"]);
    command.env("WATTKEEPER_STORE_BLOCK_READINGS", "100");
    let output = command.output().unwrap();
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let setting = |key: &str| {
        let rows = rows.as_array().unwrap();
        let row = rows.iter().find(|row| row["key"] == key);
        let row = row.unwrap_or_else(|| panic!("{key}"));
        assert_eq!(row.as_object().unwrap().len(), 3);
        (
            row["value"].as_str().unwrap(),
            row["origin"].as_str().unwrap(),
        )
    };
    assert_eq!(setting("http.base_path"), ("/api/v0.2", "default"));
    let (value, origin) = setting("http.listen");
    assert!(
        value == "127.0.0.1:1234" && origin.contains("config.toml"),
        "{origin}"
    );
    let (value, origin) = setting("store.block_readings");
    assert!(
        value == "100" && origin.contains("WATTKEEPER_STORE_BLOCK_READINGS"),
        "{origin}"
    );
    let (value, origin) = setting("data_dir");
    assert!(value == "data" && origin.contains("--data-dir"), "{origin}");
    assert_eq!(setting("log.level").0, "debug");

    let table = place.ok(&["config"]);
    assert!(table.starts_with("SETTING"), "{table}");
    assert!(table.contains("http.base_path"), "{table}");
    assert!(!place.data_dir().exists());
}

#[test]
fn a_wrong_setting_is_named() {
    let place = Place::new();
    place.file("config.toml", b"[http]\nlisten_on = \"x\"\n");
    for arguments in [
        &["serve"][..],
        &["config", "--config", "config.toml"],
        &["account", "list", "--config", "config.toml"],
    ] {
        let error = place.error(arguments);
        assert!(error.contains("listen_on"), "{error}");
    }
    let error = place.error(&["--config", "missing.toml", "config"]);
    assert!(error.contains("missing.toml"), "{error}");
}

#[test]
fn only_the_service_follows_the_settings_of_the_current_folder() {
    let place = Place::new();
    place.ok(&["account", "add", "home"]);
    place.file("config.toml", b"log.level = \"info\"\nhttp.workers = 3\n");
    let workers = |run: &Run| {
        let row = run.out.lines().find(|line| line.contains("http.workers"));
        row.unwrap().split_whitespace().nth(1).unwrap().to_owned()
    };
    let run = place.run(&["config"]);
    assert_eq!(workers(&run), "2");
    assert!(run.err.contains("./config.toml is not used"), "{run:?}");
    // Once, however often a command reads its settings.
    place.file("none.csv", b"time,watts\n");
    let run = place.run(&["import", "none.csv", "--sensor", "none"]);
    assert_eq!(run.err.matches("is not used").count(), 1, "{run:?}");
    assert!(place.run(&["-q", "config"]).err.is_empty());

    let run = place.run(&["config", "--config", "config.toml"]);
    assert_eq!((workers(&run).as_str(), run.err.as_str()), ("3", ""));
    let mut command = place.command(&["config"]);
    command.env("WATTKEEPER_CONFIG", "config.toml");
    let output = command.output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("config.toml"));

    let server = place.serve(&[]);
    let said = server.stop();
    assert!(
        said.contains("reading settings from ./config.toml"),
        "{said}"
    );
}

#[test]
fn variables_of_an_orchestrator_do_not_stop_it() {
    let place = Place::new();
    let mut command = place.command(&["-v", "config"]);
    command
        .env("WATTKEEPER_SERVICE_HOST", "10.0.0.7")
        .env("WATTKEEPER_PORT", "tcp://10.0.0.7:8080")
        .env("WATTKEEPER_PORT_8080_TCP", "tcp://10.0.0.7:8080");
    assert!(command.output().unwrap().status.success());
    let mut command = place.command(&["config"]);
    command.env("WATTKEEPER_HTTP_LISTNE", "x");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("WATTKEEPER_HTTP_LISTEN"), "{said}");
}

#[test]
fn man_pages_for_each_command() {
    let place = Place::new();
    place.ok(&["man", "."]);
    let page = std::fs::read_to_string(place.dir.path().join("wattkeeper-serve.1")).unwrap();
    assert!(page.contains("listen"), "{page}");
    let names = crate::place::names(place.dir.path());
    for page in [
        "wattkeeper.1",
        "wattkeeper-key-add.1",
        "wattkeeper-import.1",
    ] {
        assert!(names.contains(&page.to_owned()), "{names:?}");
    }
    let error = place.error(&["man", "missing"]);
    assert!(error.contains("missing"), "{error}");
}

#[test]
fn completions() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.ok(&["completions", shell]).contains("wattkeeper"));
    }
}

#[test]
fn the_settings_that_documents_print_are_right() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    let mut count = 0;
    for entry in std::fs::read_dir(docs).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let document = std::fs::read_to_string(&path).unwrap_or_default();
        for rest in document.split("```toml\n").skip(1) {
            let example = rest.split_once("```").unwrap().0;
            // Settings of Telegraf.
            if example.starts_with("[[outputs.") {
                continue;
            }
            let place = Place::new();
            place.file("config.toml", example.as_bytes());
            let run = place.run(&["--config", "config.toml", "config"]);
            assert_eq!(run.status, 0, "{}: {example}{run:?}", path.display());
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

/// Prometheus needs the token that the service has.
#[test]
fn the_token_of_metrics_is_the_same_in_both_examples() {
    let document = include_str!("../../../docs/METRICS.md");
    let after = |before: &str| {
        let (_, rest) = document.split_once(before).unwrap();
        rest.split('"').next().unwrap()
    };
    assert_eq!(after("token = \""), after("credentials: \""));
}

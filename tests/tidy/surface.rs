//! The surface of a release: settings, routes with their parameters and members, commands
//! with their options, metrics. docs/COMPATIBILITY.md says how long each stays.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::project::read;

/// The releases whose lists are in `tests/fixtures`.
pub(crate) const RELEASES: [&str; 1] = ["0.1.0"];
/// Lines of earlier releases that are gone, after a release that deprecated them.
const GONE: &[&str] = &[];

/// All of it, one a line, as the documents have it that other tests compare with the program.
pub(crate) fn all() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    settings(&read("config.example.toml").parse().unwrap(), "", &mut all);
    routes(
        &serde_json::from_str(&read("docs/openapi.json")).unwrap(),
        &mut all,
    );
    commands(&read("docs/CLI.md"), &mut all);
    metrics(&read("docs/METRICS.md"), &mut all);
    all
}

/// The lines of a release that [`all`] lacks now.
pub(crate) fn missing(release: &str, now: &BTreeSet<String>) -> Vec<String> {
    let lines = release.lines().filter(|line| !now.contains(*line));
    lines
        .filter(|line| !GONE.contains(line))
        .map(|line| {
            format!(
                "{line}: it was in a release. Deprecate it first, for one release (docs/COMPATIBILITY.md); then name it in tests/tidy/surface.rs"
            )
        })
        .collect()
}

fn settings(table: &toml::Table, before: &str, all: &mut BTreeSet<String>) {
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => settings(inner, &format!("{before}{key}."), all),
            _ => drop(all.insert(format!("setting {before}{key}"))),
        }
    }
}

fn routes(document: &Value, all: &mut BTreeSet<String>) {
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let route = format!("{} {path}", method.to_uppercase());
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            for parameter in parameters {
                let name = parameter["name"].as_str();
                // Shared ones are named by a reference.
                let name = name.or_else(|| parameter["$ref"].as_str()).unwrap();
                all.insert(format!("parameter {name} of {route}"));
            }
            all.insert(format!("route {route}"));
        }
    }
    for (schema, content) in document["components"]["schemas"].as_object().unwrap() {
        let members = content["properties"].as_object().into_iter().flatten();
        all.extend(members.map(|(name, _)| format!("member {name} of {schema}")));
    }
}

/// The texts in backticks of the first cells of a table's row.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn commands(document: &str, all: &mut BTreeSet<String>) {
    let (list, options) = document.split_once("\n## All options\n").unwrap();
    let (_, list) = list.split_once("\n## Commands\n").unwrap();
    let (list, _) = list.split_once("\n### ").unwrap();
    let rows = |text: &str| {
        let rows = text.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.map(|row| row.split(" | ").map(str::to_owned).collect::<Vec<_>>());
        cells.collect::<Vec<_>>()
    };
    for row in rows(list) {
        let words = code(&row[0]).next().unwrap().split(' ');
        let words = words.take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
        let words: Vec<&str> = words.collect();
        all.insert(format!("command {}", words.join(" ")));
    }
    for row in rows(options) {
        for option in code(&row[0]) {
            let name = option.split(' ').next().unwrap();
            all.extend(code(&row[1]).map(|command| format!("option {name} of {command}")));
        }
    }
}

fn metrics(document: &str, all: &mut BTreeSet<String>) {
    for row in document.lines().filter(|line| line.starts_with("| `")) {
        let first = row.split(" | ").next().unwrap();
        let names = code(first).filter(|name| name.contains('_'));
        all.extend(names.map(|name| format!("metric {name}")));
    }
}

#[test]
fn a_line_that_is_gone_is_found() {
    let now = all();
    for line in [
        "setting store.durability",
        "setting mqtt.subscriptions",
        "route GET /api/v0.2/elec",
        "command account add",
        "option --role of sensor add",
        "metric wattkeeper_store_writable",
    ] {
        assert!(now.contains(line), "{line}");
    }
    assert!(missing("setting store.durability", &now).is_empty());
    assert_eq!(missing("setting store.gone", &now).len(), 1);
}

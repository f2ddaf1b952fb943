//! The documentation's examples, run as they stand.

use std::fs;
use std::path::Path;
use std::process::Command;

use wattkeeper::{Config, Flags, MeterKind, Role, load_config};

use crate::pages::dashboard::put_sensor;
use crate::support::{API_ID, API_KEY, Service};

fn document(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The commands of the ```` ```console ```` blocks, each with the output shown for it.
fn console_examples(document: &str) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    let blocks = document.split("```console\n").skip(1);
    for line in blocks.flat_map(|block| block.lines().take_while(|line| *line != "```")) {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (Some(command), _) => examples.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => *output += line,
            (None, None) => panic!("output before any command: {line}"),
        }
    }
    examples
}

/// Runs a shell command of the documentation against the service; returns what it printed.
fn run(service: &Service, command: &str) -> String {
    let command = command.replace("localhost:8080", &service.address().to_string());
    let output = Command::new("sh")
        .args(["-c", &command])
        .env("API_ID", API_ID)
        .env("API_KEY", API_KEY)
        .output()
        .unwrap();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {problem}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "needs curl"]
fn curl_examples_of_the_api_answer_as_shown() {
    let service = Service::start();
    let examples = console_examples(&document("docs/API.md"));
    assert!(examples.len() > 5);
    for (command, shown) in examples {
        if command.contains("/tenancies") {
            let (role, kind) = (Role::SubMeter, MeterKind::Counter);
            put_sensor(&service, "flat-1", "Ground floor", role, kind);
        }
        assert_eq!(run(&service, &command).trim_end(), shown, "{command}");
    }
}

#[test]
#[ignore = "needs curl"]
fn curl_examples_of_other_protocols_answer_as_shown() {
    for path in ["docs/INFLUX.md", "docs/EMONCMS.md"] {
        let service = Service::start();
        let examples = console_examples(&document(path));
        assert!(examples.len() > 2, "{path}");
        for (command, shown) in examples {
            assert_eq!(run(&service, &command).trim_end(), shown, "{command}");
        }
    }
}

/// The text of the blocks of this kind.
fn blocks(document: &str, kind: &str) -> Vec<String> {
    let start = format!("```{kind}\n");
    let blocks = document.split(&start).skip(1);
    let whole = blocks.filter_map(|block| block.split_once("```\n"));
    whole.map(|(block, _)| block.to_owned()).collect()
}

#[test]
fn settings_of_the_documents_are_settings() {
    for path in ["docs/INFLUX.md", "docs/EMONCMS.md"] {
        let settings = blocks(&document(path), "toml");
        assert!(!settings.is_empty(), "{path}");
        // Those of other systems are shown too, and begin with their own sections.
        for settings in settings.iter().filter(|text| !text.contains("[[outputs.")) {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("config.toml");
            fs::write(&file, settings).unwrap();
            let flags = Flags {
                config: Some(file),
                ..Flags::default()
            };
            let loaded = load_config(&flags, []).unwrap_or_else(|error| panic!("{error}"));
            assert_ne!(loaded.config, Config::default(), "{settings}");
        }
    }
}

#[test]
#[ignore = "needs curl"]
fn curl_lines_of_the_readme_work() {
    let service = Service::start();
    let readme = document("README.md");
    let commands: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("curl "))
        .collect();
    assert_eq!(commands.len(), 3);
    for command in commands {
        let answer = run(&service, &format!("{command} --fail"));
        serde_json::from_str::<serde_json::Value>(&answer).unwrap();
    }
}

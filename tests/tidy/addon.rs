//! The add-on for Home Assistant fits the service.

use std::collections::BTreeSet;
use std::process::Command;

use crate::project::{project, read};

const FOLDER: &str = "scripts/packaging/home-assistant/wattkeeper";

/// The keys of a section of YAML, such as `options`, that are indented by two spaces.
fn keys(yaml: &str, section: &str) -> BTreeSet<String> {
    let lines = yaml
        .lines()
        .skip_while(|line| *line != format!("{section}:"));
    let inner = lines.skip(1).take_while(|line| line.starts_with(' '));
    inner
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with([' ', '-', '#']))
        .filter_map(|line| {
            let named = line.split_once(": ").map(|(name, _)| name);
            named.or_else(|| line.strip_suffix(':'))
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn keys_are_those_of_the_section() {
    let yaml = "a: 1\noptions:\n  # x\n  b: 1\n  c:\n    - d\n  8080/tcp: e\nf: g\n";
    assert_eq!(
        keys(yaml, "options"),
        ["8080/tcp", "b", "c"].map(str::to_owned).into()
    );
}

#[test]
fn the_addon_has_the_version_of_the_service() {
    let config = read(&format!("{FOLDER}/config.yaml"));
    let version = format!("\nversion: \"{}\"\n", env!("CARGO_PKG_VERSION"));
    assert!(
        config.contains(&version),
        "{FOLDER}/config.yaml: expected {version}"
    );
    assert!(read(&format!("{FOLDER}/CHANGELOG.md")).contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_option_is_a_setting_with_a_name_in_each_language() {
    let config = read(&format!("{FOLDER}/config.yaml"));
    let schema = keys(&config, "schema");
    assert!(schema.len() > 4 && keys(&config, "options").is_subset(&schema));
    let example: toml::Table = read("config.example.toml").parse().unwrap();
    let is_setting = |option: &String| {
        example.iter().any(|(section, inner)| {
            let name = option.strip_prefix(&format!("{section}_"));
            name.is_some_and(|name| inner.get(name).is_some())
        })
    };
    let unknown: Vec<&String> = schema.iter().filter(|it| !is_setting(it)).collect();
    assert!(
        unknown.is_empty(),
        "{FOLDER}/config.yaml: no settings: {unknown:?}"
    );
    for language in ["en", "de"] {
        let texts = read(&format!("{FOLDER}/translations/{language}.yaml"));
        assert_eq!(keys(&texts, "configuration"), schema, "{language}");
        assert_eq!(
            keys(&texts, "network"),
            keys(&config, "ports"),
            "{language}"
        );
    }
}

/// One file names where releases are published; Cargo.toml, the add-on and compose.yaml follow it.
#[test]
fn addresses_are_those_of_publish_conf() {
    let check = Command::new(project().join("scripts/packaging/addresses"))
        .arg("--check")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&check.stderr);
    assert!(check.status.success(), "{said}");
}

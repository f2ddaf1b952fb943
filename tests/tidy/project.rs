//! The project's own files, and its binary.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::source::Source;
use crate::texts;

/// The project's folder.
pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The Rust files below the folders, in order; a folder that the project does not have holds none.
pub(crate) fn rust_files(folders: &[&str]) -> Vec<Source> {
    let paths = folders.iter().flat_map(|it| project_files(it, "rs"));
    let paths: BTreeSet<String> = paths.collect();
    paths
        .into_iter()
        .map(|path| Source::new(path.as_str(), read(&path)))
        .collect()
}

/// The files below a folder whose names end so, in order.
pub(crate) fn project_files(folder: &str, wanted: &str) -> BTreeSet<String> {
    let mut waiting = vec![project().join(folder)];
    let mut paths = BTreeSet::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == wanted) {
                let inner = path.strip_prefix(project()).unwrap();
                paths.insert(inner.to_str().unwrap().to_owned());
            }
        }
    }
    paths
}

/// Asks the binary itself: it prints its help for a command line only if it knows the command and
/// every flag.
pub(crate) fn is_known(arguments: &[String]) -> bool {
    let output = Command::new(env!("CARGO_BIN_EXE_wattkeeper"))
        .args(arguments)
        .arg("--help")
        .output()
        .unwrap();
    output.status.success() && !output.stdout.is_empty()
}

fn help(command: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_wattkeeper"))
        .args(command)
        .arg("--help")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The commands and flags in the binary's help: each command with its subcommands as `key add`, and
/// each flag as `--scope`.
pub(crate) fn commands_and_flags() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![Vec::new()];
    while let Some(command) = waiting.pop() {
        let text = help(&command);
        let flags = text.split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
        found.extend(
            flags
                .filter(|word| word.starts_with("--") && word.len() > 2)
                .map(str::to_owned),
        );
        for name in texts::subcommands(&text) {
            let subcommand = [command.clone(), vec![name]].concat();
            found.insert(subcommand.join(" "));
            waiting.push(subcommand);
        }
    }
    found
}

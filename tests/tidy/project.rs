//! The project's own files, and its binary.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::source::Source;

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

/// Every document: those of the project's folder, and those below these folders.
pub(crate) fn documents() -> BTreeSet<String> {
    let folders = [".github", "benches", "docs", "examples", "scripts", "tests"];
    let below = folders.iter().flat_map(|it| project_files(it, "md"));
    let top = fs::read_dir(project()).unwrap();
    let top = top.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_document = |name: &String| Path::new(name).extension().is_some_and(|it| it == "md");
    let documents = top.filter(is_document).chain(below);
    // The changelog of the add-on is a link to the project's.
    let documents: BTreeSet<String> = documents
        .filter(|it| !project().join(it).is_symlink())
        .collect();
    assert!(documents.contains("README.md") && documents.contains("docs/SECURITY.md"));
    documents
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

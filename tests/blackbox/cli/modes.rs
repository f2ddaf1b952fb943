//! Other users of the machine cannot read what is stored.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::place::Place;

/// Everything in the folder, itself included.
fn everything_in(dir: &Path) -> Vec<PathBuf> {
    let mut all = vec![dir.to_owned()];
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(everything_in(&path));
        } else {
            all.push(path);
        }
    }
    all
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[track_caller]
fn check_private(place: &Place) {
    for path in everything_in(&place.data_dir()) {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

fn open_to_everybody(place: &Place) {
    for path in everything_in(&place.data_dir()) {
        let open = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, Permissions::from_mode(open)).unwrap();
    }
}

#[test]
fn what_is_new_is_private() {
    let place = Place::new();
    place.prepare();
    check_private(&place);
    let server = place.serve(&[]);
    place.ok(&["key", "add", "home"]);
    check_private(&place);
    server.stop();
    check_private(&place);
}

#[test]
fn what_was_open_to_others_is_closed_at_each_start() {
    let place = Place::new();
    place.prepare();
    open_to_everybody(&place);
    let run = place.run(&["account", "list"]);
    assert_eq!(run.err.matches("could open").count(), 1, "{run:?}");
    check_private(&place);
    let run = place.run(&["account", "list"]);
    assert_eq!(run.err, "");

    open_to_everybody(&place);
    let server = place.serve(&[]);
    check_private(&place);
    let said = server.stop();
    assert_eq!(said.matches("could open").count(), 1, "{said}");
}

#[test]
fn a_start_names_the_files_with_secrets_that_others_can_read() {
    let place = Place::new();
    place.file(
        "config.toml",
        b"[http.metrics]\ntoken = \"0123456789abcdef\"\n",
    );
    let file = place.dir.path().join("config.toml");
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let said = place.serve(&[]).stop();
    assert!(said.contains("config.toml has mode 0644"), "{said}");
    assert!(!said.contains("0123456789abcdef"), "{said}");
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    let said = place.serve(&[]).stop();
    assert!(!said.contains("has mode"), "{said}");
}

#[test]
fn man_pages_are_for_everybody() {
    let place = Place::new();
    place.ok(&["man", "."]);
    assert_eq!(mode(&place.dir.path().join("wattkeeper.1")), 0o644);
}

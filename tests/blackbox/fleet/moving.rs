//! From a folder to PostgreSQL and back, by a backup; and the data that a restore does not touch.

use std::process::Stdio;

use super::{sql, until, while_held};
use crate::backend::TestBackend;
use crate::cli::memory::fill;
use crate::place::{Place, wait};

const DAY: [&str; 4] = ["--from", "2023-11-15", "--to", "2023-11-16"];

/// A house with more than readings.
fn furnish(place: &Place) {
    place.prepare();
    let solar = [
        "sensor",
        "add",
        "solar",
        "--account",
        "home",
        "--role",
        "solar",
    ];
    place.ok(&solar);
    place.key();
    let rows = (0..9_000).map(|n| format!("{},{},{}\n", 1_700_000_000 + n * 60, n % 7, n * 3));
    let text = "time,watts,watthours\n".to_owned() + &rows.collect::<String>();
    let import = place.run_on(text.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(import.status, 0, "{import:?}");
    place.ok(&[&["correct", "wrong", "house"], &DAY[..]].concat());
}

/// All that commands tell of a store.
fn told(place: &Place) -> Vec<String> {
    let questions: [&[&str]; 8] = [
        &["--json", "account", "list"],
        &["--json", "key", "list"],
        &["--json", "sensor", "list"],
        &["export", "--sensor", "house"],
        &["export", "--sensor", "solar"],
        &[
            "--json",
            "energy",
            "house",
            "--from",
            "2023-11-14",
            "--to",
            "2023-11-22",
        ],
        &["--json", "events"],
        &["--json", "correct", "list"],
    ];
    questions.map(|question| place.ok(question)).into()
}

/// Restores a backup of one place at another.
fn moved(from: &Place, to: TestBackend) -> Place {
    from.ok(&["backup", "copy"]);
    let place = Place::at(to);
    let file = from.dir.path().join("copy");
    let restored = place.json(&["restore", file.to_str().unwrap()]);
    assert_eq!(restored["readings"], 9_000);
    assert!(!restored.to_string().contains("of-a-test"), "{restored}");
    std::fs::remove_file(file).unwrap();
    place
}

#[test]
#[ignore = "needs postgres"]
fn postgres_gets_the_store_of_a_folder_and_gives_it_back() {
    let folder = Place::at(TestBackend::in_folder());
    furnish(&folder);
    let postgres = moved(&folder, TestBackend::postgres());
    assert_eq!(told(&postgres), told(&folder));
    let back = moved(&postgres, TestBackend::in_folder());
    assert_eq!(told(&back), told(&folder));
    let other_postgres = moved(&postgres, TestBackend::postgres());
    assert_eq!(told(&other_postgres), told(&folder));

    // The existing data stays.
    postgres.ok(&["backup", "copy"]);
    let full = postgres.error(&["restore", "copy"]);
    assert!(full.contains("holds a store already"), "{full}");
    assert_eq!(told(&postgres), told(&folder));
}

#[test]
#[ignore = "needs postgres"]
fn postgres_that_a_service_uses_gets_no_other_store() {
    let folder = Place::at(TestBackend::in_folder());
    furnish(&folder);
    folder.ok(&["backup", "copy"]);
    let file = folder.dir.path().join("copy");
    let place = Place::at(TestBackend::postgres());
    let server = place.serve(&[]);
    let used = place.error(&["restore", file.to_str().unwrap()]);
    assert!(
        used.contains("another wattkeeper runs") && used.contains("stop it"),
        "{used}"
    );
    // It goes on.
    place.prepare();
    let (api_id, api_key) = place.key();
    until("no upload is accepted", || {
        server.upload(&api_id, &api_key, "house", 1.0) == 200
    });
    server.stop();
}

#[test]
#[ignore = "needs postgres"]
fn postgres_restore_that_was_broken_off_is_repeated_before_anything_else() {
    let folder = Place::at(TestBackend::in_folder());
    folder.prepare();
    fill(&folder, 400_000);
    folder.ok(&["backup", "copy"]);
    let file = folder.dir.path().join("copy");
    let restore = ["restore", file.to_str().unwrap()];
    let place = Place::at(TestBackend::postgres());
    // Makes the tables.
    place.serve(&[]).stop();
    let marked = format!(
        "select is_restoring from {}.wattkeeper_schema",
        place.backend.schema()
    );
    let is_marked = || sql(&marked) == "t";
    let mut command = place.command(&restore);
    let mut restoring = command.stderr(Stdio::null()).spawn().unwrap();
    until("it does not begin", is_marked);
    while_held(&place.backend, "blocks", |is_waiting| {
        until("nothing is restored", is_waiting);
        // This is SIGKILL.
        restoring.kill().unwrap();
        assert_eq!(wait(&mut restoring), None);
    });
    for refused in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["account", "list"],
    ] {
        let why = place.error(refused);
        assert!(why.contains("repeat `wattkeeper restore`"), "{why}");
    }
    // PostgreSQL may take a while to notice that the first one is gone.
    until("it is not repeated", || place.run(&restore).status == 0);
    assert!(!is_marked());
    let export = ["export", "--sensor", "house"];
    assert!(place.ok(&export) == folder.ok(&export));
    place.serve(&[]).stop();
}

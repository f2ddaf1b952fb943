//! `wattkeeper backup` and `wattkeeper restore`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::place::{Place, Serving, both_ways, names};
use crate::stops::Stops;

/// A year of readings, in blocks and as rows.
fn fill(place: &Place) {
    place.prepare();
    place.ok(&[
        "sensor",
        "add",
        "solar",
        "--account",
        "home",
        "--name",
        "Süddach",
        "--role",
        "solar",
    ]);
    place.ok(&["sensor", "revoke", "solar"]);
    let rows = (0..9_000).map(|n| format!("{},{},{}\n", 1_700_000_000 + n * 60, n % 7, n * 3));
    let text = "time,watts,watthours\n".to_owned() + &rows.collect::<String>();
    let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(run.status, 0, "{run:?}");
}

/// A place with a data dir restored from the `file` of another.
fn restored(from: &Place, file: &str) -> Place {
    let place = Place::new();
    let file = from.dir.path().join(file);
    let run = place.json(&["restore", file.to_str().unwrap()]);
    assert_eq!(run["accounts"], 1);
    place
}

fn registry_of(place: &Place) -> [Value; 3] {
    ["account", "key", "sensor"].map(|what| place.json(&[what, "list"]))
}

#[test]
fn what_was_backed_up_comes_back() {
    both_ways(|place| {
        fill(place);
        let key = place.json(&["key", "add", "home"]);
        let run = place.json(&["backup", "copy"]);
        let counts = ["accounts", "sensors", "readings"].map(|name| run[name].as_u64().unwrap());
        assert_eq!(counts, [1, 2, 9_000]);
        let copy = fs::metadata(place.dir.path().join("copy")).unwrap();
        assert_eq!(run["bytes"], copy.len());
        assert_eq!(copy.permissions().mode() & 0o777, 0o600);
        assert_eq!(names(place.dir.path()), ["copy", "data"]);

        let other = restored(place, "copy");
        assert_eq!(registry_of(&other), registry_of(place));
        let exported = |place: &Place| place.ok(&["export", "--sensor", "house"]);
        assert_eq!(exported(&other), exported(place));
        // The key works there, too.
        let server = other.serve(&[]);
        let field = |name: &str| key[name].as_str().unwrap();
        assert_eq!(
            server.upload(field("api_id"), field("api_key"), "house", 1.0),
            200
        );
        server.stop();
    });
}

#[test]
fn a_backup_says_what_it_did() {
    let place = Place::new();
    fill(&place);
    let said = place.ok(&["backup", "copy"]);
    assert!(
        said.starts_with("copied 9000 readings of 2 sensors into copy, "),
        "{said}"
    );
    let other = Place::new();
    let file = place.dir.path().join("copy");
    let said = other.ok(&["restore", file.to_str().unwrap()]);
    assert!(
        said.starts_with("restored 9000 readings of 2 sensors into data as of "),
        "{said}"
    );
}

#[test]
fn while_uploads_go_on_nothing_acknowledged_is_missing() {
    let place = Place::new();
    fill(&place);
    let key = place.json(&["key", "add", "home"]);
    let field = |name: &str| key[name].as_str().unwrap();
    let server = place.serve(&[]);
    let is_done = AtomicBool::new(false);
    let acknowledged = thread::scope(|scope| {
        let uploads = scope.spawn(|| {
            let mut count = 0;
            while !is_done.load(Ordering::Relaxed) {
                let status = server.upload(field("api_id"), field("api_key"), "house", 5_000.0);
                assert_eq!(status, 200);
                count += 1;
            }
            count
        });
        let stops = Stops(&is_done);
        let mut acknowledged = Vec::new();
        for round in 0..5 {
            assert_eq!(
                server.upload(field("api_id"), field("api_key"), "house", f64::from(round)),
                200
            );
            acknowledged.push(place.ok(&["export", "--sensor", "house"]));
            place.ok(&["backup", &format!("copy{round}")]);
        }
        drop(stops);
        assert!(uploads.join().unwrap() > 10);
        acknowledged
    });
    for (round, before) in acknowledged.iter().enumerate() {
        let copy = restored(&place, &format!("copy{round}"));
        let exported = copy.ok(&["export", "--sensor", "house"]);
        let mut rows = exported.lines();
        assert!(
            before.lines().all(|row| rows.any(|copied| copied == row)),
            "{round}"
        );
    }
    server.stop();
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    both_ways(|place| {
        place.prepare();
        place.file("mine", b"mine");
        let said = place.error(&["backup", "mine"]);
        assert!(said.contains("mine already exists"), "{said}");
        assert_eq!(fs::read(place.dir.path().join("mine")).unwrap(), b"mine");
        assert!(place.error(&["backup", "missing/copy"]).contains("missing"));
        assert_eq!(names(place.dir.path()), ["data", "mine"]);
    });
}

#[test]
fn restore_refuses_what_it_must() {
    let place = Place::new();
    fill(&place);
    place.ok(&["backup", "copy"]);
    let said = place.error(&["restore", "copy"]);
    assert!(said.contains("empty data dir, and data holds"), "{said}");

    let other = Place::new();
    assert!(other.error(&["restore", "copy"]).contains("restoring copy"));
    other.file("text", b"time,watts\n");
    assert!(
        other
            .error(&["restore", "text"])
            .contains("not a backup of wattkeeper")
    );
    let mut bytes = fs::read(place.dir.path().join("copy")).unwrap();
    bytes[1_000] ^= 4;
    other.file("damaged", &bytes);
    assert!(
        other
            .error(&["restore", "damaged"])
            .contains("damaged at byte")
    );
    bytes.truncate(2_000);
    other.file("short", &bytes);
    assert!(
        other
            .error(&["restore", "short"])
            .contains("damaged at byte")
    );
    assert!(!other.data_dir().exists());
}

#[test]
fn there_must_be_a_store() {
    let place = Place::new();
    assert!(
        place
            .error(&["backup", "copy"])
            .contains("there is no store in data")
    );
    assert!(names(place.dir.path()).is_empty());
}

#[test]
fn a_server_takes_copies_by_itself() {
    let place = Place::new();
    fill(&place);
    let serve = |dir: &str| {
        let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
        command.env("WATTKEEPER_BACKUP_DIR", dir);
        Serving::start(command)
    };
    // A failed copy is logged, and the service keeps running.
    let said = serve("missing").stop();
    assert!(said.contains("scheduled backup failed: "), "{said}");
    assert!(!place.dir.path().join("missing").exists());

    let copies = place.dir.path().join("copies");
    fs::create_dir(&copies).unwrap();
    let server = serve("copies");
    let begun = Instant::now();
    let is_done = || matches!(names(&copies).as_slice(), [name] if !name.starts_with('.'));
    while !is_done() {
        assert!(begun.elapsed() < Duration::from_mins(2), "no copy");
        thread::sleep(Duration::from_millis(10));
    }
    server.stop();
    // The next one is not due yet.
    serve("copies").stop();
    assert!(is_done());
    let copy = restored(&place, &format!("copies/{}", names(&copies)[0]));
    assert_eq!(registry_of(&copy), registry_of(&place));
}

/// Runs the command and kills it after a while, unless it has ended.
fn kill_after(place: &Place, arguments: &[&str], ms: u64) {
    let mut child = place.command(arguments).spawn().unwrap();
    thread::sleep(Duration::from_millis(ms));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_kill_leaves_a_whole_copy_or_none() {
    let place = Place::new();
    fill(&place);
    for ms in [1, 5, 10, 15, 20, 30, 45, 60] {
        kill_after(&place, &["backup", "copy"], ms);
        if place.dir.path().join("copy").exists() {
            restored(&place, "copy");
            fs::remove_file(place.dir.path().join("copy")).unwrap();
        }
    }
    place.ok(&["backup", "copy"]);
    assert_eq!(names(place.dir.path()), ["copy", "data"]);
}

#[test]
fn a_kill_leaves_a_whole_store_or_none() {
    let place = Place::new();
    fill(&place);
    place.ok(&["backup", "copy"]);
    let exported = place.ok(&["export", "--sensor", "house"]);
    let file = place.dir.path().join("copy");
    let restore = ["restore", file.to_str().unwrap()];
    for ms in [1, 10, 20, 30, 50, 70, 100, 140] {
        let other = Place::new();
        kill_after(&other, &restore, ms);
        if !other.data_dir().join("facts").exists() {
            other.ok(&restore);
        }
        assert_eq!(other.ok(&["export", "--sensor", "house"]), exported, "{ms}");
    }
}

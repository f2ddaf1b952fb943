//! `wattkeeper check --salvage`.

use std::fs;

use crate::place::{Place, Run, names};

/// A place with the readings of a day, most of them in blocks.
pub(crate) fn filled() -> Place {
    let place = Place::new();
    place.prepare();
    place.key();
    let rows = (0..9_000).map(|n| format!("{},{}\n", 1_700_000_000 + n * 10, (n * 7_919) % 5_003));
    let text = "time,watts\n".to_owned() + &rows.collect::<String>();
    let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(run.status, 0, "{run:?}");
    place
}

/// Damages the log and the blocks, each at two thirds of its length.
fn damage(place: &Place) {
    for name in ["log/00000001", "blocks/00000001"] {
        let path = place.data_dir().join(name);
        let mut bytes = fs::read(&path).unwrap();
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        bytes[used * 2 / 3] ^= 1;
        fs::write(path, bytes).unwrap();
    }
}

/// Replaces the damaged store with the salvaged one.
fn take(place: &Place, new: &str) {
    fs::remove_dir_all(place.data_dir()).unwrap();
    fs::rename(place.dir.path().join(new), place.data_dir()).unwrap();
}

fn salvage(place: &Place, arguments: &[&str]) -> Run {
    place.run(&[&["check", "--salvage"], arguments].concat())
}

#[test]
fn a_whole_store_is_saved_whole() {
    let place = filled();
    let exported = place.ok(&["export", "--sensor", "house"]);
    let run = place.json(&["check", "--salvage", "new"]);
    assert_eq!(run["lost"], serde_json::json!([]));
    assert_eq!(
        (&run["readings"], &run["sensors"]),
        (&9_000.into(), &1.into())
    );
    assert_eq!(run["salvaged_into"], "new");
    assert_eq!(
        names(&place.dir.path().join("new")),
        ["blocks", "facts", "lock", "log"]
    );
    take(&place, "new");
    assert_eq!(place.ok(&["export", "--sensor", "house"]), exported);
    place.ok(&["check"]);
}

#[test]
fn what_is_lost_of_a_damaged_store_is_listed_and_the_rest_is_saved() {
    let place = filled();
    damage(&place);
    let volume = place.data_dir().join("blocks/00000001");
    let before = fs::read(&volume).unwrap();
    let refused = place.run(&["check"]);
    assert_eq!(refused.status, 1, "{refused:?}");
    assert!(refused.err.contains("check --salvage"), "{refused:?}");
    let run = salvage(&place, &["new"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.out.contains("lost"), "{run:?}");
    assert!(run.out.contains("salvaged "), "{run:?}");
    assert!(run.err.contains("use it with --data-dir"), "{run:?}");
    assert_eq!(fs::read(&volume).unwrap(), before);
    let json = place.run(&["--json", "check", "--salvage", "again"]);
    assert_eq!(json.status, 1);
    let report: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let lost = report["lost"].as_array().unwrap();
    assert!(lost[0]["what"].is_string(), "{report}");
    take(&place, "new");
    place.ok(&["check"]);
}

#[test]
fn salvaging_needs_a_store_that_nobody_has_and_an_empty_folder() {
    let place = filled();
    let server = place.serve(&[]);
    let error = place.error(&["check", "--salvage", "new"]);
    assert!(error.contains("stop it first"), "{error}");
    assert!(!place.dir.path().join("new").exists());
    server.stop();
    fs::create_dir(place.dir.path().join("taken")).unwrap();
    place.file("taken/something", b"");
    let error = place.error(&["check", "--salvage", "taken"]);
    assert!(error.contains("holds something"), "{error}");
    let error = place.error(&["check", "--salvage", "data/new"]);
    assert!(
        error.contains("is inside the folder of the damaged store"),
        "{error}"
    );
    assert_eq!(names(&place.dir.path().join("taken")), ["something"]);
    let error = Place::new().error(&["check", "--salvage", "new"]);
    assert!(error.contains("there is no store in data"), "{error}");
}

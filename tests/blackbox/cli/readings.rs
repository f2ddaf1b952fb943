//! `wattkeeper readings` and `wattkeeper check`.

use serde_json::json;

use crate::place::{Place, both_ways};

const READINGS: &[u8] = b"time,watts,watthours\n\
    2026-01-05T10:00:00,1,100\n\
    2026-01-05T10:01:00,2,101\n\
    2026-01-05T10:02:00,3,102\n\
    2026-01-06T00:00:00,4,103\n";

fn fill(place: &Place) {
    place.prepare();
    let into = ["import", "-", "--sensor", "house", "--tz", "UTC"];
    let imported = place.run_on(READINGS, &into);
    assert_eq!(imported.status, 0, "{imported:?}");
}

#[test]
fn a_range_is_deleted_with_both_ends() {
    both_ways(|place| {
        fill(place);
        let delete = |start: &str, end: &str| {
            place.json(&[
                "readings", "delete", "--sensor", "house", "--start", start, "--end", end, "--yes",
            ])
        };
        let deleted = |count: u32| json!({"sensor_id": "house", "deleted": count});
        assert_eq!(
            delete("2026-01-05T10:01:00", "2026-01-05T10:02:00"),
            deleted(2)
        );
        assert_eq!(
            delete("2026-01-05T10:01:00", "2026-01-05T10:02:00"),
            deleted(0)
        );
        assert_eq!(place.json(&["sensor", "list"])[0]["readings"], 2);
        assert_eq!(delete("2026-01-06", "2026-01-06"), deleted(1));
        assert_eq!(
            place.ok(&["export", "--sensor", "house"]),
            "time,watts,watthours\n2026-01-05T10:00:00.000Z,1,100\n"
        );
        assert_eq!(place.json(&["check"])["ok"], true);
    });
}

#[test]
fn a_deletion_asks_and_says_what_is_wrong() {
    let place = Place::new();
    fill(&place);
    let delete = [
        "readings",
        "delete",
        "--sensor",
        "house",
        "--start",
        "2026-01-05",
    ];
    let asked = place.error(&[&delete[..], &["--end", "2026-01-06"]].concat());
    assert!(
        asked.contains("Delete 4 readings") && asked.contains("--yes"),
        "{asked}"
    );
    assert_eq!(place.json(&["sensor", "list"])[0]["readings"], 4);
    let backwards = place.run(&[&delete[..], &["--end", "2026-01-01", "--yes"]].concat());
    assert_eq!(backwards.status, 2, "{backwards:?}");
    let unknown = [
        "readings",
        "delete",
        "--sensor",
        "x",
        "--start",
        "2026-01-01",
        "--end",
        "2026-01-02",
        "--yes",
    ];
    assert!(place.error(&unknown).contains("\"x\""));
}

#[test]
fn a_good_store_is_clean() {
    both_ways(|place| {
        fill(place);
        assert_eq!(
            place.json(&["check"]),
            json!({"ok": true, "readings": 4, "blocks": 1, "problems": []})
        );
        assert_eq!(place.ok(&["check"]), "4 readings and 1 blocks were read\n");
    });
}

#[test]
fn damage_is_an_error() {
    let place = Place::new();
    fill(&place);
    let path = place.data_dir().join("log/00000001");
    let mut bytes = std::fs::read(&path).unwrap();
    let written = bytes.iter().rposition(|&byte| byte != 0).unwrap();
    bytes[..written / 2].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();
    let run = place.run(&["check"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.out.contains("may be missing"), "{run:?}");
    assert!(run.err.contains("problems"), "{run:?}");
    // Once somebody has read what is lost, it is said no longer.
    let confirmed = place.run(&["check", "--confirm"]);
    assert_eq!(confirmed.status, 0, "{confirmed:?}");
    place.ok(&["check"]);
}

/// The same record is damaged in both files of entries, so a key that was revoked may have come back: nobody is let in, and the operator
/// still sees, changes and backs up everything.
#[test]
fn access_is_suspended_where_a_revocation_may_be_lost() {
    let place = Place::new();
    fill(&place);
    let (api_id, api_key) = place.key();
    place.ok(&["key", "add", "home", "--label", "damaged"]);
    for name in ["facts/a", "facts/b"] {
        let path = place.data_dir().join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        let label = bytes.windows(7).rposition(|it| it == b"damaged");
        bytes[label.unwrap()] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    let keys = || {
        let keys = place.json(&["key", "list"]);
        keys.as_array().unwrap().len()
    };
    let service = place.serve(&[]);
    assert_eq!(service.upload(&api_id, &api_key, "house", 5.0), 401);
    assert_eq!(keys(), 1);
    // A new one is kept, and refused like the others.
    let (new_id, new_key) = place.key();
    assert_eq!(service.upload(&new_id, &new_key, "house", 5.0), 401);
    service.stop();
    assert_eq!(keys(), 2);
    let backup = place.data_dir().with_file_name("backup.wk");
    let backup = backup.to_str().unwrap();
    place.ok(&["backup", backup]);
    let said = place.run(&["check"]);
    assert!(said.out.contains("check --confirm"), "{said:?}");
    // A salvage lets nobody in, either.
    let salvaged = Place::new();
    let new_dir = salvaged.data_dir();
    let said = place.run(&["check", "--salvage", new_dir.to_str().unwrap()]);
    assert!(said.out.contains("check --confirm"), "{said:?}");
    let service = salvaged.serve(&[]);
    assert_eq!(service.upload(&api_id, &api_key, "house", 5.0), 401);
    salvaged.ok(&["check", "--confirm"]);
    assert_eq!(service.upload(&api_id, &api_key, "house", 5.0), 200);
    service.stop();
    let service = place.serve(&[]);
    place.ok(&["check", "--confirm"]);
    assert_eq!(service.upload(&api_id, &api_key, "house", 5.0), 200);
    service.stop();
    let service = place.serve(&[]);
    assert_eq!(service.upload(&new_id, &new_key, "house", 6.0), 200);
    service.stop();
    let copy = Place::new();
    copy.ok(&["restore", backup]);
    assert_eq!(copy.json(&["key", "list"]).as_array().unwrap().len(), 2);
}

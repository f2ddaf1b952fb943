//! `wattkeeper key`.

use serde_json::{Value, json};

use crate::place::{Place, both_ways};

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key}: {value}"))
}

#[test]
fn shown_once() {
    both_ways(|place| {
        place.prepare();
        let added = place.json(&["key", "add", "home", "--scope", "write", "--label", "meter"]);
        let (api_id, api_key) = (text(&added, "api_id"), text(&added, "api_key"));
        assert_eq!((api_id.len(), api_key.len()), (16, 40));
        assert_eq!(
            added,
            json!({"account": "home", "api_id": api_id, "api_key": api_key, "scope": "write", "label": "meter"})
        );
        let rotated = place.json(&["key", "rotate", api_id]);
        assert_eq!(text(&rotated, "api_id"), api_id);
        assert_ne!(text(&rotated, "api_key"), api_key);

        let plain = place.ok(&["key", "add", "home"]);
        let words: Vec<_> = plain.split_whitespace().collect();
        assert_eq!(
            (words[0], words[1].len(), words[2], words[3].len()),
            ("api_id", 16, "api_key", 40)
        );

        let listed = place.json(&["key", "list"]);
        let mut row = listed
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["api_id"] == api_id)
            .unwrap()
            .clone();
        row.as_object_mut().unwrap().remove("created").unwrap();
        assert_eq!(
            row,
            json!({"account": "home", "api_id": api_id, "scope": "write", "label": "meter", "last_used": null})
        );
        let printed = place.ok(&["key", "list"]);
        assert!(
            printed.contains(words[1]) && !printed.contains(words[3]),
            "{printed}"
        );

        assert_eq!(
            place.json(&["key", "revoke", api_id]),
            json!({"api_id": api_id, "revoked": true})
        );
        assert!(place.error(&["key", "revoke", api_id]).contains(api_id));
        assert!(place.error(&["key", "rotate", api_id]).contains(api_id));
        assert!(place.error(&["key", "add", "nobody"]).contains("nobody"));
    });
}

#[test]
fn credentials_that_are_burnt_in() {
    both_ways(|place| {
        place.prepare();
        let add = ["--json", "key", "add", "home", "--api-id", "0123"];
        let added = place.run_on(b"burnt in\r\nnext line", &add).json();
        assert_eq!(
            added,
            json!({"account": "home", "api_id": "0123", "api_key": "burnt in", "scope": "full", "label": ""})
        );
        let twice = place.run_on(b"other\n", &add).error();
        assert!(twice.contains("rotate"), "{twice}");
        let none = place
            .run_on(b"", &["key", "add", "home", "--api-id", "4567"])
            .error();
        assert!(none.contains("standard input"), "{none}");
        let long = vec![b'x'; 1_000];
        let long = place
            .run_on(&long, &["key", "add", "home", "--api-id", "4567"])
            .error();
        assert!(
            long.contains("1 to 256 bytes") && !long.contains("xxx"),
            "{long}"
        );
    });
}

#[test]
fn a_running_server_knows_at_once() {
    let place = Place::new();
    let server = place.serve(&["-vv"]);
    place.prepare();
    let first = place.json(&["key", "add", "home"]);
    let (api_id, old) = (text(&first, "api_id"), text(&first, "api_key"));
    assert_eq!(server.upload(api_id, old, "house", 1.0), 200);
    let second = place.json(&["key", "rotate", api_id]);
    let new = text(&second, "api_key");
    assert_eq!(server.upload(api_id, old, "house", 2.0), 401);
    assert_eq!(server.upload(api_id, new, "house", 3.0), 200);
    place.ok(&["key", "revoke", api_id]);
    assert_eq!(server.upload(api_id, new, "house", 4.0), 401);

    let log = server.stop();
    assert!(log.contains("/admin/"), "{log}");
    for secret in [old, new] {
        assert!(!log.contains(secret), "{log}");
    }
}

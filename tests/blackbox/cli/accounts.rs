//! `wattkeeper account`.

use serde_json::json;

use crate::place::{Place, Run, both_ways};

#[test]
fn added_listed_changed_removed() {
    both_ways(|place| {
        let added = place.json(&["account", "add", "home", "--tz", "Europe/Berlin"]);
        let created = added["created"].clone();
        assert_eq!(created.as_str().unwrap().len(), 24);
        let row = |plan: &str| {
            json!({"account": "home", "plan": plan, "tz": "Europe/Berlin",
            "phases": "separate", "created": created})
        };
        assert_eq!(added, row("paid"));
        assert_eq!(
            place.json(&["account", "plan", "home", "free"]),
            row("free")
        );
        assert_eq!(place.json(&["account", "list"]), json!([row("free")]));
        assert!(
            place
                .ok(&["account", "list"])
                .starts_with("ACCOUNT  PLAN  TIME ZONE      PHASES    CREATED")
        );

        let moved = place.json(&["account", "set", "home", "--tz", "Asia/Tokyo"]);
        assert_eq!(moved["tz"], "Asia/Tokyo");
        let unknown = place.error(&["account", "set", "home", "--tz", "Mars/Olympus"]);
        assert!(unknown.contains("Mars/Olympus"), "{unknown}");
        assert_eq!(
            place.json(&["account", "set", "home", "--tz", "Europe/Berlin"]),
            row("free")
        );

        let twice = place.error(&["account", "add", "home"]);
        assert!(twice.contains("already"), "{twice}");
        place.ok(&[
            "sensor",
            "add",
            "house",
            "--account",
            "home",
            "--role",
            "sub-meter",
        ]);
        let refused = place.error(&["account", "remove", "home"]);
        assert!(refused.contains("still has sensors"), "{refused}");
        place.ok(&["sensor", "remove", "house", "--yes"]);
        assert_eq!(
            place.json(&["account", "remove", "home"]),
            json!({"account": "home", "removed": true})
        );
        assert_eq!(place.json(&["account", "list"]), json!([]));
        assert_eq!(place.ok(&["account", "list"]), "");
        assert!(
            place
                .error(&["account", "remove", "home"])
                .contains("\"home\"")
        );
        assert!(
            place
                .error(&["account", "plan", "home", "paid"])
                .contains("\"home\"")
        );
    });
}

#[test]
fn its_phases_are_set_alone() {
    both_ways(|place| {
        let added = place.json(&["account", "add", "home", "--phases", "balanced"]);
        assert_eq!(added["phases"], "balanced");
        let moved = place.json(&["account", "set", "home", "--tz", "Asia/Tokyo"]);
        assert_eq!(moved["phases"], "balanced");
        let set = place.json(&["account", "set", "home", "--phases", "separate"]);
        assert_eq!(
            (&set["tz"], &set["phases"]),
            (&json!("Asia/Tokyo"), &json!("separate"))
        );
        assert_eq!(place.json(&["account", "list"]), json!([set]));
    });
}

#[test]
fn only_adding_an_account_makes_a_store() {
    let place = Place::new();
    for arguments in [
        &["account", "list"][..],
        &["account", "plan", "home", "free"],
        &["account", "set", "home", "--tz", "UTC"],
        &["account", "remove", "home"],
        &["key", "add", "home"],
        &["key", "list"],
        &[
            "sensor",
            "add",
            "house",
            "--account",
            "home",
            "--role",
            "sub-meter",
        ],
        &["sensor", "list"],
        &["sensor", "set", "house", "--role", "solar"],
        &["sensor", "remove", "house", "--yes"],
        &["import", "-", "--sensor", "house"],
        &["export", "--sensor", "house"],
    ] {
        let error = place.error(arguments);
        assert!(error.contains("there is no store in data"), "{error}");
        assert!(!place.data_dir().exists(), "{arguments:?}");
    }
    place.ok(&["account", "add", "home"]);
    assert!(place.data_dir().is_dir());
}

#[test]
fn wrong_usage_has_its_own_exit_status() {
    let place = Place::new();
    for arguments in [
        &[][..],
        &["account"],
        &["acount", "list"],
        &["account", "add"],
        &["account", "add", "home", "--plan", "gold"],
        &["account", "list", "--what"],
        &["account", "set", "home"],
        &["account", "set", "home", "--price", "1"],
        &["account", "set", "home", "--phases", "three"],
        &["account", "add", "home", "--phases", ""],
        &["contract", "flat", "--price", "1"],
        &["contract", "flat", "--currency", "EUR"],
        &["sensor", "set", "house"],
        &["sensor", "set", "house", "--role", "roof"],
        &["sensor", "set", "house", "--register", "up"],
        &["key", "add", "home", "--scope", "all"],
        &["serve", "--listen", "8080"],
        &["export", "--sensor", "x", "--start", "yesterday"],
        &["export", "--sensor", "x", "--json"],
        &[
            "export",
            "--sensor",
            "x",
            "--start",
            "2026-01-02",
            "--end",
            "2026-01-01",
        ],
        &["import", "x", "--sensor", "x", "--unit", "MW"],
        &[
            "import", "x", "--sensor", "x", "--unit", "W", "--unit", "kW",
        ],
        &["import", "x", "--sensor", "x", "--tz", "Mars/Olympus"],
        &["import", "x", "--sensor", "x", "--where", "host"],
        &["account", "list", "-q", "-v"],
    ] {
        let run = place.run(arguments);
        assert_eq!(
            (run.status, run.out.as_str()),
            (2, ""),
            "{arguments:?}: {run:?}"
        );
        assert!(
            run.err.contains("Usage") || run.err.starts_with("error: "),
            "{run:?}"
        );
    }
    for arguments in [&["--help"][..], &["--version"], &["import", "--help"]] {
        let run = place.run(arguments);
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{arguments:?}");
        assert!(!run.out.is_empty());
    }
}

#[test]
fn zones_of_the_system_may_be_newer_than_the_program() {
    let zones = tempfile::tempdir().unwrap();
    let path = |name: &str| zones.path().join(name);
    std::fs::create_dir(path("Europe")).unwrap();
    // As RFC 9636 has it: a header that counts one kind of time with a name; that kind, at UTC; its name. The last line is the rule.
    let header = [&b"TZif2"[..], &[0; 31], &[0, 0, 0, 1, 0, 0, 0, 4]].concat();
    let part = [&header[..], &[0; 6], b"UTC\0"].concat();
    let file = [&part[..], &part, b"\nAST-2\n"].concat();
    std::fs::write(path("Europe/Atlantis"), file).unwrap();
    let place = Place::new();
    let add = ["account", "add", "home", "--tz", "Europe/Atlantis"];
    for (version, is_known) in [("1999a", false), ("2999a", true)] {
        std::fs::write(path("tzdata.zi"), format!("# version {version}\n")).unwrap();
        let mut command = place.command(&add);
        command.env("TZDIR", zones.path());
        let run = Run::of(command, b"");
        assert_eq!(run.status == 0, is_known, "{version}");
    }
}

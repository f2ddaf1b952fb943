//! `wattkeeper sensor`.

use serde_json::json;

use crate::place::{Place, both_ways};

#[test]
fn added_listed_revoked_removed() {
    both_ways(|place| {
        place.prepare();
        let row = |name: &str, authorized: bool, readings: u64| {
            json!({"sensor_id": "house", "account": "home", "name": name, "authorized": authorized,
                "role": "grid", "register": "net", "rollover": null, "plausible": 100_000, "sign": "as-is",
                "power_sign": "as-is", "register_sign": "as-is", "between": "line",
                "part_of": null, "silent_after": null, "home_assistant": true, "active": false, "last_upload": null, "readings": readings})
        };
        assert_eq!(
            place.json(&["sensor", "list"]),
            json!([row("house", true, 0)])
        );
        assert_eq!(
            place.json(&["sensor", "revoke", "house"]),
            row("house", false, 0)
        );
        assert_eq!(
            place.json(&["sensor", "authorize", "house"]),
            row("house", true, 0)
        );
        place.ok(&["sensor", "revoke", "house"]);
        let again = [
            "sensor",
            "add",
            "house",
            "--account",
            "home",
            "--name",
            "Haus",
        ];
        assert_eq!(place.json(&again), row("Haus", true, 0));

        assert_eq!(
            place.json(&["sensor", "set", "house", "--name", "Main meter"]),
            row("Main meter", true, 0)
        );
        assert!(
            place
                .error(&["sensor", "set", "x", "--name", "y"])
                .contains("\"x\"")
        );
        assert_eq!(
            place.json(&["sensor", "set", "house", "--name", "Haus"]),
            row("Haus", true, 0)
        );

        place.ok(&["account", "add", "neighbour"]);
        let taken = place.error(&["sensor", "add", "house", "--account", "neighbour"]);
        assert!(taken.contains("another account"), "{taken}");
        let unknown = ["sensor", "add", "x", "--account", "nobody"];
        let error = place.error(&[&unknown[..], &["--role", "solar"]].concat());
        assert!(error.contains("nobody"), "{error}");
        assert!(place.error(&["sensor", "revoke", "x"]).contains("\"x\""));

        let readings = b"time,watts\n2026-01-05T10:00:00,1\n2026-01-05T10:01:00,2\n";
        let imported = place.run_on(readings, &["import", "-", "--sensor", "house"]);
        assert_eq!(imported.status, 0, "{imported:?}");
        assert_eq!(
            place.json(&["sensor", "list"]),
            json!([row("Haus", true, 2)])
        );
        assert!(place.ok(&["sensor", "list"]).contains(
            "house   home     Haus  grid  net       -         yes         no      never        2"
        ));
    });
}

#[test]
fn what_it_measures() {
    both_ways(|place| {
        place.prepare();
        let shown = |arguments: &[&str]| {
            let row = place.json(arguments);
            json!([row["name"], row["role"], row["register"]])
        };
        let added = shown(&[
            "sensor",
            "add",
            "roof",
            "--account",
            "home",
            "--role",
            "solar",
            "--register",
            "counter",
        ]);
        assert_eq!(added, json!(["roof", "solar", "counter"]));
        let named = shown(&["sensor", "set", "roof", "--name", "Panels"]);
        assert_eq!(named, json!(["Panels", "solar", "counter"]));
        let changed = shown(&[
            "sensor",
            "set",
            "roof",
            "--role",
            "sub-meter",
            "--register",
            "net",
        ]);
        assert_eq!(changed, json!(["Panels", "sub-meter", "net"]));
        let listed = place.ok(&["sensor", "list"]);
        assert!(listed.contains("Panels  sub-meter  net"), "{listed}");
        let unknown = place.error(&["sensor", "set", "x", "--role", "grid"]);
        assert!(unknown.contains("\"x\""), "{unknown}");
    });
}

#[test]
fn removed_with_its_readings() {
    both_ways(|place| {
        place.prepare();
        let readings = b"time,watts\n2026-01-05T10:00:00,1\n2026-01-05T10:01:00,2\n";
        let imported = place.run_on(readings, &["import", "-", "--sensor", "house"]);
        assert_eq!(imported.status, 0, "{imported:?}");
        let asked = place.error(&["sensor", "remove", "house"]);
        assert!(
            asked.contains("its 2 readings") && asked.contains("--yes"),
            "{asked}"
        );
        assert_eq!(
            place.json(&["sensor", "remove", "house", "--yes"]),
            json!({"sensor_id": "house", "removed": true, "readings": 2})
        );
        assert_eq!(place.json(&["sensor", "list"]), json!([]));
        assert!(
            place
                .error(&["sensor", "remove", "house", "--yes"])
                .contains("\"house\"")
        );
    });
}

#[test]
fn one_that_uploads_is_active() {
    let place = Place::new();
    let server = place.serve(&[]);
    place.prepare();
    let (api_id, api_key) = &place.key();
    assert_eq!(server.upload(api_id, api_key, "house", 1.0), 200);
    let check = || {
        let listed = place.json(&["sensor", "list"]);
        assert_eq!(listed[0]["active"], json!(true), "{listed}");
        assert_eq!(listed[0]["last_upload"].as_str().unwrap().len(), 24);
        assert_eq!(listed[0]["readings"], json!(1));
    };
    check();
    place.ok(&["sensor", "revoke", "house"]);
    assert_eq!(server.upload(api_id, api_key, "house", 2.0), 403);
    server.stop();
    check();
}

#[test]
fn a_new_sensor_needs_a_role() {
    both_ways(|place| {
        place.prepare();
        let pump = ["sensor", "add", "pump", "--account", "home"];
        // Nothing is guessed, and nobody is there to be asked.
        let refused = place.error(&pump);
        for word in ["--role: expected", "grid-import", "sub-meter"] {
            assert!(refused.contains(word), "{refused}");
        }
        assert!(place.error(&["sensor", "show", "pump"]).contains("pump"));
        place.ok(&[&pump[..], &["--role", "sub-meter"]].concat());
        // A set-up script may run twice.
        assert_eq!(place.json(&pump)["role"], "sub-meter");
    });
}

/// Energy that is counted twice makes all sums of the house wrong.
#[test]
fn a_further_sensor_at_the_grid_needs_an_answer() {
    both_ways(|place| {
        place.prepare();
        let add = |id: &'static str| ["sensor", "add", id, "--account", "home", "--role"];
        let phases = || place.json(&["account", "list"])[0]["phases"].clone();
        for role in ["grid", "grid-import", "grid-export"] {
            let error = place.error(&[&add("x")[..], &[role]].concat());
            for word in ["house", "phase", "sub-meter", "connection", "such as"] {
                assert!(error.contains(word), "{word} in {error}");
            }
        }
        let with = |id, answer: &'static str| {
            place.json(&[&add(id)[..], &["grid", "--at-grid", answer]].concat())["role"].clone()
        };
        assert_eq!(with("pump", "sub-meter"), "sub-meter");
        assert_eq!(with("barn", "connection"), "grid");
        assert_eq!(phases(), "separate");
        assert_eq!(with("l2", "phase"), "grid");
        assert_eq!(phases(), "balanced");
        // Not by a change of its role either.
        let set = ["sensor", "set", "pump", "--role", "grid-import"];
        assert!(place.error(&set).contains("connection"));
        let set = [&set[..], &["--at-grid", "connection"]].concat();
        assert_eq!(place.json(&set)["role"], "grid-import");
        // Once more is no question, and nor is another register of one meter.
        assert_eq!(
            place.json(&[&add("barn")[..], &["grid"]].concat())["role"],
            "grid"
        );
        for sensor in ["house", "barn", "l2"] {
            place.ok(&["sensor", "revoke", sensor]);
        }
        assert_eq!(
            place.json(&[&add("out")[..], &["grid-export"]].concat())["role"],
            "grid-export"
        );
    });
}

#[test]
fn home_assistant_is_told_or_not() {
    both_ways(|place| {
        place.prepare();
        let add = ["sensor", "add", "pump", "--account", "home"];
        let add = [
            &add[..],
            &["--role", "sub-meter", "--home-assistant", "off"],
        ]
        .concat();
        assert_eq!(place.json(&add)["home_assistant"], false);
        let shown = place.ok(&["sensor", "show", "pump"]);
        assert!(shown.contains("not in Home Assistant"), "{shown}");
        // Another change leaves it.
        let set = ["sensor", "set", "pump"];
        let named = place.json(&[&set[..], &["--name", "Pump"]].concat());
        assert_eq!(named["home_assistant"], false);
        let on = place.json(&[&set[..], &["--home-assistant", "on"]].concat());
        assert_eq!(on["home_assistant"], true);
        let wrong = place.run(&[&set[..], &["--home-assistant", "yes"]].concat());
        assert_eq!(wrong.status, 2);
        assert!(wrong.err.contains("expected on or off"), "{}", wrong.err);
    });
}

#[test]
fn settings_of_a_meter() {
    both_ways(|place| {
        place.prepare();
        let pump = ["sensor", "add", "pump", "--account", "home"];
        place.ok(&[&pump[..], &["--role", "sub-meter"]].concat());
        let set = place.json(&[
            "sensor",
            "set",
            "pump",
            "--register",
            "interval",
            "--rollover",
            "100000",
            "--plausible",
            "5000",
            "--sign",
            "inverted",
            "--part-of",
            "house",
            "--silent-after",
            "1h",
        ]);
        assert_eq!(set["rollover"], json!(100_000.0));
        assert_eq!(
            json!([
                set["register"],
                set["plausible"],
                set["sign"],
                set["part_of"],
                set["silent_after"]
            ]),
            json!(["interval", 5_000, "inverted", "house", 60])
        );
        let shown = place.ok(&["sensor", "show", "pump"]);
        assert!(
            shown.contains(
                "part of house, inverted, rollover 100000 Wh, plausible 5000 W, silent after 60m"
            ),
            "{shown}"
        );
        let circle = place.error(&["sensor", "set", "house", "--part-of", "pump"]);
        assert!(circle.contains("house > pump > house"), "{circle}");
        let back = place.json(&[
            "sensor",
            "set",
            "pump",
            "--rollover",
            "none",
            "--part-of",
            "none",
            "--silent-after",
            "none",
        ]);
        assert_eq!(
            json!([back["rollover"], back["part_of"], back["silent_after"]]),
            json!([null, null, null])
        );
        let main = ["sensor", "add", "main", "--account", "home"];
        let at_grid = ["--role", "grid-import", "--at-grid", "connection"];
        let added = place.run(&[&main[..], &at_grid].concat());
        assert_eq!(added.err, "");
    });
}

#[test]
fn a_register_is_that_of_the_role_at_first() {
    both_ways(|place| {
        place.prepare();
        for (role, register) in [
            ("grid", "net"),
            ("grid-import", "counter"),
            ("grid-export", "counter"),
            ("solar", "counter"),
            ("battery", "net"),
            ("battery-charge", "counter"),
            ("battery-discharge", "counter"),
            ("sub-meter", "counter"),
        ] {
            let add = ["sensor", "add", role, "--account", "home", "--role", role];
            let add = [&add[..], &["--at-grid", "connection"]].concat();
            assert_eq!(place.json(&add)["register"], register, "{role}");
        }
        let set = ["sensor", "add", "plug", "--account", "home", "--role"];
        let net = place.json(&[&set[..], &["sub-meter", "--register", "net"]].concat());
        assert_eq!(net["register"], "net");
        // One that is there already keeps its own.
        let again = place.json(&[&set[..], &["solar"]].concat());
        assert_eq!(
            json!([again["role"], again["register"]]),
            json!(["solar", "net"])
        );
    });
}

#[test]
fn signs_and_what_is_between_readings() {
    both_ways(|place| {
        place.prepare();
        let set = |more: &[&str]| {
            let row = place.json(&[&["sensor", "set", "house"], more].concat());
            let signs = json!([row["sign"], row["power_sign"], row["register_sign"]]);
            (signs, place.ok(&["sensor", "show", "house"]))
        };
        // One option sets both, as before there were two.
        let (signs, shown) = set(&["--sign", "inverted"]);
        assert_eq!(signs, json!(["inverted", "inverted", "inverted"]));
        assert!(shown.contains(" inverted "), "{shown}");
        let (signs, shown) = set(&["--register-sign", "as-is"]);
        assert_eq!(signs, json!(["as-is", "inverted", "as-is"]));
        assert!(shown.contains("power inverted"), "{shown}");
        let (signs, shown) = set(&["--sign", "as-is", "--register-sign", "inverted"]);
        assert_eq!(signs, json!(["as-is", "as-is", "inverted"]));
        assert!(shown.contains("register inverted"), "{shown}");
        let (signs, _) = set(&["--sign", "as-is"]);
        assert_eq!(signs, json!(["as-is", "as-is", "as-is"]));

        let held = place.json(&["sensor", "set", "house", "--between", "hold"]);
        assert_eq!(held["between"], "hold");
        let shown = place.ok(&["sensor", "show", "house"]);
        assert!(shown.contains("hold between readings"), "{shown}");
        let line = place.json(&["sensor", "set", "house", "--between", "line"]);
        assert_eq!(line["between"], "line");
        let wrong = place.run(&["sensor", "set", "house", "--between", "mean"]);
        assert_eq!(wrong.status, 2);
        assert!(wrong.err.contains("expected line or hold"), "{}", wrong.err);
    });
}

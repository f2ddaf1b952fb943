//! `wattkeeper import`. Unit tests cover the files of other systems.

use std::io::Write as _;
use std::process::Stdio;
use std::thread;

use serde_json::{Value, json};

use crate::place::{Place, both_ways, names, wait};

const READINGS: &str = "time,watts,watthours\n2026-01-05T10:00:00,1,2\n2026-01-05T10:01:00,3,4.5\n";
const EXPORTED: &str =
    "time,watts,watthours\n2026-01-05T10:00:00.000Z,1,2\n2026-01-05T10:01:00.000Z,3,4.5\n";

/// [`READINGS`], compressed with `xz`.
const XZ: &str = "fd377a585a000004e6d6b446020021011c00000010cf58cce0004600345d003a1a49fae09dea1855\
    bcc26632cf21a3150b195f7b09ec5fa3b1c0db4de76445b03babb7904d2415e749a46f3313693ffe\
    d7d70000ee49d61730afb289000150474c3c85721fb6f37d010000000004595a";

fn xz() -> Vec<u8> {
    let digits = XZ.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

fn without_seconds(mut outcome: Value) -> Value {
    let seconds = outcome.as_object_mut().unwrap().remove("seconds").unwrap();
    assert!(seconds.is_f64());
    outcome
}

#[test]
fn packed_or_not_from_a_file_or_a_pipe() {
    both_ways(|place| {
        place.prepare();
        let packings = [READINGS.as_bytes().to_vec(), gz(READINGS.as_bytes()), xz()];
        for (bytes, name) in packings.iter().zip(["r.csv", "r.csv.gz", "r.csv.xz"]) {
            place.file(name, bytes);
            let from_file = place.json(&["import", name, "--sensor", "house", "--tz", "UTC"]);
            let from_pipe = place
                .run_on(
                    bytes,
                    &["--json", "import", "-", "--sensor", "house", "--tz", "UTC"],
                )
                .json();
            for outcome in [from_file, from_pipe] {
                assert_eq!(
                    without_seconds(outcome),
                    json!({"read": 2, "stored": 2, "skipped": 0})
                );
            }
            assert_eq!(place.ok(&["export", "--sensor", "house"]), EXPORTED);
            place.ok(&["sensor", "remove", "house", "--yes"]);
            place.ok(&[
                "sensor",
                "add",
                "house",
                "--account",
                "home",
                "--role",
                "sub-meter",
            ]);
        }
    });
}

#[test]
fn one_bad_row_and_nothing_is_stored() {
    both_ways(|place| {
        place.prepare();
        let text = format!("{READINGS}2026-01-05T10:02:00,x,\n2026-01-05T10:03:00,5,\n");
        place.file("bad.csv", text.as_bytes());
        for (file, input) in [("bad.csv", &b""[..]), ("-", text.as_bytes())] {
            let run = place.run_on(input, &["--json", "import", file, "--sensor", "house"]);
            let error = run.error();
            assert!(
                error.contains("1 of 4 rows are bad, nothing was stored"),
                "{error}"
            );
            assert!(error.contains("--skip-bad"), "{error}");
            assert!(
                run.err
                    .starts_with("line 4: watts: expected a number, got \"x\"\n"),
                "{run:?}"
            );
            assert_eq!(place.json(&["sensor", "list"])[0]["readings"], json!(0));
        }
        let run = place.run(&[
            "--json",
            "import",
            "bad.csv",
            "--sensor",
            "house",
            "--skip-bad",
        ]);
        assert!(run.err.starts_with("line 4: watts"), "{run:?}");
        assert!(run.err.contains("left out: 1 bad"), "{run:?}");
        assert_eq!(
            without_seconds(run.json()),
            json!({"read": 4, "stored": 3, "skipped": 1})
        );
    });
}

#[test]
fn twenty_bad_rows_are_listed() {
    let place = Place::new();
    place.prepare();
    let text = format!("time,watts\n{}", "x,1\n".repeat(50));
    let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert!(run.error().contains("50 of 50"));
    let lines: Vec<_> = run.err.lines().collect();
    assert!(lines[19].starts_with("line 21: "), "{run:?}");
    assert_eq!((lines.len(), lines[20]), (22, "… and 30 more"));
}

#[test]
fn what_cannot_be_known_is_asked_for() {
    let place = Place::new();
    place.prepare();
    let error = |text: &str, options: &[&str]| {
        let arguments = [&["import", "-", "--sensor", "house"], options].concat();
        place.run_on(text.as_bytes(), &arguments).error()
    };
    let asked = error("time,power,energy\n2026-01-05T10:00:00,1,2\n", &[]);
    assert!(
        asked.contains("--watts-column") && asked.contains("time, power, energy"),
        "{asked}"
    );
    let asked = error("1767607200,239\n", &[]);
    assert!(asked.contains("1 (1767607200), 2 (239)"), "{asked}");
    let asked = error(
        "entity_id,state,last_changed\nsensor.p,1,2026-01-05T10:00:00Z\n",
        &[],
    );
    assert!(asked.contains("they are sensor.p"), "{asked}");
    assert!(error("", &[]).contains("the file is empty"));
    let missing = place.error(&["import", "missing.csv", "--sensor", "house"]);
    assert!(missing.contains("missing.csv"), "{missing}");
    let unknown = place.error(&["import", "missing.csv", "--sensor", "x"]);
    assert!(unknown.contains("there is no sensor \"x\""), "{unknown}");
}

#[test]
fn nothing_is_left_in_the_data_dir() {
    let place = Place::new();
    place.prepare();
    let before = names(&place.data_dir());
    place.run_on(READINGS.as_bytes(), &["import", "-", "--sensor", "house"]);
    place.run_on(b"time,watts\nx,1\n", &["import", "-", "--sensor", "house"]);
    assert_eq!(names(&place.data_dir()), before);

    // Nor does an import that is killed.
    let mut command = place.command(&["import", "-", "--sensor", "house"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // More than pipe and buffers hold, so that reading has begun.
    pipe.write_all(READINGS.repeat(10_000).as_bytes()).unwrap();
    child.kill().unwrap();
    assert_eq!(wait(&mut child), None);
    assert_eq!(names(&place.data_dir()), before);
    assert_eq!(place.json(&["sensor", "list"])[0]["readings"], json!(2));
}

#[test]
fn it_may_be_repeated_and_lays_measures_over_each_other() {
    both_ways(|place| {
        place.prepare();
        let import = |text: &str| {
            let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", "house"]);
            assert_eq!(run.status, 0, "{run:?}");
        };
        import("time,watts\n2026-01-05T10:00:00Z,9\n2026-01-05T10:01:00Z,3\n");
        import("time,watthours\n2026-01-05T10:01:00Z,4.5\n2026-01-05T10:00:00Z,2\n");
        import("time,watts\n2026-01-05T10:00:00Z,1\n");
        import(EXPORTED);
        assert_eq!(place.ok(&["export", "--sensor", "house"]), EXPORTED);
        // Within one file, too.
        place.ok(&[
            "sensor",
            "add",
            "history",
            "--account",
            "home",
            "--role",
            "sub-meter",
        ]);
        let history = "entity_id,state,last_changed\n\
            sensor.p,1,2026-01-05T10:00:00Z\nsensor.p,3,2026-01-05T10:01:00Z\n\
            sensor.e,0.002,2026-01-05T10:00:00Z\nsensor.e,0.0045,2026-01-05T10:01:00Z\n";
        let run = place.run_on(
            history.as_bytes(),
            &[
                "import",
                "-",
                "--sensor",
                "history",
                "--watts-column",
                "sensor.p",
                "--watthours-column",
                "sensor.e",
                "--unit",
                "kWh",
            ],
        );
        assert_eq!(run.status, 0, "{run:?}");
        assert_eq!(place.ok(&["export", "--sensor", "history"]), EXPORTED);
    });
}

#[test]
fn commands_and_uploads_side_by_side() {
    let place = Place::new();
    let server = place.serve(&[]);
    place.prepare();
    let (api_id, api_key) = &place.key();
    let sensors = ["a", "b", "c", "d"];
    for sensor in sensors {
        place.ok(&[
            "sensor",
            "add",
            sensor,
            "--account",
            "home",
            "--role",
            "sub-meter",
        ]);
    }
    thread::scope(|scope| {
        for sensor in sensors {
            let place = &place;
            scope.spawn(move || {
                for n in 0..3 {
                    let text = format!("{READINGS}2026-01-05T11:0{n}:00,1,\n");
                    let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", sensor]);
                    assert_eq!(run.status, 0, "{run:?}");
                }
            });
        }
        scope.spawn(|| {
            for n in 0..50 {
                assert_eq!(server.upload(api_id, api_key, "house", f64::from(n)), 200);
            }
        });
    });
    let listed = place.json(&["sensor", "list"]);
    let counts: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["sensor_id"].as_str().unwrap(),
                row["readings"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        counts,
        [("a", 5), ("b", 5), ("c", 5), ("d", 5), ("house", 50)]
    );
    server.stop();
    assert_eq!(place.json(&["sensor", "list"]).as_array().unwrap().len(), 5);
}

#[test]
fn commands_without_a_server_wait_for_each_other() {
    let place = Place::new();
    place.prepare();
    thread::scope(|scope| {
        for n in 0..6 {
            let place = &place;
            scope.spawn(move || {
                let id = format!("s{n}");
                place.ok(&[
                    "sensor",
                    "add",
                    &id,
                    "--account",
                    "home",
                    "--role",
                    "sub-meter",
                ]);
            });
        }
    });
    assert_eq!(place.json(&["sensor", "list"]).as_array().unwrap().len(), 7);
}

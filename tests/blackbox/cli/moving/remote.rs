//! Readings of another server of the "elec" API.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use super::{Row, error, import, row, stored};
use crate::place::{Place, Run, both_ways};

const KEY: &str = "0123456789abcdef-secret";

/// The quarter of an hour with this number, from 2026-01-05T10:00:00Z on.
fn at(quarter: u32) -> String {
    let minutes = 10 * 60 + quarter * 15;
    let (day, hour, minute) = (5 + minutes / 1_440, minutes / 60 % 24, minutes % 60);
    format!("2026-01-{day:02}T{hour:02}:{minute:02}:00Z")
}

/// The other server's readings: power in most quarters of an hour, registers in others, through
/// four days.
fn history() -> Vec<Row> {
    let quarters = (0..400).filter(|n| !(40..60).contains(n));
    let rows = quarters.map(|n| {
        let watts = (n % 5 != 3).then(|| f64::from(n * 37 % 901) - 100.0);
        let watthours = (n % 3 == 0).then(|| 5_000.0 + f64::from(n) * 12.3);
        row(&at(n), watts, watthours)
    });
    rows.filter(|row| row.1.is_some() || row.2.is_some())
        .collect()
}

/// Another server's data dir, with a sensor `meter` that has [`history`].
fn other() -> Place {
    let place = Place::new();
    place.prepare();
    place.ok(&[
        "sensor",
        "add",
        "meter",
        "--account",
        "home",
        "--role",
        "grid",
        "--at-grid",
        "connection",
    ]);
    let mut text = String::new();
    for (time, watts, watthours) in history() {
        let mut line = json!({"time": time});
        for (name, value) in [("watts", watts), ("watthours", watthours)] {
            if let Some(value) = value {
                line[name] = json!(value);
            }
        }
        writeln!(text, "{line}").unwrap();
    }
    place.file("history.ndjson", text.as_bytes());
    place.ok(&["import", "history.ndjson", "--sensor", "meter"]);
    place
}

/// The register of a counter that begins at 0, where the other one showed `register`.
fn from_zero(register: f64) -> f64 {
    ((register - 5_000.0) * 1e6).round() / 1e6
}

#[test]
fn power_and_energy_value_by_value() {
    let other = other();
    let (api_id, api_key) = other.key();
    let server = other.serve(&[]);
    let url = format!("{}/api/v0.2", server.url);
    let mut expected = history();
    for row in &mut expected {
        row.2 = row.2.map(from_zero);
    }
    both_ways(|place| {
        place.prepare();
        place.file("credentials", format!("{api_id}\n{api_key}\n").as_bytes());
        let base = [
            "--from",
            &url,
            "--sensor",
            "house",
            "--remote-sensor",
            "meter",
            "--credentials",
            "credentials",
            "--pause",
            "0",
        ];
        let with = |more: &[&str]| import(place, &[&base[..], more].concat());
        let start = at(0);
        let dry = with(&["--start", &start, "--end", "2026-01-10", "--dry-run"]);
        assert_eq!(
            (&dry["first"], &dry["stored"]),
            (&json!("2026-01-05T10:00:00.000Z"), &json!(0))
        );
        assert_eq!(stored(place, "house"), []);
        // Windows meet at readings, which each counts once.
        assert_eq!(dry["readings"], json!(expected.len()));
        // In two parts: the second goes on where the first ended.
        let first = with(&["--start", &start, "--end", "2026-01-07T00:00:00"]);
        let part = stored(place, "house");
        assert_eq!(part, expected[..part.len()]);
        assert!(part.len() < expected.len());
        let second = with(&["--end", "2026-01-10"]);
        assert_eq!(stored(place, "house"), expected);
        let count = |run: &Value, name: &str| run[name].as_u64().unwrap();
        for name in ["readings", "stored"] {
            let all = count(&first, name) + count(&second, name);
            assert_eq!(all, expected.len() as u64, "{name}");
        }
        let third = with(&["--end", "2026-01-10"]);
        assert_eq!(stored(place, "house"), expected);
        assert_eq!(
            (&third["readings"], &third["stored"]),
            (&json!(0), &json!(0))
        );
    });
    server.stop();
}

#[test]
fn a_sensor_of_intervals_gets_the_energies_as_they_are() {
    let other = other();
    let (api_id, api_key) = other.key();
    let server = other.serve(&[]);
    let place = Place::new();
    place.prepare();
    let add = [
        "sensor",
        "add",
        "meter",
        "--account",
        "home",
        "--role",
        "grid",
        "--at-grid",
        "connection",
    ];
    place.ok(&[&add[..], &["--register", "interval"]].concat());
    let url = format!("{}/api/v0.2", server.url);
    let start = at(0);
    let arguments = [
        "import", "--from", &url, "--sensor", "meter", "--start", &start,
    ];
    let mut command =
        place.command(&[&arguments[..], &["--end", "2026-01-10", "--pause", "0"]].concat());
    command
        .env("ELEC_API_ID", api_id)
        .env("ELEC_API_KEY", api_key);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let registers: Vec<_> = history().into_iter().filter_map(|row| row.2).collect();
    let mut energies = vec![0.0];
    energies.extend(registers.windows(2).map(|pair| pair[1] - pair[0]));
    let copied = stored(&place, "meter");
    let copied: Vec<_> = copied.iter().filter_map(|row| row.2).collect();
    assert_eq!(copied.len(), energies.len());
    for (copied, energy) in copied.iter().zip(energies) {
        assert!((copied - energy).abs() < 1e-6, "{copied} {energy}");
    }
    server.stop();
}

/// A server that gives these answers, each on a connection of its own. Returns its address and the
/// requests that it got.
fn answering(answers: Vec<String>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v0.2", listener.local_addr().unwrap());
    let asked = thread::spawn(move || {
        let answer = |answer: String| {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<String> = lines
                .map(Result::unwrap)
                .take_while(|line| !line.is_empty())
                .collect();
            stream.write_all(answer.as_bytes()).unwrap();
            head[0].clone()
        };
        answers.into_iter().map(answer).collect()
    });
    (url, asked)
}

fn status(status: &str, header: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{header}Content-Length: 0\r\nConnection: close\r\n\r\n")
}

fn points(units: &str, points: &[(&str, Value)]) -> String {
    let data: Vec<_> = points
        .iter()
        .map(|(time, value)| json!({"t": time, "v": value}))
        .collect();
    body(&json!({"units": units, "data": data}).to_string())
}

fn body(text: &str) -> String {
    let length = text.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}")
}

/// Copies a day, and logs everything.
fn copy_a_day(place: &Place, url: &str) -> Run {
    place.file("credentials", format!("me\n{KEY}\n").as_bytes());
    let day = ["--start", "2026-01-05", "--end", "2026-01-06"];
    let how = ["--credentials", "credentials", "--pause", "0", "-v", "-v"];
    let run = place.run(
        &[
            &["import", "--from", url, "--sensor", "house"],
            &day[..],
            &how,
        ]
        .concat(),
    );
    assert!(!run.err.contains(KEY) && !run.out.contains(KEY), "{run:?}");
    run
}

#[test]
fn a_busy_server_is_asked_again() {
    let power = [("2026-01-05T10:00:00.000Z", json!(234))];
    // Its end belongs to the range twice, and a value may be text.
    let energy = [
        ("2026-01-05T10:00:00.000Z", json!("1.5")),
        ("2026-01-05T10:00:00.000Z", json!(1.5)),
        ("2026-01-05T11:00:00", json!(2.25)),
    ];
    let (url, asked) = answering(vec![
        status("503 Busy", "Retry-After: 0\r\n"),
        points("watts", &power),
        status("429 Slow Down", "Retry-After: 0\r\n"),
        points("watthours", &energy),
    ]);
    let place = Place::new();
    place.prepare();
    let run = copy_a_day(&place, &url);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err
            .contains("the server: it answered with status 503; trying again in 0 s"),
        "{run:?}"
    );
    assert!(
        run.err.contains("the copied register ends at 0.00375 kWh"),
        "{run:?}"
    );
    assert_eq!(
        stored(&place, "house"),
        [
            row("2026-01-05T00:00:00Z", None, 0.0),
            row("2026-01-05T10:00:00Z", 234.0, 1.5),
            row("2026-01-05T11:00:00Z", None, 3.75),
        ]
    );
    let asked = asked.join().unwrap();
    let expected = format!(
        "GET /v0.2/elec?sensor_id=house&api_id=me&api_key={KEY}&type=rate&start_time=2026-01-05T00%3A00%3A00&end_time=2026-01-06T00%3A00%3A00 HTTP/1.1"
    );
    assert_eq!(asked[1], expected);
    assert!(asked[3].contains("&type=consumption&"));
}

#[test]
fn ranges_that_are_too_long_are_made_shorter() {
    let pair = || [points("watts", &[]), points("watthours", &[])];
    let answers = [
        vec![status("413 Too Long", "")],
        pair().to_vec(),
        pair().to_vec(),
        pair().to_vec(),
    ];
    let (url, asked) = answering(answers.concat());
    let place = Place::new();
    place.prepare();
    assert_eq!(copy_a_day(&place, &url).status, 0);
    let hours = |line: &String| {
        let hour = |name: &str| {
            let (_, rest) = line.split_once(name).unwrap();
            rest[8..13].replace('T', " ")
        };
        (hour("start_time="), hour("end_time="))
    };
    let ranges: Vec<_> = asked.join().unwrap().iter().map(hours).collect();
    let range = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    let [first, second, third] = [("05 00", "05 06"), ("05 06", "05 18"), ("05 18", "06 00")]
        .map(|(from, to)| range(from, to));
    assert_eq!(ranges[0], range("05 00", "06 00"));
    assert_eq!(
        ranges[1..],
        [
            first.clone(),
            first,
            second.clone(),
            second,
            third.clone(),
            third
        ]
    );
}

#[test]
fn refusals_end_it_and_show_no_secret() {
    let place = Place::new();
    place.prepare();
    for (answer, said) in [
        (
            status("401 No", ""),
            "it refuses the credentials or the sensor, with status 401",
        ),
        (
            status("404 No", ""),
            "is the address its base address, and the sensor's id right?",
        ),
        // Followed, it would give the credentials to another server.
        (
            status("302 Found", "Location: http://127.0.0.1:1/\r\n"),
            "it answered with status 302",
        ),
        (
            body("<html>"),
            "it does not answer as the \"elec\" API does",
        ),
        (points("kW", &[]), "its answer to type=rate is not in watts"),
        (
            points("watts", &[("then", json!(1))]),
            "it does not answer as the \"elec\" API does: invalid value: string \"then\", expected a date and time",
        ),
    ] {
        let (url, asked) = answering(vec![answer]);
        let run = copy_a_day(&place, &url);
        assert_eq!(run.status, 1, "{run:?}");
        assert!(run.err.contains(said), "{run:?}");
        asked.join().unwrap();
    }
    let wrong = |arguments: &[&str]| error(&place, arguments);
    let url = "http://127.0.0.1:9/";
    let missing = wrong(&["--from", url, "--sensor", "house", "--start", "2026-01-05"]);
    assert!(missing.contains("ELEC_API_KEY"), "{missing}");
    place.file("credentials", b"me\nkey\n");
    let base = [
        "--from",
        url,
        "--sensor",
        "house",
        "--credentials",
        "credentials",
    ];
    let begin = wrong(&base);
    assert!(
        begin.contains("name the first time to copy with --start TIME"),
        "{begin}"
    );
    let back = wrong(&[&base[..], &["--start", "2026-01-05", "--end", "2026-01-04"]].concat());
    assert!(back.contains("there is nothing to copy"), "{back}");
}

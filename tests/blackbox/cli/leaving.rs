//! `wattkeeper export --all`, and the examples of docs/LEAVING.md, run as they stand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::moving::programs::Listening;
use crate::backend::{PostgresServer, TestBackend};
use crate::place::{Place, both_ways, names};

const LEAVING: &str = include_str!("../../../docs/LEAVING.md");
const BACKUP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/backup-0.1.0");

/// All files below a folder, by their paths in it.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&below)).unwrap() {
            let path = below.join(entry.unwrap().file_name());
            if folder.join(&path).is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(folder.join(&path)).unwrap();
                found.insert(path.to_str().unwrap().to_owned(), text);
            }
        }
    }
    found
}

/// A house with two months of readings, and prices for them.
fn house(place: &Place) {
    place.prepare();
    place.ok(&["contract", "flat", "--price", "0.30", "--currency", "€"]);
    let hours = (0..59 * 24).map(|hour| {
        let (day, of_day) = (hour / 24, hour % 24);
        let date = if day < 31 {
            format!("2026-01-{:02}", day + 1)
        } else {
            format!("2026-02-{:02}", day - 30)
        };
        format!("{date}T{of_day:02}:00:00,{},{}\n", 500, hour * 500)
    });
    let text = format!("time,watts,watthours\n{}", hours.collect::<String>());
    let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(run.status, 0, "{run:?}");
}

#[test]
fn everything_that_people_entered_is_in_the_folder() {
    let place = Place::new();
    place.ok(&["restore", BACKUP]);
    let told = place.json(&["export", "--all", "here"]);
    assert_eq!(
        (&told["sensors"], &told["readings"]),
        (&4.into(), &54.into())
    );
    let here = files(&place.dir.path().join("here"));
    assert_eq!(told["files"], here.len() - 1, "files.csv lists all others");
    for (list, command) in [
        ("accounts", &["account", "list"][..]),
        ("sensors", &["sensor", "list"]),
        ("contracts", &["contract", "list"]),
        ("corrections", &["correct", "list"]),
        ("offers", &["offer", "list", "--account", "home"]),
        ("purchases", &["purchase", "list", "--account", "home"]),
        ("tenancies", &["tenancy", "list", "--account", "home"]),
        (
            "formats-of-files",
            &["formats", "list", "--account", "home"],
        ),
        ("bills", &["utility", "list"]),
        ("people", &["person", "list"]),
        ("keys", &["key", "list"]),
        ("wall-tablets", &["wall", "list"]),
        ("price-series", &["prices", "list", "--account", "home"]),
        ("day-lists", &["days", "list", "--account", "home"]),
    ] {
        let exported: Value = serde_json::from_str(&here[&format!("{list}.json")]).unwrap();
        assert_eq!(exported, place.json(command), "{list}");
        assert_ne!(exported, Value::Array(Vec::new()), "{list}");
    }
    assert!(here["home-assistants.json"].contains("http://ha.lan:8123"));
    let same = |file: &str, command: &[&str]| assert_eq!(here[file], place.ok(command));
    same("readings/house.csv", &["export", "--sensor", "house"]);
    same(
        "prices/long.csv",
        &["prices", "export", "long", "--account", "home"],
    );
    same(
        "days/tempo.csv",
        &["days", "export", "tempo", "--account", "home"],
    );
    assert_eq!(here["README.md"], LEAVING);
    // Hashes of keys and passwords are secrets, too, and so are the sessions of wall tablets.
    for (file, text) in here.iter().filter(|(file, _)| *file != "README.md") {
        for secret in ["$argon2", "hash", "7,7,7,7"] {
            assert!(
                file == "files.csv" || !text.contains(secret),
                "{file}: {secret}"
            );
        }
    }
    // The service gives the same.
    let server = place.serve(&[]);
    place.ok(&["export", "--all", "there"]);
    server.stop();
    let mut there = files(&place.dir.path().join("there"));
    let mut here = here;
    for all in [&mut here, &mut there] {
        // The key of a request says when it was used last, and the list has the hash of that.
        all.remove("files.csv");
    }
    assert_eq!(here, there);
}

#[test]
fn an_account_can_leave_alone() {
    both_ways(|place| {
        house(place);
        let wrong = ["--from", "2026-01-05", "--to", "2026-01-06"];
        place.ok(&[&["correct", "wrong", "house"], &wrong[..]].concat());
        place.ok(&["account", "add", "shop"]);
        place.ok(&[
            "sensor",
            "add",
            "till",
            "--account",
            "shop",
            "--role",
            "grid",
        ]);
        place.ok(&["export", "--all", "all", "--account", "shop"]);
        let all = files(&place.dir.path().join("all"));
        assert!(all.contains_key("readings/till.csv"));
        for (file, text) in all.iter().filter(|(file, _)| *file != "README.md") {
            for foreign in ["\"home\"", ",home,", "\"house\""] {
                assert!(!text.contains(foreign), "{file}: {text}");
            }
        }
        assert!(!all.contains_key("people.json"));
        let before = names(place.dir.path());
        let run = place.run(&["export", "--all", "none", "--account", "nobody"]);
        assert_eq!(run.status, 1, "{run:?}");
        assert!(run.err.contains("nobody"), "{run:?}");
        assert_eq!(names(place.dir.path()), before);
    });
}

#[test]
fn energy_and_costs_are_those_of_the_ledger() {
    both_ways(|place| {
        house(place);
        place.ok(&["export", "--all", "all"]);
        let all = files(&place.dir.path().join("all"));
        let rows = |file: &str| {
            let lines = all[file].lines().skip(1);
            lines
                .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        let sum = |rows: &[Vec<String>], column: usize| {
            rows.iter()
                .map(|row| row[column].parse::<f64>().unwrap_or(0.0))
                .sum::<f64>()
        };
        let hours = rows("house/home.csv");
        assert!(
            hours[0][0].starts_with("2025-12-31T23:00:00"),
            "{:?}",
            hours[0]
        );
        // The last reading is the end of the last hour.
        let expected = (59.0 * 24.0 - 1.0) * 500.0;
        assert_eq!(sum(&hours, 2), expected);
        let cost = all["house/home.csv"].lines().next().unwrap();
        let cost = cost.split(',').position(|name| name == "cost").unwrap();
        assert!((sum(&hours, cost) - expected / 1_000.0 * 0.30).abs() < 1e-6);
        assert_eq!(sum(&rows("energy/house.csv"), 2), expected);
        let months = rows("statements/home.csv");
        assert!((sum(&months, 11) - expected / 1_000.0 * 0.30).abs() < 1e-6);
        // Months are those of Berlin.
        assert_eq!(months[0][0], "2025-12-31T23:00:00.000Z");
        let january: f64 = months[0][8].parse().unwrap();
        assert!((january - 372.0).abs() < 0.001, "{january}");
    });
}

#[test]
fn what_was_exported_comes_in_again() {
    let place = Place::new();
    house(&place);
    place.ok(&["export", "--all", "all"]);
    let copy = Place::new();
    copy.prepare();
    let file = place.dir.path().join("all/readings/house.csv");
    copy.ok(&["import", file.to_str().unwrap(), "--sensor", "house"]);
    let readings = |place: &Place| place.ok(&["export", "--sensor", "house"]);
    assert_eq!(readings(&copy), readings(&place));
    let contracts = place.json(&["contract", "show"]);
    let exported = std::fs::read_to_string(place.dir.path().join("all/contracts.json")).unwrap();
    let exported: Vec<Value> = serde_json::from_str(&exported).unwrap();
    let exported: Vec<&Value> = exported.iter().map(|row| &row["contract"]).collect();
    assert_eq!(
        Value::from(exported.into_iter().cloned().collect::<Vec<_>>()),
        contracts
    );
}

#[test]
fn readings_of_long_ago_cost_little() {
    let place = Place::new();
    place.prepare();
    let text =
        "time,watts\n1800-01-01T00:00:00,100\n1969-12-31T23:59:59,5\n2026-01-05T10:00:00,7\n";
    let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(run.status, 0, "{run:?}");
    let told = place.json(&["export", "--all", "all"]);
    assert_eq!(told["readings"], 3);
    let all = files(&place.dir.path().join("all"));
    // The hours of three years that have a reading, and the months of each of the others.
    let rows = all["house/home.csv"].lines().count();
    assert!((1..3 * 366 * 24 + 226 * 12).contains(&rows), "{rows}");
    let stray = all["energy/house.csv"].lines().last().unwrap();
    assert!(
        stray.starts_with("2026-01-05T08:00:00.000Z,2026-01-05T09:00:00.000Z,"),
        "{stray}"
    );
}

#[test]
fn a_peak_of_a_billing_period_is_billed_once() {
    let place = Place::new();
    place.prepare();
    let contract = r#"[{"from":"2025-01-01","name":"Capacity","currency":"EUR","billing":{"from":"2025-01-17"},"components":[{"energy":{"price":0.3}},{"demand":{"price":10,"per":"hour","period":"billing"}}]}]"#;
    let run = place.run_on(contract.as_bytes(), &["contract", "set", "-"]);
    assert_eq!(run.status, 0, "{run:?}");
    // Until 17 February, with a peak every ten days.
    let start = 1_763_337_600;
    let mut register = 0;
    let hours = (0..=92 * 24).map(|hour| {
        let line = format!("{},{register}\n", start + hour * 3_600);
        let (day, of_day) = (hour / 24, hour % 24);
        register += if of_day == 18 && day % 10 == 0 {
            4_000 + day * 10
        } else {
            100
        };
        line
    });
    let text = format!("time,watthours\n{}", hours.collect::<String>());
    let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(run.status, 0, "{run:?}");
    place.ok(&["export", "--all", "all"]);
    let all = files(&place.dir.path().join("all"));
    let sum = |file: &str, column: &str, to: &str| -> f64 {
        let mut table = csv::Reader::from_reader(all[file].as_bytes());
        let names = table.headers().unwrap().clone();
        let at = names.iter().position(|name| name == column).unwrap();
        let rows = table.records().map(Result::unwrap);
        let amounts = rows
            .filter(|row| &row[0] < to)
            .map(|row| row[at].parse().unwrap_or(0.0));
        amounts.sum()
    };
    let bill = place.json(&["statement", "--from", "2025-11-17", "--to", "2026-02-17"]);
    let total: f64 = bill["total"].as_str().unwrap().parse().unwrap();
    let demand = bill["lines"].as_array().unwrap().iter();
    assert_eq!(demand.filter(|line| line["kind"] == "demand").count(), 3);
    let until = bill["to"].as_str().unwrap();
    assert!((sum("house/home.csv", "cost", until) - total).abs() < 0.01);
    assert!((sum("statements/home.csv", "amount", until) - total).abs() < 0.01);
}

#[test]
fn a_folder_that_is_there_or_cannot_be_made_is_an_error() {
    let place = Place::new();
    place.prepare();
    place.ok(&["export", "--all", "all"]);
    let before = names(place.dir.path());
    let error = place.error(&["export", "--all", "all"]);
    assert!(error.contains("all exists: name a new folder"), "{error}");
    let error = place.error(&["export", "--all", "missing/all"]);
    assert!(
        error.contains("cannot make missing/.all.unfinished"),
        "{error}"
    );
    let error = place.error(&["export", "--all", "/"]);
    assert!(error.contains("exists"), "{error}");
    assert_eq!(names(place.dir.path()), before);
    let run = place.run(&["export", "--all", "new", "--sensor", "house"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert_eq!(place.run(&["export"]).status, 2);
}

#[test]
fn a_revoked_sensor_and_names_of_any_kind_come_along() {
    let place = Place::new();
    place.prepare();
    let odd = "Küche, \"oben\"/../x";
    for name in [odd, "House"] {
        place.ok(&[
            "sensor",
            "add",
            name,
            "--account",
            "home",
            "--role",
            "sub-meter",
        ]);
        let text = "time,watthours\n2026-01-05T10:00:00,5\n2026-01-05T11:00:00,105\n";
        place.run_on(text.as_bytes(), &["import", "-", "--sensor", name]);
    }
    place.ok(&["sensor", "revoke", "House"]);
    place.ok(&["export", "--all", "all"]);
    let all = files(&place.dir.path().join("all"));
    let mut list = csv::Reader::from_reader(all["files.csv"].as_bytes());
    let mut of = BTreeMap::new();
    for row in list.records() {
        let row = row.unwrap();
        of.insert((row[1].to_owned(), row[3].to_owned()), row[0].to_owned());
    }
    let file = |kind: &str, name: &str| of.get(&(kind.to_owned(), name.to_owned()));
    for name in [odd, "House"] {
        let readings = &all[file("readings", name).unwrap()];
        assert_eq!(readings.lines().count(), 3, "{readings}");
    }
    assert!(file("energy", odd).is_some());
    assert_eq!(file("energy", "House"), None);
}

/// Runs the commands below a heading of docs/LEAVING.md in the folder of an export.
fn run_example(place: &Place, heading: &str, tune: impl Fn(String) -> String) -> Command {
    place.ok(&["export", "--all", "all"]);
    let section = LEAVING.split(&format!("\n## {heading}\n")).nth(1).unwrap();
    let script = section.split("```sh\n").nth(1).unwrap();
    let script = tune(script.split("```").next().unwrap().to_owned());
    let mut shell = Command::new("sh");
    shell
        .args(["-ec", &script])
        .current_dir(place.dir.path().join("all"))
        .stdin(Stdio::null());
    shell
}

fn printed(mut command: Command) -> String {
    let done = command.output().unwrap();
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{errors}");
    assert_eq!(errors, "");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
#[ignore = "needs sqlite3"]
fn sqlite3_reads_an_export() {
    let place = Place::new();
    house(&place);
    let out = printed(run_example(&place, "In SQLite", |it| it));
    let words: Vec<&str> = out.split_whitespace().collect();
    // By months of UTC: January has 744 hours.
    let january = words.iter().position(|word| *word == "2026-01").unwrap();
    assert_eq!(words[january + 1..january + 3], ["372.0", "111.6"], "{out}");
}

#[test]
#[ignore = "needs postgres"]
fn postgres_reads_an_export() {
    let place = Place::at(TestBackend::in_folder());
    house(&place);
    let server = PostgresServer::shared();
    let address = server.url(&server.create_database());
    let shell = run_example(&place, "In PostgreSQL", |it| {
        it.replace("psql energy", &format!("psql -XAtq '{address}'"))
    });
    let out = printed(shell);
    assert!(out.lines().any(|line| line == "2026-01-15|11500"), "{out}");
}

#[test]
#[ignore = "needs victoria-metrics and curl"]
fn victoria_metrics_reads_an_export_by_curl() {
    let place = Place::new();
    house(&place);
    let victoria = Listening::victoria_metrics(&place);
    let shell = run_example(&place, "In VictoriaMetrics, for Grafana", |it| {
        it.replace("http://localhost:8428", &victoria.url)
    });
    assert_eq!(printed(shell), "");
    let begun = Instant::now();
    loop {
        victoria.get("/internal/force_flush");
        let path = "/api/v1/query?query=increase(watthours%7Bsensor=%22house%22%7D[1d])&time=2026-01-15T00:00:00Z";
        let answer = victoria.get(path);
        if answer.contains("\"12000\"") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_mins(2), "{answer}");
        thread::sleep(Duration::from_millis(100));
    }
}

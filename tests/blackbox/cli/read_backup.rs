//! `examples/read_backup.py`, which reads a backup by docs/FORMATS.md alone.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::{Value, json};
use wattkeeper::Timestamp;

use crate::place::{Place, Run};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/read_backup.py");
/// Prints the kinds of columns and predictors in a backup, so that the test below fails if one is
/// no longer in it.
const KINDS: &str = "
import sys, read_backup
kinds = set()
def noted(kind, name):
    begin = kind.__init__
    def init(self, *arguments, **more):
        begin(self, *arguments, **more)
        kinds.add(name(self))
    kind.__init__ = init
noted(read_backup.Column, lambda it: f'mode {it.mode} delta {it.delta}')
noted(read_backup.Steps, lambda it: f'predictor {it.predictor}')
for kind, content in read_backup.frames(open(sys.argv[1], 'rb')):
    if kind == read_backup.READINGS:
        read_backup.decoded(content[1 + content[0]:])
print(*sorted(kinds), sep='\\n')
";
const START: &str = "2026-01-01T00:00:00";
const MINUTE_MS: i64 = 60_000;

/// The same numbers each time.
struct Noise(u64);

impl Noise {
    fn bits(&mut self) -> u64 {
        // Two steps, as the lower half of one repeats itself too soon.
        let mut half = || {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            self.0 >> 32
        };
        half() << 32 | half()
    }

    fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.bits() % u64::from(end)).unwrap()
    }
}

/// A meter that is read every minute, with power and its integral; sometimes one of them is
/// missing, or both for hours. By `mean`, its power is the mean of two readings'.
fn meter(mean: bool) -> String {
    let mut table = "time,watts,watthours\n".to_owned();
    let mut noise = Noise(u64::from(mean));
    let mut ms = Timestamp::parse(START).unwrap().millis();
    let (mut energy, mut before) = (1_234.5, 0.0);
    for n in 0..6_000 {
        let spacing = MINUTE_MS
            + match noise.below(500) {
                0 => i64::from(noise.below(90_000_000)),
                late @ 1..400 if n > 3_000 => i64::from(late),
                _ => 0,
            };
        ms += spacing;
        let watts = f64::from(noise.below(4_000)) - 500.0;
        let power = if mean {
            f64::midpoint(watts, before)
        } else {
            watts
        };
        #[expect(clippy::cast_precision_loss, reason = "some hours of milliseconds")]
        let hours = spacing as f64 / 3_600_000.0;
        energy += power * hours;
        before = watts;
        let time = Timestamp::from_millis(ms).unwrap();
        match noise.below(300) {
            0 => writeln!(table, "{time},{watts},"),
            1 => writeln!(table, "{time},,{energy:.2}"),
            _ => writeln!(table, "{time},{watts},{energy:.2}"),
        }
        .unwrap();
    }
    table
}

/// A register alone, in whole kilowatt-hours, from before 1970 on.
fn register() -> String {
    let mut table = "time,watthours\n".to_owned();
    for n in 0..5_000_i64 {
        let time = Timestamp::from_millis((n - 2_500) * 15 * MINUTE_MS).unwrap();
        writeln!(table, "{time},{}", n * n / 9_000 * 1_000).unwrap();
    }
    table
}

/// Numbers of all kinds, two thousand of each.
fn odd() -> String {
    let mut noise = Noise(7);
    let pattern: Vec<f64> = (0..37)
        .map(|_| f64::from(noise.below(9_999)) / 7.0)
        .collect();
    let extremes = [
        0.0,
        -0.0,
        1e300,
        -1e300,
        5e-324,
        1e15,
        1e16,
        -1e22,
        1e-4,
        1e-5,
        -1.5e-5,
        1e-7,
        0.1 + 0.2,
    ];
    let mut number = |kind: u32, n: u32| match kind {
        0 => f64::from(noise.below(99_999)) / 100.0,
        1 => f64::from(f32::from_bits(noise.below(0x7F00_0000))),
        2 => f64::from(noise.below(40) * n) * 0.1,
        3 => f64::from(n).sqrt() * std::f64::consts::PI,
        4 => pattern[n as usize % 37],
        5 => extremes[noise.below(13) as usize],
        6 => Some(f64::from_bits(noise.bits()))
            .filter(|it| it.is_finite())
            .unwrap_or(0.0),
        _ => f64::from(n) * f64::from(n % 2_000),
    };
    let mut table = "time,watts,watthours\n".to_owned();
    let start = Timestamp::parse(START).unwrap().millis();
    for n in 0..16_000 {
        let kind = n / 2_000;
        let time = Timestamp::from_millis(start + i64::from(n) * 1_000).unwrap();
        let [watts, watthours] = [number(kind, n), number((kind + 3) % 8, n)];
        match n % 2_000 {
            0..500 => writeln!(table, "{time},{watts:?},"),
            500..1_000 => writeln!(table, "{time},,{watthours:?}"),
            _ => writeln!(table, "{time},{watts:?},{watthours:?}"),
        }
        .unwrap();
    }
    table
}

fn python(place: &Place, arguments: &[&str]) -> Run {
    let mut command = Command::new("python3");
    command
        .current_dir(place.dir.path())
        .env(
            "PYTHONPATH",
            concat!(env!("CARGO_MANIFEST_DIR"), "/examples"),
        )
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    Run::of(command, b"")
}

fn script(place: &Place, arguments: &[&str]) -> String {
    let run = python(place, &[&[SCRIPT], arguments].concat());
    assert_eq!((run.status, &*run.err), (0, ""), "{arguments:?}");
    run.out
}

fn fill(place: &Place) {
    place.prepare();
    for (sensor, table) in [
        ("house", meter(false)),
        ("Süddach", meter(true)),
        ("cellar", register()),
        ("odd", odd()),
    ] {
        if sensor != "house" {
            let of = ["--account", "home", "--role", "sub-meter"];
            place.ok(&[&["sensor", "add", sensor], &of[..]].concat());
        }
        let table = place.file("table.csv", table.as_bytes());
        place.ok(&["import", &table, "--sensor", sensor]);
    }
    let prices = "time,price\n2026-01-05T10:00:00Z,0.0873\n2026-01-05T11:00:00Z,-0.01\n2026-01-07T11:00:00Z,0.000001\n";
    let prices = place.file("prices.csv", prices.as_bytes());
    let length = ["--series", "spot", "--length", "hour"];
    place.ok(&[&["prices", "import", &prices], &length[..]].concat());
    let range = ["--from", "2026-01-01", "--to", "2026-01-02"];
    place.ok(&[
        &["correct", "wrong", "house", "--note", "Zähler"],
        &range[..],
    ]
    .concat());
    place.ok(&[&["correct", "energy", "cellar", "--kwh", "1.5"], &range[..]].concat());
    place.ok(&["correct", "revoke", "1", "--note", "was right"]);
}

/// Checks the records of the backup against the command's output `told`.
fn assert_records(place: &Place, told: &Value) {
    let lines = script(place, &["copy"]);
    let lines: Vec<Value> = lines
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let of = |kind: &str| -> Vec<&Value> { lines.iter().filter_map(|it| it.get(kind)).collect() };
    let end = of("end")[0];
    for counted in ["accounts", "sensors", "readings"] {
        assert_eq!(end[counted], told[counted], "{counted}");
    }
    let corrections = place.json(&["correct", "list"]);
    let listed = corrections.as_array().unwrap().iter();
    let listed: Vec<Value> = listed
        .map(|it| {
            json!([
                it["number"],
                it["sensor_id"],
                it["note"],
                it["revoked_note"]
            ])
        })
        .collect();
    let read = of("correction").into_iter().map(|it| {
        let one = &it["correction"];
        json!([
            it["number"],
            one["sensor"],
            one["made"]["note"],
            it["revoked"]["note"]
        ])
    });
    assert_eq!(read.collect::<Vec<_>>(), listed);
    assert_eq!(listed.len(), 2);
}

#[test]
#[ignore = "needs python3"]
fn python_reads_what_export_prints() {
    let place = Place::new();
    fill(&place);
    let (id, key) = place.key();
    let server = place.serve(&[]);
    // A row that is in no block yet.
    assert_eq!(server.upload(&id, &key, "house", 234.5), 200);
    let told = place.json(&["backup", "copy"]);
    for sensor in ["house", "Süddach", "cellar", "odd"] {
        let exported = place.ok(&["export", "--sensor", sensor]);
        assert!(exported.lines().count() > 4_000);
        // Not by `assert_eq`, which would print both.
        let read = script(&place, &["copy", sensor]);
        let differing = exported
            .lines()
            .zip(read.lines())
            .find(|(ours, its)| ours != its);
        assert!(read == exported, "{sensor}: {differing:?}");
    }
    let prices = script(&place, &["copy", "--prices", "home", "spot"]);
    assert_eq!(prices, place.ok(&["prices", "export", "spot"]));
    assert_eq!(prices.lines().count(), 5);

    assert_records(&place, &told);
    server.stop();

    let kinds = python(&place, &["-c", KINDS, "copy"]);
    let kinds: Vec<&str> = kinds.out.lines().collect();
    for expected in [
        "mode 0 delta 0",
        "mode 0 delta 1",
        "mode 0 delta 2",
        "mode 2 delta 0",
        "mode 3 delta 0",
        "predictor 0",
        "predictor 1",
        "predictor 2",
        "predictor 3",
        "predictor 4",
    ] {
        assert!(kinds.contains(&expected), "{expected}: {kinds:?}");
    }
}

#[test]
#[ignore = "needs python3"]
fn python_reads_a_record_of_every_kind() {
    let place = Place::new();
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/backup-format-1"
    );
    let lines = script(&place, &[file]);
    for kind in [
        "taken",
        "settings",
        "administrator",
        "account",
        "credential",
        "person",
        "wall tablet",
        "contract",
        "bill",
        "sensor",
        "correction",
        "notice",
        "arrivals",
        "readings",
        "prices",
        "end",
    ] {
        let begin = format!("{{\"{kind}\": ");
        assert!(
            lines.lines().any(|line| line.starts_with(&begin)),
            "{kind}: {lines}"
        );
    }
}

#[test]
#[ignore = "needs python3"]
fn python_says_that_a_backup_is_damaged() {
    let place = Place::new();
    place.prepare();
    let table = place.file("table.csv", register().as_bytes());
    place.ok(&["import", &table, "--sensor", "house"]);
    place.ok(&["backup", "copy"]);
    let whole = std::fs::read(place.dir.path().join("copy")).unwrap();
    let refused = |bytes: &[u8]| {
        let damaged = place.file("damaged", bytes);
        let run = python(&place, &[SCRIPT, &damaged]);
        assert_eq!(run.status, 1, "{run:?}");
        assert!(run.err.starts_with("error: damaged: "), "{run:?}");
    };
    // The head, frames of records and of readings, the checksum at the end.
    for at in (0..whole.len())
        .step_by(whole.len() / 12)
        .chain([whole.len() - 1])
    {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        refused(&damaged);
    }
    refused(&whole[..whole.len() - 1]);
    refused(&[&whole[..], &[0]].concat());
    refused(b"something else");
    let unknown = python(&place, &[SCRIPT, "copy", "nobody"]);
    assert_eq!(unknown.err, "error: copy: there is no sensor 'nobody'\n");
}

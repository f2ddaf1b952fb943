//! Stores, backups and answers are the same on every machine. With another machine's program under
//! test (scripts/test-on), that one and this machine's work on what the other has made. Without,
//! both are the same program, which makes the same bytes twice.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::place::{Place, Run, Serving, program};

const PROGRAMS: [fn() -> Command; 2] = [program, || Command::new(env!("CARGO_BIN_EXE_wattkeeper"))];

/// These answers must be equal to the last digit.
const QUESTIONS: [&str; 6] = [
    "type=rate&interval=1h",
    "type=rate&interval=15m&format=csv",
    "type=consumption&interval=1d&tz=Europe/Berlin",
    "type=consumption&corrected=1",
    "type=net_consumption",
    "type=rate",
];

/// What `program` prints; it must succeed.
fn ok(place: &Place, program: Command, arguments: &[&str]) -> String {
    let run = Run::of(place.command_of(program, arguments), b"");
    assert_eq!(run.status, 0, "{arguments:?}: {run:?}");
    run.out
}

fn serve(place: &Place, program: Command) -> Serving {
    let arguments = ["--json", "serve", "--listen", "127.0.0.1:0"];
    Serving::start(place.command_of(program, &arguments))
}

/// Readings of every kind: of a house, of power alone, and numbers that are no short decimals.
fn fill(place: &Place, program: fn() -> Command) {
    let excerpt = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/household-excerpt.csv"
    );
    let account = ["account", "add", "home", "--tz", "Europe/Berlin"];
    ok(place, program(), &account);
    for (sensor, role) in [("house", "grid"), ("roof", "solar")] {
        let add = ["sensor", "add", sensor, "--account", "home", "--role", role];
        ok(place, program(), &add);
    }
    ok(place, program(), &["import", excerpt, "--sensor", "house"]);
    let mut rows = "time,watts\n".to_owned();
    for n in 0..9_000_u32 {
        let time = 1_166_290_000 + u64::from(n) * 61;
        let watts = f64::from(n * n % 40_961) / if n < 6_000 { 3.0 } else { 10.0 };
        writeln!(rows, "{time},{watts}").unwrap();
    }
    let file = place.file("roof.csv", rows.as_bytes());
    ok(place, program(), &["import", &file, "--sensor", "roof"]);
}

/// All readings, and the questions about them.
fn answers(place: &Place, server: &Serving, key: &(String, String)) -> Vec<String> {
    let mut texts = Vec::new();
    for sensor in ["house", "roof"] {
        for question in QUESTIONS {
            let url = format!(
                "{}?sensor_id={sensor}&api_id={}&api_key={}&start_time=2006-01-01&end_time=2030-01-01&{question}",
                server.elec(),
                key.0,
                key.1
            );
            let config = ureq::Agent::config_builder().http_status_as_error(false);
            let mut answer = config.build().new_agent().get(url).call().unwrap();
            texts.push(answer.body_mut().read_to_string().unwrap());
        }
        texts.push(place.ok(&["export", "--sensor", sensor]));
    }
    texts
}

#[test]
fn a_store_of_one_is_read_on_another() {
    let places = PROGRAMS.map(|program| {
        let place = Place::new();
        fill(&place, program);
        place
    });
    let [here, there] = places
        .each_ref()
        .map(|place| fs::read(place.data_dir().join("blocks/00000001")).unwrap());
    assert!(here.len() > 5_000, "{} bytes of blocks", here.len());
    // Each has a mark of its own, and the same blocks.
    assert_eq!(here.len(), there.len());

    let mut first: Option<Vec<String>> = None;
    for (place, [writes, reads]) in places.iter().zip([[0, 1], [1, 0]]) {
        let key = place.key();
        // A reading in the journal alone, as after a power cut.
        let mut server = serve(place, PROGRAMS[writes]());
        assert_eq!(server.upload(&key.0, &key.1, "house", 4_321.1), 200);
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        let server = serve(place, PROGRAMS[reads]());
        let found = answers(place, &server, &key);
        server.stop();
        ok(place, PROGRAMS[reads](), &["check"]);
        // The time of the upload is the only difference.
        let found: Vec<String> = found
            .into_iter()
            .map(|text| {
                assert!(!text.contains("\"code\""), "{text}");
                text.split_inclusive(['\n', '}'])
                    .filter(|line| !line.contains("4321.1"))
                    .collect()
            })
            .collect();
        assert!(found[0].len() > 300 && found[0].contains("2006-12-16"));
        match &first {
            None => first = Some(found),
            Some(first) => assert_eq!(first, &found),
        }
    }
}

#[test]
fn a_backup_of_one_is_restored_on_another() {
    let place = Place::new();
    fill(&place, PROGRAMS[0]);
    let readings = |place: &Place, program| ok(place, program, &["export", "--sensor", "roof"]);
    let copies = ["here", "there"].map(|name| place.dir.path().join(name));
    for (copy, program) in copies.iter().zip(PROGRAMS) {
        ok(&place, program(), &["backup", copy.to_str().unwrap()]);
    }
    // Between the head, which has the time of the backup, and the hash at the end.
    let [here, there] = copies.each_ref().map(|copy| {
        let bytes = fs::read(copy).unwrap();
        bytes[34..bytes.len() - 32].to_vec()
    });
    assert!(here == there, "the backups differ");
    for (copy, program) in copies.iter().rev().zip(PROGRAMS) {
        let other = Place::new();
        ok(&other, program(), &["restore", copy.to_str().unwrap()]);
        assert_eq!(readings(&other, program()), readings(&place, PROGRAMS[1]()));
    }
}

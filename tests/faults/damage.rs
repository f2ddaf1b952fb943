//! Flipped bits, zeroed sectors and truncated files, anywhere: the damage is reported or harmless.
//! No hang, no crash, no wrong reading.
//!
//! A seed and a number determine the damage. A child process checks many damaged stores in sequence
//! and writes down its findings; if it hangs or dies, another continues after the case.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wattkeeper::SensorId;
use wattkeeper::TimeRange;
use wattkeeper::{Measures, Reading, Upload, UploadedReading};
use wattkeeper::{OpenMode, Store, StoreSettings, salvage};

use crate::chance::{Chance, rounds};
use crate::load::BEGIN_MS;
use crate::service::{PATIENCE, Place, SENSORS, at, copy, open, scratch};
use crate::truth::Readings;

/// Readings per sensor, most of them sealed.
const READINGS: i64 = 1_500;
/// The environment variables that tell a child which cases to check.
const BASE: &str = "FAULT_EXAMINE";
const FROM: &str = "FAULT_EXAMINE_FROM";
const SEED: &str = "FAULT_EXAMINE_SEED";
const TO: &str = "FAULT_EXAMINE_TO";

/// The number of readings per sensor that come last.
const NEWEST: usize = 40;
/// Readings of an upload.
const UPLOADED: usize = 7;

/// The readings of sensor number `sensor`.
fn truth(sensor: usize) -> Readings {
    let shift = i64::try_from(sensor).unwrap() * 10;
    (0..READINGS)
        .map(|n| {
            let watts = f64::from(i32::try_from((n * 37 + shift) % 9_973).unwrap()) / 10.0;
            (BEGIN_MS + n * 1_000 + shift, watts)
        })
        .collect()
}

/// A store with all of [`truth`]: imported, uploaded, opened more than once, and killed, so that
/// the newest readings are only in the journal.
fn base() -> Place {
    let place = Place::new();
    for step in 0..3 {
        let store = open(&place.data_dir(), OpenMode::Existing).unwrap();
        for (number, id) in SENSORS.iter().enumerate() {
            let id = SensorId::new(id).unwrap();
            let readings: Vec<(i64, f64)> = truth(number).into_iter().collect();
            let (first, second) = readings.split_at(readings.len() / 2);
            let (second, newest) = second.split_at(second.len() - NEWEST);
            let measures = |watts| Measures::new(Some(watts), None).unwrap();
            if step == 0 {
                let import = first.iter().map(|&(ms, watts)| Reading {
                    time: at(ms),
                    measures: measures(watts),
                });
                store.import_durably(&id, import.collect()).unwrap();
                continue;
            }
            let uploaded = if step == 1 { second } else { newest };
            for some in uploaded.chunks(UPLOADED) {
                let upload = some.iter().map(|&(ms, watts)| UploadedReading {
                    time: Some(at(ms)),
                    measures: measures(watts),
                });
                let upload = Upload::new(id.clone(), upload.collect()).unwrap();
                store
                    .append_durably_blocking(upload, at(some[0].0))
                    .unwrap();
            }
        }
        if step == 2 {
            let killed = Place::new();
            for (path, bytes) in contents(&place.data_dir()) {
                let copy = killed
                    .data_dir()
                    .join(path.strip_prefix(place.data_dir()).unwrap());
                fs::create_dir_all(copy.parent().unwrap()).unwrap();
                fs::write(copy, bytes).unwrap();
            }
            return killed;
        }
        store.close().unwrap();
    }
    unreachable!("the last step ends it")
}

/// Damages a store at random; returns a description.
fn damage(data_dir: &Path, chance: &mut Chance) -> String {
    let folders = ["facts", "log", "blocks"].map(|name| data_dir.join(name));
    let entries = folders.iter().map(PathBuf::as_path).chain([data_dir]);
    let mut files: Vec<PathBuf> = entries
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    // Most data is in the log and in the blocks.
    let path = match chance.below(3) {
        0 => files[chance.index(files.len())].clone(),
        1 => data_dir.join("blocks/00000001"),
        _ => {
            let segments: Vec<&PathBuf> = files
                .iter()
                .filter(|path| path.starts_with(&folders[1]))
                .collect();
            segments[chance.index(segments.len())].clone()
        }
    };
    let mut bytes = fs::read(&path).unwrap();
    let used = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(1, |last| last + 1);
    let place = chance.index(used);
    let how = match chance.below(8) {
        0 => {
            bytes.truncate(place);
            "cut"
        }
        1 => {
            let start = place / 512 * 512;
            let end = (start + 512).min(bytes.len());
            bytes[start..end].fill(0);
            "sector blanked"
        }
        2 => {
            let end = (place + 4_096).min(bytes.len());
            for byte in &mut bytes[place..end] {
                *byte = chance.number().to_le_bytes()[0];
            }
            "page of noise"
        }
        _ => {
            bytes[place] ^= 1 << chance.below(8);
            "bit flipped"
        }
    };
    fs::write(&path, bytes).unwrap();
    let name = path.strip_prefix(data_dir).unwrap();
    format!("{} {how} at {place}", name.display())
}

/// Whether the reading of sensor number `sensor` at `time` was in an upload whose loss may go
/// unnoticed. A damaged last record of the journal looks like one that a power cut tore before it
/// was acknowledged. Noise that begins in the record before hits both.
fn looks_torn(how: &str, sensor: usize, time: i64) -> bool {
    let last = (NEWEST - 1) % UPLOADED + 1;
    let readings = match how.split_once(' ') {
        Some(("journal", how)) if how.starts_with("page of noise") => last + UPLOADED,
        Some(("journal", how)) if !how.starts_with("cut") => last,
        _ => return false,
    };
    let mut newest = truth(sensor).into_keys().rev().take(readings);
    sensor == SENSORS.len() - 1 && newest.any(|torn| torn == time)
}

/// The verdict on a store that is damaged like this, a word and a text: `refused`, `found`, `torn`
/// and `harmless` are fine.
fn verdict(data_dir: &Path, how: &str) -> (&'static str, String) {
    let store = match open(data_dir, OpenMode::Existing) {
        Ok(store) => store,
        Err(error) => return ("refused", error.to_string()),
    };
    let problems = store.check().problems;
    let (mut missing, mut torn) = (0, 0);
    for (number, id) in SENSORS.iter().enumerate() {
        let truth = truth(number);
        let (found, error) = read(&store, id);
        for (time, watts) in &found {
            if truth.get(time) != Some(watts) {
                return ("wrong", format!("{id} at {time}: {watts}; {problems:?}"));
            }
        }
        if error.is_some() && problems.is_empty() {
            return ("unnoticed", format!("{id}: {error:?}"));
        }
        let gone = truth.keys().filter(|time| !found.contains_key(time));
        for time in gone {
            missing += 1;
            torn += usize::from(looks_torn(how, number, *time));
        }
    }
    match problems.first() {
        Some(problem) => ("found", format!("{problem:?}, {missing} missing")),
        None if missing > 0 && missing == torn => ("torn", format!("{torn} missing")),
        None if missing > 0 => ("unnoticed", format!("{missing} readings are missing")),
        None => ("harmless", String::new()),
    }
}

/// The verdict on a salvage: `lost` and `saved` are fine, and so is `unreadable` if the store is
/// refused.
fn salvaged(data_dir: &Path, how: &str) -> (&'static str, String) {
    let before = contents(data_dir);
    let place = scratch();
    let new_dir = place.path().join("new");
    let settings = StoreSettings::default();
    let outcome = salvage(data_dir, &new_dir, settings, at(BEGIN_MS), |_| {});
    if contents(data_dir) != before {
        return ("changed", "the damaged store was changed".into());
    }
    let salvaged = match outcome {
        Ok(salvaged) => salvaged,
        Err(error) => return ("unreadable", error.to_string()),
    };
    let store = open(&new_dir, OpenMode::Existing).unwrap();
    let problems = store.check().problems;
    if !problems.is_empty() {
        return ("unsound", format!("{problems:?}"));
    }
    let lost = &salvaged.lost;
    let mut missing = 0;
    for (number, id) in SENSORS.iter().enumerate() {
        let truth = truth(number);
        let (found, error) = read(&store, id);
        assert_eq!(error, None);
        for (time, watts) in &found {
            if truth.get(time) != Some(watts) {
                return ("wrong", format!("salvaged {id} at {time}: {watts}"));
            }
        }
        let is_reported = |time: i64| {
            lost.iter().any(|lost| match (&lost.sensor, lost.range) {
                (None, _) => true,
                (Some(sensor), Some(range)) => sensor.as_str() == *id && range.contains(at(time)),
                (Some(_), None) => false,
            })
        };
        let gone = truth.keys().filter(|time| !found.contains_key(time));
        for time in gone {
            missing += 1;
            if !is_reported(*time) && !looks_torn(how, number, *time) {
                return ("unreported", format!("{id} at {time}: {lost:?}"));
            }
        }
    }
    let text = format!("{missing} missing: {lost:?}");
    (if lost.is_empty() { "saved" } else { "lost" }, text)
}

/// The names and contents of all files below a folder.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("index") {
            // The index is not persistent, and changes meanwhile.
        } else if path.is_dir() {
            all.append(&mut contents(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            all.insert(path, bytes);
        }
    }
    all
}

/// The readable readings of a sensor, and the error that ended reading.
fn read(store: &Store, id: &str) -> (Readings, Option<String>) {
    let mut scan = store.scan(&SensorId::new(id).unwrap(), TimeRange::ALL);
    let mut readings = Readings::new();
    loop {
        // The service also catches the panic of a request.
        match catch_unwind(AssertUnwindSafe(|| scan.next_run())) {
            Ok(Ok(Some(run))) => readings.extend(run.iter().map(|reading| {
                (
                    reading.time.millis(),
                    reading.measures.watts().unwrap_or(f64::NAN),
                )
            })),
            Ok(Ok(None)) => return (readings, None),
            Ok(Err(error)) => return (readings, Some(error.to_string())),
            Err(_) => return (readings, Some("reading panicked".into())),
        }
    }
}

/// The work of a child.
#[test]
#[ignore = "needs a parent: damage_to_files_is_reported_or_does_no_harm"]
fn examine() {
    let variable = |name| std::env::var(name).ok();
    let Some(base) = variable(BASE).map(PathBuf::from) else {
        return;
    };
    let number = |name| variable(name).unwrap().parse::<u64>().unwrap();
    let mut findings = File::options()
        .append(true)
        .create(true)
        .open(base.join("findings"))
        .unwrap();
    for case in number(FROM)..number(TO) {
        let mut chance = Chance::new(number(SEED).wrapping_add(case << 32));
        let copied = scratch();
        copy(&base.join("data"), copied.path());
        let how = damage(copied.path(), &mut chance);
        writeln!(findings, "{case} begun {how}").unwrap();
        // First, because it changes nothing.
        let (salvaged, saved) = salvaged(copied.path(), &how);
        let (verdict, text) = verdict(copied.path(), &how);
        writeln!(
            findings,
            "{case} {verdict}/{salvaged} {how}: {}; {}",
            text.replace('\n', " "),
            saved.replace('\n', " ")
        )
        .unwrap();
    }
}

/// Checks the cases from `from` to `to` in one child; returns its findings.
fn examine_in_child(base: &Path, seed: u64, from: u64, to: u64) -> Vec<String> {
    let path = base.join("findings");
    let _ = fs::remove_file(&path);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["damage::examine", "--exact", "--ignored"])
        .env(BASE, base)
        .env(FROM, from.to_string())
        .env(TO, to.to_string())
        .env(SEED, seed.to_string())
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut length, mut since) = (0, Instant::now());
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        let now = fs::metadata(&path).map_or(0, |file| file.len());
        if now != length {
            (length, since) = (now, Instant::now());
        }
        if since.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut findings: Vec<String> = Vec::new();
    for line in text.lines() {
        let case = line.split(' ').next();
        // A beginning and an end count as one finding.
        if findings
            .last()
            .is_some_and(|last| last.split(' ').next() == case)
        {
            findings.pop();
        }
        findings.push(line.to_owned());
    }
    if let Some(last) = findings.last_mut().filter(|last| last.contains(" begun ")) {
        let end = status.map_or("hangs".to_owned(), |status| {
            format!("dies of {status}").replace(' ', "-")
        });
        *last = last.replace(" begun ", &format!(" {end} "));
    }
    findings
}

#[test]
fn damage_to_files_is_reported_or_does_no_harm() {
    let mut chance = Chance::of_this_run();
    let seed = chance.number() >> 32;
    let place = base();
    let cases = rounds(200);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut bad = Vec::new();
    let mut next = 0;
    while next < cases {
        let findings = examine_in_child(&place.path(), seed, next, cases.min(next + 100));
        assert!(!findings.is_empty(), "cannot run a child");
        next += findings.len() as u64;
        for finding in findings {
            let verdict = finding.split(' ').nth(1).unwrap().to_owned();
            let file = finding.split(' ').nth(2).unwrap();
            let kind = file.split_once('/').map_or(file, |(folder, _)| folder);
            *kinds.entry(kind.to_owned()).or_default() += 1;
            let is_well = [
                "refused/unreadable",
                "refused/lost",
                "refused/saved",
                "found/lost",
                "found/saved",
                "harmless/saved",
                // The damage was harmless, but only the log's content could show that.
                "harmless/lost",
                // The last upload.
                "torn/saved",
            ];
            if !is_well.contains(&verdict.as_str()) {
                bad.push(finding);
            }
            *counts.entry(verdict).or_default() += 1;
        }
    }
    eprintln!("{cases} stores damaged: {counts:?}, in {kinds:?}");
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// An operator sees that the service continues with the readable data, and reports the losses until
/// somebody confirms them.
#[test]
fn a_service_on_a_damaged_store_says_so_and_goes_on() {
    let place = base();
    let log = place.data_dir().join("log");
    for entry in fs::read_dir(&log).unwrap() {
        let path = entry.unwrap().path();
        let mut flipped = fs::read(&path).unwrap();
        let Some(end) = flipped.iter().rposition(|byte| *byte != 0) else {
            continue;
        };
        // In many places: a single one may hit outdated data.
        for byte in flipped[end / 2..end].iter_mut().step_by(1_009) {
            *byte ^= 1;
        }
        fs::write(&path, flipped).unwrap();
    }
    let service = place.serve();
    let said = service.said();
    assert!(said.contains("the store is damaged"), "{said}");
    let check = |arguments: &[&str]| {
        let output = place.command(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    };
    let (status, said) = check(&["check"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("may be missing"), "{said}");
    let (status, said) = check(&["check", "--confirm"]);
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = check(&["check"]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(service.stop().status, Some(0));
}

/// A missing folder is no reason to create a new store.
#[test]
fn a_service_without_a_part_of_its_store_says_so_and_creates_none() {
    for part in ["facts", "log"] {
        let place = base();
        fs::remove_dir_all(place.data_dir().join(part)).unwrap();
        let before = contents(&place.data_dir());
        let ended = place.start(place.serve_command()).err().unwrap();
        assert_eq!(ended.status, Some(1), "{ended:?}");
        ended.assert_clear();
        assert!(ended.said.contains("the store is damaged"), "{ended:?}");
        assert!(ended.said.contains("check --salvage"), "{ended:?}");
        assert!(!ended.said.contains("remove"), "{ended:?}");
        let mut after = contents(&place.data_dir());
        after.retain(|path, _| before.contains_key(path) && !path.ends_with("lock"));
        assert!(
            before
                .iter()
                .all(|(path, bytes)| { path.ends_with("lock") || after.get(path) == Some(bytes) })
        );
    }
}

/// Damages a file at an offset.
type Damage<'a> = &'a dyn Fn(&Path, usize);

/// Damage to one copy of the entries of people, then to the other: keys go on working, and the log
/// names each.
#[test]
fn damage_to_one_copy_of_entries_locks_nobody_out() {
    let original = base();
    let end = fs::metadata(original.data_dir().join("facts/b"))
        .unwrap()
        .len();
    let end = usize::try_from(end).unwrap();
    let flip = |path: &Path, place: usize| {
        let mut bytes = fs::read(path).unwrap();
        bytes[place] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    let cut = |path: &Path, place: usize| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..place]).unwrap();
    };
    let damages: [(Damage<'_>, usize); 6] = [
        (&flip, end - 1),
        (&flip, 20),
        (&flip, 4_100),
        (&flip, 8_300),
        (&cut, 8_400),
        (&cut, end - 9),
    ];
    for (damage, at) in damages {
        for [first, second] in [["b", "a"], ["a", "b"]] {
            let place = Place::empty();
            copy(&original.data_dir(), &place.data_dir());
            for name in [first, second] {
                let path = place.data_dir().join("facts").join(name);
                damage(&path, at);
                let service = place.serve();
                let said = service.said();
                assert!(
                    said.contains(&format!("facts/{name} ")),
                    "{name} at {at}: {said}"
                );
                assert!(!said.contains("refused"), "{name} at {at}: {said}");
                let status = service.upload(SENSORS[0], &[(BEGIN_MS, 1.0)]);
                assert_eq!(status, Some(200), "{name} at {at}: {said}");
                assert_eq!(service.stop().status, Some(0));
            }
            assert!(place.run(&["check"], b"").is_some(), "at {at}");
        }
    }
}

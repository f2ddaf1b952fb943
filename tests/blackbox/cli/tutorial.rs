//! docs/TUTORIAL.md: its commands are copied and run in a fresh folder, and its devices answer on
//! loopback.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wattkeeper::Timestamp;

use crate::place::{Place, Run, program, without_settings};
use crate::poll::device::Device;

const TUTORIAL: &str = include_str!("../../../docs/TUTORIAL.md");
/// A January has so many quarters of an hour.
const QUARTERS: i64 = 31 * 24 * 4;
/// The first midnight of the year in Berlin.
const START: &str = "2025-12-31T23:00:00";

/// The blocks of a language, in order.
fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    let mark = format!("```{language}\n");
    let rest: Vec<&str> = TUTORIAL.split(&mark).skip(1).collect();
    rest.into_iter().filter_map(|it| it.split("```").next())
}

/// A folder with the programs that a package or the system has.
fn programs(place: &Place) {
    let folder = place.dir.path().join("bin");
    fs::create_dir(&folder).unwrap();
    let own = program().get_program().to_str().unwrap().to_owned();
    for (name, script) in [
        ("sudo", "[ \"$1\" != -u ] || shift 2\nexec \"$@\""),
        (
            "wattkeeper",
            &format!("exec '{own}' --data-dir data \"$@\""),
        ),
        ("apt", ""),
        ("systemctl", ""),
        ("journalctl", ""),
    ] {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Runs a block of commands as it stands; returns what it printed.
fn run(place: &Place, block: &str) -> String {
    let mut shell = Command::new("sh");
    without_settings(&mut shell);
    place.backend.tell(&mut shell);
    let block = block.replace("/var/lib/wattkeeper", ".");
    shell
        .args(["-ec", &format!("PATH=\"$PWD/bin:$PATH\"\n{block}")])
        .env("WATTKEEPER_CONFIG", "config.toml")
        .current_dir(place.dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let ran = Run::of(shell, b"");
    assert_eq!(ran.status, 0, "{block}: {ran:?}");
    ran.out
}

/// The month as devices measured it: fed in from ten to two, drawn otherwise.
fn measure_the_month(place: &Place) {
    let start = Timestamp::parse(START).unwrap();
    let (mut grid, mut export, mut roof) = (10_231_400, 3_310_000, 8_120_000);
    let mut tables = ["time,watthours\n", "time,watthours\n", "time,watthours\n"].map(String::from);
    for quarter in 0..=QUARTERS {
        let time = start.saturating_add_millis(quarter * 900_000);
        for (table, watthours) in tables.iter_mut().zip([grid, export, roof]) {
            writeln!(table, "{time},{watthours}").unwrap();
        }
        if (40..56).contains(&(quarter % 96)) {
            export += 350;
            roof += 450;
        } else {
            grid += 90;
        }
    }
    for (sensor, table) in ["grid", "grid-export", "roof"].iter().zip(tables) {
        let file = place.file(sensor, table.as_bytes());
        place.ok(&["import", &file, "--sensor", sensor]);
    }
}

#[test]
fn the_commands_of_the_tutorial_lead_to_its_statement() {
    let place = Place::new();
    programs(&place);
    let devices = [
        r#"{"active_power_w":-620,"total_power_import_kwh":10454.6,"total_power_export_kwh":3483.6}"#,
        r#"{"Body":{"Data":{"PAC":{"Unit":"W","Value":1290},"TOTAL_ENERGY":{"Unit":"Wh","Value":8343200},"DeviceStatus":{"StatusCode":7}}},"Head":{"Status":{"Code":0}}}"#,
    ]
    .map(Device::with);
    let mut config: String = blocks("toml").collect();
    for (address, device) in ["192.168.1.30", "192.168.1.40"].iter().zip(&devices) {
        assert!(config.contains(address));
        config = config.replace(address, &device.address.to_string());
    }
    place.file("config.toml", config.as_bytes());
    let mut shown = blocks("text");
    for block in blocks("sh") {
        if block.contains("wattkeeper statement") {
            measure_the_month(&place);
            assert_eq!(run(&place, block), shown.next().unwrap());
        } else {
            run(&place, block);
        }
    }
    assert!(shown.next().is_none());

    let server = place.serve(&["--config", "config.toml"]);
    let count = |sensor: &str| place.json(&["sensor", "show", sensor])["readings"].as_i64();
    let begun = Instant::now();
    for sensor in ["grid", "grid-export", "roof"] {
        while count(sensor) != Some(QUARTERS + 2) {
            assert!(begun.elapsed() < Duration::from_mins(10), "{sensor}");
            thread::sleep(Duration::from_millis(50));
        }
    }
    server.stop();
}

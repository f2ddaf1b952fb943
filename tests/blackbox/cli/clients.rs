//! The clients in `examples/`: each is run against a service, or compiled.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::place::Place;

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");
const ARDUINO: &str = "/usr/share/arduino/hardware/arduino/avr";

fn output(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output.stdout
}

/// A client uploads a reading, and asks for the energy of two days in Berlin.
fn uploads_and_asks(program: &str, script: &str) {
    let place = Place::new();
    place.prepare();
    let table = "time,watthours\n2026-01-01T00:00:00,1000\n2026-01-02T00:00:00,1500\n2026-01-03T00:00:00,2200\n";
    let table = place.file("days.csv", table.as_bytes());
    place.ok(&[
        "import",
        &table,
        "--sensor",
        "house",
        "--tz",
        "Europe/Berlin",
    ]);
    let (api_id, api_key) = place.key();
    let server = place.serve(&[]);
    let run = |arguments: &[&str]| -> Value {
        let mut command = Command::new(program);
        command
            .arg(Path::new(PROJECT).join("examples").join(script))
            .args(arguments)
            .env("ELEC_URL", format!("{}/api/v0.2", server.url))
            .env("ELEC_API_ID", &api_id)
            .env("ELEC_API_KEY", &api_key)
            .env("TZ", "Europe/Berlin");
        serde_json::from_slice(&output(&mut command)).unwrap()
    };
    assert_eq!(
        run(&["upload", "house", "234", "2300.5"]),
        json!({"accepted": 1})
    );
    let days = run(&["days", "house", "2026-01-01", "2026-01-03"]);
    let energies = days["data"].as_array().unwrap().iter();
    let energies: Vec<f64> = energies.filter_map(|it| it["v"].as_f64()).collect();
    assert_eq!(energies, [500.0, 700.0], "{days}");
    server.stop();
    let readings = place.json(&["sensor", "show", "house"])["readings"].clone();
    assert_eq!(readings, 4);
}

#[test]
#[ignore = "needs curl"]
fn the_client_in_sh_with_curl() {
    uploads_and_asks("sh", "client.sh");
}

#[test]
#[ignore = "needs python3"]
fn the_client_in_python() {
    uploads_and_asks("python3", "client.py");
}

#[test]
#[ignore = "needs node"]
fn the_client_in_node() {
    uploads_and_asks("node", "client.mjs");
}

#[test]
#[ignore = "needs esphome"]
fn the_snippet_for_esphome_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("esphome.yaml");
    fs::copy(Path::new(PROJECT).join("examples/esphome.yaml"), &copy).unwrap();
    let secrets = "wifi_ssid: a\nwifi_password: a-password\napi_id: b\napi_key: c\n";
    fs::write(folder.path().join("secrets.yaml"), secrets).unwrap();
    let esphome = Path::new(PROJECT).join("target/venv-esphome/bin/esphome");
    output(Command::new(esphome).arg("config").arg(copy));
}

#[test]
#[ignore = "needs arduino: the core of Debian's arduino-core-avr, and gcc-avr"]
fn the_sketch_for_arduino_compiles() {
    let folder = tempfile::tempdir().unwrap();
    let mut compiler = Command::new("avr-g++");
    compiler
        .args(["-std=gnu++11", "-Wall", "-Wextra", "-Werror", "-Os"])
        .args(["-mmcu=atmega328p", "-DF_CPU=16000000L", "-DARDUINO=10819"])
        .args(["-x", "c++", "-include", "Arduino.h"]);
    for inner in ["cores/arduino", "variants/standard", "libraries/SPI/src"] {
        compiler.arg("-I").arg(Path::new(ARDUINO).join(inner));
    }
    compiler
        .arg("-I")
        .arg(Path::new(PROJECT).join("tests/fixtures/arduino"))
        .arg("-c")
        .arg(Path::new(PROJECT).join("examples/arduino/arduino.ino"))
        .arg("-o")
        .arg(folder.path().join("arduino.o"));
    output(&mut compiler);
}

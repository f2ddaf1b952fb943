//! How much a browser loads for its first page. With `--nocapture` the tests tell what each page weighs.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use wattkeeper::MeterKind;
use wattkeeper::Role;
use wattkeeper::SensorId;

use crate::pages::browser::Browser;
use crate::pages::dashboard::{live_in, put_sensor};
use crate::support::{MINUTE, SENSOR, Service, power, register};

/// The limit for a page with all its files, compressed.
const MOST_BYTES: usize = 60 * 1_024;
/// The limit for all scripts and styles together, as they are written.
const MOST_BYTES_WRITTEN: u64 = 60_000;

#[test]
fn a_page_with_all_its_files_is_light() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.3215"));
    let roles = [Role::Grid, Role::Solar, Role::SubMeter];
    let others: Vec<String> = (1..10).map(|number| format!("sensor {number}")).collect();
    for (name, role) in others.iter().zip(roles.into_iter().cycle()) {
        put_sensor(&service, name, name, role, MeterKind::Counter);
    }
    let now = service.clock.now();
    for name in others.iter().map(String::as_str).chain([SENSOR]) {
        // Noise, which hardly compresses.
        let mut noise = 1_u32;
        let readings = (0_i32..9_000).flat_map(|minute| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let time = now.saturating_add_millis(i64::from(minute - 9_000) * MINUTE);
            let [watts, counted] = [f64::from(noise >> 19) / 10.0, f64::from(minute) * 3.0];
            [power(time, watts), register(time, counted)]
        });
        let id = SensorId::new(name).unwrap();
        service
            .store()
            .import_durably(&id, readings.collect())
            .unwrap();
    }
    let browser = Browser::set_up(&service);
    println!("packed bytes, with all files");
    for address in [
        "/",
        "/chart",
        "/?range=week",
        "/?show=energy&range=week&by=hour",
        "/?sensor=house&range=all",
        "/costs",
        "/costs/contract?account=home",
        "/costs/compare",
        "/costs/what-if?battery=5",
        "/costs/offers",
        "/costs/savings",
        "/costs/purchases",
        "/costs/tenancies",
        "/costs/prices",
        "/costs/templates",
        "/costs/days",
        "/energy",
        "/energy/hours?range=year",
        "/settings",
        "/status",
        "/openapi",
    ] {
        let bytes = weight(&browser, address);
        println!("{bytes:6} {address}");
        assert!(bytes < MOST_BYTES, "{address}: {bytes}");
    }
}

fn weight(browser: &Browser<'_>, address: &str) -> usize {
    let packed = |address: &str| {
        let answer = browser.send("GET", address, &[("Accept-Encoding", "gzip")], b"");
        assert_eq!(answer.status(), 200, "{address}");
        answer.body.len()
    };
    let files = crate::pages::assets::files(&browser.page(address));
    assert!(files.len() >= 2, "{address}");
    packed(address) + files.iter().map(|file| packed(file)).sum::<usize>()
}

/// As they are written, not compressed.
#[test]
fn scripts_and_styles_are_light() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/static");
    let mut bytes = 0;
    println!("bytes");
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let ending = path.extension().and_then(OsStr::to_str);
        if matches!(ending, Some("js" | "css")) {
            let own = fs::metadata(&path).unwrap().len();
            println!("{own:6} {}", path.display());
            bytes += own;
        }
    }
    assert!((1..MOST_BYTES_WRITTEN).contains(&bytes), "{bytes}");
}

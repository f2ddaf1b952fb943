//! Devices that are polled, added in the browser.

use std::fs;
use std::net::SocketAddr;

use super::device::{Device, ok};
use super::house::{PolledHouse, metrics, section};
use super::logins::shelly;
use crate::mqtt::house::eventually;
use crate::pages::browser::{Browser, hidden_fields, location, plain};
use crate::pages::service::{administered, browser_at};
use crate::place::Serving;
use crate::port::free_port;
use crate::support::Response;

const POLLED: &str = "/settings/polled";
const P1: &str =
    r#"{"total_power_import_kwh":5.5,"total_power_export_kwh":2.25,"active_power_w":-203.0}"#;

fn add(
    browser: &Browser<'_>,
    (preset, address, sensor): (&str, &str, &str),
    more: &[(&str, &str)],
) -> Response {
    let fields = [("preset", preset), ("address", address), ("sensor", sensor)];
    browser.submit_own(POLLED, &[&fields[..], more].concat())
}

/// A house with these sensors and sections, which is running, and its administrator.
fn administered_house(
    sensors: &[&str],
    sections: &[String],
) -> (PolledHouse, Serving, Browser<'static>) {
    let house = PolledHouse::empty();
    house
        .place
        .file("config.toml", sections.concat().as_bytes());
    let (serving, browser) = administered(&house.place);
    for sensor in sensors {
        let add = ["sensor", "add", sensor, "--account", "home"];
        house.place.ok(&[
            &add[..],
            &["--role", "grid-import", "--at-grid", "connection"],
        ]
        .concat());
    }
    (house, serving, browser)
}

#[test]
fn a_device_answers_and_is_polled_until_it_is_removed() {
    let device = Device::with(P1);
    let (house, serving, browser) = administered_house(&["grid"], &[]);
    let address = device.address.to_string();
    let answer = add(&browser, ("homewizard", &address, "grid"), &[]);
    assert_eq!(answer.status(), 200);
    let page = plain(answer.text());
    // The first answer, with the sensor of what flows back.
    assert!(
        page.contains(
            "It answers: 0\u{202f}W · 5.50\u{202f}kWh; grid-export: 203\u{202f}W · 2.25\u{202f}kWh."
        ),
        "{page}"
    );
    house.check_first(&[("grid", 0.0, 5_500.0), ("grid-export", 203.0, 2_250.0)]);
    for page in [POLLED, "/status"] {
        let page = plain(&browser.page(page));
        assert!(
            page.contains(": 0\u{202f}W · 5.50\u{202f}kWh; grid-export"),
            "{page}"
        );
        assert!(page.contains("HomeWizard"), "{page}");
    }
    assert!(metrics(&serving).contains("wattkeeper_poll_answers_total{device=\"grid\"}"));
    // The same form again changes nothing.
    assert_eq!(
        add(&browser, ("homewizard", &address, "grid"), &[]).status(),
        200
    );
    let page = browser.page(POLLED);
    assert_eq!(page.matches("settings/polled/remove").count(), 1, "{page}");
    let removal = hidden_fields(&page, "/settings/polled/remove");
    let answer = browser.post("/settings/polled/remove", &removal);
    assert_eq!(location(&answer), "/settings/polled?done=unsubscribed");
    let before = eventually("an end of the polls", || {
        let before = device.requests().len();
        let metrics = metrics(&serving);
        (!metrics.contains("device=\"grid\"")).then_some(before)
    });
    assert!(!browser.page(POLLED).contains("settings/polled/remove"));
    assert!(house.readings("grid").len() <= before);
    assert!(serving.stop().contains("changed in the browser: poll"));
}

#[test]
fn a_device_that_does_not_answer_is_added_only_if_that_is_meant() {
    let off = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let other = Device::with("{}");
    let (house, serving, browser) = administered_house(&["roof", "x"], &[]);
    let (off_text, other_text) = (off.to_string(), other.address.to_string());
    for ((preset, address, sensor), more, expected) in [
        (
            ("sunspec-inverter", &*off_text, "roof"),
            None,
            "Nothing answers at this address.",
        ),
        (
            ("homewizard", &other_text, "roof"),
            None,
            "The answer is not that of such a device.",
        ),
        (
            ("homewizard", "http://127.0.0.1", "roof"),
            None,
            "without http://",
        ),
        (
            ("homewizard", &off_text, "nobody"),
            None,
            "Choose the sensor of its readings.",
        ),
        (("toaster", &off_text, "roof"), None, "Choose the device."),
        (
            ("sma", &off_text, "roof"),
            Some(("unit", "256")),
            "Enter a whole number from 0 to 255.",
        ),
        (
            ("shelly", &off_text, "roof"),
            Some(("unit", "1")),
            "There is only one device at such an address",
        ),
    ] {
        let answer = add(&browser, (preset, address, sensor), more.as_slice());
        assert_eq!(answer.status(), 422);
        let page = plain(answer.text());
        assert!(page.contains(expected), "{expected}: {page}");
        assert!(page.contains(&format!("value=\"{address}\"")), "{page}");
    }
    assert!(!browser.page(POLLED).contains("settings/polled/remove"));
    let answer = add(
        &browser,
        ("fronius-inverter", &off_text, "roof"),
        &[("anyway", "yes")],
    );
    assert_eq!(location(&answer), "/settings/polled?done=polled");
    // An inverter may be asleep: that is no fault.
    eventually("the failure", || {
        let page = browser.page("/status");
        let is_told = page.contains("Nothing answers at this address.");
        assert!(!page.contains("class=\"error\""));
        is_told.then_some(())
    });
    // It is kept.
    drop(serving.stop());
    let serving = house.serve();
    let device = Device::start_at(off, |_| {
        ok(
            r#"{"Head":{"Status":{"Code":0}},"Body":{"Data":{"PAC":{"Value":415},"TOTAL_ENERGY":{"Value":61500}}}}"#,
        )
    });
    assert_eq!(house.first("roof"), (Some(415.0), Some(61_500.0)));
    drop((serving, device));
}

#[test]
fn a_password_goes_to_its_address_only_and_is_never_shown() {
    let (device, stranger) = (shelly(), shelly());
    let (house, serving, browser) = administered_house(&["plug"], &[]);
    let (here, there) = (device.address.to_string(), stranger.address.to_string());
    let asked = add(&browser, ("shelly", &here, "plug"), &[]);
    assert!(
        plain(asked.text()).contains("asks for a password"),
        "{}",
        asked.text()
    );
    let password = [("password", "hunter2")];
    let answer = add(&browser, ("shelly", &here, "plug"), &password);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert!(!answer.text().contains("hunter2"));
    assert_eq!(house.first("plug"), (Some(5.5), Some(7.0)));
    assert!(!browser.page(POLLED).contains("hunter2"));
    // At another address the password has to be typed again.
    let moved = add(&browser, ("shelly", &there, "plug"), &[("anyway", "yes")]);
    assert_eq!(location(&moved), "/settings/polled?done=polled");
    eventually("a poll without a password", || {
        let page = browser.page("/status");
        page.contains("asks for a password").then_some(())
    });
    let sent = stranger.requests();
    assert!(
        sent.iter()
            .all(|(_, head)| !head.to_ascii_lowercase().contains("authorization"))
    );
    assert!(!serving.stop().contains("hunter2"));
}

#[test]
fn a_backup_has_the_devices_without_their_passwords() {
    let device = shelly();
    let (house, serving, browser) = administered_house(&["plug"], &[]);
    let address = device.address.to_string();
    let answer = add(
        &browser,
        ("shelly", &address, "plug"),
        &[("password", "hunter2")],
    );
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let file = house.place.dir.path().join("copy.wkbk");
    let file = file.to_str().unwrap();
    house.place.ok(&["backup", file]);
    assert!(!String::from_utf8_lossy(&std::fs::read(file).unwrap()).contains("hunter2"));
    drop(serving.stop());
    let other = PolledHouse::empty();
    other.place.ok(&["restore", file]);
    let serving = other.serve();
    let browser = browser_at(&serving);
    let page = browser.page("/status");
    assert!(
        page.contains("Passwords of polled devices are missing"),
        "{page}"
    );
    assert!(browser.page(POLLED).contains(&address));
    let answer = add(
        &browser,
        ("shelly", &address, "plug"),
        &[("password", "hunter2")],
    );
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let page = browser.page("/status");
    assert!(
        !page.contains("Passwords of polled devices are missing"),
        "{page}"
    );
    drop(serving.stop());
}

#[test]
fn a_sensor_of_the_file_is_not_fed_by_a_second_device() {
    let (first, second) = (Device::with(P1), Device::with(P1));
    let of_file = section("homewizard", first.address, "grid", "");
    let (_house, serving, browser) = administered_house(&["grid"], &[of_file]);
    let address = second.address.to_string();
    let answer = add(&browser, ("homewizard", &address, "grid"), &[]);
    let page = plain(answer.text());
    assert!(
        page.contains("A device in the configuration file feeds this sensor"),
        "{page}"
    );
    assert!(!page.contains("settings/polled/remove"), "{page}");
    drop(serving.stop());
}

#[test]
fn the_page_offers_each_device_of_the_folder() {
    let (_house, serving, browser) = administered_house(&["grid"], &[]);
    let page = browser.page(POLLED);
    let folder = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/devices")).unwrap();
    let mut count = 0;
    for file in folder {
        let path = file.unwrap().path();
        let device: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        if device.contains_key("poll") {
            let id = path.file_stem().unwrap().to_str().unwrap();
            let name = device["name"].as_str().unwrap();
            let option = format!("<option value=\"{id}\">{name}</option>");
            assert!(page.contains(&option), "{option}: {page}");
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
    drop(serving.stop());
}

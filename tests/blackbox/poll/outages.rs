//! Devices that are off, and come back.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::device::{Device, ok, status};
use super::house::{PolledHouse, metrics, section};
use crate::mqtt::house::eventually;
use crate::port::free_port;

const P1: &str = r#"{"total_power_import_kwh":5.5,"active_power_w":203.0}"#;

#[test]
fn a_device_that_is_off_is_told_once_and_again_when_it_is_back() {
    let off = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let inverter = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let house = PolledHouse::new(
        &["p1"],
        &[
            section("homewizard", off, "p1", "interval = \"1s\""),
            section("fronius-inverter", inverter, "roof", ""),
        ],
    );
    let serving = house.serve();
    let away =
        format!("poll: no readings from \"p1\" (homewizard at {off}): it cannot be reached: ");
    serving.wait_for(&away);
    // An inverter may be asleep: nobody is warned of that.
    serving.wait_for("poll: no readings from \"roof\"");
    eventually("further failures", || {
        let name = "wattkeeper_poll_failures_total{device=\"p1\"} ";
        let metrics = metrics(&serving);
        let count = metrics.lines().find_map(|line| line.strip_prefix(name))?;
        (count.parse::<f64>().unwrap() >= 3.0).then_some(())
    });
    let device = Device::start_at(off, |_| ok(P1));
    assert_eq!(house.first("p1"), (Some(203.0), Some(5_500.0)));
    serving.wait_for("poll: \"p1\" answers again, after ");
    // Asked each second again, not as seldom as while it was off.
    let before = device.requests().len();
    let began = Instant::now();
    eventually("polls", || {
        (device.requests().len() > before + 2).then_some(())
    });
    assert!(began.elapsed() < Duration::from_mins(1));
    let log = serving.stop();
    assert_eq!(log.matches(&away).count(), 1, "{log}");
    let warned = log.lines().filter(|line| line.contains("WARN"));
    assert!(warned.clone().all(|line| line.contains("\"p1\"")), "{log}");
}

#[test]
fn a_device_that_restarts_and_a_service_that_does() {
    // Its register falls to where a new one would begin, and goes on from there.
    const REGISTERS: [&str; 4] = ["0.000", "100.000", "100.001", "0.002"];
    let asked = AtomicUsize::new(0);
    let device = Device::start(move |_| {
        let index = asked.fetch_add(1, Ordering::SeqCst).min(3);
        let register = REGISTERS[index];
        ok(&format!(
            r#"{{"total_power_import_kwh":{register},"active_power_w":1e1}}"#
        ))
    });
    let section = section("homewizard", device.address, "p1", "interval = \"1s\"");
    let house = PolledHouse::new(&["p1"], &[section]);
    let serving = house.serve();
    eventually("the restart", || {
        (house.readings("p1").len() > 3).then_some(())
    });
    let log = serving.stop();
    let before = house.readings("p1");
    let registers: Vec<Option<f64>> = before.iter().map(|(_, register)| *register).collect();
    let expected = [0.0, 100_000.0, 100_001.0, 2.0].map(Some);
    assert_eq!(registers[..4], expected);
    assert!(!log.contains("WARN"), "{log}");
    // The stored readings are still there, and more come.
    let serving = house.serve();
    eventually("another reading", || {
        (house.readings("p1").len() > before.len()).then_some(())
    });
    serving.stop();
    assert_eq!(house.readings("p1")[..before.len()], before);
}

#[test]
fn answers_that_say_nothing_are_failures() {
    let off = Device::start(|_| {
        status(
            "403 Forbidden",
            "",
            r#"{"error":{"id":202,"description":"API not enabled"}}"#,
        )
    });
    let fronius = Device::start(|_| {
        ok(r#"{"Body":{"Data":{}},"Head":{"Status":{"Code":8,"Reason":"x","UserMessage":""}}}"#)
    });
    let disabled =
        Device::start(|_| status("404 Not Found", "", "Solar API disabled by customer config"));
    let house = PolledHouse::new(
        &["a"],
        &[
            section("homewizard", off.address, "a", ""),
            section("fronius-meter", fronius.address, "b", ""),
            section("fronius-inverter", disabled.address, "c", ""),
        ],
    );
    let serving = house.serve();
    for said in [
        "it answered with status 403: its local API is off; switch it on in the HomeWizard app",
        "its Solar API answers with code 8 instead of 0",
        "it answered with status 404: its Solar API is off; switch it on",
    ] {
        serving.wait_for(said);
    }
    serving.stop();
    assert!(house.readings("a").is_empty());
}

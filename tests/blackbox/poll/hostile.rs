//! Devices that are broken, or in the hands of a stranger.

use std::io::Write as _;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use super::device::{Device, head_of, ok, status};
use super::house::{PolledHouse, section};

#[test]
fn nothing_is_followed_and_nothing_is_endless() {
    let elsewhere = Device::with(r#"{"active_power_w":666,"total_power_import_kwh":6}"#);
    let address = elsewhere.address;
    let redirects = Device::start(move |_| {
        let to = format!("Location: http://{address}/api/v1/data\r\n");
        status("302 Found", &to, "")
    });
    let endless = TcpListener::bind("127.0.0.1:0").unwrap();
    let endless_at = endless.local_addr().unwrap();
    thread::spawn(move || {
        for stream in endless.incoming() {
            let mut stream = stream.unwrap();
            head_of(&mut stream);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            while stream.write_all(&[b' '; 4_096]).is_ok() {}
        }
    });
    let page = Device::start(|_| ok("<html>"));
    let deep: &'static str = "[".repeat(100_000).leak();
    let deep = Device::start(move |_| ok(deep));
    let garbage = Device::start(|_| "\u{1}\u{2}\u{3}\r\n\r\n".into());
    let house = PolledHouse::new(
        &["a", "b", "c", "d", "e"],
        &[
            section("homewizard", redirects.address, "a", ""),
            section("homewizard", endless_at, "b", ""),
            section("homewizard", page.address, "c", ""),
            section("homewizard", deep.address, "d", ""),
            section("homewizard", garbage.address, "e", ""),
        ],
    );
    let mut command = house
        .place
        .command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    // A proxy of the environment is none of ours.
    command.env("http_proxy", format!("http://{address}"));
    let serving = crate::place::Serving::start(command);
    for said in [
        "\"a\" (homewizard at 127.0.0.1:",
        "it answered with status 302: it redirects elsewhere, which is not followed",
        "its answer is longer than 262144 bytes",
        "\"c\" (homewizard at 127.0.0.1:",
        "its answer is not JSON",
        "\"d\" (homewizard at 127.0.0.1:",
        "its answer is not valid HTTP",
    ] {
        serving.wait_for(said);
    }
    let log = serving.stop();
    assert!(!log.contains("panicked"), "{log}");
    assert!(elsewhere.requests().is_empty());
    for sensor in ["a", "b", "c", "d", "e"] {
        assert!(house.readings(sensor).is_empty());
    }
}

#[test]
fn a_device_that_never_answers_holds_nobody_up() {
    // It accepts connections, and keeps them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let p1 = Device::with(r#"{"active_power_w":5}"#);
    let silent_at = silent.local_addr().unwrap();
    let inverter = TcpListener::bind("127.0.0.1:0").unwrap();
    let inverter_at = inverter.local_addr().unwrap();
    let house = PolledHouse::new(
        &["a", "b"],
        &[
            section("homewizard", silent_at, "a", "interval = \"1s\""),
            section("homewizard", p1.address, "b", "interval = \"1s\""),
            section("sunspec-inverter", inverter_at, "c", ""),
        ],
    );
    // A stop does not wait for the answer, which would take the 10 s that a device has. On a busy machine one may take as long.
    let mut held = Vec::new();
    let mut is_quick = || {
        let serving = house.serve();
        let (stream, _) = silent.accept().unwrap();
        held.push(stream);
        let (stream, _) = inverter.accept().unwrap();
        held.push(stream);
        assert_eq!(house.first("b"), (Some(5.0), None));
        let began = Instant::now();
        let log = serving.stop();
        assert!(!log.contains("panicked"), "{log}");
        began.elapsed() < Duration::from_secs(5)
    };
    assert!((0..3).any(|_| is_quick()));
    // Without a stop it is given up.
    let serving = house.serve();
    serving.wait_for("poll: no readings from \"a\" (homewizard at 127.0.0.1:");
    assert!(serving.stop().contains("it did not answer within 10 s"));
}

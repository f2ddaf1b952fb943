//! Inverters and meters with SunSpec, with registers that devices showed.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use super::house::{PolledHouse, section};
use super::station::{Station, chain};
use crate::mqtt::house::eventually;

/// A SolarEdge SE10K with its meter: both have a model with the maker's name.
const SE10K: &str = "0942 030d 031d 0317 fffe 0fae 0fbe 0fb7 090b 090a 0921 ffff 1590 0000 1384 fffe 1598 0000 f3b2 ffff d901 fffe 01fc 6b62 0000 1cbe fffd 1dc0 ffff 15e4 0000 8000 144d 8000 8000 fffe 0004 0000 ffff ffff ffff ffff";
const SE_METER: &str = "0066 002f 0008 002e ffff 5b98 5b98 5cd3 5a6c 0000 0000 0000 0000 fffe 1387 fffe ffa5 0408 ff85 fc18 0000 01dc 041c 0094 03f8 0000 fe2d ff31 ffaf ff4e 0000 081c db02 1950 2403 fffe 0144 8402 015e 6052 0000 0000 0000 0000 0114 0820 0028 f5e8 0053 b622 00b1 3865 0000";
/// An SMA SB3.6-1AV-41 at night.
const SB36: &str = "ffff ffff ffff ffff ffff ffff ffff ffff ffff ffff ffff ffff 8000 0001 ffff fffe 8000 0001 8000 0001 8000 fffd 002c fb4a 0001 ffff 8000 ffff 8000 8000 0001 8000 8000 8000 8000 0000 ffff ffff";
/// A Kostal KSEM.
const KSEM: &str = "8000 0406 00d0 00a0 fffe 8000 59c6 5aae 5aad 8000 8000 8000 8000 fffe 1386 fffe 0133 00eb 002f 0018 0001 0135 00ec 002f 001d 0001 ffe3 fff2 0000 fff1 0001 03e3 03e6 03e8 0348 fffd ffb6 d9fd ffdd ef20 ffe4 73de ffe0 ba02 002e 108f 0018 22c1 0017 c1ff 0011 e8cc 0000";
/// The numbers of a Plenticore plus 8: 940 W, 56,985,670 Wh.
const PLENTICORE: &str =
    "0 0 0 0 0 0 0 0 0 0 0 0 03ac 0000 0 0 0 0 0 0 0 0 0365 8846 0000 0 0 0 0 0 0 0 0 0 0 0 0004";

/// The requests for its chain: the marker, the model with the maker, its name, the meter, the end.
const CHAIN_OF_KSEM: usize = 5;

#[test]
fn inverters_and_meters_of_four_makers() {
    let solaredge = [
        (1, 65, "'SolarEdge"),
        (103, 50, SE10K),
        (1, 65, "'SolarEdge"),
        (203, 105, SE_METER),
    ];
    let solaredge = Station::start([(1, chain(&solaredge, true))].into(), usize::MAX);
    // It ends its chain with nothing.
    let sma = [(1, 66, "'SMA"), (11, 13, ""), (12, 98, ""), (101, 50, SB36)];
    let sma = Station::start([(126, chain(&sma, false))].into(), usize::MAX);
    let ksem = Station::start(
        [(71, chain(&[(1, 66, "'KOSTAL"), (203, 105, KSEM)], true))].into(),
        usize::MAX,
    );
    // It shows the same once more in floats, which count as nothing new.
    let plenticore = [(1, 66, "'KOSTAL"), (103, 50, PLENTICORE), (113, 60, "")];
    let plenticore = Station::start([(71, chain(&plenticore, true))].into(), usize::MAX);
    let further = "add_sensors = true";
    let house = PolledHouse::new(
        &["grid-export", "ksem-export"],
        &[
            section("sunspec-inverter", solaredge.address, "east", further),
            section("sunspec-meter", solaredge.address, "grid", further),
            section("sma", sma.address, "west", further),
            section(
                "sunspec-meter",
                ksem.address,
                "ksem",
                &format!("{further}\nunit = 71"),
            ),
            section("kostal", plenticore.address, "roof", further),
        ],
    );
    let serving = house.serve();
    for (sensor, watts, watthours) in [
        ("east", Some(5_520.0), 33_319_778.0),
        ("grid", Some(91.0), 18_090_016.0),
        ("grid-export", Some(0.0), 21_267_458.0),
        // Not 0 W: nobody knows.
        ("west", None, 29_479_140.0),
        ("ksem", Some(3_070.0), 3_018_895.0),
        ("ksem-export", Some(0.0), 4_793_859.0),
        ("roof", Some(940.0), 56_985_670.0),
    ] {
        assert_eq!(house.first(sensor), (watts, Some(watthours)), "{sensor}");
    }
    house.check_added(&[("east", "solar"), ("grid", "sub-meter"), ("roof", "solar")]);
    assert_eq!(house.sensors().len(), 7);
    eventually("another poll", || {
        (house.readings("ksem").len() > 1).then_some(())
    });
    let log = serving.stop();
    assert!(!log.contains("WARN"), "{log}");
    // Both sections share a connection.
    assert_eq!(solaredge.connections(), 1);
    // A later poll of it is a single request: the chain is known. The last one may not have been
    // stored.
    assert_eq!(ksem.connections(), 1);
    let polls = ksem.requests() - CHAIN_OF_KSEM;
    let stored = house.readings("ksem").len();
    assert!((stored..=stored + 1).contains(&polls), "{polls}, {stored}");
}

#[test]
fn a_connection_that_the_device_closes_is_opened_again() {
    let ksem = chain(&[(1, 66, "'KOSTAL"), (203, 105, KSEM)], true);
    // Each connection is good for one poll.
    let station = Station::start([(71, ksem)].into(), CHAIN_OF_KSEM + 1);
    let further = "unit = 71\ninterval = \"5s\"";
    let house = PolledHouse::new(
        &["m", "m-export"],
        &[section("sunspec-meter", station.address, "m", further)],
    );
    let serving = house.serve();
    eventually("three polls", || {
        (house.readings("m").len() >= 3).then_some(())
    });
    assert!(station.connections() >= 3);
    let log = serving.stop();
    assert!(!log.contains("no readings of"), "{log}");
}

#[test]
fn what_is_no_sunspec_device_is_told() {
    let ksem = || chain(&[(1, 66, "'KOSTAL"), (203, 105, KSEM)], true);
    let meter = Station::start([(71, ksem())].into(), usize::MAX);
    let inverter_only = Station::start([(1, ksem())].into(), usize::MAX);
    let zeros: BTreeMap<u16, u16> = (0..=u16::MAX).map(|address| (address, 0)).collect();
    let zeros = Station::start([(1, zeros)].into(), usize::MAX);
    let page = super::device::Device::with("{}");
    let house = PolledHouse::new(
        &["a"],
        &[
            section("sunspec-meter", meter.address, "a", ""),
            section("sunspec-inverter", inverter_only.address, "b", ""),
            section("sunspec-meter", zeros.address, "c", ""),
            section("sunspec-meter", page.address, "d", ""),
        ],
    );
    let serving = house.serve();
    for said in [
        "it answers with the Modbus exception 11: no device has this unit; check unit",
        "none of its SunSpec models belongs to this preset",
        "it has no SunSpec registers; check address and unit, and switch on Modbus with SunSpec",
    ] {
        serving.wait_for(said);
    }
    serving.stop();
    assert!(house.readings("a").is_empty());
}

/// The answer to a request.
type HostileAnswer = fn(&[u8]) -> Vec<u8>;

#[test]
fn hostile_stations_end_nothing() {
    let answers: [HostileAnswer; 5] = [
        |_| b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        // Of another transaction.
        |request| {
            vec![
                request[0],
                !request[1],
                0,
                0,
                0,
                7,
                1,
                3,
                4,
                0x53,
                0x75,
                0x6e,
                0x53,
            ]
        },
        // Longer than a frame may be, and without an end.
        |request| {
            [
                vec![request[0], request[1], 0, 0, 0xff, 0xff, 1],
                vec![0; 1 << 20],
            ]
            .concat()
        },
        // It says that more registers follow than were asked for.
        |request| {
            [
                vec![request[0], request[1], 0, 0, 0, 253, 1, 3, 250],
                vec![7; 250],
            ]
            .concat()
        },
        // Cut off.
        |request| vec![request[0], request[1], 0],
    ];
    let mut sections = Vec::new();
    for (index, answer) in answers.into_iter().enumerate() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        sections.push(section("sunspec-meter", address, &format!("s{index}"), ""));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, mut request) = (stream.unwrap(), [0; 12]);
                if stream.read_exact(&mut request).is_ok() {
                    let _ = stream.write_all(&answer(&request));
                }
            }
        });
    }
    let house = PolledHouse::new(&[], &sections);
    let serving = house.serve();
    for index in 0..4 {
        serving.wait_for(&format!("poll: no readings from \"s{index}\""));
    }
    serving.wait_for("poll: no readings from \"s4\" (sunspec-meter at 127.0.0.1:");
    let log = serving.stop();
    let refused = "its answer is not valid Modbus TCP";
    assert_eq!(log.matches(refused).count(), 4, "{log}");
    assert!(!log.contains("panicked"), "{log}");
}

//! Venus OS sends only while it is asked to. The broker is played by the tests.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use crate::mqtt::hostile::{accept, message, wait_for_ack};
use crate::mqtt::house::House;

/// Reads until these bytes have come; returns all that came.
fn read_until(stream: &mut TcpStream, wanted: &[u8]) -> Vec<u8> {
    let mut read = Vec::new();
    let mut bytes = [0; 4_096];
    while !has(&read, wanted) {
        let count = stream.read(&mut bytes).unwrap();
        assert_ne!(count, 0, "it closed the connection");
        read.extend_from_slice(&bytes[..count]);
    }
    read
}

fn has(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[test]
fn only_a_victron_that_was_configured_is_asked_to_send() {
    let broker = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = broker.local_addr().unwrap().port();
    let settings = "[[mqtt.subscriptions]]\npreset = \"victron\"\ntopic = \"N/+\"\n[[mqtt.subscriptions]]\ntopic = \"M/+\"\nsensor = \"p\"\nwatts = \"\"";
    let sensors = ["p", "victron-grid-30", "victron-grid-30-export"];
    let house = House::new(port, &sensors, settings);
    let serving = house.serve();
    let mut stream = accept(&broker);
    // It asks for what tells the portal.
    read_until(&mut stream, b"N/+/system/0/Serial");
    stream
        .write_all(&message(b"M/c1/system/0/Serial", b"{}", 0, false))
        .unwrap();
    stream
        .write_all(&message(
            b"N/c0/system/0/Serial",
            br#"{"value":"c0"}"#,
            0,
            false,
        ))
        .unwrap();
    // Quality 0, nothing retained, an empty message: all values are wanted at first.
    let asked = read_until(&mut stream, b"\x30\x10\x00\x0eR/c0/keepalive");
    assert!(!has(&asked, b"R/c1"));
    stream
        .write_all(&message(
            b"N/c0/grid/30/Ac/Power",
            br#"{"value":-936}"#,
            7,
            false,
        ))
        .unwrap();
    wait_for_ack(&mut stream, 7);
    let power = |sensor: &str| house.wait_for(sensor, 1)[0].1;
    assert_eq!(power("victron-grid-30"), Some(0.0));
    assert_eq!(power("victron-grid-30-export"), Some(936.0));
    serving.stop();
}

#[test]
fn nobody_is_asked_without_that_preset() {
    let broker = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = broker.local_addr().unwrap().port();
    let settings = "[[mqtt.subscriptions]]\ntopic = \"N/+/system/0/Dc/Battery/Power\"\nsensor = \"p\"\nwatts = \"/value\"";
    let house = House::new(port, &["p"], settings);
    let serving = house.serve();
    let mut stream = accept(&broker);
    let topic = b"N/c0/system/0/Dc/Battery/Power";
    stream
        .write_all(&message(topic, br#"{"value":5}"#, 7, false))
        .unwrap();
    wait_for_ack(&mut stream, 7);
    house.wait_for("p", 1);
    // A request would come within a second.
    let second = std::time::Duration::from_millis(2_500);
    stream.set_read_timeout(Some(second)).unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(!has(&rest, b"keepalive"), "{rest:?}");
    serving.stop();
}

//! A hostile broker: its messages end at most the connection, and do not fill the memory.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use crate::mqtt::house::{House, eventually};
use crate::place::Serving;

/// Its listener, and the service configured to use it.
struct Siege {
    listener: TcpListener,
    house: House,
    serving: Serving,
}

const EVERYTHING: &str = "[[mqtt.subscriptions]]\ntopic = \"#\"\nsensor = \"p\"\nwatts = \"/w\"\n[home_assistant]\ndiscovery = true";
const CONNACK: &[u8] = b"\x20\x02\x00\x00";

impl Siege {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let house = House::new(listener.local_addr().unwrap().port(), &["p"], EVERYTHING);
        let serving = house.serve();
        Self {
            listener,
            house,
            serving,
        }
    }

    /// The next connection, once the service introduced itself.
    fn meet(&self) -> TcpStream {
        meet(&self.listener)
    }

    /// The same, and it is welcome.
    fn accept(&self) -> TcpStream {
        accept(&self.listener)
    }

    /// That the service still takes readings over HTTP.
    #[track_caller]
    fn assert_serves(&self) {
        self.house.upload(&self.serving, "p", 1.0);
    }

    /// The most memory that the service had resident so far, in KiB.
    fn peak_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.serving.child.id()));
        let status = status.unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmHWM:"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

/// The next connection of a service, once it introduced itself.
fn meet(listener: &TcpListener) -> TcpStream {
    introduced(listener).0
}

/// The same, with how it introduced itself. The connection that listens for devices is closed: it
/// comes after that of the readings.
pub(crate) fn introduced(listener: &TcpListener) -> (TcpStream, Vec<u8>) {
    loop {
        let Some((stream, hello)) = greeted(listener) else {
            continue;
        };
        if !hello.windows(8).any(|part| part == b"-devices") {
            return (stream, hello);
        }
    }
}

/// The next connection of any kind; `None` if it is given up before it said anything, as by a
/// service that stops.
fn greeted(listener: &TcpListener) -> Option<(TcpStream, Vec<u8>)> {
    let (mut stream, _) = listener.accept().unwrap();
    stream
        .set_write_timeout(Some(Duration::from_mins(2)))
        .unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(2)))
        .unwrap();
    let mut head = [0; 2];
    stream.read_exact(&mut head).ok()?;
    let mut rest = vec![0; usize::from(head[1])];
    stream.read_exact(&mut rest).unwrap();
    assert_eq!(head[0], 0x10);
    Some((stream, rest))
}

/// The same, and it is welcome.
pub(crate) fn accept(listener: &TcpListener) -> TcpStream {
    let mut stream = meet(listener);
    stream.write_all(CONNACK).unwrap();
    stream
}

/// The same of a broker that has kept the session.
pub(crate) fn resume(listener: &TcpListener) -> TcpStream {
    let mut stream = meet(listener);
    stream.write_all(b"\x20\x02\x01\x00").unwrap();
    stream
}

/// A message: quality 1 where it has a packet id.
pub(crate) fn message(topic: &[u8], payload: &[u8], packet_id: u16, is_retained: bool) -> Vec<u8> {
    let id = if packet_id > 0 {
        packet_id.to_be_bytes().to_vec()
    } else {
        Vec::new()
    };
    let mut length = 2 + topic.len() + id.len() + payload.len();
    let mut packet = vec![0x30 | u8::from(is_retained) | (u8::from(packet_id > 0) << 1)];
    loop {
        let digit = u8::try_from(length % 128).unwrap();
        length /= 128;
        packet.push(digit | (u8::from(length > 0) << 7));
        if length == 0 {
            break;
        }
    }
    packet.extend(u16::try_from(topic.len()).unwrap().to_be_bytes());
    packet.extend([topic, &id, payload].concat());
    packet
}

/// Reads until the acknowledgement of that packet id.
pub(crate) fn wait_for_ack(stream: &mut TcpStream, packet_id: u16) {
    let mut wanted = vec![0x40, 2];
    wanted.extend(packet_id.to_be_bytes());
    let mut read = Vec::new();
    let mut bytes = [0; 4_096];
    while !read.windows(4).any(|window| window == wanted) {
        let count = stream.read(&mut bytes).unwrap();
        assert_ne!(count, 0, "it closed the connection");
        read.extend_from_slice(&bytes[..count]);
    }
}

#[test]
fn bytes_that_are_not_mqtt_end_the_connection_only() {
    let siege = Siege::start();
    // Refused, no answer at all but the end, not MQTT, a topic that is not UTF-8, a message that
    // ends before its topic, quality 3, a length of five bytes, a packet that only clients send, a
    // huge packet that is no message.
    let attacks: [&[u8]; 8] = [
        b"\x20\x02\x00\x05",
        b"",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"\x20\x02\x00\x00\x30\x04\x00\x02\xff\xff",
        b"\x20\x02\x00\x00\x30\x04\x00\x09ab",
        b"\x20\x02\x00\x00\x36\x06\x00\x01a\x00\x011",
        b"\x20\x02\x00\x00\x30\xff\xff\xff\xff\x01",
        b"\x20\x02\x00\x00\xe0\x00",
    ];
    // Each attempt waits twice as long as the one before: as many as fit into the test, the rest in
    // the other order.
    for attack in &attacks[..3] {
        siege.meet().write_all(attack).unwrap();
        siege.assert_serves();
    }
    drop(siege);
    for attacks in attacks[3..].chunks(3) {
        let siege = Siege::start();
        for attack in attacks {
            siege.meet().write_all(attack).unwrap();
            siege.assert_serves();
        }
        // It comes again.
        siege.accept();
        siege.assert_serves();
    }
}

#[test]
fn floods_and_huge_messages_fill_no_memory() {
    let siege = Siege::start();
    let mut stream = siege.accept();
    let mut reading = stream.try_clone().unwrap();
    let drain = thread::spawn(move || {
        wait_for_ack(&mut reading, 7);
        wait_for_ack(&mut reading, 8);
        reading
    });
    siege.assert_serves();
    let before = siege.peak_kib();
    // 200 MiB in one message, which is passed over and acknowledged as any other.
    let payload = vec![b'7'; 200 << 20];
    stream
        .write_all(&message(b"huge", &payload, 7, false))
        .unwrap();
    // Topics without end, retained: each is another complaint, another capture, another thing to
    // take back.
    for number in 0..50_000 {
        let topic = format!("t/{number}");
        stream
            .write_all(&message(topic.as_bytes(), b"{\"w\":\"x\"}", 0, true))
            .unwrap();
        let topic = format!("homeassistant/sensor/wattkeeper/n{number}_power/config");
        stream
            .write_all(&message(topic.as_bytes(), b"{}", 0, true))
            .unwrap();
    }
    // JSON that is deep, and one that is wide.
    let deep = "[".repeat(60_000);
    stream
        .write_all(&message(b"deep", deep.as_bytes(), 0, false))
        .unwrap();
    let wide = format!("[{}0]", "0,".repeat(32_000));
    stream
        .write_all(&message(b"wide", wide.as_bytes(), 8, false))
        .unwrap();
    drain.join().unwrap();
    siege.assert_serves();
    let grown = siege.peak_kib().saturating_sub(before);
    assert!(grown < 16 * 1024, "{grown} KiB");
    let log = siege.serving.stop();
    assert!(
        log.contains("\"huge\" is not used: it is longer than 64 KiB"),
        "{log}"
    );
    assert!(log.lines().count() < 400, "{}", log.lines().count());
}

#[test]
fn refusals_without_end_do_not_fill_the_log() {
    let siege = Siege::start();
    let mut stream = siege.accept();
    let refusals = b"\x90\x03\x00\x01\x80".repeat(10_000);
    // Until the service has enough of them.
    while stream.write_all(&refusals).is_ok() {}
    siege.assert_serves();
    let log = siege.serving.stop();
    assert!(log.contains("refuses the subscription"), "{log}");
    assert!(log.lines().count() < 50, "{}", log.lines().count());
}

#[test]
fn a_broker_that_is_silent_or_away_is_waited_for() {
    let siege = Siege::start();
    // Held open without an answer: the service serves, and stops at once.
    let held = siege.meet();
    siege.assert_serves();
    let log = siege.serving.stop();
    assert!(!log.contains("panicked"), "{log}");
    drop(held);
    // Nobody listens there any more.
    drop(siege.listener);
    let serving = siege.house.serve();
    siege.house.upload(&serving, "p", 2.0);
    serving.wait_for("cannot connect to mqtt://127.0.0.1:");
    serving.stop();
    assert_eq!(siege.house.readings("p").len(), 2);
}

#[test]
fn a_message_is_acknowledged_once_it_is_stored_and_comes_again_where_it_is_not() {
    let siege = Siege::start();
    let mut stream = siege.accept();
    stream
        .write_all(&message(b"m", b"{\"w\":5}", 9, false))
        .unwrap();
    wait_for_ack(&mut stream, 9);
    assert_eq!(siege.house.readings("p").len(), 1);
    // Unusable messages are acknowledged, too: sending them again would not help.
    stream
        .write_all(&message(b"m", b"\xff\xfe", 10, false))
        .unwrap();
    wait_for_ack(&mut stream, 10);
    // Without a quality there is nothing to acknowledge.
    stream
        .write_all(&message(b"m", b"{\"w\":6}", 0, false))
        .unwrap();
    eventually("the reading", || {
        (siege.house.readings("p").len() == 2).then_some(())
    });
    let log = siege.serving.stop();
    assert!(
        log.contains("\"m\" is not used: expected JSON or a number"),
        "{log}"
    );
}

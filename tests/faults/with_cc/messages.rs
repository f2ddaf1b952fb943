//! MQTT messages while the disk fails: no message is acknowledged unless its reading is stored, so
//! the broker sends it again.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use super::preload::{Control, EIO, Fault, SYNC};
use crate::service::{PATIENCE, Place, SENSORS};

/// The broker's answer to CONNECT, and the first bytes of an acknowledgement.
const WELCOME: [u8; 4] = [0x20, 2, 0, 0];
const ACKNOWLEDGED: [u8; 3] = [0x40, 2, 0];

/// The service as a client of `broker`.
fn command(place: &Place, broker: &TcpListener) -> Command {
    let settings = format!(
        "[mqtt]\nbroker = \"mqtt://{}\"\n[[mqtt.subscriptions]]\ntopic = \"m\"\nsensor = \"{}\"\nwatts = \"/w\"\ntime = \"/t\"\n",
        broker.local_addr().unwrap(),
        SENSORS[0]
    );
    let path = place.path().join("mqtt.toml");
    fs::write(&path, settings).unwrap();
    let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    command.arg("--config").arg(path);
    command
}

/// Accepts the service's next connection for readings. The service has another one, which looks for
/// devices.
fn accept(broker: &TcpListener) -> TcpStream {
    loop {
        let (mut stream, _) = broker.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // A stopping service may give up a connection before it sent anything.
        let Ok(connect) = packet(&mut stream) else {
            continue;
        };
        let looks_for_devices = connect.windows(8).any(|part| part == b"-devices");
        if looks_for_devices {
            continue;
        }
        stream.write_all(&WELCOME).unwrap();
        // SUBSCRIBE.
        packet(&mut stream).unwrap();
        return stream;
    }
}

/// The next packet; it is short.
fn packet(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = [0; 2];
    stream.read_exact(&mut head)?;
    let mut rest = vec![0; usize::from(head[1])];
    stream.read_exact(&mut rest)?;
    Ok(rest)
}

/// Sends message `number`, below 10; returns whether it was acknowledged before the connection
/// ended.
fn is_acknowledged(stream: &mut TcpStream, number: u8) -> bool {
    let payload = format!("{{\"w\":{number},\"t\":176760000{number}}}");
    let length = u8::try_from(5 + payload.len()).unwrap();
    let mut packet = vec![0x32, length, 0, 1, b'm', 0, number];
    packet.extend(payload.bytes());
    stream.write_all(&packet).unwrap();
    let wanted = [&ACKNOWLEDGED[..], &[number]].concat();
    let mut read = Vec::new();
    let mut byte = [0];
    while !read.ends_with(&wanted) {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return false;
        }
        read.push(byte[0]);
    }
    true
}

#[test]
#[ignore = "needs cc"]
fn no_message_is_acknowledged_where_a_sync_fails() {
    let place = Place::new();
    let control = Control::new(&place);
    let broker = TcpListener::bind("127.0.0.1:0").unwrap();
    let service = place.start(control.load(command(&place, &broker))).unwrap();
    let mut stream = accept(&broker);
    assert!(is_acknowledged(&mut stream, 1));
    control.fail(Fault {
        from: 1,
        many: i64::MAX,
        kinds: SYNC,
        error: EIO,
        torn: false,
    });
    assert!(!is_acknowledged(&mut stream, 2));
    service.stop().assert_clear();
    control.heal();
    let service = place.start(control.load(command(&place, &broker))).unwrap();
    let mut stream = accept(&broker);
    assert!(is_acknowledged(&mut stream, 2));
    assert_eq!(service.stop().status, Some(0));
    let stored = place.run(&["export", "--sensor", SENSORS[0]], b"").unwrap();
    assert!(stored.contains("2026-01-05T08:00:01.000Z,1,"), "{stored}");
    assert!(stored.contains("2026-01-05T08:00:02.000Z,2,"), "{stored}");
}

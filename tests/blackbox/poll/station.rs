//! A device on loopback that speaks Modbus TCP.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Registers by unit and address.
pub(crate) type Registers = BTreeMap<u8, BTreeMap<u16, u16>>;

/// A device with registers. It serves one connection at a time, as many inverters do, and lives as long as the test.
pub(crate) struct Station {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

impl Station {
    /// With these registers. Each connection is closed after so many answers.
    pub(crate) fn start(registers: Registers, answers: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let station = Self {
            address,
            connections: Arc::default(),
            requests: Arc::default(),
        };
        let connections = Arc::clone(&station.connections);
        let requests = Arc::clone(&station.requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                connections.fetch_add(1, Ordering::SeqCst);
                let mut stream = stream.unwrap();
                for _ in 0..answers {
                    if answer(&mut stream, &registers).is_none() {
                        break;
                    }
                    requests.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        station
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The requests that were answered.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

/// Answers one request, in two parts; `None` at the end of the connection.
fn answer(stream: &mut TcpStream, registers: &Registers) -> Option<()> {
    let mut request = [0; 12];
    stream.read_exact(&mut request).ok()?;
    let word = |at: usize| u16::from_be_bytes([request[at], request[at + 1]]);
    assert_eq!((word(2), word(4), request[7]), (0, 6, 3));
    let count = word(10);
    assert!((1..=125).contains(&count));
    let pdu = match registers.get(&request[6]) {
        // No device has this unit.
        None => vec![0x83, 11],
        Some(unit) => {
            let asked = (0..count).map(|n| unit.get(&word(8).wrapping_add(n)));
            let found: Option<Vec<[u8; 2]>> = asked
                .map(|register| Some(register?.to_be_bytes()))
                .collect();
            found.map_or(vec![0x83, 2], |pairs| {
                let bytes = u8::try_from(2 * count).unwrap();
                [&[3, bytes], pairs.concat().as_slice()].concat()
            })
        }
    };
    let length = u8::try_from(pdu.len() + 1).unwrap();
    let head = [request[0], request[1], 0, 0, 0, length, request[6]];
    let bytes = [&head[..], &pdu].concat();
    let (first, second) = bytes.split_at(5);
    stream.write_all(first).ok()?;
    thread::sleep(std::time::Duration::from_millis(2));
    stream.write_all(second).ok()
}

/// The registers of a chain at 40000: each model with its number, its length and the beginning of its registers. The others are 0.
pub(crate) fn chain(models: &[(u16, u16, &str)], has_end: bool) -> BTreeMap<u16, u16> {
    let mut words = vec![0x5375, 0x6e53];
    for (id, length, text) in models {
        words.extend([*id, *length]);
        let mut body = words_of(text);
        body.resize(usize::from(*length), 0);
        words.extend(body);
    }
    if has_end {
        words.extend([0xffff, 0]);
    }
    (40_000..).zip(words).collect()
}

/// Words in hexadecimal, and texts in quotes, of two letters a word.
fn words_of(text: &str) -> Vec<u16> {
    let word = |part: &str| match part.strip_prefix('\'') {
        Some(name) => name
            .as_bytes()
            .chunks(2)
            .map(|pair| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]))
            .collect(),
        None => vec![u16::from_str_radix(part, 16).unwrap()],
    };
    text.split_whitespace().flat_map(word).collect()
}

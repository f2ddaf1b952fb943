//! A device on loopback that speaks HTTP.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

/// A device that answers each request by a function of the request's head and body. It lives as long as the test.
pub(crate) struct Device {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<(Instant, String)>>>,
}

impl Device {
    pub(crate) fn start(answer: impl FnMut(&str) -> String + Send + 'static) -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap(), answer)
    }

    pub(crate) fn start_at(
        address: SocketAddr,
        mut answer: impl FnMut(&str) -> String + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<(Instant, String)>>>::default();
        let seen = Arc::clone(&requests);
        // One connection after another: a second one at the same time would wait, and the test with it.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let head = head_of(&mut stream);
                seen.lock().unwrap().push((Instant::now(), head.clone()));
                // The client may be gone already.
                let _ = stream.write_all(answer(&head).as_bytes());
            }
        });
        Self { address, requests }
    }

    /// One that always answers with this JSON.
    pub(crate) fn with(json: &'static str) -> Self {
        Self::start(move |_| ok(json))
    }

    /// The requests so far, each with its time.
    pub(crate) fn requests(&self) -> Vec<(Instant, String)> {
        self.requests.lock().unwrap().clone()
    }
}

/// An answer with this body.
pub(crate) fn ok(body: &str) -> String {
    status("200 OK", "", body)
}

/// An answer with this status and these further lines of the head.
pub(crate) fn status(status: &str, lines: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n{lines}\r\n{body}"
    )
}

pub(crate) fn head_of(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    let mut request = String::from_utf8(head).unwrap();
    let mut lengths = request.lines().filter_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.parse().ok())?
    });
    let mut body = vec![0; lengths.next().unwrap_or(0_usize)];
    if stream.read_exact(&mut body).is_ok() {
        request.push_str(&String::from_utf8(body).unwrap());
    }
    request
}

//! An HTTP/1 client that sends exactly the bytes it is given.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use socket2::{Domain, Socket, Type};

/// No healthy service takes this long to answer; a test must not hang.
const PATIENCE: Duration = Duration::from_mins(10);

/// The bytes of a request, with `Host` and, for a body, its length.
pub(crate) fn request(
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Vec<u8> {
    let mut bytes = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n");
    for (name, value) in headers {
        write!(bytes, "{name}: {value}\r\n").unwrap();
    }
    if !body.is_empty() {
        write!(bytes, "Content-Length: {}\r\n", body.len()).unwrap();
    }
    bytes += "\r\n";
    [bytes.as_bytes(), body].concat()
}

/// Status and headers of an answer.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) version: String,
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Gives a header another value.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.headers
            .iter_mut()
            .filter(|(own, _)| own.eq_ignore_ascii_case(name))
            .for_each(|(_, own)| value.clone_into(own));
    }

    pub(crate) fn headers(&self) -> impl Iterator<Item = &str> {
        self.headers.iter().map(|(name, _)| name.as_str())
    }
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn status(&self) -> u16 {
        self.head.status
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a body of UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Asserts an answer of 200 with this body, to the byte.
    #[track_caller]
    pub(crate) fn assert_json(&self, body: &str) {
        assert_eq!((self.status(), self.text()), (200, body));
        assert_eq!(self.head.header("content-type"), Some("application/json"));
    }

    /// Asserts an RFC 9457 error with exactly the documented members; its detail must contain `mentions`.
    #[track_caller]
    pub(crate) fn assert_problem(&self, status: u16, code: &str, mentions: &str) {
        let problem = self.assert_problem_shape(status);
        assert_eq!(problem["code"], code, "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(mentions), "{mentions:?} in {problem}");
    }

    /// The same for an error with a code that is not documented; returns it.
    #[track_caller]
    pub(crate) fn assert_problem_shape(&self, status: u16) -> Value {
        assert_eq!(self.status(), status, "{}", self.text());
        assert_eq!(
            self.head.header("content-type"),
            Some("application/problem+json")
        );
        let problem = self.json();
        let mut members: Vec<&str> = problem
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        members.sort_unstable();
        assert_eq!(members, ["code", "detail", "status", "title", "type"]);
        assert_eq!(problem["status"], status);
        for member in ["code", "detail", "title", "type"] {
            let text = problem[member].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{member} of {problem}");
        }
        problem
    }
}

/// A connection to the service.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        Self::of(TcpStream::connect(address).unwrap())
    }

    /// A connection from `source`, an address of this machine.
    pub(crate) fn open_from(source: Ipv4Addr, address: SocketAddr) -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((source, 0)).into()).unwrap();
        socket.connect(&address.into()).unwrap();
        Self::of(socket.into())
    }

    fn of(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream: BufReader::new(stream),
        }
    }

    /// The same connection, to send on while another thread receives.
    pub(crate) fn second(&self) -> Self {
        Self::of(self.stream.get_ref().try_clone().unwrap())
    }

    /// Sends bytes; an error if the service has closed the connection.
    pub(crate) fn try_send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.try_send(bytes).unwrap();
    }

    /// Closes the sending half; answers can still arrive.
    pub(crate) fn finish_sending(&mut self) {
        let _ = self.stream.get_mut().shutdown(Shutdown::Write);
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> Response {
        self.send(request);
        self.receive()
    }

    /// The next answer.
    pub(crate) fn receive(&mut self) -> Response {
        let head = self.receive_head().unwrap();
        let body = self.receive_body(&head).unwrap();
        Response { head, body }
    }

    /// Status and headers of the next answer.
    pub(crate) fn receive_head(&mut self) -> io::Result<Head> {
        let status_line = self.line()?;
        let mut words = status_line.splitn(3, ' ');
        let version = words.next().unwrap_or_default().to_owned();
        let status = words.next().and_then(|word| word.parse().ok());
        let status =
            status.ok_or_else(|| io::Error::other(format!("no status: {status_line:?}")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        Ok(Head {
            version,
            status,
            headers,
        })
    }

    /// The body that belongs to `head`; an error if it is cut off.
    pub(crate) fn receive_body(&mut self, head: &Head) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        if head.status < 200 || [204, 304].contains(&head.status) {
            return Ok(body);
        }
        if head.header("transfer-encoding") == Some("chunked") {
            while self.receive_chunk(&mut body)? {}
        } else if let Some(length) = head.header("content-length") {
            body.resize(length.parse().map_err(io::Error::other)?, 0);
            self.stream.read_exact(&mut body)?;
        } else {
            self.stream.read_to_end(&mut body)?;
        }
        Ok(body)
    }

    /// Appends the next chunk of a chunked body; false for the last, empty one.
    pub(crate) fn receive_chunk(&mut self, body: &mut Vec<u8>) -> io::Result<bool> {
        let length = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
        let start = body.len();
        body.resize(start + length, 0);
        self.stream.read_exact(&mut body[start..])?;
        self.line()?;
        Ok(length > 0)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Waits until the service has closed the connection; ignores what it still sends.
    pub(crate) fn wait_until_closed(&mut self) {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "{error}"),
        }
    }
}

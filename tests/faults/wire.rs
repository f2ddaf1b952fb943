//! Persistent connections that cost the client next to nothing.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::service::{API_ID, API_KEY, Service, at};

pub(crate) struct Wire {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Wire {
    /// A connection to `service` with a timeout.
    pub(crate) fn open(service: &Service, patience: Duration) -> io::Result<Self> {
        let stream = TcpStream::connect(service.address())?;
        stream.set_nodelay(true)?;
        let wire = Self {
            stream: BufReader::new(stream),
            host: service.address().to_owned(),
        };
        wire.wait_for(patience)?;
        Ok(wire)
    }

    /// Changes the timeout.
    pub(crate) fn wait_for(&self, patience: Duration) -> io::Result<()> {
        self.stream.get_ref().set_read_timeout(Some(patience))
    }

    /// Uploads one reading; returns the status.
    pub(crate) fn upload(&mut self, sensor: &str, (ms, watts): (i64, f64)) -> io::Result<u16> {
        self.send(sensor, (ms, watts))?;
        self.answer()
    }

    /// Sends an upload without waiting for its answer.
    pub(crate) fn send(&mut self, sensor: &str, (ms, watts): (i64, f64)) -> io::Result<()> {
        let time = at(ms);
        let body = format!(
            r#"{{"sensor_id":"{sensor}","api_id":"{API_ID}","api_key":"{API_KEY}","time":"{time}","watts":{watts}}}"#
        );
        let request = format!(
            "POST /api/v0.2/elec HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())
    }

    /// The status of the next answer.
    pub(crate) fn answer(&mut self) -> io::Result<u16> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|text| text.parse().ok());
        let mut length = 0;
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(text) = line.strip_prefix("content-length:") {
                length = text.trim().parse().unwrap();
            }
        }
        self.stream.read_exact(&mut vec![0; length])?;
        status.ok_or_else(|| io::Error::other(format!("an answer begins {first:?}")))
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }
}

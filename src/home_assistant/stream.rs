//! A connection whose reads and writes end at a deadline, however slowly the other side sends.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::locks::lock;

/// The moment when all reads and writes of a connection fail.
#[derive(Clone, Debug)]
pub(super) struct Deadline(Arc<Mutex<Instant>>);

impl Deadline {
    pub(super) fn within(time: Duration) -> Self {
        Self(Arc::new(Mutex::new(Instant::now() + time)))
    }

    /// Moves it to this long from now.
    pub(super) fn extend(&self, time: Duration) {
        *lock(&self.0) = Instant::now() + time;
    }

    /// The time left.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if there is none.
    fn left(&self) -> io::Result<Duration> {
        let left = lock(&self.0).saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(left)
    }
}

/// A TCP connection with a deadline.
pub(super) struct DeadlineStream {
    stream: TcpStream,
    deadline: Deadline,
}

impl DeadlineStream {
    /// Connects to the first address of a host that accepts. Looking up the name takes as long as
    /// the system takes for it.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] for a name without an address; others of the system.
    pub(super) fn connect(host: &str, port: u16, deadline: Deadline) -> io::Result<Self> {
        let unknown = || io::Error::from(io::ErrorKind::NotFound);
        let mut last = unknown();
        // The system has several kinds of errors for this.
        for address in (host, port).to_socket_addrs().map_err(|_| unknown())? {
            match TcpStream::connect_timeout(&address, deadline.left()?) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(Self { stream, deadline });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// The system reports a time-out as one of two kinds of errors; callers get one.
fn timed_out(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
        _ => error,
    }
}

impl Read for DeadlineStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.deadline.left()?))?;
        self.stream.read(buffer).map_err(timed_out)
    }
}

impl Write for DeadlineStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.deadline.left()?))?;
        self.stream.write(bytes).map_err(timed_out)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush().map_err(timed_out)
    }
}

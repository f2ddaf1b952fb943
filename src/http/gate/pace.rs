//! Hands the web server one request at a time; later requests wait in the kernel, which slows their
//! client down.
//!
//! The web server parses all requests that it has read, however many, and keeps each parsed one,
//! which takes six kilobytes, until the ones before it are answered: 128 KiB of short requests take
//! some 20 MiB. It has no setting for this, so its reads go through [`Paced`]:
//!
//! - Between requests it gets the bytes up to the next empty line, which are one head. The bytes
//!   that arrived with them follow at once if they contain no empty line: usually a short body, and
//!   never a head.
//! - During a request it gets the bytes that its handler waits for: the body, up to its length, or
//!   as above if it comes in chunks; the last chunk ends with an empty line.
//! - While a client does not read its answers, it gets nothing.
//! - A client that has closed its sending side may wait for its answer, but not for long: most such
//!   clients have left, and working for them takes time from others.
//!
//! Heads that the web server refuses by itself get an answer that explains why, see
//! [`RefusalAnswer`], and the first head of a connection need not name a host. For all else, only
//! the pace depends on where an empty line is found; splitting the stream into requests is left to
//! the web server.

use std::io::{self, BufRead as _};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::rt::time::{Sleep, sleep};
use actix_web::web::Bytes;
use futures_util::Stream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::{Connection, MayRead};
use super::head::{Head, NO_HEAD, NO_HOST};
use super::refusal_answer::{RefusalAnswer, Transport};

/// The most bytes that are held back because they may belong to the next request.
const AHEAD_AT_MOST: usize = 4_096;

/// How long a client may wait after it has closed its side. `printf .. | nc -N` does so, and a
/// client that has left looks the same on the network.
const ANSWERED_WITHIN: Duration = if cfg!(test) {
    Duration::ZERO
} else {
    Duration::from_secs(10)
};
/// The stream of a connection, as seen by the web server.
pub(crate) struct Paced {
    stream: Pin<Box<dyn Transport>>,
    connection: Arc<Connection>,
    /// Bytes that were read but not handed over.
    ahead: Vec<u8>,
    /// The head being received, or the last one.
    head: Head,
    refusal: Option<RefusalAnswer>,
    /// Whether only line feeds and carriage returns have come since the last line feed.
    is_line_empty: bool,
    /// Whether a part was handed over that must be parsed before the next one.
    has_stepped: bool,
    /// Whether unsent bytes wait because the client does not read.
    is_stuck: bool,
    /// If the client has closed its side and was sent nothing since: until when it is assumed to be
    /// there.
    leaves: Option<Pin<Box<Sleep>>>,
}

impl Paced {
    pub(crate) fn new(stream: impl Transport + 'static, connection: Arc<Connection>) -> Self {
        Self {
            stream: Box::pin(stream),
            connection,
            ahead: Vec::new(),
            head: Head::default(),
            refusal: None,
            is_line_empty: true,
            has_stepped: false,
            is_stuck: false,
            leaves: None,
        }
    }

    /// A connection without TLS to an address that speaks it: its first head is refused.
    pub(crate) fn misplaced(stream: impl Transport + 'static, connection: Arc<Connection>) -> Self {
        let mut paced = Self::new(stream, connection);
        paced.head.is_misplaced = true;
        paced
    }

    pub(crate) fn connection(&self) -> Arc<Connection> {
        Arc::clone(&self.connection)
    }

    /// Reads ahead unless bytes are waiting. Pending until some arrive; also ready at the end of
    /// the stream.
    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            let mut space = [MaybeUninit::uninit(); AHEAD_AT_MOST];
            let mut read = ReadBuf::uninit(&mut space);
            ready!(self.stream.as_mut().poll_read(cx, &mut read))?;
            self.ahead.extend_from_slice(read.filled());
        }
        Poll::Ready(Ok(()))
    }

    /// Hands over the bytes up to the next empty line, and those after it if they contain no other
    /// empty line.
    fn poll_part(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_ahead(cx))?;
        let most = self.ahead.len().min(buffer.remaining());
        let came = self.ahead.get(..most).unwrap_or_default();
        let end = up_to_empty_line(came, &mut self.is_line_empty);
        let (head, rest) = came.split_at(end.unwrap_or(most));
        let next = self.connection.next_head();
        if let Some(next) = &next {
            if next.begins {
                self.head.clear();
            }
            self.head.add(head);
        }
        if self.head.is_misplaced {
            self.ahead.clear();
            self.has_stepped = true;
            buffer.put_slice(NO_HEAD);
            return Poll::Ready(Ok(()));
        }
        let is_first = next.is_some_and(|next| next.is_first);
        let lacks_host = is_first && end.is_some() && self.head.lacks_host();
        let mut is_line_empty = self.is_line_empty;
        let part = if up_to_empty_line(rest, &mut is_line_empty).is_some() {
            head
        } else {
            self.is_line_empty = is_line_empty;
            came
        };
        self.connection.part_read(part.len() - head.len());
        // At the end of the stream, the web server reads again by itself.
        self.has_stepped = !part.is_empty();
        let length = part.len();
        let before = head.strip_suffix(b"\r\n").filter(|_| lacks_host);
        if let Some(before) = before
            && buffer.remaining() >= length + NO_HOST.len()
        {
            buffer.put_slice(before);
            buffer.put_slice(NO_HOST);
            let done = before.len();
            self.ahead.drain(..done);
            buffer.put_slice(self.ahead.drain(..length - done).as_slice());
        } else {
            buffer.put_slice(self.ahead.drain(..length).as_slice());
        }
        Poll::Ready(Ok(()))
    }

    /// Hands over some of the `left` bytes of a body.
    fn poll_body(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        left: usize,
    ) -> Poll<io::Result<()>> {
        self.is_line_empty = true;
        let most = left.min(buffer.remaining());
        let count = if self.ahead.is_empty() {
            let mut read = ReadBuf::new(buffer.initialize_unfilled_to(most));
            ready!(self.stream.as_mut().poll_read(cx, &mut read))?;
            let count = read.filled().len();
            buffer.advance(count);
            count
        } else {
            let count = most.min(self.ahead.len());
            buffer.put_slice(self.ahead.drain(..count).as_slice());
            count
        };
        self.connection.body_read(count);
        Poll::Ready(Ok(()))
    }

    /// During a request, waits, and fails once the client has left.
    fn poll_stay(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.poll_ahead(cx)?.is_pending() {
            return Poll::Pending;
        }
        // Otherwise arriving bytes wake this task, so that the end of a request need not.
        self.connection.wait();
        if self.ahead.is_empty() && !self.is_stuck {
            let leaves = || Box::pin(sleep(ANSWERED_WITHIN));
            let leaves = self.leaves.get_or_insert_with(leaves);
            ready!(leaves.as_mut().poll(cx));
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Poll::Pending
    }

    fn set_stuck(&mut self, is_stuck: bool) {
        if self.is_stuck != is_stuck {
            self.is_stuck = is_stuck;
            self.connection.set_stuck(is_stuck);
        }
    }
}

impl AsyncRead for Paced {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.has_stepped {
            // The web server reads until it must wait. So make it wait; it reads again as soon as
            // there is more.
            self.has_stepped = false;
            if self.poll_ahead(cx).is_ready() {
                cx.waker().wake_by_ref();
            }
            return Poll::Pending;
        }
        match self.connection.may_read(cx) {
            MayRead::Nothing => self.poll_stay(cx),
            MayRead::Part => self.poll_part(cx, buffer),
            MayRead::Body(left) => self.poll_body(cx, buffer, left),
            MayRead::End => Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
        }
    }
}

impl AsyncWrite for Paced {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.refusal.is_none() && self.connection.is_last_refused() && !self.head.is_empty() {
            self.refusal = status_of_refusal(bytes).map(|status| {
                let mut refused = self.head.refused(status);
                let answer = refused.answer();
                self.connection.refuse(refused);
                RefusalAnswer::new(answer)
            });
        }
        let this = &mut *self;
        if let Some(refusal) = &mut this.refusal {
            // Replaces the pending write, because other connections may need its place.
            if this.connection.may_read(cx) == MayRead::End {
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
            ready!(refusal.poll(this.stream.as_mut(), cx))?;
            return Poll::Ready(Ok(bytes.len()));
        }
        let polled = self.stream.as_mut().poll_write(cx, bytes);
        self.leaves = None;
        if polled.is_pending() {
            self.set_stuck(true);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = self.stream.as_mut().poll_flush(cx);
        // The web server flushes whenever it has written everything.
        self.set_stuck(polled.is_pending());
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(cx)
    }
}

/// The status of an answer by which the web server refuses a malformed request; `None` for other
/// answers.
fn status_of_refusal(answer: &[u8]) -> Option<StatusCode> {
    let rest = answer.strip_prefix(b"HTTP/1.")?.get(2..)?;
    let status = StatusCode::from_bytes(rest.get(..3)?).ok()?;
    let (line, rest) = rest.split_at_checked(rest.iter().position(|byte| *byte == b'\n')? + 1)?;
    let is_bare = line.ends_with(b"\r\n") && rest.starts_with(b"content-length: 0\r\n");
    let is_refusal = matches!(status.as_u16(), 400 | 408 | 431);
    (is_bare && is_refusal).then_some(status)
}

/// The length up to and including the first empty line, if there is one. `is_line_empty` says
/// whether only line feeds and carriage returns have come since the last line feed, before `bytes`,
/// and is updated for the bytes that follow.
fn up_to_empty_line(bytes: &[u8], is_line_empty: &mut bool) -> Option<usize> {
    let mut rest = bytes;
    loop {
        let line = rest;
        // Reading from memory never fails.
        let length = rest.skip_until(b'\n').unwrap_or_default();
        let line = line.get(..length)?;
        let has_ended = *line.last()? == b'\n';
        let is_empty = *is_line_empty && line.iter().all(|byte| b"\r\n".contains(byte));
        *is_line_empty = is_empty || has_ended;
        if is_empty && has_ended {
            return Some(bytes.len() - rest.len());
        }
    }
}

/// The body of a request; more of it is read only when the handler waits for it.
pub(super) struct PacedBody {
    body: Payload,
    connection: Arc<Connection>,
    /// The announced number of bytes; `None` if the body comes in chunks.
    length: Option<usize>,
}

impl PacedBody {
    /// The body of a request that announced `length` bytes.
    pub(super) fn payload(
        body: Payload,
        connection: Arc<Connection>,
        length: Option<usize>,
    ) -> Payload {
        Payload::Stream {
            payload: Box::pin(Self {
                body,
                connection,
                length,
            }),
        }
    }
}

impl Stream for PacedBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.body).poll_next(cx);
        match &polled {
            Poll::Pending => self.connection.body_wanted(self.length),
            Poll::Ready(_) => self.connection.body_came(),
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::net::Ipv4Addr;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, Waker};

    use proptest::prelude::*;
    use tokio::io::{AsyncWriteExt as _, DuplexStream, duplex};

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A connection, its client's end, and how often its task was woken.
    struct Opened {
        client: DuplexStream,
        paced: Paced,
        wakes: Arc<Wakes>,
    }

    impl Opened {
        fn new() -> Self {
            let (client, stream) = duplex(1 << 16);
            let address = Ipv4Addr::LOCALHOST.into();
            let connection = Arc::new(Connection::new(Some(address), false));
            Self {
                client,
                paced: Paced::new(stream, connection),
                wakes: Arc::default(),
            }
        }

        fn connection(&self) -> &Connection {
            &self.paced.connection
        }

        fn send(&mut self, text: &str) {
            let sent = self.client.write_all(text.as_bytes());
            futures_util::FutureExt::now_or_never(sent)
                .unwrap()
                .unwrap();
        }

        /// Returns the bytes that the web server reads until it must wait.
        fn read(&mut self) -> String {
            let waker = Waker::from(Arc::clone(&self.wakes));
            let mut text = Vec::new();
            loop {
                let mut space = [0; 1 << 13];
                let mut buffer = ReadBuf::new(&mut space);
                let mut cx = Context::from_waker(&waker);
                match Pin::new(&mut self.paced).poll_read(&mut cx, &mut buffer) {
                    Poll::Ready(read) => read.unwrap(),
                    Poll::Pending => return String::from_utf8(text).unwrap(),
                }
                assert!(!buffer.filled().is_empty(), "the stream has ended");
                text.extend_from_slice(buffer.filled());
            }
        }

        /// How often `act` wakes the task.
        fn woken_by(&mut self, act: impl FnOnce(&mut Self)) -> usize {
            let before = self.wakes.0.load(Ordering::Relaxed);
            act(self);
            self.wakes.0.load(Ordering::Relaxed) - before
        }
    }

    const HEAD: &str = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n";

    #[test]
    fn a_head_comes_with_a_short_body_and_never_with_another_head() {
        let mut opened = Opened::new();
        opened.send(&format!("{HEAD}abcd"));
        assert_eq!(opened.read(), format!("{HEAD}abcd"));
        opened.send(&format!("{HEAD}abcd{HEAD}ab"));
        opened.connection().begin();
        assert_eq!(opened.read(), "");
        opened.connection().end();
        assert_eq!(opened.read(), HEAD);
        opened.connection().begin();
        opened.connection().body_wanted(Some(4));
        assert_eq!(opened.read(), "abcd");
        opened.connection().body_came();
        assert_eq!(opened.read(), "");
        opened.connection().end();
        assert_eq!(opened.read(), format!("{HEAD}ab"));
    }

    #[test]
    fn of_a_body_whose_begin_came_with_the_head_only_the_rest_is_read() {
        let mut opened = Opened::new();
        opened.send(&format!("{HEAD}ab"));
        assert_eq!(opened.read(), format!("{HEAD}ab"));
        opened.connection().begin();
        opened.connection().body_wanted(Some(4));
        opened.send("cdGET / HTTP/1.1\r\n\r\n");
        assert_eq!(opened.read(), "cd");
        assert_eq!(opened.read(), "");
    }

    #[test]
    fn only_what_waits_for_the_end_of_a_request_is_woken_by_it() {
        let mut opened = Opened::new();
        opened.send(HEAD);
        assert_eq!(opened.woken_by(|opened| assert_eq!(opened.read(), HEAD)), 0);
        opened.connection().begin();
        assert_eq!(opened.read(), "");
        assert_eq!(opened.woken_by(|opened| opened.connection().end()), 0);
        assert_eq!(opened.woken_by(|opened| opened.send(HEAD)), 1);
        assert_eq!(opened.read(), HEAD);
        opened.connection().begin();
        assert_eq!(opened.woken_by(|opened| opened.send(HEAD)), 1);
        assert_eq!(opened.read(), "");
        assert_eq!(opened.woken_by(|opened| opened.connection().end()), 1);
        assert_eq!(opened.read(), HEAD);
    }

    #[tokio::test]
    async fn whoever_sends_nothing_any_more_has_left() {
        let mut opened = Opened::new();
        opened.send(HEAD);
        assert_eq!(opened.read(), HEAD);
        opened.connection().begin();
        assert_eq!(opened.read(), "");
        let gone = duplex(1).0;
        drop(std::mem::replace(&mut opened.client, gone));
        let left = poll_fn(|cx| {
            let mut space = [0; 16];
            Pin::new(&mut opened.paced).poll_read(cx, &mut ReadBuf::new(&mut space))
        });
        let error = left.await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionAborted);
    }

    /// Where empty lines end.
    fn ends_of_empty_lines(text: &str) -> Vec<usize> {
        let ends = text.match_indices('\n').map(|(place, _)| place + 1);
        let is_empty = |end: &usize| {
            let line = text[..end - 1].trim_end_matches('\r');
            line.is_empty() || line.ends_with('\n')
        };
        ends.filter(is_empty).collect()
    }

    proptest! {
        /// However the bytes arrive, all are handed over in order, and no step goes past a second
        /// empty line.
        #[test]
        fn no_step_has_two_empty_lines(
            pieces in proptest::collection::vec("[a\r\n]{1,9}", 1..9),
        ) {
            let mut opened = Opened::new();
            let text = pieces.concat();
            let ends = ends_of_empty_lines(&text);
            let mut read = 0;
            let mut step = |opened: &mut Opened| {
                let came = opened.read();
                assert_eq!(Some(&*came), text.get(read..read + came.len()));
                let inside = ends.iter().filter(|end| (read + 1..=read + came.len()).contains(*end));
                assert!(inside.count() <= 1, "{came:?}");
                read += came.len();
                !came.is_empty()
            };
            for piece in &pieces {
                opened.send(piece);
                step(&mut opened);
            }
            while step(&mut opened) {}
            assert_eq!(read, text.len());
        }
    }
}

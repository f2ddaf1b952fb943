//! Hands the web server one request at a time; what follows waits in the kernel and slows its client down.
//!
//! The web server parses all requests that it has read, whatever their number, and keeps each parsed one, which takes six
//! kilobytes, until the ones before it are answered: 128 KiB of short requests take some 20 MiB. It has no setting for this.
//! So its reads go through [`Paced`]:
//!
//! - Between requests it gets what comes up to the next empty line: that is one head.
//! - During a request it gets what its handler waits for: the body, up to its length, or up to the next empty line if it comes
//!   in chunks; the last chunk ends with one.
//! - While a client does not read its answers, it gets nothing.
//!
//! Only the pace depends on where an empty line is found. How requests are told apart is the web server's business.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_util::Stream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::{Connection, MayRead};

/// The most bytes that are kept here because they may belong to the next request.
const AHEAD_AT_MOST: usize = 4_096;

/// A stream of bytes, with TLS or without.
pub(crate) trait Transport: AsyncRead + AsyncWrite {}
impl<T: AsyncRead + AsyncWrite> Transport for T {}

/// The stream of a connection, as the web server has it.
pub(crate) struct Paced {
    stream: Pin<Box<dyn Transport>>,
    connection: Arc<Connection>,
    /// What was read and not handed over.
    ahead: Bytes,
    /// Whether only line feeds and carriage returns came since the last line feed.
    is_line_empty: bool,
    /// Whether a part was handed over, which is to be parsed before the next one.
    has_stepped: bool,
    /// Whether bytes wait until the client reads.
    is_stuck: bool,
}

impl Paced {
    pub(crate) fn new(stream: impl Transport + 'static, connection: Arc<Connection>) -> Self {
        Self {
            stream: Box::pin(stream),
            connection,
            ahead: Bytes::new(),
            is_line_empty: true,
            has_stepped: false,
            is_stuck: false,
        }
    }

    pub(crate) fn connection(&self) -> Arc<Connection> {
        Arc::clone(&self.connection)
    }

    /// Hands over what comes up to the next empty line.
    fn poll_part(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            let mut space = [0; AHEAD_AT_MOST];
            let mut read = ReadBuf::new(&mut space);
            ready!(self.stream.as_mut().poll_read(cx, &mut read))?;
            self.ahead = Bytes::copy_from_slice(read.filled());
        }
        let part = self.ahead.iter().take(buffer.remaining());
        let mut length = 0;
        for byte in part {
            length += 1;
            let was_empty = self.is_line_empty;
            self.is_line_empty = *byte == b'\n' || was_empty && *byte == b'\r';
            if *byte == b'\n' && was_empty {
                break;
            }
        }
        buffer.put_slice(&self.ahead.split_to(length));
        // At the end of the stream, the web server comes back by itself.
        self.has_stepped = length > 0;
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
            buffer.put_slice(&self.ahead.split_to(count));
            count
        };
        self.connection.body_read(count);
        Poll::Ready(Ok(()))
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
            // The web server reads until it has to wait. So it has to, and comes back at once.
            self.has_stepped = false;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        match self.connection.may_read(cx) {
            MayRead::Nothing => Poll::Pending,
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
        let polled = self.stream.as_mut().poll_write(cx, bytes);
        if polled.is_pending() {
            self.set_stuck(true);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = self.stream.as_mut().poll_flush(cx);
        // The web server flushes whenever all that it had is written.
        self.set_stuck(polled.is_pending());
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(cx)
    }
}

/// The body of a request, of which more is read only when the handler waits for it.
pub(super) struct PacedBody {
    body: Payload,
    connection: Arc<Connection>,
    /// The bytes that have not been delivered; `None` if the body comes in chunks.
    left: Option<usize>,
}

impl PacedBody {
    /// The body of a request that announced `length` bytes.
    pub(super) fn payload(
        body: Payload,
        connection: Arc<Connection>,
        length: Option<usize>,
    ) -> Payload {
        let left = length;
        Payload::Stream {
            payload: Box::pin(Self {
                body,
                connection,
                left,
            }),
        }
    }
}

impl Stream for PacedBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.body).poll_next(cx);
        match &polled {
            Poll::Pending => self.connection.body_wanted(self.left),
            Poll::Ready(part) => {
                if let Some(Ok(bytes)) = part {
                    self.left = self.left.map(|left| left.saturating_sub(bytes.len()));
                }
                self.connection.body_came();
            }
        }
        polled
    }
}

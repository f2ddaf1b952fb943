//! The answer to a head that the web server refuses.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::rt::time::{Sleep, sleep};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How long, and how much, a refused connection is read before it is closed. Closing with unread
/// bytes would make the client's system drop the answer.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_AT_MOST: usize = 1 << 20;
const AT_ONCE: usize = 4_096;

/// A stream of bytes, with TLS or without.
pub(crate) trait Transport: AsyncRead + AsyncWrite {}
impl<T: AsyncRead + AsyncWrite> Transport for T {}

/// The answer to a head that the web server refuses. The web server itself would send the bare
/// status and close the connection at once.
pub(super) struct RefusalAnswer {
    answer: Vec<u8>,
    written: usize,
    is_shut: bool,
    drained: usize,
    end: Pin<Box<Sleep>>,
}

impl RefusalAnswer {
    pub(super) fn new(answer: Vec<u8>) -> Self {
        Self {
            answer,
            written: 0,
            is_shut: false,
            drained: 0,
            end: Box::pin(sleep(LINGER)),
        }
    }

    /// Sends the answer, and reads what the client is still sending.
    pub(super) fn poll(
        &mut self,
        mut stream: Pin<&mut dyn Transport>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        if self.end.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        while let Some(left) = self
            .answer
            .get(self.written..)
            .filter(|left| !left.is_empty())
        {
            match ready!(stream.as_mut().poll_write(cx, left))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.written += written,
            }
        }
        if !self.is_shut {
            ready!(stream.as_mut().poll_flush(cx))?;
            ready!(stream.as_mut().poll_shutdown(cx))?;
            self.is_shut = true;
        }
        while self.drained < LINGER_AT_MOST {
            let mut space = [MaybeUninit::uninit(); AT_ONCE];
            let mut read = ReadBuf::uninit(&mut space);
            ready!(stream.as_mut().poll_read(cx, &mut read))?;
            if read.filled().is_empty() {
                break;
            }
            self.drained += read.filled().len();
        }
        Poll::Ready(Ok(()))
    }
}

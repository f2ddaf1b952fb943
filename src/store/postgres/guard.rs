//! A guard between PostgreSQL and the client library: it reads the headers of PostgreSQL's messages
//! first. A false server gets neither much memory nor a password in clear text before it has shown
//! that it knows the password.
//!
//! A message is a letter, four bytes with its length (including themselves, but not the letter),
//! and a body. Until the first `Z` (ready), PostgreSQL and its client negotiate. The next ones end
//! the answers to the first queries of every connection, which check whether the server is fit.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsStream};

/// The maximum number of messages until PostgreSQL is ready; it sends some twenty short ones. And
/// the maximum number of their bytes, which holds for the first answers, too.
const MOST_GREETINGS: usize = 256;
const LONGEST_GREETING: usize = 256 * 1024;
/// The number of times that the server is ready before longer answers are allowed.
const SHORT_ANSWERS: usize = 3;
/// The maximum length of later messages: far longer than a row of any table.
const LONGEST_MESSAGE: usize = 64 * 1024 * 1024;
/// The maximum number of parameter changes while a connection is used, such as when PostgreSQL
/// reloads its settings. The library keeps them all.
const MOST_CHANGES: usize = 10_000;
/// The maximum number of SCRAM rounds, whose calculation blocks everything else. PostgreSQL's
/// default is 4096.
const MOST_ROUNDS: u64 = 1_000_000;

const AUTHENTICATION: u8 = b'R';
const PARAMETER: u8 = b'S';
const READY: u8 = b'Z';
/// The server may ask for the password, or for a proof that the client knows it.
const ASKS_CLEAR_TEXT: u32 = 3;
const CONTINUES_SCRAM: u32 = 11;

/// Reasons to give up a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Unfit {
    /// It asks for the password itself.
    #[error("it asks for the password in clear text")]
    ClearText,
    /// A length is invalid.
    #[error("it does not speak PostgreSQL's protocol")]
    NoMessage,
    /// It sends more than PostgreSQL does.
    #[error("it sends more than PostgreSQL does before it is asked for readings")]
    TooMuch,
    /// A message is too long.
    #[error("it sends a message of more than {LONGEST_MESSAGE} bytes")]
    TooLong,
    /// It asks for too much calculation.
    #[error("it asks for more than {MOST_ROUNDS} rounds of SCRAM")]
    TooSlow,
}

/// A parser of PostgreSQL's messages.
struct Messages {
    allows_clear_text: bool,
    /// How often PostgreSQL was ready.
    ready: usize,
    /// The number of limited messages so far, and the bytes of a short answer so far.
    count: usize,
    bytes: usize,
    /// The received part of the current message's header.
    head: Vec<u8>,
    /// The number of bytes missing from its body.
    left: usize,
    /// The body, if it is inspected.
    body: Option<Vec<u8>>,
}

/// The connection to PostgreSQL, encrypted or not.
pub(crate) struct Guarded<S> {
    stream: S,
    messages: Messages,
}

impl Messages {
    const fn new(allows_clear_text: bool) -> Self {
        Self {
            allows_clear_text,
            ready: 0,
            count: 0,
            bytes: 0,
            head: Vec::new(),
            left: 0,
            body: None,
        }
    }

    /// Inspects received bytes.
    fn look(&mut self, mut came: &[u8]) -> Result<(), Unfit> {
        if self.ready < SHORT_ANSWERS {
            self.bytes = self.bytes.saturating_add(came.len());
            if self.bytes > LONGEST_GREETING {
                return Err(Unfit::TooMuch);
            }
        }
        while !came.is_empty() {
            if self.left > 0 {
                let (body, rest) = came.split_at(self.left.min(came.len()));
                self.left -= body.len();
                if let Some(known) = &mut self.body {
                    known.extend_from_slice(body);
                }
                came = rest;
            } else {
                let (head, rest) = came.split_at((5 - self.head.len()).min(came.len()));
                self.head.extend_from_slice(head);
                came = rest;
                if let Ok(head) = <[u8; 5]>::try_from(self.head.as_slice()) {
                    self.head.clear();
                    self.begin(head)?;
                }
            }
            if self.left == 0
                && let Some(body) = self.body.take()
            {
                self.check_authentication(&body)?;
            }
        }
        Ok(())
    }

    /// Begins a message.
    fn begin(&mut self, [kind, length @ ..]: [u8; 5]) -> Result<(), Unfit> {
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        self.left = length.checked_sub(4).ok_or(Unfit::NoMessage)?;
        if self.left > LONGEST_MESSAGE {
            return Err(Unfit::TooLong);
        }
        if kind == READY {
            self.ready = self.ready.saturating_add(1);
            self.bytes = 0;
        }
        if self.ready > 0 {
            self.count += usize::from(kind == PARAMETER);
            return if self.count > MOST_CHANGES {
                Err(Unfit::TooMuch)
            } else {
                Ok(())
            };
        }
        self.count += 1;
        if self.count > MOST_GREETINGS || self.left > LONGEST_GREETING {
            return Err(Unfit::TooMuch);
        }
        if kind == AUTHENTICATION {
            self.body = Some(Vec::new());
        }
        Ok(())
    }

    /// Inspects an authentication request.
    fn check_authentication(&self, body: &[u8]) -> Result<(), Unfit> {
        let (asked, rest) = body.split_first_chunk().ok_or(Unfit::NoMessage)?;
        match u32::from_be_bytes(*asked) {
            ASKS_CLEAR_TEXT if !self.allows_clear_text => Err(Unfit::ClearText),
            CONTINUES_SCRAM => {
                let text = String::from_utf8_lossy(rest);
                let rounds = text.split(',').find_map(|part| part.strip_prefix("i="));
                let rounds = rounds.and_then(|rounds| rounds.parse::<u64>().ok());
                // The library reports other problems.
                if rounds > Some(MOST_ROUNDS) {
                    Err(Unfit::TooSlow)
                } else {
                    Ok(())
                }
            }
            _ => Ok(()),
        }
    }
}

impl<S> Guarded<S> {
    /// Guards a connection. `allows_clear_text`: whether the password may be sent in clear text.
    pub(crate) const fn new(stream: S, allows_clear_text: bool) -> Self {
        Self {
            stream,
            messages: Messages::new(allows_clear_text),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let came = buffer.filled().get(before..).unwrap_or_default();
        let looked = self.messages.look(came);
        Poll::Ready(looked.map_err(|unfit| io::Error::new(io::ErrorKind::InvalidData, unfit)))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Guarded<S> {
    fn channel_binding(&self) -> ChannelBinding {
        // It would prove that the server knows the password. The certificate, which is always
        // verified, proves its name already.
        ChannelBinding::none()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind], &length[..], body].concat()
    }

    fn asks(what: u32, text: &str) -> Vec<u8> {
        message(
            AUTHENTICATION,
            &[&what.to_be_bytes(), text.as_bytes()].concat(),
        )
    }

    /// Feeds messages in pieces of this many bytes.
    fn look(parts: &[Vec<u8>], piece: usize, allows_clear_text: bool) -> Result<(), Unfit> {
        let mut messages = Messages::new(allows_clear_text);
        let all = parts.concat();
        all.chunks(piece).try_for_each(|came| {
            let looked = messages.look(came);
            // The kept bytes are bounded, too.
            assert!(messages.body.iter().map(Vec::len).sum::<usize>() <= LONGEST_GREETING);
            looked
        })
    }

    proptest! {
        #[test]
        fn postgres_is_let_through_and_others_are_not(piece in 1_usize..5_000) {
            let ready = message(READY, b"I");
            let parameter = message(PARAMETER, b"a\0b\0");
            let usual = vec![
                asks(10, "SCRAM-SHA-256\0\0"),
                asks(CONTINUES_SCRAM, "r=abc,s=c2FsdA==,i=4096"),
                asks(12, "v=abc"),
                asks(0, ""),
                parameter.repeat(20),
                ready.clone(),
                ready.repeat(2),
                message(b'D', &vec![0; 1 << 20]),
                ready.clone(),
            ];
            prop_assert_eq!(look(&usual, piece, false), Ok(()));
            let notice = message(b'N', b"SNOTICE\0C00000\0Mhello\0\0");
            let password = vec![asks(ASKS_CLEAR_TEXT, "")];
            prop_assert_eq!(look(&password, piece, true), Ok(()));
            for (sent, unfit) in [
                (password, Unfit::ClearText),
                (vec![asks(CONTINUES_SCRAM, "r=a,s=b,i=4294967295")], Unfit::TooSlow),
                (vec![asks(0, ""), notice.repeat(300)], Unfit::TooMuch),
                (vec![asks(0, ""), parameter.repeat(300)], Unfit::TooMuch),
                (vec![message(b'N', &vec![b'x'; LONGEST_GREETING])], Unfit::TooMuch),
                (vec![b"N\x7f\xff\xff\xf0xxx".to_vec()], Unfit::TooLong),
                (vec![b"HTTP/1.1 400".to_vec()], Unfit::TooLong),
                (vec![b"R\0\0\0\x03".to_vec()], Unfit::NoMessage),
                (vec![ready.clone(), parameter.repeat(MOST_CHANGES + 1)], Unfit::TooMuch),
                (vec![ready.repeat(2), message(b'D', b"row").repeat(100_000)], Unfit::TooMuch),
                (vec![ready, b"D\x7f\xff\xff\xf0".to_vec()], Unfit::TooLong),
            ] {
                prop_assert_eq!(look(&sent, piece, false), Err(unfit));
            }
        }
    }
}

//! Whole answers while their clients read them: together they take a fixed amount of memory, for any
//! number of clients that do not read.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;

use super::budget::{Budget, Reservation};
use super::error::ApiError;

/// The memory of all of them, in bytes. The longest pages have some megabytes: the quarter of one
/// client suffices for one.
const WHOLE: usize = 32 * 1024 * 1024;
/// The bytes that are handed to a connection at once. A shorter answer does not count.
const PIECE: usize = 16 * 1024;

/// The memory that whole answers may take together.
pub(crate) struct HeldAnswers(Arc<Budget>);

/// An answer whose memory counts until its client has read it.
struct HeldAnswer {
    rest: Bytes,
    _reserved: Reservation,
}

impl Default for HeldAnswers {
    fn default() -> Self {
        Self(Arc::new(Budget::new(WHOLE)))
    }
}

impl HeldAnswers {
    /// The body of an answer to `client`, which counts from now on. Streams bound themselves.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if clients do not read the answers that are held already.
    pub(crate) fn hold(&self, client: IpAddr, body: BoxBody) -> Result<BoxBody, ApiError> {
        match body.size() {
            BodySize::Sized(length) if length > PIECE as u64 => {}
            _ => return Ok(body),
        }
        let rest = match body.try_into_bytes() {
            Ok(bytes) => bytes,
            Err(body) => return Ok(body),
        };
        let mut reserved = self.0.reservation(client);
        if !reserved.grow_to(rest.len()) {
            return Err(ApiError::Overloaded);
        }
        Ok(BoxBody::new(HeldAnswer {
            rest,
            _reserved: reserved,
        }))
    }
}

impl MessageBody for HeldAnswer {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rest.len() as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let length = self.rest.len().min(PIECE);
        // In pieces, because the connection copies what it gets, and asks for more once it is sent.
        let piece = self.rest.split_to(length);
        Poll::Ready((!piece.is_empty()).then_some(Ok(piece)))
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use actix_web::body::to_bytes;

    use super::*;

    const fn client(number: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(127, 0, 0, number))
    }

    #[tokio::test]
    async fn answers_that_nobody_reads_take_a_bounded_amount() {
        let held = HeldAnswers::default();
        let answer = |from, length: usize| held.hold(client(from), BoxBody::new(vec![7; length]));
        let mut unread = Vec::new();
        for from in 1..=6 {
            while let Ok(body) = answer(from, 1 << 20) {
                unread.push(body);
            }
        }
        assert_eq!(unread.len(), WHOLE >> 20);
        // Short ones are answered anyway, and answers that were read make room.
        assert!(answer(1, PIECE).is_ok());
        let whole = to_bytes(unread.remove(0)).await.unwrap();
        assert_eq!(whole, vec![7; 1 << 20]);
        assert!(answer(2, 1 << 20).is_err());
        assert!(answer(1, 1 << 20).is_ok());
    }
}

//! Request bodies within limits: size before and after decompression, time, work, and the memory
//! that all bodies take together.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use actix_web::web::{self, Bytes};
use futures_util::StreamExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::budget::{Budget, Reservation};
use super::inflate::{Inflating, Packing, Unpacked};
use crate::config::HttpConfig;
use crate::http::wire::error::ApiError;
use crate::store::Asker;

/// A body up to this size takes nothing from the common budget and is parsed at once. A larger one
/// takes its size from the budget and is parsed off the async workers.
///
/// Uploads of single readings are far smaller, so a flood of large bodies does not delay them.
pub(crate) const SMALL: usize = 64 * 1024;
/// A compressed body is unpacked at once up to [`SMALL`] bytes and this many blocks, which is less
/// than a millisecond's work. A larger one is unpacked off the async workers.
const FEW_BLOCKS: usize = 64;
/// The most compressed bodies of strangers that may wait while holding part of the budget: together
/// a quarter of it at most, as much as one client may have.
const HOLDING_STRANGERS: usize = 4;

/// The most bytes of a body, before and after decompression. Each resource declares its own; one that
/// declares none takes [`LEAST`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum BodySize {
    /// As many as an upload of readings may have, by the setting.
    Readings,
    /// So many, unless the setting allows less.
    AtMost(usize),
}

/// The most bytes where nothing is declared.
const LEAST: usize = 4 * 1024;

impl Default for BodySize {
    fn default() -> Self {
        Self::AtMost(LEAST)
    }
}

/// The limits on bodies.
pub(crate) struct BodyLimits {
    /// The most bytes of any body, before and after decompression.
    largest: usize,
    /// The time for a whole body to arrive.
    time: Duration,
    /// The bytes that large bodies may take together.
    budget: Arc<Budget>,
    /// Held while a large body of a stranger is unpacked, so that any number of strangers keep only
    /// one thread busy.
    strangers: Arc<Semaphore>,
    /// Held by bodies that wait for that while holding part of the budget.
    holding_strangers: Arc<Semaphore>,
}

/// The sender of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodySender {
    /// The address whose share of the budget is used.
    pub(crate) client: IpAddr,
    /// Whether the head of the request has valid credentials.
    pub(crate) is_known: bool,
}

/// A body, and the memory reserved for it and for the values parsed from it.
pub(crate) struct Body {
    /// The decompressed body.
    pub(crate) bytes: Vec<u8>,
    /// Must be held as long as anything parsed from the bytes.
    pub(crate) reserved: Reservation,
}

impl BodyLimits {
    pub(crate) fn new(config: &HttpConfig) -> Self {
        /// Large enough for a few bodies even with the smallest limits.
        const LEAST_BUDGET: usize = 8 * 1024 * 1024;
        let largest = config.max_body;
        Self {
            largest,
            time: config.request_timeout,
            budget: Arc::new(Budget::new(largest.saturating_mul(16).max(LEAST_BUDGET))),
            strangers: Arc::new(Semaphore::new(1)),
            holding_strangers: Arc::new(Semaphore::new(HOLDING_STRANGERS)),
        }
    }

    /// The limits on uploads of prices, which are read one at a time.
    pub(crate) fn of_prices(config: &HttpConfig) -> Self {
        /// In bytes: ten years of quarters of an hour as a table take 10 MB.
        const LARGEST: usize = 16 * 1024 * 1024;
        Self {
            largest: LARGEST,
            // Compressed and decompressed bytes are in memory together, and one client may take a
            // quarter.
            budget: Arc::new(Budget::new(LARGEST.saturating_mul(8))),
            ..Self::new(config)
        }
    }

    /// Takes the turn of strangers, for tests that keep it.
    #[cfg(test)]
    pub(crate) fn take_strangers_turn(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.strangers).try_acquire_owned().unwrap()
    }

    const fn most(&self, size: BodySize) -> usize {
        match size {
            BodySize::AtMost(most) if most < self.largest => most,
            _ => self.largest,
        }
    }

    /// Reads the body of a request and decompresses it.
    ///
    /// # Errors
    /// [`ApiError::UnsupportedEncoding`], [`ApiError::BodyTooLarge`], [`ApiError::RequestTimeout`],
    /// [`ApiError::Overloaded`]; [`ApiError::MalformedJson`] if the body breaks off or is not valid
    /// gzip.
    pub(crate) async fn read(
        &self,
        headers: &HeaderMap,
        payload: web::Payload,
        (size, sender): (BodySize, BodySender),
    ) -> Result<Body, ApiError> {
        let most = self.most(size);
        let packed = is_gzip(headers)?;
        let announced = headers
            .get(CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if announced.is_some_and(|length| length > most) {
            return Err(ApiError::BodyTooLarge(most));
        }
        let deadline = Instant::now() + self.time;
        let body = self.collect((payload, announced), most, sender, deadline);
        let body = timeout_at(deadline, body).await;
        let body = body.map_err(|_| ApiError::RequestTimeout(self.time))??;
        // Some clients send `Content-Encoding: gzip` with an empty body, too.
        if packed && !body.bytes.is_empty() {
            self.unpack_until(deadline, body, (Packing::Gzip, most), sender)
                .await
        } else {
            Ok(body)
        }
    }

    /// Reads the chunks of a body as they arrive.
    async fn collect(
        &self,
        (mut payload, announced): (web::Payload, Option<usize>),
        most: usize,
        sender: BodySender,
        deadline: Instant,
    ) -> Result<Body, ApiError> {
        let mut body = Body {
            // The announced length is only a claim, so it allocates no more than a small body
            // takes.
            bytes: Vec::with_capacity(announced.unwrap_or(0).min(SMALL)),
            reserved: self.budget.reservation(sender.client),
        };
        while let Some(chunk) = payload.next().await {
            let chunk: Bytes = chunk.map_err(|_| {
                ApiError::MalformedJson("the body broke off or is not framed as announced".into())
            })?;
            let length = body.bytes.len() + chunk.len();
            if length > most {
                return Err(ApiError::BodyTooLarge(most));
            }
            if length > SMALL {
                if body.reserved.bytes() == 0 {
                    let whole = announced.unwrap_or(length).max(length);
                    self.wait_for(sender, whole, deadline).await?;
                    body.bytes.reserve_exact(whole - body.bytes.len());
                }
                // Only for bytes that have arrived: a client that announces much and sends little
                // takes little from others.
                reserve(&mut body, length)?;
            }
            body.bytes.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Decompresses a body, or a decoded part of one, that no header declares as compressed.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) async fn unpack(
        &self,
        body: Body,
        packing: Packing,
        sender: BodySender,
    ) -> Result<Body, ApiError> {
        let deadline = Instant::now() + self.time;
        self.unpack_until(deadline, body, (packing, self.largest), sender)
            .await
    }

    async fn unpack_until(
        &self,
        deadline: Instant,
        mut body: Body,
        (packing, largest): (Packing, usize),
        sender: BodySender,
    ) -> Result<Body, ApiError> {
        let mut inflating = Inflating::new(packing, std::mem::take(&mut body.bytes));
        if unpack_to(&mut inflating, SMALL.min(largest), FEW_BLOCKS)? == Unpacked::Whole {
            body.bytes = inflating.into_plain();
            return Ok(body);
        }
        if body.reserved.bytes() == 0 {
            self.wait_for(sender, largest, deadline).await?;
        }
        let packed = body.reserved.bytes();
        let turn = if sender.is_known {
            None
        } else {
            Some(self.turn_of_stranger(packed > 0, deadline).await?)
        };
        let unpacking = in_background(move || {
            let mut most = SMALL.min(largest);
            while unpack_to(&mut inflating, most, usize::MAX)? == Unpacked::Part {
                if most == largest {
                    return Err(ApiError::BodyTooLarge(largest));
                }
                most = most.saturating_mul(2).min(largest);
                // Both are in memory until the end.
                reserve(&mut body, packed + most)?;
            }
            body.bytes = inflating.into_plain();
            drop(turn);
            Ok(body)
        });
        unpacking.await?
    }

    /// Waits until no other large body of a stranger is being unpacked. Few may wait while holding
    /// part of the budget, because others wait for that memory.
    async fn turn_of_stranger(
        &self,
        has_reserved: bool,
        deadline: Instant,
    ) -> Result<OwnedSemaphorePermit, ApiError> {
        let place = has_reserved.then(|| self.holding_strangers.try_acquire());
        let _place = place.transpose().map_err(|_| ApiError::Overloaded)?;
        let turn = Arc::clone(&self.strangers).acquire_owned();
        let turn = timeout_at(deadline, turn).await.ok();
        turn.and_then(Result::ok).ok_or(ApiError::Overloaded)
    }

    /// Waits until the sender could have `size` bytes of the budget, and takes none, so that a
    /// waiting body holds up no other.
    async fn wait_for(
        &self,
        sender: BodySender,
        size: usize,
        deadline: Instant,
    ) -> Result<(), ApiError> {
        let room = self.budget.wait_for(sender.client, size);
        let waited = timeout_at(deadline, room).await;
        waited.map_err(|_| ApiError::Overloaded)
    }
}

/// Whether the head declares the body as compressed.
pub(crate) fn is_compressed(headers: &HeaderMap) -> bool {
    is_gzip(headers).unwrap_or_default()
}

fn unpack_to(inflating: &mut Inflating, most: usize, blocks: usize) -> Result<Unpacked, ApiError> {
    let unpacked = inflating.run(most, blocks);
    unpacked.map_err(|error| ApiError::MalformedJson(error.to_string()))
}

/// Raises the memory reserved for a body to `size` bytes.
fn reserve(body: &mut Body, size: usize) -> Result<(), ApiError> {
    let has = body.reserved.grow_to(size);
    has.then_some(()).ok_or(ApiError::Overloaded)
}

/// Runs blocking or long work on a thread of its own. The work starts at once, even if nobody polls
/// the future. Once the future is dropped, as when the client leaves, the work reads no more
/// readings.
///
/// # Errors
/// [`ApiError::Internal`] if it panicked.
pub(crate) fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, ApiError>> {
    let asker = Asker::default();
    let work = web::block(asker.awaits(work));
    async move {
        let done = work.await;
        // Dropped earlier, together with this future, when the client leaves.
        drop(asker);
        done.map_err(|_| ApiError::Internal("work on a request panicked"))
    }
}

/// Parses a body: at once if its `size` is small, on a blocking thread if it is large.
///
/// # Errors
/// As [`in_background`].
pub(crate) async fn parse<T: Send + 'static>(
    size: usize,
    parsing: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    if size > SMALL {
        in_background(parsing).await
    } else {
        Ok(parsing())
    }
}

fn is_gzip(headers: &HeaderMap) -> Result<bool, ApiError> {
    let Some(value) = headers.get(CONTENT_ENCODING) else {
        return Ok(false);
    };
    let encoding = String::from_utf8_lossy(value.as_bytes());
    match encoding.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(false),
        // `x-gzip` is an old name for the same (RFC 9110).
        "gzip" | "x-gzip" => Ok(true),
        _ => Err(ApiError::UnsupportedEncoding(encoding.into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::Ipv4Addr;

    use actix_web::FromRequest as _;
    use actix_web::test::TestRequest;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use futures_util::FutureExt as _;

    use super::*;
    use crate::config::Config;

    fn limits(largest: usize) -> BodyLimits {
        BodyLimits::new(&HttpConfig {
            max_body: largest,
            request_timeout: Duration::from_millis(200),
            ..Config::default().http
        })
    }

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    async fn read(limits: &BodyLimits, sent: &[u8], encoding: &str) -> Result<Body, ApiError> {
        read_from(1, limits, sent, encoding).await
    }

    async fn read_from(
        client: u8,
        limits: &BodyLimits,
        sent: &[u8],
        encoding: &str,
    ) -> Result<Body, ApiError> {
        read_of(sender(client, false), limits, sent, encoding).await
    }

    fn sender(client: u8, is_known: bool) -> BodySender {
        BodySender {
            client: Ipv4Addr::new(127, 0, 0, client).into(),
            is_known,
        }
    }

    async fn read_of(
        sender: BodySender,
        limits: &BodyLimits,
        sent: &[u8],
        encoding: &str,
    ) -> Result<Body, ApiError> {
        let (request, mut payload) = TestRequest::post()
            .insert_header(("Content-Encoding", encoding))
            .set_payload(sent.to_vec())
            .to_http_parts();
        let payload = web::Payload::from_request(&request, &mut payload)
            .await
            .unwrap();
        let of = (BodySize::Readings, sender);
        limits.read(request.headers(), payload, of).await
    }

    #[tokio::test]
    async fn bodies_are_read_plain_or_compressed() {
        let limits = limits(200_000);
        for length in [0, 1, SMALL, SMALL + 1, 200_000] {
            let plain = vec![b'x'; length];
            assert_eq!(
                read(&limits, &plain, "identity").await.unwrap().bytes,
                plain
            );
            let body = read(&limits, &packed(&plain), "GZIP").await.unwrap();
            assert_eq!(body.bytes, plain);
            assert_eq!(body.reserved.bytes() == 0, length <= SMALL);
        }
        assert!(read(&limits, b"", "gzip").await.unwrap().bytes.is_empty());
        let twice = [packed(b"one "), packed(b"two")].concat();
        assert_eq!(
            read(&limits, &twice, "x-gzip").await.unwrap().bytes,
            b"one two"
        );
    }

    #[tokio::test]
    async fn the_largest_size_holds_before_and_after_decompression() {
        let limits = limits(100_000);
        let plain = vec![b'x'; 100_001];
        for (sent, encoding) in [(plain.clone(), ""), (packed(&plain), "gzip")] {
            let error = read(&limits, &sent, encoding).await.err();
            assert!(
                matches!(error, Some(ApiError::BodyTooLarge(100_000))),
                "{error:?}"
            );
        }
    }

    #[tokio::test]
    async fn invalid_gzip_is_refused() {
        let limits = limits(1_000);
        let error = read(&limits, b"x", "br").await.err();
        assert!(
            matches!(error, Some(ApiError::UnsupportedEncoding(_))),
            "{error:?}"
        );
        let mut broken = packed(b"hello");
        broken.pop();
        for sent in [b"hello".to_vec(), broken] {
            let error = read(&limits, &sent, "gzip").await.err();
            assert!(
                matches!(error, Some(ApiError::MalformedJson(_))),
                "{error:?}"
            );
        }
    }

    #[tokio::test]
    async fn large_bodies_wait_for_the_budget_and_small_ones_do_not() {
        let limits = limits(1 << 20);
        let large = vec![b'x'; 1 << 20];
        let mut held = Vec::new();
        for n in 0..16 {
            held.push(read_from(n / 4, &limits, &large, "").await.unwrap());
        }
        for client in [3, 100] {
            let refused = read_from(client, &limits, &large, "").await.err();
            assert!(matches!(refused, Some(ApiError::Overloaded)), "{refused:?}");
            assert!(read_from(client, &limits, b"small", "").await.is_ok());
        }
        let refused = read(&limits, &packed(&large), "gzip").await.err();
        assert!(matches!(refused, Some(ApiError::Overloaded)), "{refused:?}");
        held.pop();
        assert!(read_from(3, &limits, &large, "").await.is_ok());
    }

    #[tokio::test]
    async fn large_packed_bodies_of_strangers_share_one_turn() {
        let limits = limits(1 << 20);
        let large = packed(&vec![b'x'; 1 << 20]);
        let turn = limits.take_strangers_turn();
        for client in [1, 2] {
            let refused = read_from(client, &limits, &large, "gzip").await.err();
            assert!(matches!(refused, Some(ApiError::Overloaded)), "{refused:?}");
            // Small bodies wait for nobody, and neither do those of known senders.
            let small = packed(&vec![b'x'; SMALL]);
            assert!(read_from(client, &limits, &small, "gzip").await.is_ok());
            let known = read_of(sender(client, true), &limits, &large, "gzip").await;
            assert_eq!(known.unwrap().bytes.len(), 1 << 20);
        }
        drop(turn);
        assert!(read_from(1, &limits, &large, "gzip").await.is_ok());
        // A finished turn passes to the next one.
        assert!(read_from(2, &limits, &large, "gzip").await.is_ok());
    }

    /// Bytes that no compressor makes smaller.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        (0..length).map(next).collect()
    }

    #[tokio::test]
    async fn few_packed_bodies_of_strangers_wait_with_a_part_of_the_budget() {
        let mut limits = limits(1 << 20);
        // Waiting requests wait until the test ends.
        limits.time = Duration::from_hours(1);
        let turn = limits.take_strangers_turn();
        let plain = noise(1_000_000);
        let large = packed(&plain);
        assert!(large.len() > SMALL);
        // Each from an address of its own.
        let read = |client| Box::pin(read_from(client, &limits, &large, "gzip"));
        let mut waiting: Vec<_> = (1..=4).map(read).collect();
        for one in &mut waiting {
            assert!(one.as_mut().now_or_never().is_none());
        }
        let refused = read(5).now_or_never().map(Result::err);
        assert!(
            matches!(refused, Some(Some(ApiError::Overloaded))),
            "{refused:?}"
        );
        // A body that is small before decompression holds nothing of the budget, and waits.
        let bomb = packed(&vec![b'x'; 200_000]);
        assert!(bomb.len() < SMALL);
        let mut bomb = Box::pin(read_from(6, &limits, &bomb, "gzip"));
        assert!(bomb.as_mut().now_or_never().is_none());
        // Three quarters of the budget are left for others.
        let mut held = Vec::new();
        for client in 10..22 {
            let large = vec![b'x'; 1 << 20];
            held.push(read_from(client, &limits, &large, "").await.unwrap());
        }
        drop((held, turn));
        for one in waiting {
            assert_eq!(one.await.unwrap().bytes.len(), plain.len());
        }
        assert_eq!(bomb.await.unwrap().bytes.len(), 200_000);
        assert!(read(5).await.is_ok());
    }

    #[tokio::test]
    async fn a_panic_in_the_background_is_an_internal_error() {
        let error = in_background(|| panic!("on purpose")).await.unwrap_err();
        assert!(matches!(error, ApiError::Internal(_)), "{error:?}");
    }
}

//! Request bodies within limits: of size, before and after decompression, of time, and of the memory that all bodies
//! take together.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use actix_web::web::{self, Bytes};
use flate2::read::MultiGzDecoder;
use futures_util::StreamExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::config::HttpConfig;
use crate::http::wire::error::ApiError;

/// A body up to this size takes nothing from the common budget and is parsed at once. A larger one takes its whole size from
/// the budget and is parsed off the async workers.
///
/// Uploads of single readings are far smaller, so a flood of large bodies does not delay them.
const SMALL: usize = 64 * 1024;

/// The limits on bodies.
pub(crate) struct BodyLimits {
    /// In bytes, before and after decompression.
    largest: usize,
    /// For a whole body to arrive.
    time: Duration,
    /// Bytes that large bodies may take together.
    budget: Arc<Semaphore>,
}

/// A body, and the memory reserved for it and for what is parsed from it.
#[derive(Debug)]
pub(crate) struct Body {
    /// Decompressed.
    pub(crate) bytes: Vec<u8>,
    /// To be held as long as anything parsed from the bytes.
    pub(crate) reserved: Vec<OwnedSemaphorePermit>,
}

impl BodyLimits {
    pub(crate) fn new(config: &HttpConfig) -> Self {
        /// So that a few bodies fit even with the smallest limits.
        const LEAST_BUDGET: usize = 8 * 1024 * 1024;
        let largest = config.max_body;
        // Where addresses have 32 bits, a semaphore counts no further than half a gibibyte.
        let budget = largest.saturating_mul(16).max(LEAST_BUDGET);
        Self {
            largest,
            time: config.request_timeout,
            budget: Arc::new(Semaphore::new(budget.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Reads the body of a request and decompresses it.
    ///
    /// # Errors
    /// [`ApiError::UnsupportedEncoding`], [`ApiError::BodyTooLarge`], [`ApiError::RequestTimeout`],
    /// [`ApiError::Overloaded`]; [`ApiError::MalformedJson`] if it breaks off or is not valid gzip.
    pub(crate) async fn read(
        &self,
        headers: &HeaderMap,
        payload: web::Payload,
    ) -> Result<Body, ApiError> {
        let packed = is_gzip(headers)?;
        let announced = headers
            .get(CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if announced.is_some_and(|length| length > self.largest) {
            return Err(ApiError::BodyTooLarge(self.largest));
        }
        let deadline = Instant::now() + self.time;
        let body = self.collect(payload, announced, deadline).await?;
        // Some clients send `Content-Encoding: gzip` with an empty body, too.
        if packed && !body.bytes.is_empty() {
            self.unpack(body, deadline).await
        } else {
            Ok(body)
        }
    }

    /// Reads the chunks of a body as they arrive.
    async fn collect(
        &self,
        mut payload: web::Payload,
        announced: Option<usize>,
        deadline: Instant,
    ) -> Result<Body, ApiError> {
        let mut body = Body {
            // What is announced is only a claim, so it allocates no more than a small body has.
            bytes: Vec::with_capacity(announced.unwrap_or(0).min(SMALL)),
            reserved: Vec::new(),
        };
        loop {
            let chunk = timeout_at(deadline, payload.next())
                .await
                .map_err(|_| ApiError::RequestTimeout(self.time))?;
            let Some(chunk) = chunk else {
                return Ok(body);
            };
            let chunk: Bytes = chunk.map_err(|_| {
                ApiError::MalformedJson("the body broke off or is not framed as announced".into())
            })?;
            let length = body.bytes.len() + chunk.len();
            if length > self.largest {
                return Err(ApiError::BodyTooLarge(self.largest));
            }
            // Reserved only once the bytes are there: a client that announces them and sends none takes nothing from others.
            if length > SMALL && body.reserved.is_empty() {
                // A chunked body does not announce its length: it may become as large as the limit.
                let size = announced.unwrap_or(self.largest).max(length);
                self.reserve(&mut body, size, deadline).await?;
                body.bytes.reserve_exact(size - body.bytes.len());
            }
            body.bytes.extend_from_slice(&chunk);
        }
    }

    async fn unpack(&self, mut body: Body, deadline: Instant) -> Result<Body, ApiError> {
        let packed = Arc::new(std::mem::take(&mut body.bytes));
        let gunzip = |most| {
            let packed = Arc::clone(&packed);
            in_background(move || gunzip(&packed, most))
        };
        // The length is known only at the end: so first without a reservation, as far as a small body goes.
        body.bytes = if let Some(whole) = gunzip(SMALL).await?? {
            whole
        } else {
            // Beside the reservation of the compressed bytes, which are still in memory.
            self.reserve(&mut body, self.largest, deadline).await?;
            let whole = gunzip(self.largest).await??;
            whole.ok_or(ApiError::BodyTooLarge(self.largest))?
        };
        Ok(body)
    }

    async fn reserve(
        &self,
        body: &mut Body,
        size: usize,
        deadline: Instant,
    ) -> Result<(), ApiError> {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        // The deadline of the body: memory that is not free by then is not waited for.
        let permit = timeout_at(deadline, Arc::clone(&self.budget).acquire_many_owned(size))
            .await
            .ok()
            .and_then(Result::ok)
            .ok_or(ApiError::Overloaded)?;
        body.reserved.push(permit);
        Ok(())
    }
}

/// Runs blocking or long work on a thread for it. The work starts at once, even if nobody polls the future.
///
/// # Errors
/// [`ApiError::Internal`] if it panicked.
pub(crate) fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, ApiError>> {
    let work = web::block(work);
    async {
        work.await
            .map_err(|_| ApiError::Internal("work on a request panicked"))
    }
}

/// Parses a body: at once if its `size` is small, on a thread that may block if it is large.
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

/// Decompresses one or several gzip members; `None` if the result has more than `most` bytes.
fn gunzip(bytes: &[u8], most: usize) -> Result<Option<Vec<u8>>, ApiError> {
    let mut plain = Vec::new();
    // One byte more than allowed shows that there is more.
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(bytes)
        .take(limit)
        .read_to_end(&mut plain)
        .map_err(|_| ApiError::MalformedJson("the body is not valid gzip".into()))?;
    Ok((plain.len() <= most).then_some(plain))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use actix_web::FromRequest as _;
    use actix_web::test::TestRequest;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::config::Config;

    fn limits(largest: usize) -> BodyLimits {
        BodyLimits::new(&HttpConfig {
            max_body: largest,
            request_timeout: Duration::from_millis(200),
            ..Config::default().http
        })
    }

    /// Where addresses have 32 bits, too.
    #[test]
    fn the_largest_limit_that_can_be_set_has_a_budget() {
        let limits = limits(64 << 20);
        assert!(limits.budget.available_permits() >= 64 << 20);
    }

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    async fn read(limits: &BodyLimits, sent: &[u8], encoding: &str) -> Result<Body, ApiError> {
        let (request, mut payload) = TestRequest::post()
            .insert_header(("Content-Encoding", encoding))
            .set_payload(sent.to_vec())
            .to_http_parts();
        let payload = web::Payload::from_request(&request, &mut payload)
            .await
            .unwrap();
        limits.read(request.headers(), payload).await
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
            assert_eq!(body.reserved.is_empty(), length <= SMALL);
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
            let error = read(&limits, &sent, encoding).await.unwrap_err();
            assert!(
                matches!(error, ApiError::BodyTooLarge(100_000)),
                "{error:?}"
            );
        }
    }

    #[tokio::test]
    async fn invalid_gzip_is_refused() {
        let limits = limits(1_000);
        let error = read(&limits, b"x", "br").await.unwrap_err();
        assert!(
            matches!(error, ApiError::UnsupportedEncoding(_)),
            "{error:?}"
        );
        let mut broken = packed(b"hello");
        broken.pop();
        for sent in [b"hello".to_vec(), broken] {
            let error = read(&limits, &sent, "gzip").await.unwrap_err();
            assert!(matches!(error, ApiError::MalformedJson(_)), "{error:?}");
        }
    }

    #[tokio::test]
    async fn large_bodies_wait_for_the_budget_and_small_ones_do_not() {
        let limits = limits(1 << 20);
        let large = vec![b'x'; 1 << 20];
        let mut held = Vec::new();
        for _ in 0..16 {
            held.push(read(&limits, &large, "").await.unwrap());
        }
        let error = read(&limits, &large, "").await.unwrap_err();
        assert!(matches!(error, ApiError::Overloaded), "{error:?}");
        assert!(read(&limits, b"small", "").await.is_ok());
        held.pop();
        assert!(read(&limits, &large, "").await.is_ok());
    }

    #[tokio::test]
    async fn a_panic_in_the_background_is_an_internal_error() {
        let error = in_background(|| panic!("on purpose")).await.unwrap_err();
        assert!(matches!(error, ApiError::Internal(_)), "{error:?}");
    }
}

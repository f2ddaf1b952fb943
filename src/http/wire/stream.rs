//! Results as streamed text, in bounded memory.
//!
//! The client pulls: each chunk is read from the store and compressed, on a blocking thread, once
//! the client has taken the chunk before the last one. So a slow client holds no thread, and one
//! that disconnects ends the scan.

use std::future::ready;
use std::io::Write as _;
use std::sync::Arc;

use actix_web::http::Version;
use actix_web::http::header::{AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, Encoding, VARY};
use actix_web::web::Bytes;
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::Either;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::domain::AccountName;
use crate::http::wire::body::in_background;
use crate::http::wire::error::ApiError;
use crate::http::wire::points::{Format, PointWriter};
use crate::http::wire::turns::Turns;
use crate::query::{Point, Series};
use crate::store::StoreError;

/// The length of the chunks of all downloads together. Each download holds two or three chunks: one
/// is read while another is sent.
const CHUNKS_BYTES: usize = 2 * 1024 * 1024;
/// The longest and the shortest chunk. Each chunk wakes two threads; at 64 KiB that took as long as
/// all other work.
const LONGEST_CHUNK: usize = 256 * 1024;
const SHORTEST_CHUNK: usize = 16 * 1024;
/// The typical text length of one run of readings, by which a chunk may exceed its length.
const RUN_BYTES: usize = 16 * 1024;
/// A shorter result is not compressed: it fits into one network packet anyway.
pub(crate) const MIN_COMPRESSED_LENGTH: usize = 1_024;

/// A result as text, written one run at a time.
pub(crate) trait ResultText: Send + 'static {
    /// The most runs in a chunk, even if they yield nothing (a bucket may span many readings):
    /// between chunks the server notices a client that disconnected, and others get their turn.
    const RUNS_A_CHUNK: usize = 256;

    /// Appends the next run, some kilobytes. Returns false after the last one. May block on disk
    /// reads.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError>;
}

/// A series as text.
pub(crate) struct SeriesText {
    series: Series,
    points: PointWriter,
    has_begun: bool,
    /// A buffer, reused for each run.
    run: Vec<Point>,
}

impl SeriesText {
    pub(crate) fn new(series: Series, format: Format) -> Self {
        Self {
            points: PointWriter::new(format, series.units()),
            series,
            has_begun: false,
            run: Vec::new(),
        }
    }
}

impl ResultText for SeriesText {
    fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        if !self.has_begun {
            self.points.begin(out);
            self.has_begun = true;
        }
        self.run.clear();
        let is_more = self.series.next_run(&mut self.run)?;
        self.points.write(&self.run, out);
        if !is_more {
            self.points.finish(out);
        }
        Ok(is_more)
    }
}

/// Answers with the result that `open` begins, on a blocking thread.
///
/// The first chunk is read before the status is sent, so a failure of the store up to then is an
/// error response, and a result that fits in the chunk is sent whole. A later failure breaks the
/// connection, so that no client takes half a result for the whole.
///
/// # Errors
/// The errors of `open`; [`ApiError::StorageUnavailable`], [`ApiError::StorageFailed`],
/// [`ApiError::Internal`].
pub(crate) async fn respond<T: ResultText>(
    request: &HttpRequest,
    download: Download,
    format: Format,
    open: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    let accepts_gzip = accepts_gzip(request);
    let turns = download.turns.clone();
    let begin = move || {
        let mut chunks = Chunks::new(open()?, download);
        let first = chunks.first(accepts_gzip)?;
        Ok::<_, ApiError>((first, chunks))
    };
    let (first, chunks) = in_turn(turns, begin).await??;
    let mut response = HttpResponse::Ok();
    response.content_type(format.content_type());
    // Addresses contain credentials, and results change.
    response.insert_header((CACHE_CONTROL, "no-store"));
    response.insert_header((VARY, "Accept-Encoding"));
    if chunks.encoder.is_some() {
        response.insert_header((CONTENT_ENCODING, "gzip"));
    }
    if chunks.ended {
        return Ok(response.body(first));
    }
    let rest = stream::unfold(Some(read_ahead(chunks)), async |next| {
        // `None` after the last chunk and after an error, which ends the stream.
        match next?.await.flatten() {
            Ok((chunk, chunks)) => {
                let next = (!chunks.ended).then(|| read_ahead(chunks));
                Some((Ok(Bytes::from(chunk)), next))
            }
            Err(error) => {
                error.log();
                Some((Err(BrokenOff), None))
            }
        }
    });
    let whole = stream::iter([Ok(Bytes::from(first))]).chain(rest);
    // In chunked encoding, an empty chunk would mark the end.
    let whole = whole.try_filter(|chunk| ready(!chunk.is_empty()));
    let mut response = response.streaming(whole);
    without_chunks(request, &mut response);
    Ok(response)
}

/// Sends a streamed body without chunked encoding to an HTTP/1.0 client, which does not know it:
/// the end of the connection ends the body.
pub(crate) fn without_chunks(request: &HttpRequest, response: &mut HttpResponse) {
    if request.version() < Version::HTTP_11 {
        let head = response.head_mut();
        head.no_chunking(true);
        head.set_connection_type(actix_web::http::ConnectionType::Close);
    }
}

/// The next chunk, and the source of the chunks after it.
type NextChunk<T> = Result<(Vec<u8>, Chunks<T>), ApiError>;

/// Starts to read the next chunk while the previous one is sent. A report's next chunk is read
/// after the previous one was taken, in a turn of its own.
fn read_ahead<T: ResultText>(
    mut chunks: Chunks<T>,
) -> impl Future<Output = Result<NextChunk<T>, ApiError>> {
    let turns = chunks.download.turns.clone();
    let reading = move || chunks.next().map(|chunk| (chunk, chunks));
    if turns.is_none() {
        return Either::Left(in_background(reading));
    }
    Either::Right(in_turn(turns, reading))
}

/// Runs work in a turn, if it needs one.
async fn in_turn<T: Send + 'static>(
    turns: Option<(Arc<Turns>, AccountName)>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    match turns {
        Some((turns, account)) => turns.run(&account, work).await,
        None => in_background(work).await,
    }
}

/// Whether the client prefers gzip.
pub(crate) fn accepts_gzip(request: &HttpRequest) -> bool {
    // Identity is offered too, so that a client that refuses gzip (`q=0`) or prefers no encoding
    // gets plain text.
    let known = [Encoding::gzip(), Encoding::identity()];
    let accepted = request.get_header::<AcceptEncoding>();
    accepted.and_then(|accepted| accepted.negotiate(known.iter())) == Some(Encoding::gzip())
}

/// Compresses a whole response.
///
/// # Errors
/// [`ApiError::Internal`]; compression in memory does not fail in practice.
pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>, ApiError> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .map_err(|_| ApiError::Internal("a response could not be compressed"))
}

/// A result was cut off; the log has the cause.
#[derive(Debug, thiserror::Error)]
#[error("the result broke off")]
pub(crate) struct BrokenOff;

/// Counts the results being sent: each holds an additional reference.
#[derive(Default)]
pub(crate) struct Downloads(Arc<()>);

/// A result being sent; counted until it is dropped.
pub(crate) struct Download {
    count: Arc<()>,
    /// For a report: the turns in which its chunks are made, and the account it is for.
    turns: Option<(Arc<Turns>, AccountName)>,
}

impl Downloads {
    /// Counts one more download, until it is dropped.
    pub(crate) fn begin(&self) -> Download {
        Download {
            count: Arc::clone(&self.0),
            turns: None,
        }
    }
}

impl Download {
    /// Makes each chunk in a turn of this account, for reports. Between two chunks it holds no
    /// turn, so a client that does not read keeps nobody waiting.
    pub(crate) fn in_turns(self, turns: &Arc<Turns>, account: AccountName) -> Self {
        Self {
            turns: Some((Arc::clone(turns), account)),
            ..self
        }
    }

    /// The length of a chunk, in bytes, which depends on the number of downloads that share the
    /// memory.
    fn chunk_bytes(&self) -> usize {
        // `Downloads` itself holds one reference. At a stop a download may outlive it: the count
        // would be 0 then.
        let count = (Arc::strong_count(&self.count) - 1).max(1);
        (CHUNKS_BYTES / count).clamp(SHORTEST_CHUNK, LONGEST_CHUNK)
    }
}

/// A result as chunks of text, compressed or not.
struct Chunks<T> {
    download: Download,
    text: T,
    encoder: Option<GzEncoder<Vec<u8>>>,
    ended: bool,
}

impl<T: ResultText> Chunks<T> {
    const fn new(text: T, download: Download) -> Self {
        Self {
            download,
            text,
            encoder: None,
            ended: false,
        }
    }

    /// Returns the first chunk. Decides whether the result is compressed: if the client accepts it
    /// and the result is long enough.
    fn first(&mut self, accepts_gzip: bool) -> Result<Vec<u8>, ApiError> {
        let mut chunk = Vec::new();
        self.fill(&mut chunk)?;
        let is_long = !self.ended || chunk.len() >= MIN_COMPRESSED_LENGTH;
        self.encoder =
            (accepts_gzip && is_long).then(|| GzEncoder::new(Vec::new(), Compression::fast()));
        self.encode(chunk)
    }

    /// Returns the next chunk, which may be empty. May block on disk reads.
    fn next(&mut self) -> Result<Vec<u8>, ApiError> {
        let mut chunk = Vec::with_capacity(self.download.chunk_bytes() + RUN_BYTES);
        self.fill(&mut chunk)?;
        self.encode(chunk)
    }

    fn fill(&mut self, chunk: &mut Vec<u8>) -> Result<(), StoreError> {
        let chunk_bytes = self.download.chunk_bytes();
        for _ in 0..T::RUNS_A_CHUNK {
            if self.ended || chunk.len() >= chunk_bytes {
                break;
            }
            self.ended = !self.text.write_run(chunk)?;
        }
        Ok(())
    }

    /// Returns `chunk`, or the compressed bytes that are ready after it.
    fn encode(&mut self, chunk: Vec<u8>) -> Result<Vec<u8>, ApiError> {
        let Some(encoder) = &mut self.encoder else {
            return Ok(chunk);
        };
        let written = encoder.write_all(&chunk).and_then(|()| {
            if self.ended {
                encoder.try_finish()?;
            }
            Ok(std::mem::take(encoder.get_mut()))
        });
        written.map_err(|_| ApiError::Internal("a result could not be compressed"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use actix_web::body::{BodySize, MessageBody as _};
    use actix_web::test::TestRequest;

    use super::*;

    /// A report of this many one-kilobyte runs, each in its own chunk.
    struct LongReport(usize);

    impl ResultText for LongReport {
        const RUNS_A_CHUNK: usize = 1;

        fn write_run(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
            out.resize(out.len() + 1_024, b'x');
            self.0 -= 1;
            Ok(self.0 > 0)
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_holds_no_turn() {
        let home = AccountName::new("home").unwrap();
        let turns = Turns::new(1, Duration::from_millis(50));
        let downloads = Downloads::default();
        let respond = || {
            let download = downloads.begin().in_turns(&turns, home.clone());
            let request = TestRequest::default().to_http_request();
            let open = || Ok(LongReport(3));
            async move { respond(&request, download, Format::Json, open).await }
        };
        let unread = respond().await.unwrap();
        assert_eq!(unread.body().size(), BodySize::Stream);
        let turn = turns.hold(&home).await;
        // Nothing starts or continues without a turn.
        let refused = respond().await.err();
        assert!(matches!(refused, Some(ApiError::Overloaded)), "{refused:?}");
        drop(turn);
        let whole = actix_web::body::to_bytes(unread.into_body()).await;
        assert_eq!(whole.unwrap().len(), 3 * 1_024);
    }
}

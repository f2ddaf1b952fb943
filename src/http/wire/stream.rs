//! Results as text, in bounded memory.
//!
//! A result is pulled: each chunk is read from the store and packed, on a thread that may block, when the client
//! has taken the one before the last. So a slow client holds no thread, and one that goes away ends the scan.

use std::future::ready;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use actix_web::http::Version;
use actix_web::http::header::{AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, Encoding, VARY};
use actix_web::web::Bytes;
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::http::wire::body::in_background;
use crate::http::wire::error::ApiError;
use crate::http::wire::points::{Format, PointWriter};
use crate::query::{Point, QueryError, Series};
use crate::store::StoreError;

/// All downloads together have chunks of about this length, as each of them holds two or three: one is read while another is
/// sent.
const CHUNKS_BYTES: usize = 2 * 1024 * 1024;
/// The longest and the shortest chunk. To hand one over takes two threads to be woken, which at 64 KiB took as long as all the
/// rest.
const LONGEST_CHUNK: usize = 256 * 1024;
const SHORTEST_CHUNK: usize = 16 * 1024;
/// About how long the text of a run of readings is, by which a chunk becomes too long.
const RUN_BYTES: usize = 16 * 1024;
/// So many runs of readings are read for a chunk at most, though nothing may come of them yet: in between, a client that
/// went away is noticed.
const RUNS_A_CHUNK: usize = 256;
/// A result shorter than this is not packed: it fits into one packet of the network as it is.
pub(crate) const WORTH_PACKING: usize = 1_024;

/// Answers with the series that `open` begins, on a thread that may block.
///
/// The first chunk is read before the status is sent: a failure of the store up to then is an error response, and a result
/// that fits in the chunk is sent whole. A later failure breaks the connection, so that no client takes half a result for
/// the whole.
///
/// # Errors
/// [`ApiError::NoRecentData`], [`ApiError::StorageUnavailable`], [`ApiError::Internal`].
pub(crate) async fn respond(
    request: &HttpRequest,
    download: Download,
    format: Format,
    open: impl FnOnce() -> Result<Series, QueryError> + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    let takes_gzip = takes_gzip(request);
    let (first, chunks) = in_background(move || {
        let mut chunks = Chunks::new(open()?, format, download);
        let first = chunks.first(takes_gzip)?;
        Ok::<_, ApiError>((first, chunks))
    })
    .await??;
    let mut response = HttpResponse::Ok();
    response.content_type(format.content_type());
    // Addresses hold credentials, and results change.
    response.insert_header((CACHE_CONTROL, "no-store"));
    response.insert_header((VARY, "Accept-Encoding"));
    if chunks.packer.is_some() {
        response.insert_header((CONTENT_ENCODING, "gzip"));
    }
    if chunks.ended {
        return Ok(response.body(first));
    }
    let rest = stream::unfold(Some(read_ahead(chunks)), async |next| {
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
    // An empty chunk would be taken for the end.
    let whole = whole.try_filter(|chunk| ready(!chunk.is_empty()));
    let mut response = response.streaming(whole);
    without_chunks(request, &mut response);
    Ok(response)
}

/// Sends a streamed body as it is to a client of HTTP/1.0, which knows no chunks: for it the end of the connection is the end
/// of the body.
pub(crate) fn without_chunks(request: &HttpRequest, response: &mut HttpResponse) {
    if request.version() < Version::HTTP_11 {
        let head = response.head_mut();
        head.no_chunking(true);
        head.set_connection_type(actix_web::http::ConnectionType::Close);
    }
}

/// Begins to read the next chunk, while the one before is sent.
fn read_ahead(
    mut chunks: Chunks,
) -> impl Future<Output = Result<Result<(Vec<u8>, Chunks), ApiError>, ApiError>> {
    in_background(move || chunks.next().map(|chunk| (chunk, chunks)))
}

/// Whether the client would rather have a result packed.
pub(crate) fn takes_gzip(request: &HttpRequest) -> bool {
    let known = [Encoding::gzip(), Encoding::identity()];
    let accepted = request.get_header::<AcceptEncoding>();
    accepted.and_then(|accepted| accepted.negotiate(known.iter())) == Some(Encoding::gzip())
}

/// All of an answer, packed.
///
/// # Errors
/// [`ApiError::Internal`], where that fails, which it cannot in memory.
pub(crate) fn pack_whole(bytes: &[u8]) -> Result<Vec<u8>, ApiError> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .map_err(|_| ApiError::Internal("packing failed"))
}

/// Why a result was not sent to its end; what happened is in the log.
#[derive(Debug, thiserror::Error)]
#[error("the result broke off")]
struct BrokenOff;

/// How many results are under way.
#[derive(Default)]
pub(crate) struct Downloads {
    count: Arc<AtomicUsize>,
}

/// A result under way counts as long as this is there.
pub(crate) struct Download {
    count: Arc<AtomicUsize>,
}

impl Downloads {
    /// Counts one more, until it is dropped.
    pub(crate) fn begin(&self) -> Download {
        self.count.fetch_add(1, Ordering::Relaxed);
        Download {
            count: Arc::clone(&self.count),
        }
    }
}

impl Download {
    /// How long a chunk is when it is sent.
    fn chunk_bytes(&self) -> usize {
        let count = self.count.load(Ordering::Relaxed).max(1);
        (CHUNKS_BYTES / count).clamp(SHORTEST_CHUNK, LONGEST_CHUNK)
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A result under way, as chunks of text, packed or not.
struct Chunks {
    download: Download,
    series: Series,
    points: PointWriter,
    packer: Option<GzEncoder<Vec<u8>>>,
    /// Points that were read; kept for its memory.
    run: Vec<Point>,
    ended: bool,
}

impl Chunks {
    fn new(series: Series, format: Format, download: Download) -> Self {
        Self {
            download,
            points: PointWriter::new(format, series.units()),
            series,
            packer: None,
            run: Vec::new(),
            ended: false,
        }
    }

    /// The first chunk. From it on the result is packed, if the client takes that and it is long enough.
    fn first(&mut self, takes_gzip: bool) -> Result<Vec<u8>, ApiError> {
        let mut chunk = Vec::new();
        self.points.begin(&mut chunk);
        self.fill(&mut chunk)?;
        let is_long = !self.ended || chunk.len() >= WORTH_PACKING;
        self.packer =
            (takes_gzip && is_long).then(|| GzEncoder::new(Vec::new(), Compression::fast()));
        self.packed(chunk)
    }

    /// The next chunk, which may be empty. Blocks on the disk.
    fn next(&mut self) -> Result<Vec<u8>, ApiError> {
        let mut chunk = Vec::with_capacity(self.download.chunk_bytes() + RUN_BYTES);
        self.fill(&mut chunk)?;
        self.packed(chunk)
    }

    fn fill(&mut self, chunk: &mut Vec<u8>) -> Result<(), StoreError> {
        let chunk_bytes = self.download.chunk_bytes();
        for _ in 0..RUNS_A_CHUNK {
            if self.ended || chunk.len() >= chunk_bytes {
                break;
            }
            self.run.clear();
            let more = self.series.next_run(&mut self.run)?;
            self.points.write(&self.run, chunk);
            if !more {
                self.points.finish(chunk);
                self.ended = true;
            }
        }
        Ok(())
    }

    /// What of the packed result has come of `chunk`, or the chunk itself where it is not packed.
    fn packed(&mut self, chunk: Vec<u8>) -> Result<Vec<u8>, ApiError> {
        let Some(packer) = &mut self.packer else {
            return Ok(chunk);
        };
        let written = packer.write_all(&chunk).and_then(|()| {
            if self.ended {
                packer.try_finish()?;
            }
            Ok(std::mem::take(packer.get_mut()))
        });
        written.map_err(|_| ApiError::Internal("a result could not be packed"))
    }
}

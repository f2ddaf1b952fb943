//! Columns of numbers in pco's wrapped form (`pco` 1, <https://github.com/pcodec/pcodec>): what its pages have in common,
//! and pages that are unpacked each by itself.

use pco::data_types::Number;
use pco::metadata::{DeltaEncoding, Mode};
use pco::wrapped::{ChunkDecompressor, FileCompressor, FileDecompressor};
use pco::{ChunkConfig, DeltaSpec, ModeSpec, PagingSpec};

use crate::store::blocks::block::{DecodeError, EncodeError};

/// Of pco's 0 to 12. At 8 what pages have in common takes 2 microseconds longer to unpack, and a block is 0.2 % shorter.
const LEVEL: usize = 6;
/// The logarithm of the widest window in which pco may look back for the same number: it has it in memory.
const WIDEST_WINDOW: u32 = 15;

/// A column to be written.
pub(crate) struct Packed {
    pub(crate) common: Vec<u8>,
    pub(crate) pages: Vec<Vec<u8>>,
}

impl Packed {
    /// Without numbers.
    pub(crate) const fn new() -> Self {
        Self {
            common: Vec::new(),
            pages: Vec::new(),
        }
    }
}

/// Packs numbers whose pages have `counts` of them, each at least one.
pub(crate) fn pack<T: Number>(
    numbers: &[T],
    counts: Vec<usize>,
    config: ChunkConfig,
) -> Result<Packed, EncodeError> {
    if numbers.is_empty() {
        return Ok(Packed::new());
    }
    let refused = |error: pco::errors::PcoError| EncodeError::Refused(error.to_string());
    let config = config
        .with_compression_level(LEVEL)
        .with_paging_spec(PagingSpec::Exact(counts));
    let file = FileCompressor::default();
    let mut chunk = file.chunk_compressor(numbers, &config).map_err(refused)?;
    let common = chunk.write_meta(Vec::new()).map_err(refused)?;
    let mut pages = Vec::new();
    for page in 0..chunk.n_per_page().len() {
        pages.push(chunk.write_page(page, Vec::new()).map_err(refused)?);
    }
    Ok(Packed { common, pages })
}

/// Differences to what is foretold: there is no more to be found in their order.
pub(crate) fn differences() -> ChunkConfig {
    ChunkConfig::default()
        .with_mode_spec(ModeSpec::Classic)
        .with_delta_spec(DeltaSpec::NoOp)
}

/// The few bytes by which pco knows its own format.
pub(crate) fn header() -> Result<Vec<u8>, EncodeError> {
    let header = FileCompressor::default().write_header(Vec::new());
    header.map_err(|error| EncodeError::Refused(error.to_string()))
}

/// Bytes that must lie behind a page, whatever they are, for pco to read it where it lies: else it makes itself a copy with
/// twice as many behind it, zeroed, for each column of each page. Some more than it asks for, 256 numbers of 18 bytes and 9.
pub(crate) const ROOM: usize = 4_800;

/// What the pages of a column have in common, to unpack them with.
pub(crate) struct Chunk<T: Number> {
    common: Box<ChunkDecompressor<T>>,
    /// Of the page that was unpacked last.
    numbers: Vec<T>,
}

/// pco's own header.
pub(crate) fn take_header(bytes: &mut &[u8]) -> Result<FileDecompressor, DecodeError> {
    let (file, rest) = FileDecompressor::new(*bytes)
        .map_err(|_| DecodeError::Malformed("the columns' header is not one"))?;
    *bytes = rest;
    Ok(file)
}

impl<T: Number + Default> Chunk<T> {
    pub(crate) fn take(file: &FileDecompressor, bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        let (chunk, rest) = file
            .chunk_decompressor::<T, _>(*bytes)
            .map_err(|_| DecodeError::Malformed("a column is not one"))?;
        *bytes = rest;
        // These would take memory that the block does not account for.
        let is_wide = match &chunk.meta().delta_encoding {
            DeltaEncoding::Lookback { config, .. } => config.window_n_log > WIDEST_WINDOW,
            _ => matches!(chunk.meta().mode, Mode::Dict(_)),
        };
        if is_wide {
            return Err(DecodeError::Malformed("a column of an unknown kind"));
        }
        Ok(Self {
            common: Box::new(chunk),
            numbers: Vec::new(),
        })
    }

    /// The `count` numbers of a page, at least one, from the first of `bytes` on.
    pub(crate) fn take_page(
        &mut self,
        bytes: &mut &[u8],
        count: usize,
    ) -> Result<&[T], DecodeError> {
        let malformed = |_| DecodeError::Malformed("a page of a column is not one");
        self.numbers.resize(count, T::default());
        let page = self.common.page_decompressor(*bytes, count);
        let mut page = page.map_err(malformed)?;
        page.read(&mut self.numbers).map_err(malformed)?;
        *bytes = page.into_src();
        Ok(&self.numbers)
    }
}

//! Columns of numbers in pco's wrapped format (`pco` 1, <https://github.com/pcodec/pcodec>): chunk
//! metadata that its pages share, and pages that can be unpacked one by one.

use pco::data_types::Number;
use pco::metadata::{DeltaEncoding, Mode};
use pco::wrapped::{ChunkDecompressor, FileCompressor, FileDecompressor};
use pco::{ChunkConfig, DeltaSpec, ModeSpec, PagingSpec};

use crate::store::blocks::block::format::{DecodeError, EncodeError};

/// Of pco's 0 to 12. At 8, chunk metadata takes 2 microseconds longer to read, and a block is 0.2 %
/// shorter.
const LEVEL: usize = 6;
/// log2 of the widest lookback window accepted: pco allocates the window.
const WIDEST_WINDOW: u32 = 15;

/// A packed column.
#[derive(Default)]
pub(crate) struct Packed {
    /// pco's chunk metadata.
    pub(crate) common: Vec<u8>,
    pub(crate) pages: Vec<Vec<u8>>,
}

/// Packs numbers in pages of `counts`, each at least one.
pub(crate) fn pack<T: Number>(
    numbers: &[T],
    counts: Vec<usize>,
    config: ChunkConfig,
) -> Result<Packed, EncodeError> {
    // A column without packed numbers takes no bytes.
    if numbers.is_empty() {
        return Ok(Packed::default());
    }
    let refused = |error: pco::errors::PcoError| EncodeError::Refused(error.to_string());
    let config = config
        .with_compression_level(LEVEL)
        // By default pco makes pages of equal length. Here each has the numbers of its own
        // readings.
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

/// For differences from predictions. pco must not look for structure in them: none is left, and the
/// search takes time.
pub(crate) fn differences() -> ChunkConfig {
    ChunkConfig::default()
        .with_mode_spec(ModeSpec::Classic)
        .with_delta_spec(DeltaSpec::NoOp)
}

/// pco's own header.
pub(crate) fn header() -> Result<Vec<u8>, EncodeError> {
    let header = FileCompressor::default().write_header(Vec::new());
    header.map_err(|error| EncodeError::Refused(error.to_string()))
}

/// Padding after the last page. With less of it, pco copies each page into a zeroed buffer twice as
/// long. It needs 256 numbers of 18 bytes and 9; this is a little more.
pub(crate) const ROOM: usize = 4_800;

/// The chunk metadata of a column, which unpacks its pages.
pub(crate) struct Chunk<T: Number> {
    common: Box<ChunkDecompressor<T>>,
    /// The page unpacked last; kept to reuse its memory.
    numbers: Vec<T>,
}

/// Reads pco's own header.
pub(crate) fn take_header(bytes: &mut &[u8]) -> Result<FileDecompressor, DecodeError> {
    let (file, rest) = FileDecompressor::new(*bytes)
        .map_err(|_| DecodeError::Malformed("invalid header of the columns"))?;
    *bytes = rest;
    Ok(file)
}

impl<T: Number + Default> Chunk<T> {
    pub(crate) fn take(file: &FileDecompressor, bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        let (chunk, rest) = file
            .chunk_decompressor::<T, _>(*bytes)
            .map_err(|_| DecodeError::Malformed("invalid column"))?;
        *bytes = rest;
        // These allocate memory out of proportion to the block, and we write neither.
        let is_wide = match &chunk.meta().delta_encoding {
            DeltaEncoding::Lookback { config, .. } => config.window_n_log > WIDEST_WINDOW,
            _ => matches!(chunk.meta().mode, Mode::Dict(_)),
        };
        if is_wide {
            return Err(DecodeError::Malformed("unknown kind of column"));
        }
        Ok(Self {
            common: Box::new(chunk),
            numbers: Vec::new(),
        })
    }

    /// Takes the `count` numbers of a page, at least one, from the start of `bytes`.
    pub(crate) fn take_page(
        &mut self,
        bytes: &mut &[u8],
        count: usize,
    ) -> Result<&[T], DecodeError> {
        // The checksum matched, so no damaged disk is the cause: pco's own error would not help
        // anybody to repair it.
        let malformed = |_| DecodeError::Malformed("invalid page of a column");
        self.numbers.resize(count, T::default());
        let page = self.common.page_decompressor(*bytes, count);
        let mut page = page.map_err(malformed)?;
        page.read(&mut self.numbers).map_err(malformed)?;
        *bytes = page.into_src();
        Ok(&self.numbers)
    }
}

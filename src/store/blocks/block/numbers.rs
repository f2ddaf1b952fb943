//! Decoding of a measure: its numbers, unpacked page by page.

use std::ops::Range;

use pco::wrapped::FileDecompressor;

use crate::store::blocks::block::format::{DecodeError, PAGE, RAW};
use crate::store::blocks::block::packed::Chunk;
use crate::store::blocks::block::presence::MeasurePresence;
use crate::store::blocks::block::steps::{Predictor, Scale};

/// The differences of a page without packed ones.
const ZEROS: [i64; PAGE] = [0; PAGE];

/// The column of a measure. Ranges are of indices of readings.
pub(crate) struct BlockColumn {
    pub(crate) presence: MeasurePresence,
    /// `None` if the numbers are stored unchanged.
    pub(crate) coding: Option<(Scale, Predictor)>,
    chunk: MeasureChunk,
    /// The steps of the page unpacked last, only of readings with the measure; empty without a
    /// coding.
    pub(crate) page_steps: Vec<i64>,
    /// The numbers of the page unpacked last, only of readings with the measure.
    pub(crate) page_numbers: Vec<f64>,
}

enum MeasureChunk {
    None,
    Differences(Chunk<i64>),
    Raw(Chunk<f64>),
}

impl BlockColumn {
    pub(crate) fn take(
        presence: MeasurePresence,
        code: u8,
        rest: &mut &[u8],
    ) -> Result<Self, DecodeError> {
        let coding = match presence {
            // A column without readings has the coding 0, but no scale to read.
            MeasurePresence::None => None,
            MeasurePresence::All | MeasurePresence::Mapped(_) => take_coding(code, rest)?,
        };
        Ok(Self {
            presence,
            coding,
            chunk: MeasureChunk::None,
            page_steps: Vec::new(),
            page_numbers: Vec::new(),
        })
    }

    /// The number of numbers of a page of these readings that the directory describes.
    pub(crate) fn described(&self, of: &Range<usize>) -> usize {
        let count = self.coding.map(|_| self.presence.count(of.clone()));
        count.unwrap_or_default()
    }

    pub(crate) fn take_chunk(
        &mut self,
        file: &FileDecompressor,
        rest: &mut &[u8],
    ) -> Result<(), DecodeError> {
        self.chunk = if self.coding.is_some() {
            MeasureChunk::Differences(Chunk::take(file, rest)?)
        } else {
            MeasureChunk::Raw(Chunk::take(file, rest)?)
        };
        Ok(())
    }

    /// Unpacks the page of these readings. `first` is its first step; `energies` are those that
    /// predict its steps.
    pub(crate) fn unpack(
        &mut self,
        rest: &mut &[u8],
        of: &Range<usize>,
        is_packed: bool,
        first: Option<i64>,
        energies: impl IntoIterator<Item = i64>,
    ) -> Result<(), DecodeError> {
        let count = self.presence.count(of.clone());
        // The first step is in the directory.
        let count = count.saturating_sub(usize::from(self.coding.is_some()));
        self.page_steps.clear();
        self.page_numbers.clear();
        let differences = match &mut self.chunk {
            // First, because pco has no empty pages: nothing was packed here, even if the bit of
            // the page is set.
            _ if count == 0 => &[],
            MeasureChunk::Differences(chunk) if is_packed => chunk.take_page(rest, count)?,
            MeasureChunk::Raw(chunk) if is_packed => {
                let numbers = chunk.take_page(rest, count)?;
                // Steps always give finite numbers; these can be any bits.
                if numbers.iter().any(|number| !number.is_finite()) {
                    return Err(DecodeError::Malformed("a measure is not finite"));
                }
                self.page_numbers.extend_from_slice(numbers);
                &[]
            }
            // Numbers stored unchanged have no default: in a page without packed ones they are
            // missing.
            _ if self.coding.is_none() => {
                return Err(DecodeError::Malformed("shorter than its pages"));
            }
            _ => ZEROS.get(..count).unwrap_or_default(),
        };
        if let (Some((scale, predictor)), Some(first)) = (self.coding, first) {
            predictor.steps(first, differences, energies, &mut self.page_steps);
            let numbers = self.page_steps.iter().map(|&step| scale.number(step));
            self.page_numbers.extend(numbers);
        }
        Ok(())
    }
}

/// Reads the coding of a column, and the scale if it is one of steps.
pub(crate) fn take_coding(
    code: u8,
    rest: &mut &[u8],
) -> Result<Option<(Scale, Predictor)>, DecodeError> {
    if code == RAW {
        return Ok(None);
    }
    let predictor = Predictor::of(code & 0xF).ok_or(DecodeError::Malformed("unknown coding"))?;
    Ok(Some((Scale::take(code >> 4, rest)?, predictor)))
}

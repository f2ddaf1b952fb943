//! Maps of the readings in a block that have a measure.
//!
//! Two bits: 0 none, 1 all, 2 a map follows. A map has one bit per reading, starting with the
//! lowest bit of the first byte; unused bits are 0.

use std::borrow::Cow;
use std::ops::Range;

use crate::domain::Reading;
use crate::store::blocks::block::format::DecodeError;
use crate::store::blocks::measure::Measure;

const NONE: u8 = 0;
const ALL: u8 = 1;
const MAPPED: u8 = 2;

/// The readings of a block that have one of the measures. Ranges are of indices of readings.
pub(crate) enum MeasurePresence {
    None,
    All,
    Mapped(Vec<u8>),
}

impl MeasurePresence {
    pub(crate) fn of(readings: &[Reading], measure: Measure) -> Self {
        let has = |reading: &&Reading| measure.of(reading).is_some();
        match readings.iter().filter(has).count() {
            0 => Self::None,
            count if count == readings.len() => Self::All,
            _ => {
                let byte_of = |eight: &[Reading]| {
                    let with = eight.iter().enumerate().filter(|(_, reading)| has(reading));
                    with.fold(0, |byte, (bit, _)| byte | 1_u8 << bit)
                };
                Self::Mapped(readings.chunks(8).map(byte_of).collect())
            }
        }
    }

    pub(crate) fn take(code: u8, count: usize, bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        match code {
            NONE => Ok(Self::None),
            ALL => Ok(Self::All),
            MAPPED => {
                let map = bytes
                    .split_off(..count.div_ceil(8))
                    .ok_or(DecodeError::Malformed("shorter than its columns"))?;
                // `encode` sets no bit after the last reading.
                let unused = map
                    .last()
                    .is_some_and(|last| !count.is_multiple_of(8) && last >> (count % 8) != 0);
                if unused {
                    return Err(DecodeError::Malformed("a presence map has extra bits"));
                }
                Ok(Self::Mapped(map.to_vec()))
            }
            _ => Err(DecodeError::Malformed("unknown presence")),
        }
    }

    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::None => NONE,
            Self::All => ALL,
            Self::Mapped(_) => MAPPED,
        }
    }

    pub(crate) fn map(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::None | Self::All => &[],
        }
    }

    fn has(&self, index: usize) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Mapped(map) => {
                let in_byte = |byte: &u8| byte >> (index % 8) & 1 == 1;
                map.get(index / 8).is_some_and(in_byte)
            }
        }
    }

    /// The number of the readings that have the measure.
    pub(crate) fn count(&self, of: Range<usize>) -> usize {
        match self {
            Self::None => 0,
            Self::All => of.len(),
            Self::Mapped(_) => of.filter(|&index| self.has(index)).count(),
        }
    }

    /// One item per reading, from `numbers`, which has one only for each reading with the measure.
    pub(crate) fn spread<'a>(
        &'a self,
        of: Range<usize>,
        numbers: &'a [f64],
    ) -> impl Iterator<Item = Option<f64>> + 'a {
        let mut numbers = numbers.iter().copied();
        of.map(move |index| self.has(index).then(|| numbers.next()).flatten())
    }

    /// As [`Self::spread`], with `missing` for readings without the measure.
    pub(crate) fn filled<'a>(
        &self,
        of: Range<usize>,
        numbers: &'a [f64],
        missing: f64,
    ) -> Cow<'a, [f64]> {
        // The usual case: nothing is copied.
        if matches!(self, Self::All) {
            return Cow::Borrowed(numbers);
        }
        let each = self.spread(of, numbers);
        Cow::Owned(each.map(|number| number.unwrap_or(missing)).collect())
    }

    /// Keeps the items of readings with the measure, given one item per reading.
    pub(crate) fn retain<T>(&self, of: Range<usize>, items: &mut Vec<T>) {
        if !matches!(self, Self::All) {
            let mut index = of;
            items.retain(|_| index.next().is_some_and(|index| self.has(index)));
        }
    }
}

//! Which readings of a block have a measure.
//!
//! Two bits say 0: none, 1: all, 2: a map follows. A map has a bit a reading, from the lowest bit of the first byte on; unused
//! bits are 0.

use std::borrow::Cow;
use std::ops::Range;

use crate::domain::reading::Reading;
use crate::store::blocks::block::DecodeError;
use crate::store::blocks::measure::Measure;

const NONE: u8 = 0;
const ALL: u8 = 1;
const MAPPED: u8 = 2;

pub(crate) enum Presence {
    None,
    All,
    Mapped(Vec<u8>),
}

impl Presence {
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
                let (map, rest) = bytes
                    .split_at_checked(count.div_ceil(8))
                    .ok_or(DecodeError::Malformed("shorter than its columns"))?;
                *bytes = rest;
                let unused = map
                    .last()
                    .is_some_and(|last| !count.is_multiple_of(8) && last >> (count % 8) != 0);
                if unused {
                    return Err(DecodeError::Malformed("a map longer than its readings"));
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

    pub(crate) fn has(&self, index: usize) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Mapped(map) => {
                let in_byte = |byte: &u8| byte >> (index % 8) & 1 == 1;
                map.get(index / 8).is_some_and(in_byte)
            }
        }
    }

    /// How many of the readings have it.
    pub(crate) fn count(&self, of: Range<usize>) -> usize {
        match self {
            Self::None => 0,
            Self::All => of.len(),
            Self::Mapped(_) => of.filter(|&index| self.has(index)).count(),
        }
    }
}

impl Presence {
    /// `numbers` of the readings that have it, with `missing` for the others.
    pub(crate) fn filled<'a>(
        &self,
        of: Range<usize>,
        numbers: &'a [f64],
        missing: f64,
    ) -> Cow<'a, [f64]> {
        if matches!(self, Self::All) {
            return Cow::Borrowed(numbers);
        }
        let mut numbers = numbers.iter().copied();
        let each = of.map(|index| self.has(index).then(|| numbers.next()).flatten());
        Cow::Owned(each.map(|number| number.unwrap_or(missing)).collect())
    }

    /// Of one item a reading, those of the readings that have it.
    pub(crate) fn retain<T>(&self, of: Range<usize>, items: &mut Vec<T>) {
        if !matches!(self, Self::All) {
            let mut index = of;
            items.retain(|_| index.next().is_some_and(|index| self.has(index)));
        }
    }
}

/// One number for each of the readings that have it, in order; `None` for the others.
pub(crate) fn spread<'a>(
    presence: &'a Presence,
    of: Range<usize>,
    numbers: &'a [f64],
) -> impl Iterator<Item = Option<f64>> + 'a {
    let mut numbers = numbers.iter().copied();
    of.map(move |index| {
        if presence.has(index) {
            numbers.next()
        } else {
            None
        }
    })
}

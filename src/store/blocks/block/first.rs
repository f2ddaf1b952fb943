//! Blocks of version 1: read, no longer written.
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 1 | version: 1 |
//! | 1 | 4 | CRC-32 (IEEE) of all that follows, little-endian |
//! | 5 | 2 | number of readings, at least 1, little-endian |
//! | 7 | 1 | presence: bits 0 and 1 of watts, bits 2 and 3 of watt-hours |
//! | 8 | 2 | length of the column of times, little-endian |
//! | 10 | 2 | length of the column of watts |
//! | 12 | 2 | length of the column of watt-hours |
//! | 14 | | the column of times; map of watts; column of watts; map of watt-hours; column of watt-hours |
//!
//! Presence and maps are as in version 2. A column is a pco "standalone" file: of i64 milliseconds for times, strictly
//! ascending; of f64 for the measures, only of readings that have it.

use pco::data_types::Number;
use pco::standalone::simple_decompress_into;

use crate::domain::reading::Reading;
use crate::store::blocks::block::presence::{Presence, spread};
use crate::store::blocks::block::{Checked, DecodeError, FIRST_VERSION, assemble, timestamps};
use crate::store::blocks::measure::{Measure, Values};

/// The columns of a block, found and not yet unpacked.
pub(crate) struct Columns<'a> {
    count: usize,
    times: &'a [u8],
    watts: Packed<'a>,
    watthours: Packed<'a>,
}

struct Packed<'a> {
    presence: Presence,
    column: &'a [u8],
}

impl<'a> Columns<'a> {
    pub(crate) fn of(block: &'a [u8]) -> Result<Self, DecodeError> {
        let Checked {
            count,
            presence,
            rest,
        } = Checked::of(block, FIRST_VERSION)?;
        let (lengths, mut rest) = rest
            .split_first_chunk::<6>()
            .ok_or(DecodeError::Malformed("shorter than its header"))?;
        let [t1, t2, w1, w2, h1, h2] = *lengths;
        let times = take(&mut rest, t1, t2)?;
        let watts = Packed {
            presence: Presence::take(presence & 3, count, &mut rest)?,
            column: take(&mut rest, w1, w2)?,
        };
        let watthours = Packed {
            presence: Presence::take(presence >> 2, count, &mut rest)?,
            column: take(&mut rest, h1, h2)?,
        };
        if !rest.is_empty() {
            return Err(DecodeError::Malformed("longer than its columns"));
        }
        Ok(Self {
            count,
            times,
            watts,
            watthours,
        })
    }

    pub(crate) fn readings(&self) -> Result<Vec<Reading>, DecodeError> {
        let times = timestamps(&decompress(self.times, self.count)?)?;
        let (watts, watthours) = (
            self.watts.numbers(self.count)?,
            self.watthours.numbers(self.count)?,
        );
        let mut readings = Vec::with_capacity(self.count);
        assemble(
            &times,
            spread(&self.watts.presence, 0..self.count, &watts),
            spread(&self.watthours.presence, 0..self.count, &watthours),
            &mut readings,
        )?;
        Ok(readings)
    }

    pub(crate) fn values(&self, measure: Measure) -> Result<Values, DecodeError> {
        let packed = match measure {
            Measure::Watts => &self.watts,
            Measure::Watthours => &self.watthours,
        };
        let mut times = timestamps(&decompress(self.times, self.count)?)?;
        let numbers = packed.numbers(self.count)?;
        packed.presence.retain(0..self.count, &mut times);
        Ok(Values { times, numbers })
    }
}

/// A column whose length is these two bytes.
fn take<'a>(rest: &mut &'a [u8], low: u8, high: u8) -> Result<&'a [u8], DecodeError> {
    let length = usize::from(u16::from_le_bytes([low, high]));
    let (part, behind) = rest
        .split_at_checked(length)
        .ok_or(DecodeError::Malformed("shorter than its columns"))?;
    *rest = behind;
    Ok(part)
}

impl Packed<'_> {
    fn numbers(&self, count: usize) -> Result<Vec<f64>, DecodeError> {
        let present = self.presence.count(0..count);
        if present == 0 && self.column.is_empty() {
            return Ok(Vec::new());
        }
        let numbers: Vec<f64> = decompress(self.column, present)?;
        crate::store::blocks::block::finite(&numbers)?;
        Ok(numbers)
    }
}

/// Exactly `count` numbers of a column. The memory it takes is bounded by `count`, whatever the column says.
fn decompress<T: Number + Default>(column: &[u8], count: usize) -> Result<Vec<T>, DecodeError> {
    // One more than expected, to see a column that holds more.
    let mut numbers = vec![T::default(); count + 1];
    let progress = simple_decompress_into(column, &mut numbers)
        .map_err(|_| DecodeError::Malformed("a column is not one"))?;
    if progress.n_processed != count || !progress.finished {
        return Err(DecodeError::Malformed("a column of another length"));
    }
    numbers.truncate(count);
    Ok(numbers)
}

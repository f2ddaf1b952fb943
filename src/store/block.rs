//! A sealed block: readings of one sensor as compressed columns under a checksum.
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 1 | version: 1 |
//! | 1 | 4 | CRC-32 (IEEE) of all that follows, little-endian |
//! | 5 | 2 | number of readings, at least 1, little-endian |
//! | 7 | 1 | presence: bits 0 and 1 of watts, bits 2 and 3 of watt-hours: 0 none has it, 1 all have it, 2 a map follows |
//! | 8 | 2 | length of the column of times, little-endian |
//! | 10 | 2 | length of the column of watts |
//! | 12 | 2 | length of the column of watt-hours |
//! | 14 | | the column of times; map of watts; column of watts; map of watt-hours; column of watt-hours |
//!
//! A map has a bit a reading, from the lowest bit of the first byte on; unused bits are 0. A column is a pco
//! "standalone" file (`pco` 1, <https://github.com/pcodec/pcodec>): of i64 milliseconds for times, strictly ascending; of
//! f64 for the measures, only of readings that have it.
//!
//! A block is at most 6,000 bytes long, because sled writes a page that grows too long as a file of its own, and
//! never syncs that (docs/STORAGE.md).

use pco::standalone::{simple_compress, simple_decompress_into};
use pco::{ChunkConfig, data_types::Number};
use thiserror::Error;

use super::measure::{Measure, Values};
use crate::domain::reading::{Measures, Reading};
use crate::domain::time::Timestamp;

/// The longest block, in bytes: (segment size / 4 - 52) / 21 for segments of 512 KiB.
pub(super) const MAX_BYTES: usize = 6_000;
/// The most readings in a block.
pub(super) const MAX_READINGS: usize = 16_384;

const VERSION: u8 = 1;
const HEADER_BYTES: usize = 14;
const CHECKED_FROM: usize = 5;
/// Of pco's 0 to 12: above 8 it takes twice as long for less than a percent.
const COMPRESSION_LEVEL: usize = 8;

/// Why readings were not made a block.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// They would take so many bytes, more than the 6,000 that a block may have.
    #[error("{0} bytes are too many for a block")]
    TooLong(usize),
    /// There are none, too many, or the compressor refused.
    #[error("not encoded: {0}")]
    Refused(String),
}

/// Why bytes are not a block.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// Of a version that is not known here.
    #[error("block version {0} is unknown")]
    Version(u8),
    /// Its checksum is not that of its bytes.
    #[error("the checksum does not fit")]
    Checksum,
    /// Not of the form, as it is said.
    #[error("{0}")]
    Malformed(&'static str),
}

/// The block of `readings`, which are in strictly ascending order of time.
///
/// # Errors
/// [`EncodeError::TooLong`] where fewer readings would do; [`EncodeError::Refused`].
pub fn encode(readings: &[Reading]) -> Result<Vec<u8>, EncodeError> {
    if readings.is_empty() || readings.len() > MAX_READINGS {
        return Err(EncodeError::Refused(format!("{} readings", readings.len())));
    }
    let times: Vec<i64> = readings
        .iter()
        .map(|reading| reading.time.millis())
        .collect();
    let times = compress(&times)?;
    let watts = Column::of(readings, Measures::watts)?;
    let watthours = Column::of(readings, Measures::watthours)?;
    let length = HEADER_BYTES + times.len() + watts.length() + watthours.length();
    if length > MAX_BYTES {
        return Err(EncodeError::TooLong(length));
    }
    let short = |length: usize| u16::try_from(length).map_err(|_| EncodeError::TooLong(length));
    let mut block = Vec::with_capacity(length);
    block.push(VERSION);
    block.extend_from_slice(&[0; 4]);
    block.extend_from_slice(&short(readings.len())?.to_le_bytes());
    block.push(watts.presence | watthours.presence << 2);
    for column in [&times, &watts.values, &watthours.values] {
        block.extend_from_slice(&short(column.len())?.to_le_bytes());
    }
    for part in [
        &times,
        &watts.map,
        &watts.values,
        &watthours.map,
        &watthours.values,
    ] {
        block.extend_from_slice(part);
    }
    let checksum = crc32fast::hash(block.get(CHECKED_FROM..).unwrap_or_default());
    if let Some(field) = block.get_mut(1..CHECKED_FROM) {
        field.copy_from_slice(&checksum.to_le_bytes());
    }
    Ok(block)
}

/// The readings of a block, in ascending order of time.
///
/// # Errors
/// [`DecodeError`] says what is wrong with the bytes.
pub fn decode(block: &[u8]) -> Result<Vec<Reading>, DecodeError> {
    let columns = Columns::of(block)?;
    let times = columns.times()?;
    assemble(&times, columns.watts.read()?, columns.watthours.read()?)
}

/// One measure of a block: only of its readings that have it, in ascending order of time. The other measure is not
/// unpacked.
pub(super) fn decode_measure(block: &[u8], measure: Measure) -> Result<Values, DecodeError> {
    let columns = Columns::of(block)?;
    let packed = match measure {
        Measure::Watts => columns.watts,
        Measure::Watthours => columns.watthours,
    };
    let mut times = columns.times()?;
    let numbers = packed.numbers()?;
    if numbers.iter().filter(|number| !number.is_finite()).count() > 0 {
        return Err(DecodeError::Malformed("a reading without a finite measure"));
    }
    if packed.presence != ALL {
        let mut index = 0..;
        times.retain(|_| index.next().is_some_and(|index| packed.is_present(index)));
    }
    Ok(Values { times, numbers })
}

/// The columns of a block, found and not yet unpacked.
struct Columns<'a> {
    count: usize,
    times: &'a [u8],
    watts: Packed<'a>,
    watthours: Packed<'a>,
}

impl<'a> Columns<'a> {
    fn of(block: &'a [u8]) -> Result<Self, DecodeError> {
        let (header, columns) = block
            .split_first_chunk::<HEADER_BYTES>()
            .ok_or(DecodeError::Malformed("shorter than its header"))?;
        let [version, c1, c2, c3, c4, n1, n2, presence, lengths @ ..] = *header;
        let [t1, t2, w1, w2, h1, h2] = lengths;
        if version != VERSION {
            return Err(DecodeError::Version(version));
        }
        let checksum = u32::from_le_bytes([c1, c2, c3, c4]);
        if block.get(CHECKED_FROM..).map(crc32fast::hash) != Some(checksum) {
            return Err(DecodeError::Checksum);
        }
        let count = usize::from(u16::from_le_bytes([n1, n2]));
        if count == 0 || count > MAX_READINGS {
            return Err(DecodeError::Malformed("impossible number of readings"));
        }
        if presence >> 4 != 0 {
            return Err(DecodeError::Malformed("unknown presence"));
        }
        let length = |low, high| usize::from(u16::from_le_bytes([low, high]));
        let mut parts = Parts(columns);
        let times = parts.take(length(t1, t2))?;
        let watts = parts.measure(count, presence & 3, length(w1, w2))?;
        let watthours = parts.measure(count, presence >> 2, length(h1, h2))?;
        if !parts.0.is_empty() {
            return Err(DecodeError::Malformed("longer than its columns"));
        }
        Ok(Self {
            count,
            times,
            watts,
            watthours,
        })
    }

    /// The times of all readings, strictly ascending.
    fn times(&self) -> Result<Vec<Timestamp>, DecodeError> {
        let times = decompress::<i64>(self.times, self.count)?;
        // All pairs are looked at: a loop without a way out is several times as fast.
        let pairs = times.iter().zip(times.get(1..).unwrap_or_default());
        if pairs.filter(|(earlier, later)| earlier >= later).count() > 0 {
            return Err(DecodeError::Malformed("times out of order"));
        }
        let ends = times.first().zip(times.last());
        let (first, last) = ends.ok_or(DecodeError::Malformed("no times"))?;
        if Timestamp::from_millis(*first).is_none() || Timestamp::from_millis(*last).is_none() {
            return Err(DecodeError::Malformed("impossible time"));
        }
        // What lies between the ends is possible too.
        let time = |ms| Timestamp::from_millis(ms).unwrap_or(Timestamp::MIN);
        Ok(times.into_iter().map(time).collect())
    }
}

fn assemble(
    times: &[Timestamp],
    mut watts: Presence,
    mut watthours: Presence,
) -> Result<Vec<Reading>, DecodeError> {
    let reading = |(index, &time): (usize, &Timestamp)| {
        let measures = Measures::new(watts.next(index), watthours.next(index));
        let measures =
            measures.map_err(|_| DecodeError::Malformed("a reading without a finite measure"))?;
        Ok(Reading { time, measures })
    };
    times.iter().enumerate().map(reading).collect()
}

const NONE: u8 = 0;
const ALL: u8 = 1;
const MAPPED: u8 = 2;

/// One measure of a block, to be written.
struct Column {
    presence: u8,
    map: Vec<u8>,
    values: Vec<u8>,
}

impl Column {
    fn of(
        readings: &[Reading],
        measure: impl Fn(Measures) -> Option<f64>,
    ) -> Result<Self, EncodeError> {
        let values: Vec<f64> = readings
            .iter()
            .filter_map(|reading| measure(reading.measures))
            .collect();
        if values.is_empty() {
            return Ok(Self {
                presence: NONE,
                map: Vec::new(),
                values: Vec::new(),
            });
        }
        if values.len() == readings.len() {
            return Ok(Self {
                presence: ALL,
                map: Vec::new(),
                values: compress(&values)?,
            });
        }
        let byte_of = |eight: &[Reading]| {
            let bits = eight
                .iter()
                .enumerate()
                .filter(|(_, reading)| measure(reading.measures).is_some());
            bits.fold(0, |byte, (bit, _)| byte | 1_u8 << bit)
        };
        let map = readings.chunks(8).map(byte_of).collect();
        Ok(Self {
            presence: MAPPED,
            map,
            values: compress(&values)?,
        })
    }

    fn length(&self) -> usize {
        self.map.len() + self.values.len()
    }
}

/// One measure of a block, not yet unpacked.
#[derive(Clone, Copy)]
struct Packed<'a> {
    presence: u8,
    map: &'a [u8],
    column: &'a [u8],
    /// How many readings have it.
    present: usize,
}

impl<'a> Packed<'a> {
    fn is_present(&self, index: usize) -> bool {
        let in_map = |byte: &u8| byte >> (index % 8) & 1 == 1;
        self.presence == ALL || self.map.get(index / 8).is_some_and(in_map)
    }

    fn numbers(&self) -> Result<Vec<f64>, DecodeError> {
        if self.present == 0 && self.column.is_empty() {
            return Ok(Vec::new());
        }
        decompress(self.column, self.present)
    }

    fn read(self) -> Result<Presence<'a>, DecodeError> {
        Ok(Presence {
            values: self.numbers()?.into_iter(),
            packed: self,
        })
    }
}

/// One measure of a block, being read: which readings have it, and the values still to come.
struct Presence<'a> {
    packed: Packed<'a>,
    values: std::vec::IntoIter<f64>,
}

impl Presence<'_> {
    fn next(&mut self, index: usize) -> Option<f64> {
        if self.packed.is_present(index) {
            self.values.next()
        } else {
            None
        }
    }
}

/// What is left of a block's columns.
struct Parts<'a>(&'a [u8]);

impl<'a> Parts<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (part, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(DecodeError::Malformed("shorter than its columns"))?;
        self.0 = rest;
        Ok(part)
    }

    fn measure(
        &mut self,
        count: usize,
        presence: u8,
        length: usize,
    ) -> Result<Packed<'a>, DecodeError> {
        let (map, present): (&[u8], usize) = match presence {
            NONE => (&[], 0),
            ALL => (&[], count),
            MAPPED => {
                let map = self.take(count.div_ceil(8))?;
                let unused = map
                    .last()
                    .is_some_and(|last| !count.is_multiple_of(8) && last >> (count % 8) != 0);
                if unused {
                    return Err(DecodeError::Malformed("a map longer than its readings"));
                }
                (map, map.iter().map(|byte| byte.count_ones() as usize).sum())
            }
            _ => return Err(DecodeError::Malformed("unknown presence")),
        };
        Ok(Packed {
            presence,
            map,
            column: self.take(length)?,
            present,
        })
    }
}

fn compress<T: Number>(numbers: &[T]) -> Result<Vec<u8>, EncodeError> {
    let config = ChunkConfig::default().with_compression_level(COMPRESSION_LEVEL);
    simple_compress(numbers, &config).map_err(|error| EncodeError::Refused(error.to_string()))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::noise;
    use super::*;

    fn any_readings() -> impl Strategy<Value = Vec<Reading>> {
        let number = prop_oneof![
            (-100_000_i32..100_000).prop_map(|tenths| f64::from(tenths) / 10.0),
            any::<f64>().prop_filter("finite", |number| number.is_finite()),
        ];
        let measures = (
            proptest::option::of(number.clone()),
            proptest::option::of(number),
        )
            .prop_filter_map("never neither", |(watts, watthours)| {
                Measures::new(watts, watthours).ok()
            });
        let steps = proptest::collection::vec((1_i64..100_000, measures), 1..200);
        (-1_000_000_000_000_i64..2_000_000_000_000, steps).prop_map(|(mut ms, steps)| {
            let mut reading = |(step, measures)| {
                ms += step;
                Reading {
                    time: Timestamp::from_millis(ms).unwrap(),
                    measures,
                }
            };
            steps.into_iter().map(&mut reading).collect()
        })
    }

    fn bits(readings: &[Reading]) -> Vec<(i64, Option<u64>, Option<u64>)> {
        let bits = |number: Option<f64>| number.map(f64::to_bits);
        let one = |r: &Reading| {
            (
                r.time.millis(),
                bits(r.measures.watts()),
                bits(r.measures.watthours()),
            )
        };
        readings.iter().map(one).collect()
    }

    fn minutes(count: i64, watts: impl Fn(i64) -> f64) -> Vec<Reading> {
        let reading = |n| Reading {
            time: Timestamp::from_millis(1_700_000_000_000 + 60_000 * n).unwrap(),
            measures: Measures::new(Some(watts(n)), None).unwrap(),
        };
        (0..count).map(reading).collect()
    }

    #[test]
    fn a_block_never_exceeds_its_length() {
        let readings = minutes(1_000, noise);
        assert!(
            matches!(encode(&readings), Err(EncodeError::TooLong(length)) if length > MAX_BYTES)
        );
        assert!(encode(&readings[..240]).is_ok());
        assert!(
            encode(&minutes(4_096, |n| f64::from(u8::try_from(n % 7).unwrap())))
                .unwrap()
                .len()
                <= MAX_BYTES
        );
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        assert!(matches!(encode(&[]), Err(EncodeError::Refused(_))));
        let too_many = minutes(16_385, |_| 1.0);
        assert!(matches!(encode(&too_many), Err(EncodeError::Refused(_))));
        assert!(encode(&too_many[..MAX_READINGS]).is_ok());
    }

    #[test]
    fn another_version_is_told_from_damage() {
        let mut block = encode(&minutes(3, |_| 1.0)).unwrap();
        block[0] = 2;
        assert_eq!(decode(&block), Err(DecodeError::Version(2)));
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(readings in any_readings()) {
            let block = encode(&readings).unwrap();
            prop_assert_eq!(bits(&decode(&block).unwrap()), bits(&readings));
            for measure in [Measure::Watts, Measure::Watthours] {
                let values = decode_measure(&block, measure).unwrap();
                let found: Vec<(i64, u64)> = values
                    .times
                    .iter()
                    .zip(&values.numbers)
                    .map(|(time, number)| (time.millis(), number.to_bits()))
                    .collect();
                let expected: Vec<(i64, u64)> = readings
                    .iter()
                    .filter_map(|reading| measure.of(reading))
                    .map(|value| (value.time.millis(), value.number.to_bits()))
                    .collect();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn a_changed_byte_or_a_cut_is_noticed(readings in any_readings(), at in any::<prop::sample::Index>(), flip in 1_u8..) {
            let mut block = encode(&readings).unwrap();
            let at = at.index(block.len());
            prop_assert!(decode(&block[..at]).is_err());
            block[at] ^= flip;
            prop_assert!(decode(&block).is_err());
        }

        #[test]
        fn no_bytes_panic(mut bytes in proptest::collection::vec(any::<u8>(), HEADER_BYTES..200), presence in 0_u8..16, count in 0_u8..50) {
            // A true checksum, so that the columns behind it are looked at.
            bytes[0] = VERSION;
            bytes[5] = count;
            bytes[6] = 0;
            bytes[7] = presence;
            let columns = u16::try_from(bytes.len() - HEADER_BYTES).unwrap();
            bytes[8..10].copy_from_slice(&(columns / 2).to_le_bytes());
            bytes[10..12].copy_from_slice(&(columns / 4).to_le_bytes());
            bytes[12..14].copy_from_slice(&(columns / 8).to_le_bytes());
            let checksum = crc32fast::hash(&bytes[CHECKED_FROM..]);
            bytes[1..5].copy_from_slice(&checksum.to_le_bytes());
            prop_assert!(decode(&bytes).is_err());
            // This looks at fewer columns.
            let _ = decode_measure(&bytes, Measure::Watts);
        }
    }
}

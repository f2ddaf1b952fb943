//! A sealed block: readings of one sensor as compressed columns under a checksum, in pages that can be unpacked by themselves.
//!
//! This is version 2, which is written; `first.rs` has version 1, which is read too. Numbers of more than a byte are
//! little-endian; a varint and a signed one are those of `varint.rs`.
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 1 | version: 2 |
//! | 1 | 4 | CRC-32 (IEEE) of all that follows |
//! | 5 | 2 | number of readings, at least 1 |
//! | 7 | 1 | presence: bits 0 and 1 of watts, bits 2 and 3 of watt-hours: 0 none has it, 1 all have it, 2 a map follows |
//! | 8 | 3 | the coding of times, of watts, of watt-hours; 0 of a measure that none has |
//! | 11 | | map of watts; map of watt-hours: `presence.rs` |
//! | | | of times, watts, watt-hours whose coding is one of steps: base (signed varint), unit (signed varint) |
//! | | | the directory: of each page a varint, eight times its length in bytes and what it has numbers of (1 times, 2 watts, 4 watt-hours), and what the tables below say |
//! | | | the header of pco's wrapped format; what all pages have in common ("chunk metadata") of times, watts, watt-hours |
//! | | | the pages: of each the numbers of times, of watts, of watt-hours, each a "page" of pco's |
//!
//! A page has 256 readings, the last one the rest. Of a measure only the readings that have it count. What would hold no
//! number, a page's or all pages', is left out.
//!
//! The coding of a column is 0xFF where its numbers stand as they are (f64; measures only), or else one of steps
//! (i64; `steps.rs`): bits 4 to 7 are the decimals, 0 to 6 (of times 0, which are milliseconds since 1970), bits 0 to 3 say what
//! foretells a step. A number is (base + unit * step) / 10^decimals. The first step of a page stands in the directory; of the
//! others the differences to what is foretold are packed, unless all are 0, or the page's times equally far from each other.
//!
//! | foretold | from |
//! | --- | --- |
//! | 0 | nothing: 0 |
//! | 1 | the step before |
//! | 2 | the step before and its difference to its own, of a page's first one 0 |
//! | 3 | watt-hours only: the step before, and each reading's power over the time since the reading before |
//! | 4 | watt-hours only: the same, with the mean of the power of both |
//!
//! Of a page the directory says, in steps, where a column is one of steps and a reading of the page has it:
//!
//! | of | what, as signed varints but for the phase |
//! | --- | --- |
//! | times | the first, written as its distance from that of the page before, less the distance before; where the page has no numbers of times, as a varint how far its times are from each other |
//! | watts | the first, less that of the page before; the first less the least; the greatest less the first; the sum |
//! | watt-hours | the first, less the last of the page before; the last less the first; a byte: the phase, how much of the next step was counted when the first was read, in parts of 256 |
//!
//! A block is at most 6,000 bytes long, because sled writes a page that grows too long as a file of its own, and
//! never syncs that (docs/STORAGE.md).

mod columns;
mod directory;
mod first;
mod packed;
mod pages;
mod presence;
mod steps;
mod times;
mod varint;

use thiserror::Error;

use self::columns::Column;
use self::directory::Entry;
pub(crate) use self::pages::Pages;
use crate::domain::reading::{Measures, Reading};
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::blocks::measure::{Measure, Values};

/// The longest block, in bytes: what a question that cuts it reads, and a late reading that falls into it rewrites.
pub(crate) const MAX_BYTES: usize = 6_000;
/// The most readings in a block.
pub(crate) const MAX_READINGS: usize = 16_384;

/// The version written here.
const VERSION: u8 = 2;
const FIRST_VERSION: u8 = 1;
const CHECKED_FROM: usize = 5;
/// What blocks of all versions begin with.
const HEADER_BYTES: usize = 8;
/// Readings in a page; in the last one of a block the rest.
const PAGE: usize = 256;
/// The coding of a column whose numbers stand as they are.
const RAW: u8 = 0xFF;

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
    let ms: Vec<i64> = readings.iter().map(|r| r.time.millis()).collect();
    let mut entries = vec![Entry::default(); readings.len().div_ceil(PAGE)];
    let times = Column::of_times(&ms, &mut entries)?;
    let watts = Column::of_watts(readings, &mut entries)?;
    let watthours = Column::of_watthours(readings, &ms, &mut entries)?;
    let columns = [times, watts, watthours];

    let mut pages: Vec<u8> = Vec::new();
    let mut packed = columns.each_ref().map(|column| column.packed.pages.iter());
    for (index, entry) in entries.iter_mut().enumerate() {
        let start = pages.len();
        entry.packed = columns.each_ref().map(|column| column.is_packed(index));
        for (packed, is_packed) in packed.iter_mut().zip(entry.packed) {
            if is_packed {
                packed
                    .next()
                    .into_iter()
                    .for_each(|page| pages.extend(page));
            }
        }
        entry.length = pages.len() - start;
    }
    let [times, watts, watthours] = &columns;
    let mut block = vec![VERSION, 0, 0, 0, 0];
    let count = u16::try_from(readings.len()).map_err(|_| EncodeError::TooLong(pages.len()))?;
    block.extend_from_slice(&count.to_le_bytes());
    block.push(watts.presence.code() | watthours.presence.code() << 2);
    block.extend(columns.each_ref().map(|column| column.coding));
    block.extend_from_slice(watts.presence.map());
    block.extend_from_slice(watthours.presence.map());
    for scale in [times, watts, watthours]
        .into_iter()
        .filter_map(|column| column.scale)
    {
        scale.put(&mut block);
    }
    block.extend(directory::write(&entries));
    block.extend(packed::header()?);
    for column in &columns {
        block.extend_from_slice(&column.packed.common);
    }
    block.extend(pages);
    if block.len() > MAX_BYTES {
        return Err(EncodeError::TooLong(block.len()));
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
    match block.first() {
        Some(&FIRST_VERSION) => first::Columns::of(block)?.readings(),
        _ => Pages::open(block.to_vec(), None)?.readings(),
    }
}

/// A block in which one measure is looked for.
pub(crate) enum Opened {
    /// Of a version that has no pages: all that there is of the measure.
    Whole(Values),
    Pages(Box<Pages>),
}

/// Reads what a block says of itself, to look for `measure` in its pages.
pub(crate) fn open(bytes: Vec<u8>, measure: Measure) -> Result<Opened, DecodeError> {
    match bytes.first() {
        Some(&FIRST_VERSION) => {
            let values = first::Columns::of(&bytes)?.values(measure)?;
            Ok(Opened::Whole(values))
        }
        _ => Ok(Opened::Pages(Box::new(Pages::open(bytes, Some(measure))?))),
    }
}

/// One measure of a block in a range: only of its readings that have it, in ascending order of time. Only the pages that
/// reach into the range are unpacked.
///
/// # Errors
/// [`DecodeError`] says what is wrong with the bytes.
pub fn decode_measure(
    block: &[u8],
    measure: Measure,
    range: TimeRange,
) -> Result<Values, DecodeError> {
    let mut pages = match open(block.to_vec(), measure)? {
        Opened::Whole(values) => return Ok(values.clipped(range)),
        Opened::Pages(pages) => pages,
    };
    let mut values = Values::default();
    for page in 0..pages.len() {
        let reach = pages.reach(page, Timestamp::MAX);
        if reach.is_some_and(|r| r.start() <= range.end() && range.start() <= r.end()) {
            values = values.overlaid_by(pages.values(page, measure)?);
        }
    }
    Ok(values.clipped(range))
}

/// What blocks of all versions begin with, looked at.
struct Checked<'a> {
    count: usize,
    /// Of watts and of watt-hours, two bits each.
    presence: u8,
    rest: &'a [u8],
}

impl<'a> Checked<'a> {
    fn of(block: &'a [u8], expected: u8) -> Result<Self, DecodeError> {
        let (header, rest) = block
            .split_first_chunk::<HEADER_BYTES>()
            .ok_or(DecodeError::Malformed("shorter than its header"))?;
        let [version, c1, c2, c3, c4, n1, n2, presence] = *header;
        if version != expected {
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
        Ok(Self {
            count,
            presence,
            rest,
        })
    }
}

/// Times that are strictly ascending and possible.
fn timestamps(ms: &[i64]) -> Result<Vec<Timestamp>, DecodeError> {
    // All pairs are looked at: a loop without a way out is several times as fast.
    let pairs = ms.iter().zip(ms.get(1..).unwrap_or_default());
    if pairs.filter(|(earlier, later)| earlier >= later).count() > 0 {
        return Err(DecodeError::Malformed("times out of order"));
    }
    let ends = ms.first().zip(ms.last());
    let (first, last) = ends.ok_or(DecodeError::Malformed("no times"))?;
    if Timestamp::from_millis(*first).is_none() || Timestamp::from_millis(*last).is_none() {
        return Err(DecodeError::Malformed("impossible time"));
    }
    // What lies between the ends is possible too.
    let time = |&ms| Timestamp::from_millis(ms).unwrap_or(Timestamp::MIN);
    Ok(ms.iter().map(time).collect())
}

fn finite(numbers: &[f64]) -> Result<(), DecodeError> {
    if numbers.iter().filter(|number| !number.is_finite()).count() > 0 {
        return Err(DecodeError::Malformed("a reading without a finite measure"));
    }
    Ok(())
}

fn assemble(
    times: &[Timestamp],
    watts: impl Iterator<Item = Option<f64>>,
    watthours: impl Iterator<Item = Option<f64>>,
    into: &mut Vec<Reading>,
) -> Result<(), DecodeError> {
    for ((&time, watts), watthours) in times.iter().zip(watts).zip(watthours) {
        let measures = Measures::new(watts, watthours)
            .map_err(|_| DecodeError::Malformed("a reading without a finite measure"))?;
        into.push(Reading { time, measures });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::tests::noise;

    fn any_readings() -> impl Strategy<Value = Vec<Reading>> {
        let tenths = (-100_000_i32..100_000).prop_map(|tenths| f64::from(tenths) / 10.0);
        let any_number = any::<f64>().prop_filter("finite", |number| number.is_finite());
        prop_oneof![
            readings_of(tenths.clone()),
            readings_of(prop_oneof![tenths, any_number]),
        ]
    }

    fn readings_of(
        number: impl Strategy<Value = f64> + Clone + 'static,
    ) -> impl Strategy<Value = Vec<Reading>> {
        let measures = (
            proptest::option::of(number.clone()),
            proptest::option::of(number),
        )
            .prop_filter_map("never neither", |(watts, watthours)| {
                Measures::new(watts, watthours).ok()
            });
        let steps = proptest::collection::vec((1_i64..100_000, measures), 1..300);
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

    fn bytes_of(digits: &str) -> Vec<u8> {
        (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
            .collect()
    }

    fn reading(ms: i64, watts: Option<f64>, watthours: Option<f64>) -> Reading {
        Reading {
            time: Timestamp::from_millis(ms).unwrap(),
            measures: Measures::new(watts, watthours).unwrap(),
        }
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
    fn blocks_of_the_first_version_are_read() {
        const BLOCK: &str = "0192d1025203000922002f00260070636f210300c104010402000000100000402b7f5e0c00008c000000c0d4d15a070070636f210300c1040106020000003200e8ffffffffffffff0f0000000000001e2c30000000000000785a60000600000570636f2103008104010601000000210030333333333319050c606666666666f2060c00020000";
        let mut block = bytes_of(BLOCK);
        let readings = [
            reading(1_700_000_000_000, Some(4216.0), Some(70.3)),
            reading(1_700_000_060_000, Some(5360.0), None),
            reading(1_700_000_120_500, Some(-0.0), Some(249.2)),
        ];
        assert_eq!(bits(&decode(&block).unwrap()), bits(&readings));
        for measure in [Measure::Watts, Measure::Watthours] {
            let values = decode_measure(&block, measure, TimeRange::ALL).unwrap();
            assert_eq!(values, Values::of(&readings, measure));
        }
        for at in 0..block.len() {
            block[at] ^= 16;
            assert!(decode(&block).is_err(), "{at}");
            block[at] ^= 16;
        }
    }

    /// The format is what these bytes say, however it is written and read. Where only `encode` differs, the compressor does
    /// it another way, and what it wrote before must be read still.
    #[test]
    fn blocks_of_the_second_version_are_these_bytes() {
        // Foretold, but for the power.
        let minute = 60_000;
        let foretold = [
            reading(1_700_000_000_000, Some(4216.0), Some(70.3)),
            reading(1_700_000_000_000 + minute, Some(5360.0), Some(159.6)),
            reading(1_700_000_000_000 + 2 * minute, Some(5374.0), Some(249.2)),
        ];
        // Uneven times, numbers that stand as they are, a measure that is missing once.
        let kept = [
            reading(-5, Some(0.1 + 0.2), Some(70.3)),
            reading(1_000, Some(5360.0), None),
            reading(3_001, Some(-0.0), Some(69.0)),
            reading(3_002, Some(1e300), Some(69.5)),
        ];
        for (readings, bytes) in [(&foretold[..], FORETOLD), (&kept[..], KEPT)] {
            let block = bytes_of(bytes);
            assert_eq!(bits(&decode(&block).unwrap()), bits(readings));
            assert_eq!(encode(readings).unwrap(), block);
        }
    }

    const FORETOLD: &str = "024e39c73603000501001380a0abfef962c0a907f04104fe0a020a000100008609fe1100fa1b550401001000e0110000000000001c0038";
    const KEPT: &str = "026d3ec33504000902ff110d0902fe0a024f00000f00040100100080c1ffffffffffff6300004200e0ffffffffffffff0f00cdccccccccccf42f000000000000785a60009c7500883ce437fe0000100098ffffffffffffff2b00bd4bbb00004b004002";

    /// Pages in which each kind of column is packed, and in which it is not.
    fn readings_of_all_kinds() -> Vec<Reading> {
        let mut ms = 1_700_000_000_000;
        let reading = |n: u16| {
            let is_even = !(256..700).contains(&n);
            ms += if is_even {
                60_000
            } else {
                59_000 + i64::from(n % 7) * 500
            };
            let watts = if n < 512 {
                230.0
            } else {
                f64::from(n * 37 % 1_000)
            };
            let register = f64::from(n / 300) + if n < 800 { 0.5 } else { f64::from(n) };
            reading(
                ms,
                Some(watts),
                (n < 300 || !n.is_multiple_of(5)).then_some(register),
            )
        };
        (0..1_000).map(reading).collect()
    }

    #[test]
    fn pages_of_all_kinds_come_back() {
        let readings = readings_of_all_kinds();
        let block = encode(&readings).unwrap();
        assert_eq!(bits(&decode(&block).unwrap()), bits(&readings));
        for (from, to) in [(0, 999), (0, 0), (255, 256), (300, 720), (999, 999)] {
            let range = TimeRange::new(readings[from].time, readings[to].time).unwrap();
            for measure in [Measure::Watts, Measure::Watthours] {
                let values = decode_measure(&block, measure, range).unwrap();
                assert_eq!(values, Values::of(&readings[from..=to], measure));
            }
        }
    }

    #[test]
    fn what_does_not_change_is_not_packed() {
        let length = |watts: fn(i64) -> f64| encode(&minutes(512, watts)).unwrap().len();
        assert!(length(|_| 230.0) < 50);
        assert!(length(noise) > 500);
    }

    #[test]
    fn another_version_is_told_from_damage() {
        let mut block = encode(&minutes(3, |_| 1.0)).unwrap();
        block[0] = 3;
        assert_eq!(decode(&block), Err(DecodeError::Version(3)));
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(readings in any_readings()) {
            let block = encode(&readings).unwrap();
            prop_assert_eq!(bits(&decode(&block).unwrap()), bits(&readings));
            for measure in [Measure::Watts, Measure::Watthours] {
                let values = decode_measure(&block, measure, TimeRange::ALL).unwrap();
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
        fn no_bytes_panic(readings in any_readings(), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), cut in 0_usize..40, version in 1_u8..3) {
            let mut block = encode(&readings).unwrap();
            block.truncate(block.len().saturating_sub(cut).max(CHECKED_FROM + 1));
            for (at, byte) in changes {
                let at = at.index(block.len());
                block[at] = byte;
            }
            block[0] = version;
            // A true checksum, so that what is behind it is looked at.
            let checksum = crc32fast::hash(&block[CHECKED_FROM..]);
            block[1..CHECKED_FROM].copy_from_slice(&checksum.to_le_bytes());
            let _ = decode(&block);
            let _ = decode_measure(&block, Measure::Watts, TimeRange::ALL);
            let _ = decode_measure(&block, Measure::Watthours, TimeRange::ALL);
        }
    }
}

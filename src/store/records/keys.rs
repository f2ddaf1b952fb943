//! Keys of readings and blocks. Their byte order is the order of time.
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 to 64 | sensor ID, UTF-8 without control characters |
//! | 1 | 0x00: ends the ID, so that a sensor's keys are contiguous |
//! | 7 | milliseconds since [`Timestamp::MIN`], 49 bits as digits of 7 bits, the highest first |
//!
//! No byte of a key is 0xFF. To find the page before one that begins with the key `k`, sled 0.34
//! decrements the last byte of `k` and appends four bytes 0xFF (`possible_predecessor` in its
//! `src/iter.rs`). If another page begins between the two, every step backwards over it panics.
//! With times as plain big-endian integers, this happens just before 1970 and every 35 years.

use std::ops::RangeInclusive;

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::error::StoreError;

const END_OF_ID: u8 = 0;
// The years 0000 to 9999 have 3.2e14 milliseconds: 48 bits are too few, and 49 are seven digits of
// seven bits.
const DIGITS: usize = 7;
/// The length of a time.
pub(crate) const TIME_BYTES: usize = DIGITS;
const BITS_PER_DIGIT: usize = 7;
const DIGIT: u8 = 0x7F;

/// The key of a reading or of a block of one sensor.
pub(crate) fn key(sensor: &SensorId, time: Timestamp) -> Vec<u8> {
    let mut key = Vec::with_capacity(sensor.as_str().len() + 1 + DIGITS);
    key.extend_from_slice(sensor.as_str().as_bytes());
    key.push(END_OF_ID);
    push_time(&mut key, time);
    key
}

/// Ends a key with a time, in [`TIME_BYTES`].
pub(crate) fn push_time(key: &mut Vec<u8>, time: Timestamp) {
    let since_min = time.millis() - Timestamp::MIN.millis();
    let digit = |place: usize| (since_min >> (BITS_PER_DIGIT * place)).to_le_bytes()[0] & DIGIT;
    key.extend((0..DIGITS).rev().map(digit));
}

/// The keys of one sensor in a range of time, both ends included.
pub(crate) fn keys(sensor: &SensorId, range: TimeRange) -> RangeInclusive<Vec<u8>> {
    key(sensor, range.start())..=key(sensor, range.end())
}

/// The time at the end of a key.
pub(crate) fn time_of(key: &[u8]) -> Result<Timestamp, StoreError> {
    let (_, digits) = key
        .split_last_chunk::<DIGITS>()
        .ok_or_else(|| damaged(key))?;
    // A higher bit would run into the next digit: two different keys would give the same time.
    if digits.iter().any(|&digit| digit > DIGIT) {
        return Err(damaged(key));
    }
    let since_min = digits
        .iter()
        .fold(0, |sum, &digit| sum << BITS_PER_DIGIT | i64::from(digit));
    // Seven digits can exceed the last timestamp.
    Timestamp::from_millis(Timestamp::MIN.millis() + since_min).ok_or_else(|| damaged(key))
}

/// The sensor and the time of a key.
pub(crate) fn parse(key: &[u8]) -> Result<(SensorId, Timestamp), StoreError> {
    let time = time_of(key)?;
    let id = match key.split_last_chunk::<DIGITS>() {
        Some(([id @ .., END_OF_ID], _)) => std::str::from_utf8(id).ok(),
        _ => None,
    };
    let sensor = id
        .and_then(|id| SensorId::new(id).ok())
        .ok_or_else(|| damaged(key))?;
    Ok((sensor, time))
}

fn damaged(key: &[u8]) -> StoreError {
    StoreError::Damaged(format!("invalid key: {}", key.escape_ascii()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_time() -> impl Strategy<Value = Timestamp> {
        let whole = Timestamp::MIN.millis()..=Timestamp::MAX.millis();
        prop_oneof![whole, -10_i64..10].prop_map(|ms| Timestamp::from_millis(ms).unwrap())
    }

    fn any_sensor() -> impl Strategy<Value = SensorId> {
        "[a-c]{1,3}|[^\\p{Cc}]{1,16}".prop_map(|text| SensorId::new(&text).unwrap())
    }

    #[test]
    fn the_ends_of_time_have_keys() {
        let sensor = SensorId::new("a").unwrap();
        assert_eq!(key(&sensor, Timestamp::MIN), b"a\0\0\0\0\0\0\0\0");
        for time in [Timestamp::MIN, Timestamp::MAX] {
            assert_eq!(time_of(&key(&sensor, time)).unwrap(), time);
        }
        assert!(time_of(b"a\0\x7F\x7F\x7F\x7F\x7F\x7F\x7F").is_err());
    }

    proptest! {
        #[test]
        fn keys_sort_by_sensor_then_time(a in any_sensor(), b in any_sensor(), s in any_time(), t in any_time()) {
            prop_assert_eq!(key(&a, s).cmp(&key(&a, t)), s.cmp(&t));
            // A sensor's keys are contiguous: those of another are all before or all after them.
            if a != b {
                prop_assert_eq!(key(&a, s) < key(&b, t), key(&a, Timestamp::MAX) < key(&b, Timestamp::MIN));
            }
        }

        #[test]
        fn keys_round_trip(sensor in any_sensor(), time in any_time()) {
            let key = key(&sensor, time);
            prop_assert!(!key.contains(&0xFF));
            prop_assert_eq!(parse(&key).unwrap(), (sensor, time));
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Ok((sensor, time)) = parse(&bytes) {
                prop_assert_eq!(key(&sensor, time), bytes);
            }
        }
    }
}

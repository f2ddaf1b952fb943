//! Typed keys and the bytes whose order is the order of time.
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 to 64 | sensor id, UTF-8 without control characters |
//! | 1 | 0x00: ends the id, so that one sensor's keys are contiguous |
//! | 8 | milliseconds since 1970 as i64, sign bit flipped, big-endian: times before 1970 sort first |

use std::ops::RangeInclusive;

use super::error::StoreError;
use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};

const END_OF_ID: u8 = 0;
const TIME_BYTES: usize = 8;
const SIGN: u64 = 1 << 63;

/// The key of a reading or of a block of one sensor.
pub(super) fn key(sensor: &SensorId, time: Timestamp) -> Vec<u8> {
    let mut key = Vec::with_capacity(sensor.as_str().len() + 1 + TIME_BYTES);
    key.extend_from_slice(sensor.as_str().as_bytes());
    key.push(END_OF_ID);
    key.extend_from_slice(&(time.millis().cast_unsigned() ^ SIGN).to_be_bytes());
    key
}

/// The keys of one sensor in a range of time, both ends included.
pub(super) fn keys(sensor: &SensorId, range: TimeRange) -> RangeInclusive<Vec<u8>> {
    key(sensor, range.start())..=key(sensor, range.end())
}

/// The time that a key ends with.
pub(super) fn time_of(key: &[u8]) -> Result<Timestamp, StoreError> {
    let (_, flipped) = key
        .split_last_chunk::<TIME_BYTES>()
        .ok_or_else(|| damaged(key))?;
    let ms = (u64::from_be_bytes(*flipped) ^ SIGN).cast_signed();
    Timestamp::from_millis(ms).ok_or_else(|| damaged(key))
}

/// The sensor and the time of a key.
pub(super) fn parse(key: &[u8]) -> Result<(SensorId, Timestamp), StoreError> {
    let time = time_of(key)?;
    let id = key
        .split_last_chunk::<TIME_BYTES>()
        .and_then(|(rest, _)| match rest {
            [id @ .., END_OF_ID] => std::str::from_utf8(id).ok(),
            _ => None,
        });
    let sensor = id
        .and_then(|id| SensorId::new(id).ok())
        .ok_or_else(|| damaged(key))?;
    Ok((sensor, time))
}

fn damaged(key: &[u8]) -> StoreError {
    StoreError::Damaged(format!(
        "a key is not of the form sensor, 0, time: {}",
        key.escape_ascii()
    ))
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

    proptest! {
        #[test]
        fn keys_sort_by_sensor_then_time(a in any_sensor(), b in any_sensor(), s in any_time(), t in any_time()) {
            prop_assert_eq!(key(&a, s).cmp(&key(&a, t)), s.cmp(&t));
            // One sensor's keys are contiguous: another's are all before or all after them.
            if a != b {
                prop_assert_eq!(key(&a, s) < key(&b, t), key(&a, Timestamp::MAX) < key(&b, Timestamp::MIN));
            }
        }

        #[test]
        fn a_key_tells_what_it_was_made_of(sensor in any_sensor(), time in any_time()) {
            prop_assert_eq!(parse(&key(&sensor, time)).unwrap(), (sensor, time));
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Ok((sensor, time)) = parse(&bytes) {
                prop_assert_eq!(key(&sensor, time), bytes);
            }
        }
    }
}

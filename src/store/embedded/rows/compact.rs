//! Rows and activities in few bytes: each time and each number as its difference from the one
//! before it.
//!
//! An activity, see [`Activity`]:
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | flags: 1 for arrivals, 2 for the arrival before the last one, 4 for a newest power, 8 for a last assigned time |
//! | | the last arrival and the last upload, as times |
//! | | the arrival before the last one, as a time |
//! | | the last assigned time, as a time |
//! | | the newest power: its time, then watts |
//!
//! A row:
//!
//! | bytes | content |
//! | --- | --- |
//! | | of the first row, a time; of another, a varint: milliseconds since the row before it |
//! | | watts, then watt-hours |
//!
//! A time is a signed varint: milliseconds since the time before it, or since [`Timestamp::MIN`].
//!
//! A number is stored as the exclusive or of its 8 bytes, as an f64, with those of the previous
//! number of its kind, or with 0:
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | 0xFF: there is no number; else 16 times the count of leading bytes that are equal, plus the count of trailing ones |
//! | | the bytes in between, without the leading and the trailing ones, highest first |

use crate::domain::{Arrivals, Measures, Reading, Timestamp};
use crate::store::blocks::block::varint;
use crate::store::rows::activity::{Activity, Power};

const ARRIVALS: u8 = 1;
const PREVIOUS: u8 = 2;
const POWER: u8 = 4;
const ASSIGNED: u8 = 8;
const ABSENT: u8 = 0xFF;
/// The maximum bytes of a time: the difference of two is less than 50 bits, plus its sign.
const MAX_TIME_BYTES: usize = 8;
const MAX_NUMBER_BYTES: usize = 1 + 8;
/// The maximum bytes of an activity.
pub(crate) const MAX_ACTIVITY_BYTES: usize = 1 + 5 * MAX_TIME_BYTES + MAX_NUMBER_BYTES;
/// The maximum bytes of a row.
pub(crate) const MAX_ROW_BYTES: usize = MAX_TIME_BYTES + 2 * MAX_NUMBER_BYTES;

/// The values that the next time and the next numbers are compared with.
pub(crate) struct Preceding {
    time: Timestamp,
    /// Whether it is the time of a row: then the next time is later.
    is_row: bool,
    watts: u64,
    watthours: u64,
}

impl Default for Preceding {
    fn default() -> Self {
        Self {
            time: Timestamp::MIN,
            is_row: false,
            watts: 0,
            watthours: 0,
        }
    }
}

impl Preceding {
    pub(crate) fn put_row(&mut self, bytes: &mut Vec<u8>, row: &Reading) {
        if self.is_row {
            let since = row.time.millis().saturating_sub(self.time.millis());
            varint::put(bytes, since.cast_unsigned());
            self.time = row.time;
        } else {
            self.put_time(bytes, row.time);
            self.is_row = true;
        }
        put_number(bytes, row.measures.watts(), &mut self.watts);
        put_number(bytes, row.measures.watthours(), &mut self.watthours);
    }

    /// Reads a row; `None` if the bytes are invalid.
    pub(crate) fn take_row(&mut self, bytes: &mut &[u8]) -> Option<Reading> {
        if self.is_row {
            let since = i64::try_from(varint::take(bytes).ok()?).ok()?;
            // Two rows at one time would make the order of the rows matter.
            self.time = Some(since)
                .filter(|since| *since > 0)
                .and_then(|since| self.after(since))?;
        } else {
            self.take_time(bytes)?;
            self.is_row = true;
        }
        let watts = take_number(bytes, &mut self.watts)?;
        let watthours = take_number(bytes, &mut self.watthours)?;
        let measures = Measures::new(watts, watthours).ok()?;
        let time = self.time;
        Some(Reading { time, measures })
    }

    pub(crate) fn put_activity(&mut self, bytes: &mut Vec<u8>, activity: &Activity) {
        let Activity {
            arrivals,
            newest_power,
            last_assigned,
        } = *activity;
        let arrivals = arrivals.map(Arrivals::parts);
        let previous = arrivals.and_then(|(previous, _, _)| previous);
        let flag = |bit: u8, is_set: bool| if is_set { bit } else { 0 };
        bytes.push(
            flag(ARRIVALS, arrivals.is_some())
                | flag(PREVIOUS, previous.is_some())
                | flag(POWER, newest_power.is_some())
                | flag(ASSIGNED, last_assigned.is_some()),
        );
        if let Some((_, last, last_upload)) = arrivals {
            self.put_time(bytes, last);
            self.put_time(bytes, last_upload);
        }
        for time in previous.into_iter().chain(last_assigned) {
            self.put_time(bytes, time);
        }
        if let Some(power) = newest_power {
            self.put_time(bytes, power.time);
            put_number(bytes, Some(power.watts), &mut self.watts);
        }
    }

    /// Reads an activity; `None` if the bytes are invalid.
    pub(crate) fn take_activity(&mut self, bytes: &mut &[u8]) -> Option<Activity> {
        let flags = *bytes.split_off_first()?;
        let has = |bit: u8| flags & bit != 0;
        if flags > (ARRIVALS | PREVIOUS | POWER | ASSIGNED) || (has(PREVIOUS) && !has(ARRIVALS)) {
            return None;
        }
        let mut activity = Activity::default();
        if has(ARRIVALS) {
            let (last, last_upload) = (self.take_time(bytes)?, self.take_time(bytes)?);
            let previous = if has(PREVIOUS) {
                Some(self.take_time(bytes)?)
            } else {
                None
            };
            activity.arrivals = Some(Arrivals::from_parts(previous, last, last_upload));
        }
        if has(ASSIGNED) {
            activity.last_assigned = Some(self.take_time(bytes)?);
        }
        if has(POWER) {
            let time = self.take_time(bytes)?;
            let watts = take_number(bytes, &mut self.watts)??;
            // Only a finite power is valid.
            Measures::new(Some(watts), None).ok()?;
            activity.newest_power = Some(Power { time, watts });
        }
        Some(activity)
    }

    fn put_time(&mut self, bytes: &mut Vec<u8>, time: Timestamp) {
        varint::put_signed(bytes, time.millis().saturating_sub(self.time.millis()));
        self.time = time;
    }

    fn take_time(&mut self, bytes: &mut &[u8]) -> Option<Timestamp> {
        self.time = self.after(varint::take_signed(bytes).ok()?)?;
        Some(self.time)
    }

    /// The time this many milliseconds after the one before.
    fn after(&self, ms: i64) -> Option<Timestamp> {
        Timestamp::from_millis(self.time.millis().checked_add(ms)?)
    }
}

fn put_number(bytes: &mut Vec<u8>, number: Option<f64>, before: &mut u64) {
    let Some(number) = number else {
        bytes.push(ABSENT);
        return;
    };
    let changed = (number.to_bits() ^ *before).to_be_bytes();
    *before = number.to_bits();
    let leading = changed.iter().take_while(|&&byte| byte == 0).count();
    let trailing = changed.iter().rev().take_while(|&&byte| byte == 0).count();
    // If the number is unchanged, each byte is both leading and trailing.
    let trailing = trailing.min(changed.len() - leading);
    bytes.extend(u8::try_from(16 * leading + trailing));
    let between = changed.get(leading..changed.len() - trailing);
    bytes.extend_from_slice(between.unwrap_or_default());
}

/// Reads a number that may be absent; `None` if the bytes are invalid.
#[expect(clippy::option_option, reason = "invalid, absent, or there")]
fn take_number(bytes: &mut &[u8], before: &mut u64) -> Option<Option<f64>> {
    let head = *bytes.split_off_first()?;
    if head == ABSENT {
        return Some(None);
    }
    let (leading, trailing) = (usize::from(head / 16), usize::from(head % 16));
    let mut changed = [0; 8];
    let end = changed.len().checked_sub(trailing)?;
    let between = changed.get_mut(leading..end)?;
    between.copy_from_slice(bytes.split_off(..between.len())?);
    *before ^= u64::from_be_bytes(changed);
    Some(Some(f64::from_bits(*before)))
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::option;
    use proptest::prelude::*;

    use super::*;
    use crate::domain::time::at;

    fn any_time() -> impl Strategy<Value = Timestamp> {
        let whole = Timestamp::MIN.millis()..=Timestamp::MAX.millis();
        prop_oneof![whole, 0_i64..2_000_000].prop_map(at)
    }

    pub(crate) fn any_number() -> impl Strategy<Value = f64> {
        let finite = any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |number| number.is_finite());
        let tenths = (-100_000_i32..100_000).prop_map(|tenths| f64::from(tenths) / 10.0);
        prop_oneof![Just(-0.0), Just(0.0), Just(f64::MAX), tenths, finite]
    }

    pub(crate) fn any_activity() -> impl Strategy<Value = Activity> {
        let arrivals = (option::of(any_time()), any_time(), any_time());
        let power = (any_time(), any_number());
        (
            option::of(arrivals),
            option::of(power),
            option::of(any_time()),
        )
            .prop_map(|(arrivals, power, last_assigned)| Activity {
                arrivals: arrivals
                    .map(|(previous, last, upload)| Arrivals::from_parts(previous, last, upload)),
                newest_power: power.map(|(time, watts)| Power { time, watts }),
                last_assigned,
            })
    }

    fn packed(activity: &Activity) -> Vec<u8> {
        let mut bytes = Vec::new();
        Preceding::default().put_activity(&mut bytes, activity);
        bytes
    }

    proptest! {
        #[test]
        fn activities_round_trip(activity in any_activity(), row in any_time()) {
            let measures = Measures::new(Some(2.5), None).unwrap();
            let row = Reading { time: row, measures };
            let (mut before, mut bytes) = (Preceding::default(), Vec::new());
            before.put_activity(&mut bytes, &activity);
            prop_assert!(bytes.len() <= MAX_ACTIVITY_BYTES);
            before.put_row(&mut bytes, &row);
            prop_assert!(bytes.len() <= MAX_ACTIVITY_BYTES + MAX_ROW_BYTES);
            let (mut before, mut rest) = (Preceding::default(), bytes.as_slice());
            let bits = |activity: &Activity| activity.newest_power.map(|power| power.watts.to_bits());
            let found = before.take_activity(&mut rest).unwrap();
            prop_assert_eq!(bits(&found), bits(&activity));
            prop_assert_eq!(found, activity);
            prop_assert_eq!(before.take_row(&mut rest), Some(row));
            prop_assert!(rest.is_empty());
        }
    }

    #[test]
    fn a_usual_upload_takes_two_dozen_bytes() {
        let arrival = at(1_790_000_000_000);
        let measures = Measures::new(Some(230.0), Some(1_234_567.8)).unwrap();
        let row = Reading {
            time: arrival.saturating_add_millis(-300),
            measures,
        };
        let activity = Activity::default()
            .arrived(arrival.saturating_add_millis(-600_000))
            .arrived(arrival)
            .with_reading(&row);
        let (mut before, mut bytes) = (Preceding::default(), Vec::new());
        before.put_activity(&mut bytes, &activity);
        // Flags, two arrivals, the one before them, the power's time, and 230 W in four bytes.
        assert_eq!(bytes.len(), 1 + 7 + 1 + 3 + 3 + (1 + 3));
        before.put_row(&mut bytes, &row);
        // The time and the power are known by now.
        assert_eq!(bytes.len(), 19 + 1 + 1 + (1 + 8));
    }

    #[test]
    fn other_bytes_are_no_activity() {
        let decoded = |bytes: &[u8]| Preceding::default().take_activity(&mut &*bytes);
        let whole = packed(&Activity {
            newest_power: Some(Power {
                time: at(7),
                watts: 1.5,
            }),
            ..Activity::default().arrived(at(5))
        });
        for length in 0..whole.len() {
            assert_eq!(decoded(&whole[..length]), None, "{length}");
        }
        assert!(decoded(&whole).is_some());
        // A previous arrival without an arrival, an unknown flag, a power without a number.
        for wrong in [&[PREVIOUS, 0][..], &[16], &[POWER, 0, ABSENT]] {
            assert_eq!(decoded(wrong), None, "{wrong:?}");
        }
        let infinite = [&[POWER, 0, 0][..], &f64::INFINITY.to_bits().to_be_bytes()].concat();
        assert_eq!(decoded(&infinite), None);
    }
}

//! Groups: rows of a sensor, and its activity, in the form of the log and the journal.
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | length of the sensor's id |
//! | | the id |
//! | varint | the head: eight times the number of rows, plus 1 if earlier groups of this sensor are outdated, plus 2 if there is an activity, plus 4 if earlier rows in a range are outdated |
//! | | if there is a range: its start, a signed varint, milliseconds since [`Timestamp::MIN`]; its length in milliseconds, a varint |
//! | | the activity |
//! | | rows, ascending |
//!
//! `rows/compact.rs` defines the bytes of an activity and of a row. In the log the first part,
//! before the activity, is among the keys of a record, and the rest among its values
//! (`log/content.rs`).

use std::borrow::Cow;

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::block::varint;
use crate::store::embedded::rows::compact::Preceding;
use crate::store::rows::activity::Activity;

const REPLACES_ALL: u64 = 1;
const HAS_ACTIVITY: u64 = 2;
const REPLACES_RANGE: u64 = 4;
const ROW: u64 = 8;

/// Some rows of a sensor, and its activity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowGroup<'a> {
    pub(crate) sensor: SensorId,
    /// Earlier rows in this range are outdated. With [`TimeRange::ALL`], everything earlier of the
    /// sensor is, and without an activity the sensor was removed.
    pub(crate) replaced: Option<TimeRange>,
    /// Its activity; `None` if an earlier group contains it.
    pub(crate) activity: Option<Activity>,
    /// Ascending.
    pub(crate) rows: Cow<'a, [Reading]>,
}

impl RowGroup<'_> {
    /// Whether everything earlier of the sensor is outdated.
    pub(crate) fn is_restart(&self) -> bool {
        self.replaced == Some(TimeRange::ALL)
    }

    /// Whether it means that the sensor was removed.
    pub(crate) fn is_end(&self) -> bool {
        self.is_restart() && self.activity.is_none()
    }

    /// Whether it has a meaning: the end of a sensor has no rows, and other groups have rows, an
    /// activity or a range.
    fn is_valid(&self) -> bool {
        if self.is_end() {
            return self.rows.is_empty();
        }
        self.activity.is_some() || self.replaced.is_some() || !self.rows.is_empty()
    }
}

/// The head of a group, without its sensor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GroupHead {
    pub(crate) replaced: Option<TimeRange>,
    pub(crate) activity: Option<Activity>,
    pub(crate) rows: usize,
}

impl GroupHead {
    /// Appends the activity and the first of `rows`, in up to `room` bytes. Returns the number of
    /// these rows.
    pub(crate) fn put_content(&self, bytes: &mut Vec<u8>, rows: &[Reading], room: usize) -> usize {
        let begin = bytes.len();
        let mut before = Preceding::default();
        if let Some(activity) = &self.activity {
            before.put_activity(bytes, activity);
        }
        for (count, row) in rows.iter().enumerate() {
            let length = bytes.len();
            before.put_row(bytes, row);
            if bytes.len() - begin > room {
                bytes.truncate(length);
                return count;
            }
        }
        rows.len()
    }

    /// Appends the sensor and the head.
    pub(crate) fn put(&self, bytes: &mut Vec<u8>, sensor: &SensorId) {
        let id = sensor.as_str().as_bytes();
        bytes.extend(u8::try_from(id.len()));
        bytes.extend_from_slice(id);
        let has_activity = HAS_ACTIVITY * u64::from(self.activity.is_some());
        let replaces = match self.replaced {
            None => 0,
            Some(TimeRange::ALL) => REPLACES_ALL,
            Some(_) => REPLACES_RANGE,
        };
        varint::put(bytes, ROW * self.rows as u64 + has_activity + replaces);
        if let Some(range) = self.replaced.filter(|_| replaces == REPLACES_RANGE) {
            let (start, end) = (range.start().millis(), range.end().millis());
            varint::put_signed(bytes, start.saturating_sub(Timestamp::MIN.millis()));
            varint::put(bytes, end.saturating_sub(start).cast_unsigned());
        }
    }

    /// Reads a sensor and a head; the activity follows. `None` if the bytes are invalid.
    pub(crate) fn take(rest: &mut &[u8]) -> Option<(SensorId, Self)> {
        let length = rest.split_off_first()?;
        let id = rest.split_off(..usize::from(*length))?;
        let sensor = SensorId::new(std::str::from_utf8(id).ok()?).ok()?;
        let head = varint::take(rest).ok()?;
        let activity = (head & HAS_ACTIVITY != 0).then(Activity::default);
        let replaced = match head & (REPLACES_ALL | REPLACES_RANGE) {
            0 => None,
            REPLACES_ALL => Some(TimeRange::ALL),
            REPLACES_RANGE => Some(take_range(rest)?),
            _ => return None,
        };
        let head = Self {
            replaced,
            activity,
            rows: usize::try_from(head / ROW).ok()?,
        };
        Some((sensor, head))
    }

    /// Reads the rest of the group; `None` if the bytes are invalid.
    pub(crate) fn take_content(
        self,
        sensor: SensorId,
        rest: &mut &[u8],
    ) -> Option<RowGroup<'static>> {
        let mut before = Preceding::default();
        let activity = match self.activity {
            None => None,
            Some(_) => Some(before.take_activity(rest)?),
        };
        let mut rows = Vec::new();
        for _ in 0..self.rows {
            rows.push(before.take_row(rest)?);
        }
        let group = RowGroup {
            sensor,
            replaced: self.replaced,
            activity,
            rows: rows.into(),
        };
        group.is_valid().then_some(group)
    }
}

/// Reads a range other than all of time; `None` if the bytes are invalid.
fn take_range(rest: &mut &[u8]) -> Option<TimeRange> {
    let since = varint::take_signed(rest).ok()?;
    let start = Timestamp::MIN.millis().checked_add(since)?;
    let length = i64::try_from(varint::take(rest).ok()?).ok()?;
    let end = Timestamp::from_millis(start.checked_add(length)?)?;
    let range = TimeRange::new(Timestamp::from_millis(start)?, end)?;
    (range != TimeRange::ALL).then_some(range)
}

/// Appends a group that replaces nothing, without a limit of its length.
pub(crate) fn put(bytes: &mut Vec<u8>, sensor: &SensorId, activity: &Activity, rows: &[Reading]) {
    let head = GroupHead {
        replaced: None,
        activity: Some(*activity),
        rows: rows.len(),
    };
    head.put(bytes, sensor);
    head.put_content(bytes, rows, usize::MAX);
}

/// Reads the first group; `None` if the bytes are invalid.
pub(crate) fn take(rest: &mut &[u8]) -> Option<RowGroup<'static>> {
    let (sensor, head) = GroupHead::take(rest)?;
    head.take_content(sensor, rest)
}

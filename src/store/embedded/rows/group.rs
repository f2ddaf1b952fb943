//! Groups: rows of a sensor, and its activity, as the log and the journal have them.
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | length of the sensor's id |
//! | | the id |
//! | varint | the head: four times the number of rows, plus 2 if there is an activity, plus 1 if the group is anew: earlier ones of this sensor no longer count |
//! | | the activity |
//! | | rows, ascending |
//!
//! `rows/compact.rs` has the bytes of an activity and of a row. The log has the first part among the keys of a record, and the second
//! one among its values (`log/content.rs`).

use std::borrow::Cow;

use crate::domain::{Reading, SensorId};
use crate::store::blocks::block::varint;
use crate::store::embedded::rows::compact::Preceding;
use crate::store::rows::activity::Activity;

const IS_ANEW: u64 = 1;
const HAS_ACTIVITY: u64 = 2;
const ROW: u64 = 4;

/// Some rows of a sensor, and its activity with them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowGroup<'a> {
    pub(crate) sensor: SensorId,
    /// Whether earlier groups of the sensor no longer count: this is all that there is of it. Without an activity, there is
    /// nothing: the sensor was removed.
    pub(crate) is_anew: bool,
    /// Its activity; `None` if an earlier group has it.
    pub(crate) activity: Option<Activity>,
    /// Ascending.
    pub(crate) rows: Cow<'a, [Reading]>,
}

impl RowGroup<'_> {
    /// Roughly what it takes, in rows: what begins a group takes as much as one, and an activity as another.
    pub(crate) fn weight(&self) -> usize {
        1 + usize::from(self.activity.is_some()) + self.rows.len()
    }

    /// Whether it says that the sensor was removed.
    pub(crate) const fn is_end(&self) -> bool {
        self.is_anew && self.activity.is_none()
    }

    /// Whether it has a meaning: the end of a sensor has no rows, and another group has something.
    fn is_valid(&self) -> bool {
        self.activity.is_some() || self.is_anew == self.rows.is_empty()
    }
}

/// How a group begins, besides its sensor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GroupHead {
    pub(crate) is_anew: bool,
    pub(crate) activity: Option<Activity>,
    pub(crate) rows: usize,
}

impl GroupHead {
    /// Appends the activity and the first of `rows`, in up to `room` bytes. Returns how many rows these are.
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
        let flags =
            IS_ANEW * u64::from(self.is_anew) + HAS_ACTIVITY * u64::from(self.activity.is_some());
        varint::put(bytes, ROW * self.rows as u64 + flags);
    }

    /// Takes a sensor and a head, whose activity is still to come; `None` if the bytes are invalid.
    pub(crate) fn take(rest: &mut &[u8]) -> Option<(SensorId, Self)> {
        let length = rest.split_off_first()?;
        let id = rest.split_off(..usize::from(*length))?;
        let sensor = SensorId::new(std::str::from_utf8(id).ok()?).ok()?;
        let head = varint::take(rest).ok()?;
        let activity = (head & HAS_ACTIVITY != 0).then(Activity::default);
        let head = Self {
            is_anew: head & IS_ANEW != 0,
            activity,
            rows: usize::try_from(head / ROW).ok()?,
        };
        Some((sensor, head))
    }

    /// Takes the rest of the group; `None` if the bytes are invalid.
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
            is_anew: self.is_anew,
            activity,
            rows: rows.into(),
        };
        group.is_valid().then_some(group)
    }
}

/// Appends a group that is not anew, however long it gets.
pub(crate) fn put(bytes: &mut Vec<u8>, sensor: &SensorId, activity: &Activity, rows: &[Reading]) {
    let head = GroupHead {
        is_anew: false,
        activity: Some(*activity),
        rows: rows.len(),
    };
    head.put(bytes, sensor);
    head.put_content(bytes, rows, usize::MAX);
}

/// Takes the first group; `None` if the bytes are invalid.
pub(crate) fn take(rest: &mut &[u8]) -> Option<RowGroup<'static>> {
    let (sensor, head) = GroupHead::take(rest)?;
    head.take_content(sensor, rest)
}

//! The bytes of a record of the log (`disk/record.rs`). Its number is its position in the log; each
//! is greater than the one before.
//!
//! Keys:
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | 1 if the record ends its commit, plus 2 if the store was closed with it |
//! | varint | its position minus that of the record before |
//! | varint | its position minus the tail: records before the tail are outdated |
//! | varint | its position minus that of the last record that was durable when it was written |
//! | varint | number of the journal's last upload group that is also in the log |
//! | varint | number of the last change of facts that was durable when it was written |
//! | | items, up to the end |
//!
//! An item, in the keys and in the values:
//!
//! | item | keys | values |
//! | --- | --- | --- |
//! | rows of a sensor | 0; length of the id, 1 byte; the id; head of the group (`rows/group.rs`) | its activity, its rows |
//! | a block | 1; length of its key, 1 byte; the key (`records/keys.rs`); varint: the position minus the number of the commit that made it | volume, offset and length, varints; length of the summary, varint; the summary |
//! | a removed block | 2; length of its key, 1 byte; the key | |

use std::collections::BTreeSet;

use crate::domain::SensorId;
use crate::store::blocks::block::varint;
use crate::store::embedded::blocks::Location;
use crate::store::embedded::disk::record::StoredRecord;
use crate::store::embedded::rows::group::{GroupHead, RowGroup};
use crate::store::records::keys;

const IS_END: u8 = 1;
const IS_CLOSED: u8 = 2;
pub(super) const ROWS: u8 = 0;
pub(super) const PUT: u8 = 1;
pub(super) const REMOVED: u8 = 2;

/// The content of each record besides its items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogHead {
    pub(crate) position: u64,
    pub(crate) is_end: bool,
    pub(crate) is_closed: bool,
    /// The position of the record before.
    pub(crate) previous: u64,
    pub(crate) tail: u64,
    /// The position of the last record that was durable.
    pub(crate) durable: u64,
    /// The number of the journal's last upload group that is also in the log.
    pub(crate) landed: u64,
    /// The number of the last change of facts that was durable.
    pub(crate) facts: u64,
}

/// The location of a block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PutBlock {
    pub(crate) key: Vec<u8>,
    /// The number of the commit that made it.
    pub(crate) number: u64,
    pub(crate) location: Location,
    pub(crate) summary: Vec<u8>,
}

/// An item of a record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LogItem {
    Rows(RowGroup<'static>),
    Put(PutBlock),
    Removed(Vec<u8>),
}

impl LogHead {
    pub(super) fn put(&self, bytes: &mut Vec<u8>) {
        let flag = |bit, is_set| if is_set { bit } else { 0 };
        bytes.push(flag(IS_END, self.is_end) | flag(IS_CLOSED, self.is_closed));
        for before in [self.previous, self.tail, self.durable] {
            varint::put(bytes, self.position.saturating_sub(before));
        }
        varint::put(bytes, self.landed);
        varint::put(bytes, self.facts);
    }

    fn take(position: u64, rest: &mut &[u8]) -> Option<Self> {
        let flags = *rest.split_off_first()?;
        let before = |rest: &mut &[u8]| position.checked_sub(varint::take(rest).ok()?);
        Some(Self {
            position,
            is_end: flags & IS_END != 0,
            is_closed: flags & IS_CLOSED != 0,
            previous: before(rest)?,
            tail: before(rest)?,
            durable: before(rest)?,
            landed: varint::take(rest).ok()?,
            facts: varint::take(rest).ok()?,
        })
    }

    /// Reads the head of a record.
    pub(crate) fn of(record: &StoredRecord<'_>) -> Option<Self> {
        Self::take(record.number, &mut &*record.keys)
    }
}

/// Reads the items of a record; `None` if they are damaged or invalid.
pub(crate) fn items(record: &StoredRecord<'_>) -> Option<Vec<LogItem>> {
    let (mut keys, mut values) = (record.keys, record.values?);
    let head = LogHead::take(record.number, &mut keys)?;
    let mut items = Vec::new();
    while let Some(kind) = keys.split_off_first() {
        items.push(match *kind {
            ROWS => {
                let (sensor, group) = GroupHead::take(&mut keys)?;
                LogItem::Rows(group.take_content(sensor, &mut values)?)
            }
            PUT => {
                let key = short(&mut keys)?.to_vec();
                let number = head.position.checked_sub(varint::take(&mut keys).ok()?)?;
                let location = Location::take(&mut values)?;
                let length = usize::try_from(varint::take(&mut values).ok()?).ok()?;
                LogItem::Put(PutBlock {
                    key,
                    number,
                    location,
                    summary: values.split_off(..length)?.to_vec(),
                })
            }
            REMOVED => LogItem::Removed(short(&mut keys)?.to_vec()),
            _ => return None,
        });
    }
    values.is_empty().then_some(items)
}

/// The sensors of a record's items, also if its values are damaged; `None` if they are unknown.
pub(crate) fn sensors(record: &StoredRecord<'_>) -> Option<BTreeSet<SensorId>> {
    let mut rest = record.keys;
    LogHead::take(record.number, &mut rest)?;
    let mut sensors = BTreeSet::new();
    while let Some(kind) = rest.split_off_first() {
        match *kind {
            ROWS => drop(sensors.insert(GroupHead::take(&mut rest)?.0)),
            kind => {
                sensors.insert(keys::parse(short(&mut rest)?).ok()?.0);
                if kind == PUT {
                    varint::take(&mut rest).ok()?;
                }
            }
        }
    }
    Some(sensors)
}

pub(super) fn put_short(bytes: &mut Vec<u8>, text: &[u8]) {
    bytes.extend(u8::try_from(text.len()));
    bytes.extend_from_slice(text);
}

fn short<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = *rest.split_off_first()?;
    rest.split_off(..usize::from(length))
}

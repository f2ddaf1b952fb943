//! Fills records of the log with the items of a commit.

use crate::store::blocks::block::varint;
use crate::store::embedded::disk::record::{self, Mark};
use crate::store::embedded::log::content::{LogHead, PUT, PutBlock, REMOVED, ROWS, put_short};
use crate::store::embedded::rows::compact::{MAX_ACTIVITY_BYTES, MAX_ROW_BYTES};
use crate::store::embedded::rows::group::{GroupHead, RowGroup};

/// About the maximum bytes of items in a record: a damaged byte of a file may cost that much.
pub(crate) const MAX_BYTES: usize = 3_900;
/// The maximum size of a group without its activity and its rows.
const MAX_GROUP_HEAD_BYTES: usize = 1 + 1 + 64 + 3 + 2 * 8;
/// Rows do not use less space than this at the end of a record.
const LEAST_ROOM: usize = MAX_GROUP_HEAD_BYTES + MAX_ACTIVITY_BYTES + MAX_ROW_BYTES;

/// The items of a record.
#[derive(Debug, Default)]
pub(crate) struct PackedRecord {
    pub(super) keys: Vec<u8>,
    pub(super) values: Vec<u8>,
}

impl PackedRecord {
    /// Appends the record's bytes, with this head.
    pub(crate) fn put(&self, bytes: &mut Vec<u8>, mark: Mark, head: LogHead) {
        let mut keys = Vec::with_capacity(self.keys.len() + 24);
        head.put(&mut keys);
        keys.extend_from_slice(&self.keys);
        record::put(bytes, mark, head.position, &keys, &self.values);
    }
}

/// Records being filled.
pub(crate) struct LogPacker {
    /// The position of the first record.
    first: u64,
    full: Vec<PackedRecord>,
    last: PackedRecord,
}

impl LogPacker {
    /// Begins a commit whose first record has this position.
    pub(crate) fn new(first: u64) -> Self {
        Self {
            first,
            full: Vec::new(),
            last: PackedRecord::default(),
        }
    }

    /// The position of the record that is being filled.
    fn position(&self) -> u64 {
        self.first + self.full.len() as u64
    }

    fn room(&self) -> usize {
        MAX_BYTES.saturating_sub(self.last.keys.len() + self.last.values.len())
    }

    /// Makes sure that there is space for this many bytes.
    fn reserve(&mut self, bytes: usize) {
        if self.room() < bytes && !self.last.keys.is_empty() {
            self.full.push(std::mem::take(&mut self.last));
        }
    }

    /// Adds a group. A long one is split: its first part has the activity. Returns the position of
    /// the record with the first part.
    pub(crate) fn add(&mut self, group: &RowGroup<'_>) -> u64 {
        let mut head = GroupHead {
            replaced: group.replaced,
            activity: group.activity,
            rows: 0,
        };
        let (mut rest, mut since) = (group.rows.as_ref(), None);
        loop {
            self.reserve(LEAST_ROOM);
            let room = self.room() - MAX_GROUP_HEAD_BYTES;
            let values = &mut self.last.values;
            head.rows = head.put_content(values, rest, room);
            self.last.keys.push(ROWS);
            head.put(&mut self.last.keys, &group.sensor);
            let since = *since.get_or_insert(self.position());
            rest = rest.get(head.rows..).unwrap_or_default();
            if rest.is_empty() {
                return since;
            }
            head = GroupHead::default();
        }
    }

    /// Adds the location of a block.
    pub(crate) fn put(&mut self, block: &PutBlock) {
        self.reserve(block.key.len() + block.summary.len() + 40);
        let since = self.position().saturating_sub(block.number);
        let keys = &mut self.last.keys;
        keys.push(PUT);
        put_short(keys, &block.key);
        varint::put(keys, since);
        let values = &mut self.last.values;
        block.location.put(values);
        varint::put(values, block.summary.len() as u64);
        values.extend_from_slice(&block.summary);
    }

    /// Adds that a block was removed.
    pub(crate) fn remove(&mut self, key: &[u8]) {
        self.reserve(key.len() + 2);
        self.last.keys.push(REMOVED);
        put_short(&mut self.last.keys, key);
    }

    /// About how many bytes there are.
    pub(crate) fn bytes(&self) -> usize {
        self.full.len() * MAX_BYTES + MAX_BYTES - self.room()
    }

    /// Returns all records; none if nothing was added.
    pub(crate) fn finish(&mut self) -> Vec<PackedRecord> {
        let last = std::mem::take(&mut self.last);
        if !last.keys.is_empty() {
            self.full.push(last);
        }
        std::mem::take(&mut self.full)
    }
}

//! Changes of facts, and their bytes in a record (`disk/record.rs`). The record's number is that of
//! the change.
//!
//! Keys of a record:
//!
//! | bytes | content |
//! | --- | --- |
//! | varint | the number of the change minus that of the change before it; 0: a part of a snapshot |
//! | varint | only of a part of a snapshot: its index, from 0 |
//! | | for each fact: its kind, 1 byte; 1 if it is put and 0 if it is removed; length of the key, varint; the key |
//!
//! Values: for each fact that is put, the length of the value, varint, and the value. The kinds are
//! those of records ([`RecordKind::number`]), [`DELETION`] and [`DAMAGE`].

use std::collections::BTreeMap;

use crate::store::blocks::block::varint;
use crate::store::embedded::disk::record::{self, Mark, StoredRecord};
use crate::store::records::{RecordChanges, RecordKind};

/// The kind of a deletion of readings (`deletion.rs`).
pub(crate) const DELETION: u8 = 100;
/// The kind of a note about data lost by damage, kept until somebody confirms having read it.
pub(crate) const DAMAGE: u8 = 101;

/// The kind and the key of a fact.
pub(crate) type FactKey = (u8, Vec<u8>);

/// The number of a record's kind, as a kind of facts.
pub(crate) fn kind_of(kind: RecordKind) -> u8 {
    u8::try_from(kind.number()).unwrap_or_default()
}

/// Changes that are made together. A value of `None` removes the fact.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FactChanges(pub(crate) BTreeMap<FactKey, Option<Vec<u8>>>);

impl FactChanges {
    pub(crate) fn put(&mut self, kind: u8, key: impl Into<Vec<u8>>, value: Vec<u8>) {
        self.0.insert((kind, key.into()), Some(value));
    }

    pub(crate) fn remove(&mut self, kind: u8, key: impl Into<Vec<u8>>) {
        self.0.insert((kind, key.into()), None);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<RecordChanges> for FactChanges {
    fn from(changes: RecordChanges) -> Self {
        let mut facts = Self::default();
        for (kind, changes) in changes.into_kinds() {
            for (key, value) in changes.into_records() {
                facts.0.insert((kind_of(kind), key), value);
            }
        }
        facts
    }
}

/// The content of a record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChangeRecord {
    pub(crate) place: Place,
    /// The facts that are put (true) or removed.
    pub(crate) keys: Vec<(FactKey, bool)>,
    /// The values of the facts that are put, in the same order; `None` if they are damaged.
    values: Option<Vec<Vec<u8>>>,
}

/// The place of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// This part of the snapshot.
    Snapshot(u64),
    /// A change, after the change with this number.
    After(u64),
}

impl ChangeRecord {
    pub(crate) fn of(record: &StoredRecord<'_>) -> Option<Self> {
        let mut rest = record.keys;
        let place = match varint::take(&mut rest).ok()? {
            0 => Place::Snapshot(varint::take(&mut rest).ok()?),
            since => Place::After(record.number.checked_sub(since)?),
        };
        let mut keys = Vec::new();
        while let Some(kind) = rest.split_off_first() {
            let is_put = *rest.split_off_first()? != 0;
            keys.push(((*kind, text(&mut rest)?), is_put));
        }
        let values = record.values.and_then(|mut rest| {
            let puts = keys.iter().filter(|(_, is_put)| *is_put);
            let values: Option<Vec<_>> = puts.map(|_| text(&mut rest)).collect();
            values.filter(|_| rest.is_empty())
        });
        Some(Self {
            place,
            keys,
            values,
        })
    }

    pub(crate) const fn is_whole(&self) -> bool {
        self.values.is_some()
    }

    /// Its changes, without those that put a damaged value.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (&FactKey, Option<&Vec<u8>>)> {
        let mut values = self.values.iter().flatten();
        let is_whole = self.is_whole();
        let known = self
            .keys
            .iter()
            .filter(move |(_, is_put)| is_whole || !*is_put);
        known.map(move |(key, is_put)| (key, is_put.then(|| values.next()).flatten()))
    }
}

/// Appends the record of changes.
pub(crate) fn put_record<'a>(
    bytes: &mut Vec<u8>,
    mark: Mark,
    number: u64,
    place: Place,
    changes: impl Iterator<Item = (&'a FactKey, Option<&'a Vec<u8>>)>,
) {
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    match place {
        Place::Snapshot(part) => {
            varint::put(&mut keys, 0);
            varint::put(&mut keys, part);
        }
        Place::After(before) => varint::put(&mut keys, number - before),
    }
    for ((kind, key), value) in changes {
        keys.extend([*kind, u8::from(value.is_some())]);
        put_text(&mut keys, key);
        if let Some(value) = value {
            put_text(&mut values, value);
        }
    }
    record::put(bytes, mark, number, &keys, &values);
}

fn put_text(bytes: &mut Vec<u8>, text: &[u8]) {
    varint::put(bytes, text.len() as u64);
    bytes.extend_from_slice(text);
}

fn text(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let length = usize::try_from(varint::take(rest).ok()?).ok()?;
    Some(rest.split_off(..length)?.to_vec())
}

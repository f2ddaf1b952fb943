//! Changes of records, before they are written.

use std::collections::BTreeMap;

use super::kind::RecordKind;

/// Changes of records of several kinds, to be written all or none.
#[derive(Default)]
pub(crate) struct RecordChanges(BTreeMap<RecordKind, KindChanges>);

/// Changes of the records of one kind. If a key is changed several times, the last change counts.
#[derive(Default)]
pub(crate) struct KindChanges(BTreeMap<Vec<u8>, Option<Vec<u8>>>);

impl RecordChanges {
    /// The changes of the records of `kind`, for adding more.
    pub(crate) fn of(&mut self, kind: RecordKind) -> &mut KindChanges {
        self.0.entry(kind).or_default()
    }

    /// Whether no kind is changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The changes of each kind.
    pub(crate) fn into_kinds(self) -> impl Iterator<Item = (RecordKind, KindChanges)> {
        self.0.into_iter()
    }
}

impl KindChanges {
    /// Puts a record, replacing the one with its key.
    pub(crate) fn insert(&mut self, key: impl Into<Vec<u8>>, value: Vec<u8>) {
        self.0.insert(key.into(), Some(value));
    }

    /// Removes the record with this key, if there is one.
    pub(crate) fn remove(&mut self, key: impl Into<Vec<u8>>) {
        self.0.insert(key.into(), None);
    }

    /// Each key, in order, with its new value; `None` removes the record.
    pub(crate) fn into_records(self) -> impl Iterator<Item = (Vec<u8>, Option<Vec<u8>>)> {
        self.0.into_iter()
    }
}

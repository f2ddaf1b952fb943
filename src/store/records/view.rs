//! Reading records.

use std::ops::Bound;

use super::kind::RecordKind;
use crate::store::error::StoreError;

/// The key of a record, and its value.
pub(crate) type KeyedRecord = (Vec<u8>, Vec<u8>);

/// The end of a range that comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Ascending,
    Descending,
}

/// Records, by kind and key. Keys are ordered as bytes.
pub(crate) trait RecordsView {
    /// Returns the value of a key, if there is such a record.
    fn get(&self, kind: RecordKind, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns up to `most` records whose keys are in `range`: the first ones in this order. None
    /// if `range` ends before it begins.
    fn range(
        &self,
        kind: RecordKind,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        order: Order,
        most: usize,
    ) -> Result<Vec<KeyedRecord>, StoreError>;

    /// Returns all records of a kind, in order of their keys.
    fn all(&self, kind: RecordKind) -> Result<Vec<KeyedRecord>, StoreError> {
        let everything = (Bound::Unbounded, Bound::Unbounded);
        self.range(kind, everything, Order::Ascending, usize::MAX)
    }
}

//! The trees of records: one for each kind.

use std::ops::Bound;

use crate::store::embedded::engine::WriteBatch;
use crate::store::error::StoreError;
use crate::store::records::{KeyedRecord, Order, RecordChanges, RecordKind, RecordsView};

/// The trees of records, in the order of [`RecordKind::ALL`].
pub(crate) struct RecordTrees(Vec<sled::Tree>);

impl RecordTrees {
    /// Opens all trees, and creates those that are missing.
    pub(crate) fn open(db: &sled::Db) -> Result<Self, StoreError> {
        let trees = RecordKind::ALL.map(|kind| db.open_tree(kind.name()));
        Ok(Self(trees.into_iter().collect::<Result<_, _>>()?))
    }

    /// Those of a new database in a folder.
    #[cfg(test)]
    pub(crate) fn open_in(dir: &std::path::Path) -> Self {
        let config = sled::Config::new().path(dir).flush_every_ms(None);
        Self::open(&config.open().unwrap()).unwrap()
    }

    /// The tree of a kind.
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a tree for each kind, in the order of the kinds"
    )]
    pub(crate) fn of(&self, kind: RecordKind) -> &sled::Tree {
        &self.0[kind as usize]
    }

    /// The changes as those of trees.
    pub(crate) fn batch(&self, changes: RecordChanges) -> WriteBatch {
        let mut batch = WriteBatch::default();
        for (kind, changes) in changes.into_kinds() {
            let tree = batch.of(self.of(kind));
            for (key, value) in changes.into_records() {
                match value {
                    Some(value) => tree.insert(key, value),
                    None => tree.remove(key),
                }
            }
        }
        batch
    }
}

impl RecordsView for RecordTrees {
    fn get(&self, kind: RecordKind, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let value = self.of(kind).get(key)?;
        Ok(value.map(|value| value.to_vec()))
    }

    fn range(
        &self,
        kind: RecordKind,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        order: Order,
        most: usize,
    ) -> Result<Vec<KeyedRecord>, StoreError> {
        // sled panics on a range that ends before it begins.
        if is_empty(range) {
            return Ok(Vec::new());
        }
        let mut rows = self.of(kind).range::<&[u8], _>(range);
        let next = || match order {
            Order::Ascending => rows.next(),
            Order::Descending => rows.next_back(),
        };
        let records = std::iter::from_fn(next).take(most).map(|row| {
            let (key, value) = row?;
            Ok((key.to_vec(), value.to_vec()))
        });
        records.collect()
    }
}

fn is_empty(range: (Bound<&[u8]>, Bound<&[u8]>)) -> bool {
    use Bound::{Excluded, Included, Unbounded};
    match range {
        (Included(from), Included(to)) => from > to,
        (Included(from) | Excluded(from), Included(to) | Excluded(to)) => from >= to,
        (Unbounded, _) | (_, Unbounded) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeBounds;

    use super::*;

    const KIND: RecordKind = RecordKind::Notices;

    fn open() -> (tempfile::TempDir, RecordTrees) {
        let dir = tempfile::tempdir().unwrap();
        let trees = RecordTrees::open_in(dir.path());
        (dir, trees)
    }

    fn apply(trees: &RecordTrees, change: impl FnOnce(&mut RecordChanges)) {
        let mut changes = RecordChanges::default();
        change(&mut changes);
        trees.batch(changes).apply().unwrap();
    }

    /// The keys in a range, which are texts, one after the other.
    fn keys<'a>(
        trees: &RecordTrees,
        range: impl RangeBounds<&'a str>,
        order: Order,
        most: usize,
    ) -> String {
        let bytes = |bound: Bound<&&'a str>| bound.map(|text| text.as_bytes());
        let range = (bytes(range.start_bound()), bytes(range.end_bound()));
        let found = trees.range(KIND, range, order, most).unwrap();
        let text = |(key, value): (Vec<u8>, Vec<u8>)| {
            assert_eq!(value, [b"value of ", &*key].concat());
            String::from_utf8(key).unwrap()
        };
        found.into_iter().map(text).collect()
    }

    #[test]
    fn each_kind_has_its_tree() {
        let (_dir, trees) = open();
        for kind in RecordKind::ALL {
            let name = trees.of(kind).name();
            assert_eq!(name, kind.name().as_bytes(), "{kind:?}");
        }
    }

    #[test]
    fn a_range_is_read_from_either_end() {
        let (_dir, trees) = open();
        apply(&trees, |changes| {
            for key in ["e", "b", "a", "d", "c"] {
                let value = format!("value of {key}").into_bytes();
                changes.of(KIND).insert(key, value);
            }
        });
        let (up, down) = (Order::Ascending, Order::Descending);
        for (order, most, expected) in [
            (up, usize::MAX, "abcde"),
            (down, usize::MAX, "edcba"),
            (up, 2, "ab"),
            (down, 2, "ed"),
            (up, 0, ""),
        ] {
            assert_eq!(keys(&trees, .., order, most), expected);
        }
        assert_eq!(keys(&trees, "b".."d", up, 9), "bc");
        assert_eq!(keys(&trees, "b"..="d", down, 2), "dc");
        assert_eq!(keys(&trees, "bb".., up, 2), "cd");
        let (excluded, included) = (Bound::Excluded("b"), Bound::Included("d"));
        assert_eq!(keys(&trees, (excluded, included), up, 9), "cd");
        assert_eq!(keys(&trees, ..="c", down, 9), "cba");
        assert_eq!(trees.all(KIND).unwrap().len(), 5);
    }

    #[test]
    fn a_range_that_ends_before_it_begins_is_empty() {
        let (_dir, trees) = open();
        apply(&trees, |changes| {
            for key in ["b", "c"] {
                let value = format!("value of {key}").into_bytes();
                changes.of(KIND).insert(key, value);
            }
        });
        let (in_b, out_b) = (Bound::Included("b"), Bound::Excluded("b"));
        for order in [Order::Ascending, Order::Descending] {
            assert_eq!(keys(&trees, (in_b, in_b), order, 9), "b");
            for range in [(out_b, out_b), (out_b, in_b), (in_b, out_b)] {
                assert_eq!(keys(&trees, range, order, 9), "");
            }
            let reversed = (Bound::Included("c"), in_b);
            assert_eq!(keys(&trees, reversed, order, 9), "");
        }
    }

    #[test]
    fn of_several_changes_of_a_key_the_last_one_holds() {
        let (_dir, trees) = open();
        apply(&trees, |changes| {
            changes.of(KIND).insert("a", b"1".to_vec());
            changes.of(KIND).insert("a", b"2".to_vec());
            changes.of(KIND).insert("b", b"1".to_vec());
            changes.of(KIND).remove("b");
            changes.of(RecordKind::Bills).insert("a", b"3".to_vec());
        });
        let get = |kind, key: &str| trees.get(kind, key.as_bytes()).unwrap();
        assert_eq!(get(KIND, "a"), Some(b"2".to_vec()));
        assert_eq!(get(KIND, "b"), None);
        assert_eq!(get(RecordKind::Bills, "a"), Some(b"3".to_vec()));
        apply(&trees, |changes| {
            changes.of(KIND).remove("a");
            changes.of(KIND).insert("a", b"4".to_vec());
            changes.of(RecordKind::Bills).remove("a");
        });
        assert_eq!(get(KIND, "a"), Some(b"4".to_vec()));
        assert_eq!(get(RecordKind::Bills, "a"), None);
    }
}

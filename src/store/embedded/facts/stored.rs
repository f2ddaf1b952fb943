//! The facts in memory.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::RwLock;

use crate::locks::{read, write};
use crate::store::embedded::facts::change::{DAMAGE, FactChanges, FactKey, kind_of};
use crate::store::error::StoreError;
use crate::store::records::{KeyedRecord, Order, RecordKind, RecordsView};

/// The key of the fact that access is suspended.
const SUSPENDED: &[u8] = b"suspended";
/// The text of the note about it.
pub(crate) const ACCESS_IS_SUSPENDED: &str = "keys, people and wall tablets are refused, because one that was revoked may have come back: look at `wattkeeper key list`, \
     `person list` and `wall list`, remove who should not be there, and let the others in with `wattkeeper check --confirm`";
/// The kinds of records that grant access.
const ACCESS: [RecordKind; 6] = [
    RecordKind::Administrator,
    RecordKind::Sessions,
    RecordKind::People,
    RecordKind::Tablets,
    RecordKind::Credentials,
    RecordKind::LinkedUsers,
];

/// About how many bytes a record takes besides the key and the value.
const RECORD_BYTES: usize = 48;

/// Facts by kind and key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FactMap {
    facts: BTreeMap<FactKey, Vec<u8>>,
    /// About how many bytes they take in a file. Kept with each change: the committing thread looks
    /// at it after each group of uploads.
    bytes: usize,
}

impl FactMap {
    pub(crate) fn put(&mut self, key: FactKey, value: Vec<u8>) {
        self.bytes += record_bytes(&key, &value);
        let length = key.1.len();
        if let Some(before) = self.facts.insert(key, value) {
            self.bytes -= length + before.len() + RECORD_BYTES;
        }
    }

    pub(crate) fn remove(&mut self, key: &FactKey) {
        if let Some(before) = self.facts.remove(key) {
            self.bytes -= record_bytes(key, &before);
        }
    }

    pub(crate) fn value(&self, key: &FactKey) -> Option<&Vec<u8>> {
        self.facts.get(key)
    }

    pub(crate) fn len(&self) -> usize {
        self.facts.len()
    }

    /// All facts, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&FactKey, &Vec<u8>)> {
        self.facts.iter().inspect(|_| visited())
    }

    pub(crate) fn apply<'a>(
        &mut self,
        changes: impl Iterator<Item = (&'a FactKey, Option<&'a Vec<u8>>)>,
    ) {
        for (key, value) in changes {
            match value {
                Some(value) => self.put(key.clone(), value.clone()),
                None => self.remove(key),
            }
        }
    }

    /// Applies changes that were made together.
    pub(crate) fn change(&mut self, changes: &FactChanges) {
        let changes = changes.0.iter();
        self.apply(changes.map(|(key, value)| (key, value.as_ref())));
    }

    /// The facts of a kind.
    pub(crate) fn of_kind(&self, kind: u8) -> impl Iterator<Item = (&[u8], &[u8])> {
        let facts = self.facts.range((kind, Vec::new())..(kind + 1, Vec::new()));
        let facts = facts.inspect(|_| visited());
        facts.map(|((_, key), value)| (key.as_slice(), value.as_slice()))
    }

    /// About how many bytes they take in a file.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

/// About how many bytes a fact takes in a file.
const fn record_bytes((_, key): &FactKey, value: &[u8]) -> usize {
    key.len() + value.len() + RECORD_BYTES
}

/// Counts the facts that a thread visits one after the other, in tests.
fn visited() {
    #[cfg(test)]
    VISITED.set(VISITED.get() + 1);
}

#[cfg(test)]
thread_local! {
    pub(crate) static VISITED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The facts of an open store.
#[derive(Default)]
pub(crate) struct StoredFacts(RwLock<FactMap>);

impl StoredFacts {
    pub(crate) const fn of(facts: FactMap) -> Self {
        Self(RwLock::new(facts))
    }

    /// Applies changes that are durable.
    pub(crate) fn apply(&self, changes: &FactChanges) {
        write(&self.0).change(changes);
    }

    pub(crate) fn read<T>(&self, job: impl FnOnce(&FactMap) -> T) -> T {
        job(&read(&self.0))
    }

    /// The notes about data lost by damage, until they are confirmed.
    pub(crate) fn damage(&self) -> Vec<String> {
        self.read(|facts| {
            let lost = facts.of_kind(DAMAGE);
            lost.map(|(_, text)| String::from_utf8_lossy(text).into_owned())
                .collect()
        })
    }

    /// Whether keys, people and wall tablets are refused until somebody confirms the damage.
    pub(crate) fn is_access_suspended(&self) -> bool {
        self.read(|facts| facts.value(&(DAMAGE, SUSPENDED.to_vec())).is_some())
    }
}

/// The changes that note further losses. With `is_access`, somebody's access may have come back:
/// access is suspended, and all sessions end.
pub(crate) fn damage_changes(facts: &FactMap, lost: &[String], is_access: bool) -> FactChanges {
    let mut changes = FactChanges::default();
    let known = facts.of_kind(DAMAGE).count();
    for (number, text) in lost.iter().enumerate() {
        let key = format!("{:06}", known + number);
        changes.put(DAMAGE, key, text.clone().into_bytes());
    }
    if is_access {
        changes.put(DAMAGE, SUSPENDED, ACCESS_IS_SUSPENDED.into());
        let sessions = kind_of(RecordKind::Sessions);
        for (key, _) in facts.of_kind(sessions) {
            changes.remove(sessions, key);
        }
    }
    changes
}

/// The changes that confirm the losses.
pub(crate) fn confirming(facts: &FactMap) -> FactChanges {
    let mut changes = FactChanges::default();
    for (key, _) in facts.of_kind(DAMAGE) {
        changes.remove(DAMAGE, key);
    }
    changes
}

/// Whether this fact grants somebody access.
pub(crate) fn is_access((kind, _): &FactKey) -> bool {
    ACCESS.iter().any(|access| kind_of(*access) == *kind)
}

impl RecordsView for FactMap {
    fn get(&self, kind: RecordKind, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.facts.get(&(kind_of(kind), key.to_vec())).cloned())
    }

    fn range(
        &self,
        kind: RecordKind,
        (from, to): (Bound<&[u8]>, Bound<&[u8]>),
        order: Order,
        most: usize,
    ) -> Result<Vec<KeyedRecord>, StoreError> {
        // A map panics on a range that ends before it begins.
        if is_empty((from, to)) {
            return Ok(Vec::new());
        }
        let kind = kind_of(kind);
        let key = |key: &[u8]| (kind, key.to_vec());
        let from = match from {
            Bound::Unbounded => Bound::Included(key(&[])),
            from => from.map(key),
        };
        let to = match to {
            Bound::Unbounded => Bound::Excluded((kind + 1, Vec::new())),
            to => to.map(key),
        };
        let mut facts = self.facts.range((from, to)).inspect(|_| visited());
        let next = || match order {
            Order::Ascending => facts.next(),
            Order::Descending => facts.next_back(),
        };
        let records = std::iter::from_fn(next).take(most);
        Ok(records
            .map(|((_, key), value)| (key.clone(), value.clone()))
            .collect())
    }
}

impl RecordsView for StoredFacts {
    fn get(&self, kind: RecordKind, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|facts| facts.get(kind, key))
    }

    fn range(
        &self,
        kind: RecordKind,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        order: Order,
        most: usize,
    ) -> Result<Vec<KeyedRecord>, StoreError> {
        self.read(|facts| facts.range(kind, range, order, most))
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
    use crate::store::records::RecordChanges;

    const KIND: RecordKind = RecordKind::Notices;

    fn apply(facts: &StoredFacts, change: impl FnOnce(&mut RecordChanges)) {
        let mut changes = RecordChanges::default();
        change(&mut changes);
        facts.apply(&changes.into());
    }

    /// The keys in a range, which are texts, one after the other.
    fn keys<'a>(
        facts: &StoredFacts,
        range: impl RangeBounds<&'a str>,
        order: Order,
        most: usize,
    ) -> String {
        let bytes = |bound: Bound<&&'a str>| bound.map(|text| text.as_bytes());
        let range = (bytes(range.start_bound()), bytes(range.end_bound()));
        let found = facts.range(KIND, range, order, most).unwrap();
        let text = |(key, value): (Vec<u8>, Vec<u8>)| {
            assert_eq!(value, [b"value of ", &*key].concat());
            String::from_utf8(key).unwrap()
        };
        found.into_iter().map(text).collect()
    }

    #[test]
    fn a_range_is_read_from_either_end() {
        let facts = StoredFacts::default();
        apply(&facts, |changes| {
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
            assert_eq!(keys(&facts, .., order, most), expected);
        }
        assert_eq!(keys(&facts, "b".."d", up, 9), "bc");
        assert_eq!(keys(&facts, "b"..="d", down, 2), "dc");
        assert_eq!(keys(&facts, "bb".., up, 2), "cd");
        let (excluded, included) = (Bound::Excluded("b"), Bound::Included("d"));
        assert_eq!(keys(&facts, (excluded, included), up, 9), "cd");
        assert_eq!(keys(&facts, ..="c", down, 9), "cba");
        assert_eq!(facts.all(KIND).unwrap().len(), 5);
    }

    #[test]
    fn a_range_that_ends_before_it_begins_is_empty() {
        let facts = StoredFacts::default();
        apply(&facts, |changes| {
            for key in ["b", "c"] {
                let value = format!("value of {key}").into_bytes();
                changes.of(KIND).insert(key, value);
            }
        });
        let (in_b, out_b) = (Bound::Included("b"), Bound::Excluded("b"));
        for order in [Order::Ascending, Order::Descending] {
            assert_eq!(keys(&facts, (in_b, in_b), order, 9), "b");
            for range in [(out_b, out_b), (out_b, in_b), (in_b, out_b)] {
                assert_eq!(keys(&facts, range, order, 9), "");
            }
            let reversed = (Bound::Included("c"), in_b);
            assert_eq!(keys(&facts, reversed, order, 9), "");
        }
    }

    #[test]
    fn of_several_changes_of_a_key_the_last_one_holds() {
        let facts = StoredFacts::default();
        apply(&facts, |changes| {
            changes.of(KIND).insert("a", b"1".to_vec());
            changes.of(KIND).insert("a", b"2".to_vec());
            changes.of(KIND).insert("b", b"1".to_vec());
            changes.of(KIND).remove("b");
            changes.of(RecordKind::Bills).insert("a", b"3".to_vec());
        });
        let get = |kind, key: &str| facts.get(kind, key.as_bytes()).unwrap();
        assert_eq!(get(KIND, "a"), Some(b"2".to_vec()));
        assert_eq!(get(KIND, "b"), None);
        assert_eq!(get(RecordKind::Bills, "a"), Some(b"3".to_vec()));
        apply(&facts, |changes| {
            changes.of(KIND).remove("a");
            changes.of(KIND).insert("a", b"4".to_vec());
            changes.of(RecordKind::Bills).remove("a");
        });
        assert_eq!(get(KIND, "a"), Some(b"4".to_vec()));
        assert_eq!(get(RecordKind::Bills, "a"), None);
    }

    #[test]
    fn sessions_end_where_access_is_suspended() {
        let facts = StoredFacts::default();
        apply(&facts, |changes| {
            for kind in [RecordKind::Credentials, RecordKind::Sessions] {
                changes.of(kind).insert("a", b"record".to_vec());
            }
        });
        let count = |kind| facts.all(kind).unwrap().len();
        assert!(!facts.is_access_suspended());
        let changes = facts.read(|map| damage_changes(map, &["a page".into()], true));
        facts.apply(&changes);
        assert_eq!(facts.damage().len(), 2);
        assert!(facts.is_access_suspended());
        let counts = [RecordKind::Credentials, RecordKind::Sessions].map(count);
        assert_eq!(counts, [1, 0]);
        let confirming = facts.read(confirming);
        facts.apply(&confirming);
        assert_eq!(facts.damage(), Vec::<String>::new());
        assert!(!facts.is_access_suspended());
    }
}

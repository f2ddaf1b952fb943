//! The registry in memory: a copy of the records in PostgreSQL, and its age.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, RangeBounds};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use tokio_postgres::Transaction;
use tokio_postgres::types::Type;

use super::error::PostgresError;
use super::records::{EVERY_KIND, Versions, changed_between, versions_of};
use crate::domain::SensorId;
use crate::locks::{read, write};
use crate::store::error::StoreError;
use crate::store::records::{KeyedRecord, Order, RecordKind, RecordsView};
use crate::store::registry::Registry;

/// A copy of the registry, as of some versions.
#[derive(Clone, Default)]
pub(crate) struct RegistryCopy {
    pub(crate) registry: Arc<Registry>,
    /// The sensors whose removal is not finished.
    pub(crate) removed: Arc<BTreeSet<SensorId>>,
    /// Empty if unknown: then everything is loaded again.
    pub(crate) versions: Versions,
}

/// Changes of records since some versions.
pub(crate) struct MovedRecords {
    versions: Versions,
    /// All records of the kinds that changed; of last uses, maybe only those that changed.
    kinds: BTreeMap<RecordKind, Vec<KeyedRecord>>,
    /// Changed records of other kinds; a record without a value was removed.
    single: Vec<(RecordKind, Vec<u8>, Option<Vec<u8>>)>,
}

/// The registry, if it is known for sure; otherwise why not.
pub(crate) type RegistrySnapshot = Arc<dyn Fn() -> Result<Arc<Registry>, StoreError> + Send + Sync>;

/// Tells whether a copy was replaced in the meantime.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CopyEdition {
    /// Grows each time that the versions are forgotten.
    epoch: u64,
    version: Option<i64>,
}

/// The copy held by a front-end.
#[derive(Default)]
pub(crate) struct HeldRegistry(RwLock<Held>);

#[derive(Default)]
struct Held {
    copy: RegistryCopy,
    epoch: u64,
    /// When PostgreSQL last answered which records changed.
    asked: Option<Instant>,
}

impl MovedRecords {
    /// Reads the changes since `known`. They must all be of one moment: `transaction` keeps others
    /// from changing records, or sees none of their changes.
    pub(crate) async fn since(
        known: &Versions,
        transaction: &Transaction<'_>,
    ) -> Result<Self, PostgresError> {
        let query = "select kind, version from registry_versions";
        let versions = versions_of(&transaction.query_typed(query, &[]).await?)?;
        let has_moved = |kind: &RecordKind| {
            let number = kind.number();
            // Versions may be smaller than the known ones: a server without the newest ones may
            // have taken over.
            known.is_empty() || versions.get(&number) != known.get(&number)
        };
        // There are too many prices to keep in memory.
        let kinds = RecordKind::ALL
            .into_iter()
            .filter(|kind| *kind != RecordKind::Prices && has_moved(kind));
        let mut kinds: BTreeMap<_, _> = kinds.map(|kind| (kind, Vec::new())).collect();
        let ends = known.get(&EVERY_KIND).zip(versions.get(&EVERY_KIND));
        let changed = match ends {
            Some((known, now)) if kinds.keys().any(|kind| Registry::is_kept_singly(*kind)) => {
                changed_between((*known, *now), transaction).await?
            }
            _ => None,
        };
        let mut single = Vec::new();
        let mut last_uses = Vec::new();
        if let Some(changed) = changed {
            let moved = kinds.extract_if(.., |kind, _| Registry::is_kept_singly(*kind));
            let moved: BTreeMap<i16, RecordKind> =
                moved.map(|(kind, _)| (kind.number(), kind)).collect();
            for (number, key, value) in changed {
                match moved.get(&number) {
                    // Removed last uses go with their credentials.
                    Some(RecordKind::LastUses) => last_uses.extend(value.map(|value| (key, value))),
                    Some(kind) => single.push((*kind, key, value)),
                    None => {}
                }
            }
        }
        read_all(&mut kinds, transaction).await?;
        if !last_uses.is_empty() {
            kinds.insert(RecordKind::LastUses, last_uses);
        }
        Ok(Self {
            versions,
            kinds,
            single,
        })
    }

    /// Whether records of a kind changed.
    pub(crate) fn has(&self, kind: RecordKind) -> bool {
        self.kinds.contains_key(&kind) || self.single.iter().any(|(of, ..)| *of == kind)
    }
}

/// Reads all records of some kinds.
async fn read_all(
    kinds: &mut BTreeMap<RecordKind, Vec<KeyedRecord>>,
    transaction: &Transaction<'_>,
) -> Result<(), PostgresError> {
    if kinds.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i16> = kinds.keys().map(|kind| kind.number()).collect();
    let query = "select kind, key, value from records where kind = any($1) order by kind, key";
    let rows = transaction
        .query_typed(query, &[(&numbers, Type::INT2_ARRAY)])
        .await?;
    let by_number: BTreeMap<i16, RecordKind> =
        kinds.keys().map(|kind| (kind.number(), *kind)).collect();
    for row in rows {
        let kind = by_number.get(&row.try_get(0)?);
        if let Some(records) = kind.and_then(|kind| kinds.get_mut(kind)) {
            records.push((row.try_get(1)?, row.try_get(2)?));
        }
    }
    Ok(())
}

impl RecordsView for MovedRecords {
    fn get(&self, kind: RecordKind, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let records = self.kinds.get(&kind).into_iter().flatten();
        let mut records = records.filter(|(known, _)| known == key);
        Ok(records.next().map(|(_, value)| value.clone()))
    }

    fn range(
        &self,
        kind: RecordKind,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        order: Order,
        most: usize,
    ) -> Result<Vec<KeyedRecord>, StoreError> {
        let records = self.kinds.get(&kind).into_iter().flatten();
        let records = records
            .filter(|(key, _)| RangeBounds::<[u8]>::contains(&range, key.as_slice()))
            .cloned();
        Ok(match order {
            Order::Ascending => records.take(most).collect(),
            Order::Descending => records.rev().take(most).collect(),
        })
    }
}

impl RegistryCopy {
    /// Returns the copy with these changes applied.
    pub(crate) fn after(&self, moved: &MovedRecords) -> Result<Self, StoreError> {
        let mut copy = self.clone();
        copy.versions.clone_from(&moved.versions);
        for kind in moved.kinds.keys() {
            let registry = Arc::make_mut(&mut copy.registry);
            if let Some(removed) = registry.reload(*kind, moved)? {
                copy.removed = Arc::new(removed.into_iter().collect());
            }
        }
        for (kind, key, value) in &moved.single {
            let registry = Arc::make_mut(&mut copy.registry);
            let removed = Arc::make_mut(&mut copy.removed);
            registry.reload_one(*kind, (key, value.as_deref()), removed)?;
        }
        Ok(copy)
    }

    fn version(&self) -> Option<i64> {
        self.versions.get(&EVERY_KIND).copied()
    }
}

impl Held {
    fn edition(&self) -> CopyEdition {
        CopyEdition {
            epoch: self.epoch,
            version: self.copy.version(),
        }
    }
}

impl HeldRegistry {
    /// The registry.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        Arc::clone(&read(&self.0).copy.registry)
    }

    /// The copy, and its edition for [`Self::publish`].
    pub(crate) fn copy(&self) -> (RegistryCopy, CopyEdition) {
        let held = read(&self.0);
        (held.copy.clone(), held.edition())
    }

    /// Replaces the copy of edition `base`. `copy` was made from that one, after `asked`.
    pub(crate) fn publish(&self, copy: RegistryCopy, base: CopyEdition, asked: Instant) {
        let mut held = write(&self.0);
        held.asked = held.asked.max(Some(asked));
        let edition = held.edition();
        // Another thread may have been faster, with newer data.
        if edition == base || copy.version() > edition.version {
            held.copy = copy;
            if edition.epoch != base.epoch {
                // It is newer, but no base for further changes.
                held.copy.versions.clear();
            }
        }
    }

    /// Forgets the versions of the copy. Another server, without the newest versions, may answer
    /// from now on, and use the same numbers for something else.
    pub(crate) fn forget_versions(&self) {
        let mut held = write(&self.0);
        held.copy.versions.clear();
        held.epoch += 1;
    }

    /// Whether the copy is known to be at most `age` old.
    pub(crate) fn is_within(&self, age: Duration) -> bool {
        let asked = read(&self.0).asked;
        asked.is_some_and(|asked| asked.elapsed() <= age)
    }
}

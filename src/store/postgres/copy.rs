//! What is registered, in memory: a copy of the records of an engine, and how old it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, RangeBounds};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use tokio_postgres::Transaction;
use tokio_postgres::types::Type;

use super::error::EngineError;
use super::records::{EVERY_KIND, Versions, changed_between, versions_of};
use crate::domain::SensorId;
use crate::locks::{read, write};
use crate::store::error::StoreError;
use crate::store::records::{KeyedRecord, Order, RecordKind, RecordsView};
use crate::store::registry::Registry;

/// What is registered, as of some versions.
#[derive(Clone, Default)]
pub(crate) struct RegistryCopy {
    pub(crate) registry: Arc<Registry>,
    /// The sensors whose removal is not finished.
    pub(crate) removed: Arc<BTreeSet<SensorId>>,
    /// Empty if they are not known: then all is to be loaded anew.
    pub(crate) versions: Versions,
}

/// What moved since some versions.
pub(crate) struct MovedRecords {
    versions: Versions,
    /// All records of the kinds that moved; of last uses, maybe only those that changed.
    kinds: BTreeMap<RecordKind, Vec<KeyedRecord>>,
    /// Records of other kinds that changed; without a value they are gone.
    single: Vec<(RecordKind, Vec<u8>, Option<Vec<u8>>)>,
}

/// Who and what is registered, as far as this front-end knows; or why it does not know for sure.
pub(crate) type RegistrySnapshot = Arc<dyn Fn() -> Result<Arc<Registry>, StoreError> + Send + Sync>;

/// Tells whether a copy was replaced in the meantime.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CopyEdition {
    /// Grows each time the versions are forgotten.
    epoch: u64,
    version: Option<i64>,
}

/// The copy of a front-end.
#[derive(Default)]
pub(crate) struct HeldRegistry(RwLock<Held>);

#[derive(Default)]
struct Held {
    copy: RegistryCopy,
    epoch: u64,
    /// As of when the engine was last asked, successfully, what moved.
    asked: Option<Instant>,
}

impl MovedRecords {
    /// Reads what moved since `known`. All must be of one moment: `transaction` keeps others from changing records, or sees none
    /// of it.
    pub(crate) async fn since(
        known: &Versions,
        transaction: &Transaction<'_>,
    ) -> Result<Self, EngineError> {
        let query = "select kind, version from registry_versions";
        let versions = versions_of(&transaction.query_typed(query, &[]).await?)?;
        let has_moved = |kind: &RecordKind| {
            let number = kind.number();
            // Versions may be smaller than those that are known: a server may have taken over that did not have the newest.
            known.is_empty() || versions.get(&number) != known.get(&number)
        };
        // Prices are too many to be kept.
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
                    // Those that are gone go with their credentials.
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

    /// Whether the records of a kind moved.
    pub(crate) fn has(&self, kind: RecordKind) -> bool {
        self.kinds.contains_key(&kind) || self.single.iter().any(|(of, ..)| *of == kind)
    }
}

/// Reads all records of some kinds.
async fn read_all(
    kinds: &mut BTreeMap<RecordKind, Vec<KeyedRecord>>,
    transaction: &Transaction<'_>,
) -> Result<(), EngineError> {
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
    /// The copy after what moved since its versions.
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
    /// What is registered.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        Arc::clone(&read(&self.0).copy.registry)
    }

    /// The copy, and its edition, for [`Self::publish`].
    pub(crate) fn copy(&self) -> (RegistryCopy, CopyEdition) {
        let held = read(&self.0);
        (held.copy.clone(), held.edition())
    }

    /// Puts `copy` in the place of the one of edition `base`, out of which it was made after `asked`.
    pub(crate) fn publish(&self, copy: RegistryCopy, base: CopyEdition, asked: Instant) {
        let mut held = write(&self.0);
        held.asked = held.asked.max(Some(asked));
        let edition = held.edition();
        // Somebody else may have been faster, and know more.
        if edition == base || copy.version() > edition.version {
            held.copy = copy;
            if edition.epoch != base.epoch {
                // It is newer, but not to be built upon.
                held.copy.versions.clear();
            }
        }
    }

    /// Forgets which versions the copy has, because another server, without the newest ones, may answer from now on: the same
    /// number may mean something else there.
    pub(crate) fn forget_versions(&self) {
        let mut held = write(&self.0);
        held.copy.versions.clear();
        held.epoch += 1;
    }

    /// Whether it is known not to be older than `age`.
    pub(crate) fn is_within(&self, age: Duration) -> bool {
        let asked = read(&self.0).asked;
        asked.is_some_and(|asked| asked.elapsed() <= age)
    }
}

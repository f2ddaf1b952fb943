//! When each credential was used last: kept in memory, and written at most once an hour, so that an upload does not cost a
//! second write. A kill of the process loses the uses of the last hour.

use std::collections::HashMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::domain::account::ApiId;
use crate::domain::time::Timestamp;
use crate::store::engine::locks::{read, write};
use crate::store::engine::write_batch::WriteBatch;
use crate::store::error::StoreError;
use crate::store::registry::records::{RegistryTrees, encode_last_use};
use crate::store::registry::registered::Registry;

/// How often they are written at most.
const WRITE_EVERY: Duration = Duration::from_hours(1);
/// Earlier than any time.
const NEVER: i64 = i64::MIN;

/// The last use of each credential.
pub(crate) struct LastUses {
    /// In milliseconds since 1970.
    last_ms: RwLock<HashMap<ApiId, AtomicI64>>,
    /// When they may be written again, in milliseconds since 1970; [`NEVER`] before the first use.
    due_ms: AtomicI64,
}

impl LastUses {
    /// Those on disk of credentials in `registry`.
    pub(crate) fn load(trees: &RegistryTrees, registry: &Registry) -> Result<Self, StoreError> {
        let mut last_uses = trees.last_uses()?;
        last_uses.retain(|(id, _)| registry.credential(id).is_some());
        let last_ms = last_uses
            .into_iter()
            .map(|(id, last)| (id, AtomicI64::new(last.millis())));
        Ok(Self {
            last_ms: RwLock::new(last_ms.collect()),
            due_ms: AtomicI64::new(NEVER),
        })
    }

    /// Records a use. Returns, to one caller only, that it is time to write the last uses.
    pub(crate) fn record(&self, id: &ApiId, now: Timestamp) -> bool {
        let now_ms = now.millis();
        let is_known = match read(&self.last_ms).get(id) {
            Some(last) => {
                last.store(now_ms, Ordering::Relaxed);
                true
            }
            None => false,
        };
        if !is_known {
            write(&self.last_ms).insert(id.clone(), AtomicI64::new(now_ms));
        }
        let due_ms = self.due_ms.load(Ordering::Relaxed);
        let next_ms = now.saturating_add(WRITE_EVERY).millis();
        // If the clock was set back, the next write is an hour from now, too.
        let is_due = due_ms != NEVER && now_ms >= due_ms;
        let is_next = due_ms == NEVER || is_due || due_ms > next_ms;
        if !is_next {
            return false;
        }
        let swapped =
            self.due_ms
                .compare_exchange(due_ms, next_ms, Ordering::Relaxed, Ordering::Relaxed);
        is_due && swapped.is_ok()
    }

    /// When a credential was used last, if known.
    pub(crate) fn last(&self, id: &ApiId) -> Option<Timestamp> {
        let last_ms = read(&self.last_ms);
        Timestamp::from_millis(last_ms.get(id)?.load(Ordering::Relaxed))
    }

    /// Forgets a credential that is removed.
    pub(crate) fn forget(&self, id: &ApiId) {
        write(&self.last_ms).remove(id);
    }

    /// Whether any use was recorded since the store was opened.
    pub(crate) fn any(&self) -> bool {
        self.due_ms.load(Ordering::Relaxed) != NEVER
    }

    /// The records of all credentials in `registry` that were ever used.
    pub(crate) fn batch(
        &self,
        trees: &RegistryTrees,
        registry: &Registry,
    ) -> Result<WriteBatch, StoreError> {
        let mut batch = WriteBatch::default();
        for id in registry.credentials.keys() {
            if let Some(last) = self.last(id) {
                let records = batch.of(&trees.last_uses);
                records.insert(id.as_str(), encode_last_use(last)?);
            }
        }
        Ok(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{at, open_registered};

    const HOUR_MS: i64 = 3_600_000;

    #[test]
    fn uses_are_due_once_an_hour() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        let uses = &store.shared.last_uses;
        let (id, other) = (ApiId::new("a").unwrap(), ApiId::new("b").unwrap());
        assert!(!uses.any());
        assert!(!uses.record(&id, at(0)));
        assert!(!uses.record(&other, at(HOUR_MS - 1)));
        assert!(uses.record(&id, at(HOUR_MS)));
        assert!(!uses.record(&id, at(HOUR_MS + 1)));
        // The clock was set back by a day.
        assert!(!uses.record(&id, at(-24 * HOUR_MS)));
        assert!(!uses.record(&id, at(-23 * HOUR_MS - 1)));
        assert!(uses.record(&id, at(-23 * HOUR_MS)));
        assert_eq!(uses.last(&id), Some(at(-23 * HOUR_MS)));
        assert_eq!(uses.last(&other), Some(at(HOUR_MS - 1)));
    }
}

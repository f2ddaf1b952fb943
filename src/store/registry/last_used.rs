//! When each credential was used last: kept in memory, and written now and then, at most once an hour, so that a sensor's every upload
//! does not cost a second write.
//!
//! The tree `uses` has a record, version 1, for each api_id that was ever used. A kill of the process costs what is known of
//! the last hour.

use std::collections::HashMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::domain::account::ApiId;
use crate::domain::time::Timestamp;
use crate::store::engine::locks::{read, write};
use crate::store::engine::record;
use crate::store::error::StoreError;
use crate::store::registry::registered::Registry;
use crate::store::writer::commit::Committer;

/// How often they are written at most.
const WRITTEN_EVERY: Duration = Duration::from_hours(1);
const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct UseRecord {
    last_used_ms: i64,
}

/// The last uses.
pub(crate) struct Uses {
    /// Milliseconds since 1970. Those of a credential that is removed are forgotten at the next start.
    last_ms: RwLock<HashMap<ApiId, AtomicI64>>,
    /// When they may be written again, in milliseconds since 1970; none before the first use.
    due_ms: AtomicI64,
}

/// No time is as early.
const NEVER: i64 = i64::MIN;

impl Uses {
    /// Those in the tree. A record that is none is a credential that was never used: that keeps nobody from the readings.
    pub(crate) fn load(tree: &sled::Tree, registry: &Registry) -> Result<Self, StoreError> {
        let mut last_ms = HashMap::new();
        for row in tree {
            let (key, value) = row?;
            let id = std::str::from_utf8(&key)
                .ok()
                .and_then(|id| ApiId::new(id).ok());
            let record: Option<UseRecord> = record::decode(VERSION, &value);
            if let (Some(id), Some(record)) = (id, record)
                && registry.credential(&id).is_some()
            {
                last_ms.insert(id, AtomicI64::new(record.last_used_ms));
            }
        }
        Ok(Self {
            last_ms: RwLock::new(last_ms),
            due_ms: AtomicI64::new(NEVER),
        })
    }

    /// Takes note of a use; returns whether it is time to write them, to one caller only.
    pub(crate) fn note(&self, id: &ApiId, now: Timestamp) -> bool {
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
        let next_ms = now.saturating_add(WRITTEN_EVERY).millis();
        // A clock that was set back does not put it off for longer.
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

    /// When a credential was used last.
    pub(crate) fn last(&self, id: &ApiId) -> Option<Timestamp> {
        let last_ms = read(&self.last_ms);
        Timestamp::from_millis(last_ms.get(id)?.load(Ordering::Relaxed))
    }

    /// Forgets a credential's.
    pub(crate) fn forget(&self, id: &ApiId) {
        write(&self.last_ms).remove(id);
    }

    /// Whether there is anything that was not written.
    pub(crate) fn is_any(&self) -> bool {
        self.due_ms.load(Ordering::Relaxed) != NEVER
    }
}

impl Committer {
    /// Writes the last uses of the credentials that there are.
    pub(crate) fn write_uses(&mut self) -> Result<usize, StoreError> {
        let registry = self.registry();
        let mut batch = sled::Batch::default();
        for (id, last) in read(&self.shared.uses.last_ms).iter() {
            if registry.credential(id).is_some() {
                let record = UseRecord {
                    last_used_ms: last.load(Ordering::Relaxed),
                };
                batch.insert(id.as_str(), record::encode(VERSION, &record)?);
            }
        }
        self.write("writing the last uses of credentials", |shared| {
            Ok(shared.trees.uses.apply_batch(batch)?)
        })?;
        self.sync()?;
        Ok(0)
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
        let uses = &store.shared.uses;
        let (id, other) = (ApiId::new("a").unwrap(), ApiId::new("b").unwrap());
        assert!(!uses.is_any());
        assert!(!uses.note(&id, at(0)));
        assert!(!uses.note(&other, at(HOUR_MS - 1)));
        assert!(uses.note(&id, at(HOUR_MS)));
        assert!(!uses.note(&id, at(HOUR_MS + 1)));
        // The clock was set back by a day.
        assert!(!uses.note(&id, at(-24 * HOUR_MS)));
        assert!(!uses.note(&id, at(-23 * HOUR_MS - 1)));
        assert!(uses.note(&id, at(-23 * HOUR_MS)));
        assert_eq!(uses.last(&id), Some(at(-23 * HOUR_MS)));
        assert_eq!(uses.last(&other), Some(at(HOUR_MS - 1)));
    }
}

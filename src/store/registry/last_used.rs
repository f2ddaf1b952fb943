//! The last use of each credential: kept in memory, and written at most once an hour, so that an
//! upload does not need a second write. A kill of the process loses the uses of the last hour.

use std::collections::HashMap;
use std::sync::RwLock;
use std::time::Duration;

use crate::domain::{ApiId, Timestamp};
use crate::locks::{read, write};
use crate::store::error::StoreError;
use crate::store::records::{RecordChanges, RecordKind, RecordsView};
use crate::store::registry::records::{encode_last_use, last_use_of};
use crate::store::registry::registered::Registry;

/// The minimum time between writes.
const WRITE_EVERY: Duration = Duration::from_hours(1);

/// The last use of each credential.
#[derive(Default)]
pub(crate) struct LastUses(RwLock<Uses>);

#[derive(Default)]
struct Uses {
    last: HashMap<ApiId, Timestamp>,
    /// When they may be written again; `None` before the first use.
    due: Option<Timestamp>,
}

impl LastUses {
    /// Loads the last uses of the credentials in `registry`. A credential with a damaged record
    /// counts as never used.
    pub(crate) fn load(view: &dyn RecordsView, registry: &Registry) -> Result<Self, StoreError> {
        let uses = Self::default();
        uses.merge(view)?;
        uses.keep(registry);
        Ok(uses)
    }

    /// Takes over later uses from the records.
    pub(crate) fn merge(&self, view: &dyn RecordsView) -> Result<(), StoreError> {
        let records = view.all(RecordKind::LastUses)?.into_iter();
        let mut uses = write(&self.0);
        for (id, last) in records.filter_map(|(key, value)| last_use_of(&key, &value)) {
            let known = uses.last.entry(id).or_insert(last);
            *known = last.max(*known);
        }
        Ok(())
    }

    /// Forgets all credentials that are not in `registry`.
    pub(crate) fn keep(&self, registry: &Registry) {
        let last = &mut write(&self.0).last;
        last.retain(|id, _| registry.credential(id).is_some());
    }

    /// Records a use. Returns true to one caller when it is time to write the last uses.
    pub(crate) fn record(&self, id: &ApiId, now: Timestamp) -> bool {
        let mut uses = write(&self.0);
        uses.last.insert(id.clone(), now);
        let next = now.saturating_add(WRITE_EVERY);
        // The first use after a start is never due: it only starts the hour.
        let is_due = uses.due.is_some_and(|due| due <= now);
        // If the clock was set back, the next write is an hour from now, too.
        let earlier = uses.due.filter(|due| !is_due && *due < next);
        uses.due = earlier.or(Some(next));
        is_due
    }

    /// The time of a credential's last use, if known.
    pub(crate) fn last(&self, id: &ApiId) -> Option<Timestamp> {
        read(&self.0).last.get(id).copied()
    }

    /// Forgets a removed credential.
    pub(crate) fn forget(&self, id: &ApiId) {
        write(&self.0).last.remove(id);
    }

    /// Whether any use was recorded since the store was opened.
    pub(crate) fn any(&self) -> bool {
        read(&self.0).due.is_some()
    }

    /// The records of all credentials in `registry` that were ever used.
    pub(crate) fn changes(&self, registry: &Registry) -> Result<RecordChanges, StoreError> {
        let mut changes = RecordChanges::default();
        // From the registry: a use that was recorded after its credential was removed must not
        // bring back a record.
        for id in registry.credentials.keys() {
            if let Some(last) = self.last(id) {
                let records = changes.of(RecordKind::LastUses);
                records.insert(id.as_str(), encode_last_use(last)?);
            }
        }
        Ok(changes)
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
        let uses = &store.shared().last_uses;
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

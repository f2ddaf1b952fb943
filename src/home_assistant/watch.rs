//! Notices changes of the ledger by people and imports.

use std::sync::Arc;

use crate::domain::AccountName;
use crate::store::{Registry, Store};

/// The facts and the edits at the last look.
pub(super) struct LedgerWatch {
    registry: Arc<Registry>,
    /// [`Store::history_edits`].
    edits: u64,
}

impl LedgerWatch {
    pub(super) fn new(store: &Store) -> Self {
        Self {
            edits: store.history_edits(),
            registry: store.registry(),
        }
    }

    /// Whether the energy or the costs of an account may have changed since the last look, other
    /// than by uploads.
    pub(super) fn has_changed(&mut self, store: &Store, account: Option<&AccountName>) -> bool {
        let now = Self::new(store);
        let before = std::mem::replace(self, now);
        if before.edits != self.edits {
            return true;
        }
        if Arc::ptr_eq(&before.registry, &self.registry) {
            return false;
        }
        let Some(account) = account else {
            return true;
        };
        let (old, new) = (&before.registry, &self.registry);
        let sensors = |registry: &Registry| -> Vec<_> {
            let own = registry.sensors().filter(|it| it.account == *account);
            own.cloned().collect()
        };
        old.account(account) != new.account(account)
            || old.corrections(account) != new.corrections(account)
            || old.contracts(account) != new.contracts(account)
            || !old.day_lists(account).eq(new.day_lists(account))
            || sensors(old) != sensors(new)
    }
}

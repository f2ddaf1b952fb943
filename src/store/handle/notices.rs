//! Notices: opening, ending, dismissing them.

use crate::ledger::Made;
use crate::ledger::notice::{KnownNotice, NoticeChange, NoticeKey};
use crate::store::error::StoreError;
use crate::store::handle::store::Store;

impl Store {
    /// Makes these changes in one transaction. Those that have become void are left out. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn change_notices_durably(
        &self,
        changes: Vec<(NoticeKey, NoticeChange)>,
    ) -> Result<(), StoreError> {
        self.register(move |edit| edit.change_notices(changes))
    }

    /// Dismisses a notice, and returns it. Dismissed twice, it stays as it was. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownNotice`] if no such notice is open; as above.
    pub fn dismiss_notice_durably(
        &self,
        key: NoticeKey,
        by: Made,
    ) -> Result<KnownNotice, StoreError> {
        self.register(move |edit| edit.dismiss_notice(key, by))
    }

    /// Adds a notice as it is, for restoring. Blocks.
    pub(crate) fn put_notice_durably(
        &self,
        key: NoticeKey,
        known: KnownNotice,
    ) -> Result<(), StoreError> {
        self.register(move |edit| edit.put_notice(key, known))
    }
}

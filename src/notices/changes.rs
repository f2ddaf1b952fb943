//! Compares the stored notices with the found ones: which have opened and which have ended.

use std::collections::BTreeSet;

use crate::domain::{AccountName, Timestamp};
use crate::ledger::notice::{
    KnownNotice, Notice, NoticeChange, NoticeKey, NoticeKind, NoticeSubject,
};
use crate::store::Registry;

/// The stored notices of an account, or of the service.
pub(super) struct KeptNotices<'a> {
    registry: &'a Registry,
    account: Option<&'a AccountName>,
}

impl<'a> KeptNotices<'a> {
    pub(super) const fn of(registry: &'a Registry, account: Option<&'a AccountName>) -> Self {
        Self { registry, account }
    }

    /// The time since when a notice is open.
    pub(super) fn open_since(
        &self,
        kind: NoticeKind,
        subject: &NoticeSubject,
    ) -> Option<Timestamp> {
        let known = self.registry.notice(&NoticeKey {
            account: self.account.cloned(),
            id: kind.id(subject),
        });
        let open = known.filter(|known| known.is_open());
        open.map(|known| known.notice.since)
    }

    /// The open notices.
    pub(super) fn open(&self) -> impl Iterator<Item = (&'a NoticeKey, &'a KnownNotice)> {
        let account = self.account;
        let all = self.registry.notices();
        all.filter(move |(key, known)| key.account.as_ref() == account && known.is_open())
    }

    /// The changes: exactly the `found` notices are open, as far as others are judged
    /// (`is_judged`). If there are too many, the oldest are opened.
    pub(super) fn changes(
        &self,
        mut found: Vec<Notice>,
        is_judged: impl Fn(&Notice) -> bool,
        now: Timestamp,
    ) -> Vec<(NoticeKey, NoticeChange)> {
        found.sort_by_key(|notice| notice.since);
        let key = |notice: &Notice| NoticeKey::of(self.account.cloned(), notice);
        let found: Vec<_> = found.into_iter().map(|it| (key(&it), it)).collect();
        let keys: BTreeSet<&NoticeKey> = found.iter().map(|(key, _)| key).collect();
        let open: BTreeSet<&NoticeKey> = self.open().map(|(key, _)| key).collect();
        let over = self
            .open()
            .filter(|(key, known)| is_judged(&known.notice) && !keys.contains(key));
        let ended: Vec<_> = over
            .map(|(key, _)| (key.clone(), NoticeChange::Ended(now)))
            .collect();
        let room = NoticeKey::MOST.saturating_sub(open.len());
        let opened = found.iter().filter(|(key, _)| !open.contains(key));
        let opened = opened
            .take(room)
            .map(|(key, notice)| (key.clone(), NoticeChange::Opened(notice.clone(), now)));
        ended.into_iter().chain(opened).collect()
    }
}

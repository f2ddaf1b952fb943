//! Changes of notices: they open and end, are dismissed and sent, and are removed with their
//! sensor.

use std::sync::Arc;

use super::edit::RegistryEdit;
use super::notice_records::{encode_notice, notice_key};
use crate::domain::{AccountName, SensorId};
use crate::ledger::Made;
use crate::ledger::notice::{KnownNotice, NoticeChange, NoticeKey};
use crate::store::error::StoreError;
use crate::store::records::RecordKind;

impl RegistryEdit<'_> {
    /// Makes these changes. Skips notices of an unknown account, or of a sensor that is not the
    /// account's: these were removed meanwhile. Skips new notices of an account that has reached
    /// the limit.
    ///
    /// # Errors
    /// [`StoreError::TextTooLong`] if one is too long.
    pub fn change_notices(
        &mut self,
        changes: Vec<(NoticeKey, NoticeChange)>,
    ) -> Result<(), StoreError> {
        for (key, change) in changes {
            let known = self.registry.notices.get(&key).cloned();
            let is_new = known.is_none();
            match change.apply(known) {
                Some(known) if is_new && !self.may_have(&key, &known) => {}
                Some(known) => self.put_known(key, known)?,
                None => self.remove_notice(&key),
            }
        }
        Ok(())
    }

    /// Adds a notice unchanged.
    pub(crate) fn put_notice(
        &mut self,
        key: NoticeKey,
        known: KnownNotice,
    ) -> Result<(), StoreError> {
        if !self.may_have(&key, &known) {
            return Err(StoreError::UnknownNotice(key.id));
        }
        self.put_known(key, known)
    }

    /// Dismisses an open notice, and returns it.
    pub(crate) fn dismiss_notice(
        &mut self,
        key: NoticeKey,
        by: Made,
    ) -> Result<KnownNotice, StoreError> {
        let known = self.registry.notices.get(&key);
        let open = known.filter(|known| known.is_open()).cloned();
        let dismissed = NoticeChange::Dismissed(by).apply(open);
        let dismissed = dismissed.ok_or_else(|| StoreError::UnknownNotice(key.id.clone()))?;
        self.put_known(key, dismissed.clone())?;
        Ok(dismissed)
    }

    fn may_have(&self, key: &NoticeKey, known: &KnownNotice) -> bool {
        let notices = self.registry.notices.keys();
        let is_room =
            notices.filter(|other| other.account == key.account).count() < NoticeKey::MOST;
        let Some(account) = &key.account else {
            return is_room && known.notice.sensor().is_none();
        };
        let is_its = |id| {
            let sensor = self.registry.sensors.get(id);
            sensor.is_some_and(|sensor| sensor.account == *account)
        };
        is_room
            && self.registry.accounts.contains_key(account)
            && known.notice.sensor().is_none_or(is_its)
    }

    fn put_known(&mut self, key: NoticeKey, known: KnownNotice) -> Result<(), StoreError> {
        if self.registry.notices.get(&key) == Some(&known) {
            return Ok(());
        }
        let records = self.changes.of(RecordKind::Notices);
        records.insert(notice_key(&key), encode_notice(&known)?);
        Arc::make_mut(&mut self.registry.notices).insert(key, known);
        Ok(())
    }

    fn remove_notice(&mut self, key: &NoticeKey) {
        if self.registry.notices.contains_key(key) {
            Arc::make_mut(&mut self.registry.notices).remove(key);
            let records = self.changes.of(RecordKind::Notices);
            records.remove(notice_key(key));
        }
    }

    /// Removes the notices of an account, or of one of its sensors.
    pub(super) fn remove_notices(&mut self, account: &AccountName, sensor: Option<&SensorId>) {
        let all = self.registry.notices.iter();
        let of_it = all.filter(|(key, known)| {
            let is_its = key.account.as_ref() == Some(account);
            is_its && sensor.is_none_or(|sensor| known.notice.sensor() == Some(sensor))
        });
        let keys: Vec<NoticeKey> = of_it.map(|(key, _)| key.clone()).collect();
        for key in &keys {
            self.remove_notice(key);
        }
    }
}

//! Which reports went out: one setting of the service, which goes with its accounts.

use super::edit::RegistryEdit;
use super::registered::Registry;
use crate::domain::{
    AccountName, LocalDate, ReportKind, SentReports, ServiceSetting, SettingValue,
};
use crate::store::error::StoreError;

const REPORTED: ServiceSetting = ServiceSetting::NoticesReported;

impl Registry {
    /// The weekly messages and monthly statements that went out.
    pub(crate) fn sent_reports(&self) -> SentReports {
        let text = match self.settings.get(&REPORTED) {
            Some(SettingValue::Text(text)) => text.reveal(),
            _ => "",
        };
        SentReports::read(text).unwrap_or_default()
    }
}

impl RegistryEdit<'_> {
    /// Notes that the report of a period went out. Skips one of an account that was removed
    /// meanwhile.
    ///
    /// # Errors
    /// [`StoreError::TextTooLong`] if too many accounts get reports.
    pub(crate) fn note_report(
        &mut self,
        account: &AccountName,
        (kind, first): (ReportKind, LocalDate),
    ) -> Result<(), StoreError> {
        if self.registry.account(account).is_none() {
            return Ok(());
        }
        let mut sent = self.registry.sent_reports();
        sent.add(account, kind, first);
        self.put_reports(&sent)
    }

    /// Forgets the reports of an account.
    pub(super) fn forget_reports(&mut self, account: &AccountName) -> Result<(), StoreError> {
        let mut sent = self.registry.sent_reports();
        if sent.forget(account) {
            self.put_reports(&sent)
        } else {
            Ok(())
        }
    }

    fn put_reports(&mut self, sent: &SentReports) -> Result<(), StoreError> {
        let text = sent.text();
        let value = (!text.is_empty()).then(|| SettingValue::text(&text));
        self.change_settings([(REPORTED, value)].into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::domain::{Account, Phases, Plan, Zone};
    use crate::store::handle::Store;
    use crate::store::settings::{OpenMode, StoreSettings};

    #[test]
    fn what_went_out_is_known_after_a_restart_and_goes_with_its_account() {
        let dir = tempfile::tempdir().unwrap();
        let open = || {
            let settings = StoreSettings::default();
            Store::open(dir.path(), settings, OpenMode::CreateIfMissing).unwrap()
        };
        let name = || AccountName::new("home").unwrap();
        let week = (ReportKind::Weekly, LocalDate::parse("2026-11-23").unwrap());
        let allows = |store: &Store| {
            let today = LocalDate::parse("2026-11-30").unwrap();
            store.registry().sent_reports().allows(&name(), week, today)
        };
        let note = |store: &Store| store.edit(move |edit| edit.note_report(&name(), week));
        let store = open();
        // Nobody has this account.
        note(&store).unwrap();
        assert!(!store.registry().settings.contains_key(&REPORTED));
        let account = Account {
            name: name(),
            plan: Plan::Paid,
            zone: Zone::UTC,
            phases: Phases::default(),
            created: at(0),
        };
        store.edit(move |edit| edit.put_account(account)).unwrap();
        assert!(allows(&store));
        note(&store).unwrap();
        assert!(!allows(&store));
        drop(store);
        let store = open();
        assert!(!allows(&store));
        store
            .edit(move |edit| edit.remove_account(&name()))
            .unwrap();
        assert!(!store.registry().settings.contains_key(&REPORTED));
        assert!(store.check().is_clean());
    }
}

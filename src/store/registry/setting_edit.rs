//! Changes of the settings of the service.

use std::collections::BTreeMap;

use super::edit::RegistryEdit;
use super::setting_records::{is_valid, put};
use crate::domain::{ServiceSetting, ServiceSettings, SettingValue};
use crate::store::error::StoreError;
use crate::store::records::RecordKind;

/// New values of settings; `None` removes a setting.
pub type SettingChanges = BTreeMap<ServiceSetting, Option<SettingValue>>;

impl RegistryEdit<'_> {
    /// Makes these changes, all or none. A secret for an address that changes is removed, unless
    /// the changes contain a new one: the owner of the new address must not get the old secret.
    pub(crate) fn change_settings(
        &mut self,
        mut changes: SettingChanges,
    ) -> Result<(), StoreError> {
        for secret in ServiceSetting::ALL {
            let Some(to) = secret.sent_to() else { continue };
            let moves = changes
                .get(&to)
                .is_some_and(|new| new.as_ref() != self.registry.settings.get(&to));
            if moves {
                changes.entry(secret).or_insert(None);
            }
        }
        for (setting, value) in changes {
            self.put_setting(setting, value)?;
        }
        Ok(())
    }

    /// Sets these settings unchanged: no address of a secret changes.
    pub(crate) fn put_settings(&mut self, settings: ServiceSettings) -> Result<(), StoreError> {
        let mut all = settings.into_iter();
        all.try_for_each(|(setting, value)| self.put_setting(setting, Some(value)))
    }

    fn put_setting(
        &mut self,
        setting: ServiceSetting,
        value: Option<SettingValue>,
    ) -> Result<(), StoreError> {
        if self.registry.settings.get(&setting) == value.as_ref() {
            return Ok(());
        }
        if value.as_ref().is_some_and(|it| !is_valid(setting, it)) {
            return Err(StoreError::TextTooLong {
                what: "a setting",
                longest: setting.max_bytes(),
            });
        }
        put(
            self.changes.of(RecordKind::Settings),
            setting,
            value.as_ref(),
        )?;
        match value {
            Some(value) => self.registry.settings.insert(setting, value),
            None => self.registry.settings.remove(&setting),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::handle::Store;
    use crate::store::records::RecordsView as _;
    use crate::store::registry::Registry;
    use crate::store::settings::{OpenMode, StoreSettings};

    const BROKER: ServiceSetting = ServiceSetting::MqttBroker;
    const PASSWORD: ServiceSetting = ServiceSetting::MqttPassword;

    fn change(store: &Store, changes: &[(ServiceSetting, Option<&str>)]) {
        let changes = changes.iter();
        let changes = changes.map(|(setting, text)| (*setting, text.map(SettingValue::text)));
        let changes = changes.collect();
        store
            .edit(move |edit| edit.change_settings(changes))
            .unwrap();
        let written = Registry::load(&store.shared().facts).unwrap();
        assert_eq!(written.0.settings, store.registry().settings);
    }

    fn text(store: &Store, setting: ServiceSetting) -> Option<String> {
        match store.registry().settings.get(&setting) {
            Some(SettingValue::Text(text)) => Some(text.reveal().to_owned()),
            _ => None,
        }
    }

    #[test]
    fn a_secret_goes_with_the_address_that_it_was_meant_for() {
        let dir = tempfile::tempdir().unwrap();
        let open = || {
            let settings = StoreSettings::default();
            Store::open(dir.path(), settings, OpenMode::CreateIfMissing).unwrap()
        };
        let store = open();
        let (here, there) = (Some("mqtt://here"), Some("mqtt://there"));
        change(&store, &[(BROKER, here), (PASSWORD, Some("hunter2"))]);
        // The same address again, or another setting: the secret stays.
        change(&store, &[(BROKER, here)]);
        change(&store, &[(ServiceSetting::MqttUser, Some("meter"))]);
        assert_eq!(text(&store, PASSWORD).as_deref(), Some("hunter2"));
        store.close().unwrap();
        drop(store);
        let store = open();
        assert_eq!(text(&store, PASSWORD).as_deref(), Some("hunter2"));
        change(&store, &[(BROKER, there)]);
        assert_eq!(text(&store, PASSWORD), None);
        // Entered again together with the address.
        change(&store, &[(BROKER, here), (PASSWORD, Some("hunter3"))]);
        assert_eq!(text(&store, PASSWORD).as_deref(), Some("hunter3"));
        change(&store, &[(BROKER, None)]);
        assert_eq!((text(&store, BROKER), text(&store, PASSWORD)), (None, None));
    }

    #[test]
    fn a_list_of_any_length_is_kept() {
        const LIST: ServiceSetting = ServiceSetting::MqttSubscriptions;
        let dir = tempfile::tempdir().unwrap();
        let settings = StoreSettings::default();
        let store = Store::open(dir.path(), settings, OpenMode::CreateIfMissing).unwrap();
        change(&store, &[(BROKER, Some("mqtt://a"))]);
        for length in [1, LIST.max_bytes(), 3_000] {
            let long = "x".repeat(length);
            change(&store, &[(LIST, Some(&long))]);
            assert_eq!(text(&store, LIST).unwrap().len(), length);
            assert_eq!(text(&store, BROKER).as_deref(), Some("mqtt://a"));
        }
        change(&store, &[(LIST, None)]);
        assert_eq!(text(&store, LIST), None);
        let left = store.shared().facts.all(RecordKind::Settings);
        assert_eq!(left.unwrap().len(), 1);
    }

    #[test]
    fn a_value_that_is_too_long_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let settings = StoreSettings::default();
        let store = Store::open(dir.path(), settings, OpenMode::CreateIfMissing).unwrap();
        let long = SettingValue::text(&"x".repeat(PASSWORD.max_bytes() + 1));
        let changes = [
            (BROKER, Some(SettingValue::text("mqtt://a"))),
            (PASSWORD, Some(long)),
        ];
        let refused = store.edit(move |edit| edit.change_settings(changes.into()));
        assert!(matches!(refused, Err(StoreError::TextTooLong { .. })));
        assert!(store.registry().settings.is_empty());
    }
}

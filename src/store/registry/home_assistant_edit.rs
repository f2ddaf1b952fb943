//! Changes of the Home Assistants of accounts, with their tokens. A token is part of a secret
//! setting, so it is in no backup.

use super::edit::RegistryEdit;
use super::entry::AccountEntry;
use crate::domain::{
    AccountName, HomeAssistantEntry, HomeAssistantTokens, Secret, ServiceSetting, SettingValue,
};
use crate::store::error::StoreError;

const TOKENS: ServiceSetting = ServiceSetting::HomeAssistantTokens;

impl RegistryEdit<'_> {
    /// Puts the Home Assistant of an account. Without a token, it keeps the one that the store has
    /// for its address.
    ///
    /// # Errors
    /// As [`Self::put_entry`]; [`StoreError::TooManyHomeAssistants`]; [`StoreError::TextTooLong`] if
    /// all tokens together are too long.
    pub(crate) fn put_home_assistant(
        &mut self,
        account: &AccountName,
        home: HomeAssistantEntry,
        token: &Secret,
    ) -> Result<(), StoreError> {
        let others = self.registry.home_assistant_accounts();
        if others.filter(|other| *other != account).count() >= HomeAssistantEntry::MOST_IN_ALL {
            return Err(StoreError::TooManyHomeAssistants);
        }
        let address = home.address.clone();
        let kept = self.registry.home_assistant_token(account, &address);
        let is_in_file = home.token_file.is_some();
        self.put_entry(account, AccountEntry::HomeAssistant(Box::new(home)), None)?;
        if token.is_set() {
            let token = token.clone();
            self.change_tokens(|tokens| {
                tokens.put(account.clone(), address, token);
                true
            })
        } else if is_in_file || !kept.is_set() {
            self.forget_home_assistant_token(account)
        } else {
            Ok(())
        }
    }

    /// Forgets the token of an account.
    pub(super) fn forget_home_assistant_token(
        &mut self,
        account: &AccountName,
    ) -> Result<(), StoreError> {
        self.change_tokens(|tokens| tokens.forget(account))
    }

    /// Changes the tokens; `change` returns whether it changed any.
    fn change_tokens(
        &mut self,
        change: impl FnOnce(&mut HomeAssistantTokens) -> bool,
    ) -> Result<(), StoreError> {
        let text = match self.registry.settings.get(&TOKENS) {
            Some(SettingValue::Text(text)) => text.reveal(),
            _ => "",
        };
        let mut tokens = HomeAssistantTokens::read(text).unwrap_or_default();
        if !change(&mut tokens) {
            return Ok(());
        }
        let text = tokens.text();
        let value = (!text.is_empty()).then(|| SettingValue::text(&text));
        self.change_settings([(TOKENS, value)].into())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::time::at;
    use crate::domain::{Account, EntryKind, Phases, Plan, Zone};
    use crate::store::handle::Store;
    use crate::store::registry::EntryName;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn name(number: usize) -> AccountName {
        AccountName::new(&format!("home {number}")).unwrap()
    }

    fn open(dir: &Path) -> Store {
        Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap()
    }

    fn home(url: &str) -> HomeAssistantEntry {
        HomeAssistantEntry {
            address: url.parse().unwrap(),
            token_file: None,
            sensors: Vec::new(),
            send: false,
            prices: Vec::new(),
        }
    }

    fn put(
        store: &Store,
        of: usize,
        home: HomeAssistantEntry,
        token: &str,
    ) -> Result<(), StoreError> {
        let token = Secret::new(token.to_owned());
        store.edit(move |edit| edit.put_home_assistant(&name(of), home, &token))
    }

    fn token(store: &Store, of: usize, url: &str) -> String {
        let token = store
            .registry()
            .home_assistant_token(&name(of), &url.parse().unwrap());
        token.reveal().to_owned()
    }

    #[test]
    fn a_token_stays_with_its_address_and_goes_with_its_entry() {
        const A: &str = "http://a.lan:8123";
        const B: &str = "http://b.lan:8123";
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        for number in 0..=HomeAssistantEntry::MOST_IN_ALL {
            let account = Account {
                name: name(number),
                plan: Plan::Paid,
                zone: Zone::UTC,
                phases: Phases::default(),
                created: at(0),
            };
            store.edit(move |edit| edit.put_account(account)).unwrap();
        }
        put(&store, 0, home(A), "one").unwrap();
        put(&store, 1, home(A), "two").unwrap();
        put(&store, 0, home(A), "").unwrap();
        assert_eq!(
            (token(&store, 0, A), token(&store, 1, A)),
            ("one".into(), "two".into())
        );
        // A changed address does not get the token.
        put(&store, 0, home(B), "").unwrap();
        put(&store, 0, home(A), "").unwrap();
        assert_eq!(
            (token(&store, 0, A), token(&store, 0, B)),
            (String::new(), String::new())
        );
        put(&store, 0, home(A), "one").unwrap();
        let in_file = HomeAssistantEntry {
            token_file: Some("/run/token".into()),
            ..home(A)
        };
        put(&store, 0, in_file.clone(), "").unwrap();
        assert_eq!(token(&store, 0, A), "");
        drop(store);
        let store = open(dir.path());
        assert_eq!(store.registry().home_assistant(&name(0)), Some(&in_file));
        assert_eq!(token(&store, 1, A), "two");
        let remove = |edit: &mut RegistryEdit<'_>| {
            edit.remove_entry(&name(1), EntryKind::HomeAssistant, &EntryName::Only)
        };
        store.edit(remove).unwrap();
        assert!(store.edit(remove).is_err());
        assert!(!store.registry().settings.contains_key(&TOKENS));
        put(&store, 1, home(A), "two").unwrap();
        store.edit(|edit| edit.remove_account(&name(1))).unwrap();
        assert!(!store.registry().settings.contains_key(&TOKENS));
        for number in 2..=HomeAssistantEntry::MOST_IN_ALL {
            put(&store, number, home(A), "").unwrap();
        }
        put(&store, 2, home(B), "").unwrap();
        store
            .edit(|edit| {
                edit.put_account(Account {
                    name: name(1),
                    plan: Plan::Paid,
                    zone: Zone::UTC,
                    phases: Phases::default(),
                    created: at(0),
                })
            })
            .unwrap();
        assert_eq!(
            put(&store, 1, home(A), ""),
            Err(StoreError::TooManyHomeAssistants)
        );
        assert!(store.check().is_clean());
    }
}

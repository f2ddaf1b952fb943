//! Changes of described formats of files.

use super::edit::RegistryEdit;
use super::format_records::{encode_format, format_key};
use super::named_facts;
use crate::domain::AccountName;
use crate::ledger::contract::Label;
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, pieces};

/// The maximum number of formats of an account, and the maximum length of one, in bytes: all of
/// them are read again for each import.
const MOST_FORMATS: usize = 50;
pub const LONGEST_FORMAT: usize = 16_000;

/// Checks that a format may be so long.
///
/// # Errors
/// [`StoreError::TextTooLong`].
pub fn check_format_length(text: &str) -> Result<(), StoreError> {
    if text.len() > LONGEST_FORMAT {
        return Err(StoreError::TextTooLong {
            what: "a format of files",
            longest: LONGEST_FORMAT,
        });
    }
    Ok(())
}

impl RegistryEdit<'_> {
    /// Adds a format, or replaces the one of the same name. The text is kept as it is.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TextTooLong`], [`StoreError::TooManyFormats`].
    pub fn put_format(
        &mut self,
        account: &AccountName,
        name: &Label,
        text: &str,
    ) -> Result<(), StoreError> {
        self.check_account(account)?;
        check_format_length(text)?;
        let format = (name.clone(), text.into());
        if !named_facts::put(&mut self.registry.formats, account, format, MOST_FORMATS) {
            return Err(StoreError::TooManyFormats(account.to_string()));
        }
        let records = self.changes.of(RecordKind::Formats);
        pieces::put(records, &format_key(account, name), &encode_format(text)?);
        Ok(())
    }

    /// Removes a format.
    pub(crate) fn remove_format(
        &mut self,
        account: &AccountName,
        name: &Label,
    ) -> Result<(), StoreError> {
        named_facts::remove(&mut self.registry.formats, account, name)
            .ok_or_else(|| StoreError::UnknownFormat(name.to_string()))?;
        let records = self.changes.of(RecordKind::Formats);
        pieces::remove(records, &format_key(account, name));
        Ok(())
    }

    /// Removes all formats of an account.
    pub(super) fn remove_formats(&mut self, account: &AccountName) {
        let records = self.changes.of(RecordKind::Formats);
        let all = self.registry.formats.remove(account);
        for name in all.iter().flat_map(|all| all.keys()) {
            pieces::remove(records, &format_key(account, name));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::time::at;
    use crate::domain::{Account, Phases, Plan, Zone};
    use crate::store::embedded::facts::FactChanges;
    use crate::store::embedded::facts::change::kind_of;
    use crate::store::handle::Store;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn name(text: &str) -> Label {
        Label::new(text).unwrap()
    }

    fn home() -> AccountName {
        AccountName::new("home").unwrap()
    }

    fn open(dir: &Path) -> Store {
        let store = Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap();
        let account = Account {
            name: home(),
            plan: Plan::Paid,
            zone: Zone::UTC,
            phases: Phases::default(),
            created: at(0),
        };
        store.edit(move |edit| edit.put_account(account)).unwrap();
        store
    }

    fn put(store: &Store, of: &str, text: &str) -> Result<(), StoreError> {
        let (of, text) = (name(of), text.to_owned());
        store.edit(move |edit| edit.put_format(&home(), &of, &text))
    }

    fn all(store: &Store) -> Vec<(String, String)> {
        let registry = store.registry();
        let home = home();
        let all = registry.formats(&home);
        all.map(|(name, text)| (name.to_string(), text.to_owned()))
            .collect()
    }

    #[test]
    fn formats_are_put_replaced_kept_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let long = "x".repeat(LONGEST_FORMAT);
        put(&store, "b", &long).unwrap();
        put(&store, "a", "one").unwrap();
        put(&store, "b", "two").unwrap();
        let expected = [("a", "one"), ("b", "two")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(all(&store), expected);
        drop(store);
        let store = open(dir.path());
        assert_eq!(all(&store), expected);
        for of in ["a", "b"] {
            store
                .edit(|edit| edit.remove_format(&home(), &name(of)))
                .unwrap();
        }
        let refused = store.edit(|edit| edit.remove_format(&home(), &name("a")));
        assert_eq!(refused, Err(StoreError::UnknownFormat("a".into())));
        assert!(store.check().is_clean());
        drop(store);
        assert!(all(&open(dir.path())).is_empty());
    }

    #[test]
    fn an_account_has_so_many_of_such_a_length() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let long = "x".repeat(LONGEST_FORMAT);
        for number in 0..MOST_FORMATS {
            put(&store, &format!("{number}"), &long).unwrap();
        }
        let more = put(&store, "more", "");
        assert_eq!(more, Err(StoreError::TooManyFormats("home".into())));
        put(&store, "0", "").unwrap();
        let longer = put(&store, "0", &format!("{long}x"));
        assert!(matches!(longer, Err(StoreError::TextTooLong { .. })));
        assert_eq!(all(&store).len(), MOST_FORMATS);
        assert!(all(&store).contains(&("0".to_owned(), String::new())));
        assert_eq!(store.check().problems, []);
    }

    #[test]
    fn they_go_with_their_account() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        put(&store, "a", &"x".repeat(5_000)).unwrap();
        store.edit(|edit| edit.remove_account(&home())).unwrap();
        assert!(store.check().is_clean());
        let refused = put(&store, "a", "");
        assert_eq!(refused, Err(StoreError::UnknownAccount("home".into())));
        drop(store);
        assert!(all(&open(dir.path())).is_empty());
    }

    #[test]
    fn a_damaged_record_is_found() {
        for key in ["home\0a\x0000", "home\0a00", "home00", "stranger\0a\x0000"] {
            let dir = tempfile::tempdir().unwrap();
            let store = open(dir.path());
            let mut changes = FactChanges::default();
            changes.put(kind_of(RecordKind::Formats), key, b"rubbish".to_vec());
            store.change_facts(changes);
            let problems = format!("{:?}", store.check().problems);
            assert!(problems.contains("format"), "{key:?}: {problems}");
        }
    }
}

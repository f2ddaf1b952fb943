//! Changes of purchases.

use super::edit::RegistryEdit;
use super::named_facts;
use super::purchase_records::{encode_purchase, purchase_key};
use crate::domain::AccountName;
use crate::ledger::Purchase;
use crate::ledger::contract::Label;
use crate::store::error::StoreError;
use crate::store::records::RecordKind;

/// The maximum number of purchases of an account.
const MOST_PURCHASES: usize = 50;

impl RegistryEdit<'_> {
    /// Adds a purchase, or replaces the one of the same name. A purchase that it takes the place of
    /// under another name, `old`, is removed.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::UnknownPurchase`] if there is no `old`;
    /// [`StoreError::TooManyPurchases`].
    pub fn put_purchase(
        &mut self,
        account: &AccountName,
        purchase: Purchase,
        old: Option<&Label>,
    ) -> Result<(), StoreError> {
        self.check_account(account)?;
        let name = purchase.terms().name.clone();
        if let Some(old) = old.filter(|old| **old != name) {
            self.remove_purchase(account, old)?;
        }
        let value = encode_purchase(&purchase)?;
        let key = purchase_key(account, &name);
        let purchase = (name, purchase);
        if !named_facts::put(
            &mut self.registry.purchases,
            account,
            purchase,
            MOST_PURCHASES,
        ) {
            return Err(StoreError::TooManyPurchases(account.to_string()));
        }
        self.changes.of(RecordKind::Purchases).insert(key, value);
        Ok(())
    }

    /// Removes a purchase.
    ///
    /// # Errors
    /// [`StoreError::UnknownPurchase`].
    pub fn remove_purchase(
        &mut self,
        account: &AccountName,
        name: &Label,
    ) -> Result<(), StoreError> {
        named_facts::remove(&mut self.registry.purchases, account, name)
            .ok_or_else(|| StoreError::UnknownPurchase(name.to_string()))?;
        let records = self.changes.of(RecordKind::Purchases);
        records.remove(purchase_key(account, name));
        Ok(())
    }

    /// Removes all purchases of an account.
    pub(super) fn remove_purchases(&mut self, account: &AccountName) {
        let records = self.changes.of(RecordKind::Purchases);
        let all = self.registry.purchases.remove(account);
        for name in all.iter().flat_map(|all| all.keys()) {
            records.remove(purchase_key(account, name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::domain::{Account, Phases, Plan, Zone};
    use crate::ledger::{PurchaseKind, bought};
    use crate::store::embedded::facts::FactChanges;
    use crate::store::embedded::facts::change::kind_of;
    use crate::store::handle::Store;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn home() -> AccountName {
        AccountName::new("home").unwrap()
    }

    fn name(text: &str) -> Label {
        Label::new(text).unwrap()
    }

    fn open(dir: &std::path::Path) -> Store {
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

    fn panels(of: &str, amount: i64) -> Purchase {
        Purchase::new(bought(PurchaseKind::Panels, of, "2022-05-01", amount)).unwrap()
    }

    fn put(store: &Store, purchase: Purchase, old: Option<&str>) -> Result<(), StoreError> {
        let old = old.map(name);
        store.edit(move |edit| edit.put_purchase(&home(), purchase, old.as_ref()))
    }

    fn all(store: &Store) -> Vec<Purchase> {
        store.registry().purchases(&home()).cloned().collect()
    }

    #[test]
    fn purchases_are_put_replaced_renamed_kept_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        put(&store, panels("b", 1), None).unwrap();
        put(&store, panels("a", 2), None).unwrap();
        put(&store, panels("a", 3), None).unwrap();
        put(&store, panels("c", 4), Some("b")).unwrap();
        let expected = [panels("a", 3), panels("c", 4)];
        assert_eq!(all(&store), expected);
        let unknown = Err(StoreError::UnknownPurchase("b".into()));
        assert_eq!(put(&store, panels("d", 1), Some("b")), unknown);
        assert_eq!(all(&store), expected);
        drop(store);
        let store = open(dir.path());
        assert_eq!(all(&store), expected);
        for of in ["a", "c"] {
            store
                .edit(|edit| edit.remove_purchase(&home(), &name(of)))
                .unwrap();
        }
        let refused = store.edit(|edit| edit.remove_purchase(&home(), &name("b")));
        assert_eq!(refused, unknown);
        assert!(store.check().is_clean());
        drop(store);
        assert!(all(&open(dir.path())).is_empty());
    }

    #[test]
    fn an_account_has_so_many() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        for number in 0..MOST_PURCHASES {
            put(&store, panels(&number.to_string(), 1), None).unwrap();
        }
        let more = Err(StoreError::TooManyPurchases("home".into()));
        assert_eq!(put(&store, panels("more", 1), None), more);
        put(&store, panels("0", 2), None).unwrap();
        put(&store, panels("more", 2), Some("0")).unwrap();
        assert_eq!(all(&store).len(), MOST_PURCHASES);
        assert_eq!(store.check().problems, []);
    }

    #[test]
    fn they_go_with_their_account() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        put(&store, panels("a", 1), None).unwrap();
        store.edit(|edit| edit.remove_account(&home())).unwrap();
        assert!(store.check().is_clean());
        let refused = put(&store, panels("a", 1), None);
        assert_eq!(refused, Err(StoreError::UnknownAccount("home".into())));
        drop(store);
        assert!(all(&open(dir.path())).is_empty());
    }

    #[test]
    fn a_damaged_record_is_found() {
        let good = encode_purchase(&panels("a", 1)).unwrap();
        for (key, value) in [
            ("home\0a", b"rubbish".to_vec()),
            ("home\0", good.clone()),
            ("home", good.clone()),
            ("stranger\0a", good.clone()),
            ("home\0a", [&good[..], b"\0"].concat()),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let store = open(dir.path());
            let mut changes = FactChanges::default();
            changes.put(kind_of(RecordKind::Purchases), key, value);
            store.change_facts(changes);
            let problems = format!("{:?}", store.check().problems);
            assert!(problems.contains("purchase"), "{key:?}: {problems}");
        }
    }
}

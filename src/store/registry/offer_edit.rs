//! Changes of offers.

use super::contract_records::encode_contract;
use super::edit::RegistryEdit;
use super::named_facts;
use super::offer_records::offer_key;
use crate::domain::{AccountName, Currency};
use crate::ledger::contract::{Contract, Label};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, pieces};

/// The maximum number of offers of an account: a comparison prices the range for each of them.
const MOST_OFFERS: usize = 50;

impl RegistryEdit<'_> {
    /// Adds an offer, or replaces the one of the same name. An offer that it takes the place of
    /// under another name, `old`, is removed.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::UnknownOffer`] if there is no `old`;
    /// [`StoreError::OfferCurrency`] if the contracts, or without contracts the other offers, have
    /// another currency; [`StoreError::TooManyOffers`], [`StoreError::TextTooLong`].
    pub fn add_offer(
        &mut self,
        account: &AccountName,
        offer: Contract,
        old: Option<&Label>,
    ) -> Result<(), StoreError> {
        self.check_account(account)?;
        if let Some(old) = old.filter(|old| *old != offer.name()) {
            self.remove_offer(account, old)?;
        }
        let expected = self.currency_beside(account, offer.name());
        if let Some(expected) = expected.filter(|expected| expected != offer.currency()) {
            return Err(StoreError::OfferCurrency {
                found: offer.currency().as_str().to_owned(),
                expected: expected.as_str().to_owned(),
            });
        }
        self.check_series(account, &offer)?;
        self.put_offer(account, offer)
    }

    /// The currency of the contracts, or without contracts that of the other offers.
    fn currency_beside(&self, account: &AccountName, name: &Label) -> Option<Currency> {
        let contracts = self.registry.contracts.get(account);
        let known = contracts.and_then(|all| all.currency());
        let mut others = self.registry.offers(account);
        let other = others.find(|other| other.name() != name);
        known.or(other.map(Contract::currency)).cloned()
    }

    /// The same in any currency: contracts may have got another one since the offer was entered.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TooManyOffers`], [`StoreError::TextTooLong`].
    pub(crate) fn put_offer(
        &mut self,
        account: &AccountName,
        offer: Contract,
    ) -> Result<(), StoreError> {
        self.check_account(account)?;
        let content = encode_contract(&offer)?;
        let key = offer_key(account, offer.name());
        let offer = (offer.name().clone(), offer);
        if !named_facts::put(&mut self.registry.offers, account, offer, MOST_OFFERS) {
            return Err(StoreError::TooManyOffers(account.to_string()));
        }
        pieces::put(self.changes.of(RecordKind::Offers), &key, &content);
        Ok(())
    }

    /// Removes an offer.
    ///
    /// # Errors
    /// [`StoreError::UnknownOffer`].
    pub fn remove_offer(&mut self, account: &AccountName, name: &Label) -> Result<(), StoreError> {
        named_facts::remove(&mut self.registry.offers, account, name)
            .ok_or_else(|| StoreError::UnknownOffer(name.to_string()))?;
        let records = self.changes.of(RecordKind::Offers);
        pieces::remove(records, &offer_key(account, name));
        Ok(())
    }

    /// Removes all offers of an account.
    pub(super) fn remove_offers(&mut self, account: &AccountName) {
        let records = self.changes.of(RecordKind::Offers);
        let all = self.registry.offers.remove(account);
        for name in all.iter().flat_map(|all| all.keys()) {
            pieces::remove(records, &offer_key(account, name));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::time::at;
    use crate::domain::{Account, Phases, Plan, Zone};
    use crate::ledger::contract::ContractChange;
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

    fn flat(of: &str, currency: &str, price: &str) -> Contract {
        let text = format!(
            r#"{{"from":"2026-01-01","name":"{of}","currency":"{currency}","components":[{{"energy":{{"price":{price}}}}}]}}"#
        );
        Contract::parse(&text).unwrap()
    }

    /// A contract with many zones, whose text takes several pieces.
    fn long(of: &str) -> Contract {
        let usual = r#"{"name":"usual","price":0.3}"#.to_owned();
        let zone = |n: usize| {
            let hours = (0..12).map(|k| format!("{k:02}:{n:02}-{k:02}:{:02}", n + 1));
            let hours = hours.collect::<Vec<_>>().join(",");
            let (name, dates) = (format!("{n:-<64}"), "01-01..03-01,04-01..05-01,12-24");
            format!(r#"{{"name":"{name}","price":0.1,"hours":"{hours}","dates":"{dates}"}}"#)
        };
        let zones = [usual].into_iter().chain((0..31).map(zone));
        let zones = zones.collect::<Vec<_>>().join(",");
        let text = format!(
            r#"{{"from":"2026-01-01","name":"{of}","currency":"€","components":[{{"energy":{{"zones":[{zones}]}}}}]}}"#
        );
        Contract::parse(&text).unwrap()
    }

    fn add(store: &Store, offer: Contract, old: Option<&str>) -> Result<(), StoreError> {
        let old = old.map(name);
        store.edit(move |edit| edit.add_offer(&home(), offer, old.as_ref()))
    }

    fn all(store: &Store) -> Vec<Contract> {
        store.registry().offers(&home()).cloned().collect()
    }

    #[test]
    fn offers_are_added_replaced_renamed_kept_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        assert!(long("b").to_string().len() > 8_000);
        add(&store, long("b"), None).unwrap();
        add(&store, flat("a", "€", "0.1"), None).unwrap();
        add(&store, flat("a", "€", "0.2"), None).unwrap();
        add(&store, flat("c", "€", "0.3"), Some("b")).unwrap();
        let expected = [flat("a", "€", "0.2"), flat("c", "€", "0.3")];
        assert_eq!(all(&store), expected);
        let unknown = Err(StoreError::UnknownOffer("b".into()));
        assert_eq!(add(&store, flat("d", "€", "0.3"), Some("b")), unknown);
        assert_eq!(all(&store), expected);
        drop(store);
        let store = open(dir.path());
        assert_eq!(all(&store), expected);
        let registry = store.registry();
        assert_eq!(registry.offer(&home(), "c"), Some(&expected[1]));
        assert_eq!(registry.offer(&home(), "b"), None);
        for of in ["a", "c"] {
            store
                .edit(|edit| edit.remove_offer(&home(), &name(of)))
                .unwrap();
        }
        let refused = store.edit(|edit| edit.remove_offer(&home(), &name("b")));
        assert_eq!(refused, unknown);
        assert!(store.check().is_clean());
        drop(store);
        assert!(all(&open(dir.path())).is_empty());
    }

    #[test]
    fn an_account_has_so_many() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        for number in 0..MOST_OFFERS {
            add(&store, flat(&number.to_string(), "€", "0.1"), None).unwrap();
        }
        let more = Err(StoreError::TooManyOffers("home".into()));
        assert_eq!(add(&store, flat("more", "€", "0.1"), None), more);
        add(&store, flat("0", "€", "0.2"), None).unwrap();
        add(&store, flat("more", "€", "0.2"), Some("0")).unwrap();
        assert_eq!(all(&store).len(), MOST_OFFERS);
        assert_eq!(store.check().problems, []);
    }

    #[test]
    fn an_offer_has_the_currency_of_the_contracts() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let refused = |found: &str, expected: &str| {
            Err(StoreError::OfferCurrency {
                found: found.into(),
                expected: expected.into(),
            })
        };
        add(&store, flat("a", "€", "0.1"), None).unwrap();
        // The only offer may get another currency, but others have that of the first.
        add(&store, flat("a", "CHF", "0.1"), None).unwrap();
        assert_eq!(
            add(&store, flat("b", "€", "0.1"), None),
            refused("€", "CHF")
        );
        let put = ContractChange::Put(Box::new(flat("now", "€", "0.1")));
        store
            .edit(move |edit| edit.change_contracts(&home(), put))
            .unwrap();
        add(&store, flat("b", "€", "0.1"), None).unwrap();
        assert_eq!(
            add(&store, flat("a", "CHF", "0.2"), None),
            refused("CHF", "€")
        );
        assert_eq!(
            all(&store),
            [flat("a", "CHF", "0.1"), flat("b", "€", "0.1")]
        );
        drop(store);
        assert_eq!(all(&open(dir.path())).len(), 2);
    }

    #[test]
    fn they_go_with_their_account() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        add(&store, long("a"), None).unwrap();
        store.edit(|edit| edit.remove_account(&home())).unwrap();
        assert!(store.check().is_clean());
        let refused = add(&store, long("a"), None);
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
            changes.put(kind_of(RecordKind::Offers), key, b"rubbish".to_vec());
            store.change_facts(changes);
            let problems = format!("{:?}", store.check().problems);
            assert!(problems.contains("offer"), "{key:?}: {problems}");
        }
    }
}

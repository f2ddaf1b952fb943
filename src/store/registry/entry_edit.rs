//! Changes of entries.

use super::edit::RegistryEdit;
use super::entry::{AccountEntry, EntryName, records_of, write};
use crate::domain::{AccountName, Currency, EntryKind, Role};
use crate::ledger::contract::{Contract, Tenancy};
use crate::store::error::StoreError;

impl RegistryEdit<'_> {
    /// Adds an entry, or replaces the one of the same name. An entry that it takes the place of
    /// under another name, `old`, is removed.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::UnknownEntry`] if there is no `old`;
    /// [`StoreError::TooManyEntries`], [`StoreError::TextTooLong`].
    pub(crate) fn put_entry(
        &mut self,
        account: &AccountName,
        entry: AccountEntry,
        old: Option<&EntryName>,
    ) -> Result<(), StoreError> {
        self.check_account(account)?;
        let (kind, name, content) = (entry.kind(), entry.name(), entry.encode()?);
        if let Some(old) = old.filter(|old| **old != name) {
            self.remove_entry(account, kind, old)?;
        }
        let all = self.registry.entries.entry(kind).or_default();
        if all.put(account, entry) > kind.most() {
            let account = account.to_string();
            return Err(StoreError::TooManyEntries { kind, account });
        }
        let records = self.changes.of(records_of(kind));
        write(records, (kind, &name.key(kind, account)), Some(content));
        Ok(())
    }

    /// Removes an entry.
    ///
    /// # Errors
    /// [`StoreError::UnknownEntry`].
    pub(crate) fn remove_entry(
        &mut self,
        account: &AccountName,
        kind: EntryKind,
        name: &EntryName,
    ) -> Result<(), StoreError> {
        let all = self.registry.entries.entry(kind).or_default();
        if !all.remove(account, name) {
            return Err(StoreError::unknown(kind, name));
        }
        let records = self.changes.of(records_of(kind));
        write(records, (kind, &name.key(kind, account)), None);
        match kind {
            EntryKind::HomeAssistant => self.forget_home_assistant_token(account),
            _ => Ok(()),
        }
    }

    /// Removes all entries of an account.
    pub(super) fn remove_entries(&mut self, account: &AccountName) -> Result<(), StoreError> {
        for kind in EntryKind::ALL {
            let names = self.registry.entries(kind, account).map(AccountEntry::name);
            for name in names.collect::<Vec<_>>() {
                self.remove_entry(account, kind, &name)?;
            }
        }
        Ok(())
    }

    /// Adds an entry as somebody enters it, and returns it: a bill gets the next number of the
    /// account, an offer must have the currency beside it, and a sub-meter has one tenancy a day.
    /// Contracts may have got another one since an offer was entered, so [`Self::put_entry`] takes
    /// any.
    ///
    /// # Errors
    /// As [`Self::put_entry`]; [`StoreError::OfferCurrency`] if the contracts, or without contracts
    /// the other offers, have another currency; [`StoreError::NoSubMeter`],
    /// [`StoreError::TenancyCollides`].
    pub(crate) fn add_entry(
        &mut self,
        account: &AccountName,
        mut entry: AccountEntry,
        old: Option<&EntryName>,
    ) -> Result<AccountEntry, StoreError> {
        match &mut entry {
            AccountEntry::Bill(number, _) => {
                let last = self.registry.bills(account).last();
                *number = last.map_or(1, |(number, _)| number.saturating_add(1));
            }
            AccountEntry::Offer(offer) => self.check_offer(account, offer, old)?,
            AccountEntry::Tenancy(tenancy) => self.check_tenancy(account, tenancy, old)?,
            AccountEntry::Format(..)
            | AccountEntry::Purchase(_)
            | AccountEntry::HomeAssistant(_) => {}
        }
        self.put_entry(account, entry.clone(), old)?;
        Ok(entry)
    }

    fn check_offer(
        &self,
        account: &AccountName,
        offer: &Contract,
        old: Option<&EntryName>,
    ) -> Result<(), StoreError> {
        let expected = self.currency_beside(account, [Some(&offer.name().into()), old]);
        if let Some(expected) = expected.filter(|expected| expected != offer.currency()) {
            return Err(StoreError::OfferCurrency {
                found: offer.currency().as_str().to_owned(),
                expected: expected.as_str().to_owned(),
            });
        }
        self.check_series(account, offer)
    }

    fn check_tenancy(
        &self,
        account: &AccountName,
        tenancy: &Tenancy,
        old: Option<&EntryName>,
    ) -> Result<(), StoreError> {
        let replaced = [Some(&(&tenancy.name).into()), old];
        let is_replaced = |it: &Tenancy| replaced.contains(&Some(&(&it.name).into()));
        let all = || self.registry.tenancies(account);
        // One whose sub-meter is gone can still be ended.
        let is_known = all().any(|it| is_replaced(it) && it.sensor == tenancy.sensor);
        let sensor = self.registry.sensor(&tenancy.sensor);
        let is_sub_meter =
            sensor.is_some_and(|it| it.account == *account && it.role == Role::SubMeter);
        if !is_sub_meter && !is_known {
            return Err(StoreError::NoSubMeter(tenancy.sensor.clone()));
        }
        let collides = |it: &&Tenancy| !is_replaced(it) && it.collides_with(tenancy);
        match all().find(collides) {
            None => Ok(()),
            Some(other) => Err(StoreError::TenancyCollides {
                sensor: tenancy.sensor.clone(),
                other: other.name.to_string(),
            }),
        }
    }

    /// The currency of the contracts, or without contracts that of the offers besides these.
    fn currency_beside(
        &self,
        account: &AccountName,
        names: [Option<&EntryName>; 2],
    ) -> Option<Currency> {
        let contracts = self.registry.contracts.get(account);
        let known = contracts.and_then(|all| all.currency());
        let mut others = self.registry.offers(account);
        let other = others.find(|other| !names.contains(&Some(&other.name().into())));
        known.or(other.map(Contract::currency)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::time::at;
    use crate::domain::{
        Account, Decimal, HomeAssistantEntry, Phases, Plan, Sensor, SensorId, TimeRange, Zone,
    };
    use crate::ledger::contract::{ContractChange, Label, tenancy};
    use crate::ledger::utility::{EnteredBill, EnteredLine};
    use crate::ledger::{Purchase, PurchaseKind, bought};
    use crate::store::embedded::facts::FactChanges;
    use crate::store::embedded::facts::change::kind_of;
    use crate::store::handle::Store;
    use crate::store::registry::LONGEST_FORMAT;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn label(text: &str) -> Label {
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

    fn flat(of: &str, currency: &str, price: &str) -> AccountEntry {
        let text = format!(
            r#"{{"from":"2026-01-01","name":"{of}","currency":"{currency}","components":[{{"energy":{{"price":{price}}}}}]}}"#
        );
        AccountEntry::Offer(Box::new(Contract::parse(&text).unwrap()))
    }

    /// A contract with many zones, whose text takes several pieces.
    fn long_offer(of: &str) -> AccountEntry {
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
        assert!(text.len() > 8_000);
        AccountEntry::Offer(Box::new(Contract::parse(&text).unwrap()))
    }

    fn bill(number: u32, lines: usize) -> AccountEntry {
        let line = EnteredLine {
            name: label("night"),
            amount: Decimal::ONE,
        };
        let bill = EnteredBill {
            range: TimeRange::new(at(0), at(1_000)).unwrap(),
            energy: None,
            total: Decimal::ONE,
            lines: vec![line; lines],
        };
        AccountEntry::Bill(number, bill)
    }

    /// Entries of a kind: the `nth` one, in one of two forms. The second form takes several pieces.
    fn made(kind: EntryKind, nth: u32, is_long: bool) -> AccountEntry {
        let name = format!("{nth:03}");
        match (kind, is_long) {
            (EntryKind::Bill, _) => bill(nth, if is_long { 64 } else { 0 }),
            (EntryKind::Format, _) => {
                let text = "x".repeat(if is_long { LONGEST_FORMAT } else { 3 });
                AccountEntry::Format(label(&name), text.into())
            }
            (EntryKind::Offer, false) => flat(&name, "€", "0.1"),
            (EntryKind::Offer, true) => long_offer(&name),
            (EntryKind::Purchase, _) => {
                let terms = bought(PurchaseKind::Panels, &name, "2022-05-01", is_long.into());
                AccountEntry::Purchase(Purchase::new(terms).unwrap())
            }
            (EntryKind::Tenancy, _) => {
                let fee = u8::from(is_long);
                AccountEntry::Tenancy(tenancy(&format!(
                    r#"{{"name":"{name}","sensor":"{name}","from":"2026-01-01","base_fee":{fee}}}"#
                )))
            }
            (EntryKind::HomeAssistant, _) => {
                let path = "x".repeat(if is_long { 15_000 } else { 3 });
                AccountEntry::HomeAssistant(Box::new(HomeAssistantEntry {
                    address: "http://ha.lan:8123".parse().unwrap(),
                    token_file: Some(path),
                    sensors: Vec::new(),
                    send: false,
                    prices: Vec::new(),
                }))
            }
        }
    }

    /// Kinds that an account has several of.
    fn named() -> impl Iterator<Item = EntryKind> {
        EntryKind::ALL.into_iter().filter(|kind| kind.most() > 1)
    }

    fn put(store: &Store, entry: AccountEntry, old: Option<EntryName>) -> Result<(), StoreError> {
        store.edit(move |edit| edit.put_entry(&home(), entry, old.as_ref()))
    }

    fn add(store: &Store, entry: AccountEntry) -> Result<AccountEntry, StoreError> {
        store.edit(move |edit| edit.add_entry(&home(), entry, None))
    }

    fn remove(store: &Store, kind: EntryKind, name: EntryName) -> Result<(), StoreError> {
        store.edit(move |edit| edit.remove_entry(&home(), kind, &name))
    }

    fn all(store: &Store, kind: EntryKind) -> Vec<AccountEntry> {
        store.registry().entries(kind, &home()).cloned().collect()
    }

    #[test]
    fn entries_are_put_replaced_renamed_kept_and_removed() {
        for kind in named() {
            let dir = tempfile::tempdir().unwrap();
            let store = open(dir.path());
            let name = |nth: u32| made(kind, nth, false).name();
            put(&store, made(kind, 2, true), None).unwrap();
            put(&store, made(kind, 1, true), None).unwrap();
            put(&store, made(kind, 1, false), None).unwrap();
            put(&store, made(kind, 3, false), Some(name(2))).unwrap();
            let expected = [made(kind, 1, false), made(kind, 3, false)];
            assert_eq!(all(&store, kind), expected);
            let unknown = Err(StoreError::unknown(kind, &name(2)));
            assert_eq!(put(&store, made(kind, 4, false), Some(name(2))), unknown);
            assert_eq!(all(&store, kind), expected);
            drop(store);
            let store = open(dir.path());
            assert_eq!(all(&store, kind), expected);
            for other in EntryKind::ALL.into_iter().filter(|other| *other != kind) {
                assert_eq!(all(&store, other), []);
            }
            for nth in [1, 3] {
                remove(&store, kind, name(nth)).unwrap();
            }
            assert_eq!(remove(&store, kind, name(2)), unknown);
            assert!(store.check().is_clean());
            drop(store);
            assert_eq!(all(&open(dir.path()), kind), []);
        }
    }

    #[test]
    fn an_account_has_so_many() {
        for kind in named() {
            let dir = tempfile::tempdir().unwrap();
            let store = open(dir.path());
            let most = u32::try_from(kind.most()).unwrap();
            let fill = move |edit: &mut RegistryEdit<'_>| {
                (0..most).try_for_each(|nth| edit.put_entry(&home(), made(kind, nth, false), None))
            };
            store.edit(fill).unwrap();
            let account = "home".to_owned();
            let more = Err(StoreError::TooManyEntries { kind, account });
            assert_eq!(put(&store, made(kind, most, false), None), more);
            let first = made(kind, 0, true);
            put(&store, first.clone(), None).unwrap();
            put(&store, made(kind, most, true), Some(first.name())).unwrap();
            assert_eq!(all(&store, kind).len(), kind.most());
            assert_eq!(store.check().problems, []);
        }
    }

    #[test]
    fn they_go_with_their_account() {
        for kind in EntryKind::ALL {
            let dir = tempfile::tempdir().unwrap();
            let store = open(dir.path());
            put(&store, made(kind, 1, true), None).unwrap();
            store.edit(|edit| edit.remove_account(&home())).unwrap();
            assert!(store.check().is_clean());
            let refused = put(&store, made(kind, 1, true), None);
            assert_eq!(refused, Err(StoreError::UnknownAccount("home".into())));
            drop(store);
            assert_eq!(all(&open(dir.path()), kind), []);
        }
    }

    #[test]
    fn a_damaged_record_is_found() {
        let rubbish = b"rubbish".to_vec();
        let good = made(EntryKind::Purchase, 1, false).encode().unwrap();
        let in_pieces = ["home\0a\x0000", "home\0a00", "home00", "stranger\0a\x0000"];
        let in_pieces = named()
            .filter(|kind| *kind != EntryKind::Purchase)
            .flat_map(|kind| in_pieces.map(|key| (kind, key, rubbish.clone())));
        let purchases = [
            ("home\x00001", rubbish.clone()),
            ("home\0", good.clone()),
            ("home", good.clone()),
            ("stranger\x00001", good.clone()),
            ("home\x00001", [&good[..], b"\0"].concat()),
        ];
        let purchases = purchases.map(|(key, value)| (EntryKind::Purchase, key, value));
        let homes = ["home\x0000", "home\0a\x0000", "stranger\x0000"];
        let homes = homes.map(|key| (EntryKind::HomeAssistant, key, rubbish.clone()));
        for (kind, key, value) in in_pieces.chain(purchases).chain(homes) {
            let dir = tempfile::tempdir().unwrap();
            let store = open(dir.path());
            let mut changes = FactChanges::default();
            changes.put(kind_of(records_of(kind)), key, value);
            store.change_facts(changes);
            let problems = format!("{:?}", store.check().problems);
            assert!(problems.contains(kind.as_str()), "{key:?}: {problems}");
        }
    }

    #[test]
    fn a_format_has_a_longest_text() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let format = |length| AccountEntry::Format(label("a"), "x".repeat(length).into());
        put(&store, format(LONGEST_FORMAT), None).unwrap();
        put(&store, format(0), None).unwrap();
        let longer = put(&store, format(LONGEST_FORMAT + 1), None);
        assert!(matches!(longer, Err(StoreError::TextTooLong { .. })));
        assert_eq!(all(&store, EntryKind::Format), [format(0)]);
    }

    #[test]
    fn a_bill_gets_the_next_number() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        for number in [1, 2] {
            assert_eq!(add(&store, bill(0, 1)), Ok(bill(number, 1)));
        }
        remove(&store, EntryKind::Bill, EntryName::Number(1)).unwrap();
        assert_eq!(add(&store, bill(0, 2)), Ok(bill(3, 2)));
        assert_eq!(all(&store, EntryKind::Bill), [bill(2, 1), bill(3, 2)]);
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
        add(&store, flat("a", "€", "0.1")).unwrap();
        // The only offer may get another currency, but others have that of the first.
        add(&store, flat("a", "CHF", "0.1")).unwrap();
        assert_eq!(add(&store, flat("b", "€", "0.1")), refused("€", "CHF"));
        let AccountEntry::Offer(now) = flat("now", "€", "0.1") else {
            panic!("an offer");
        };
        store
            .edit(move |edit| edit.change_contracts(&home(), ContractChange::Put(now)))
            .unwrap();
        add(&store, flat("b", "€", "0.1")).unwrap();
        assert_eq!(add(&store, flat("a", "CHF", "0.2")), refused("CHF", "€"));
        let expected = [flat("a", "CHF", "0.1"), flat("b", "€", "0.1")];
        assert_eq!(all(&store, EntryKind::Offer), expected);
        let registry = store.registry();
        assert!(registry.offer(&home(), "b").is_some());
        assert!(registry.offer(&home(), "c").is_none());
        drop(store);
        assert_eq!(all(&open(dir.path()), EntryKind::Offer), expected);
    }

    #[test]
    fn a_sub_meter_has_one_tenancy_a_day() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        for (id, role) in [("flat", Role::SubMeter), ("grid", Role::Grid)] {
            let sensor = Sensor {
                role,
                ..Sensor::new(SensorId::new(id).unwrap(), home(), at(0))
            };
            store.put_sensor_durably(sensor).unwrap();
        }
        let of = |name: &str, from: &str| {
            AccountEntry::Tenancy(tenancy(&format!(
                r#"{{"name":"{name}","sensor":"flat","from":"{from}","until":"2026-12-31"}}"#
            )))
        };
        add(&store, of("a", "2026-02-01")).unwrap();
        // It replaces the one of its name.
        add(&store, of("a", "2026-01-01")).unwrap();
        // Another sensor than a sub-meter has none.
        for id in ["grid", "unknown"] {
            let text = format!(r#"{{"name":"c","sensor":"{id}","from":"2026-01-01"}}"#);
            let refused = add(&store, AccountEntry::Tenancy(tenancy(&text)));
            let expected = StoreError::NoSubMeter(SensorId::new(id).unwrap());
            assert_eq!(refused, Err(expected));
        }
        let refused = add(&store, of("b", "2026-12-31")).unwrap_err();
        assert!(refused.to_string().contains("\"a\""), "{refused}");
        // And the one that it takes the place of.
        let (moved, old) = (of("b", "2026-03-01"), EntryName::Name(label("a")));
        let changed = store.edit(move |edit| edit.add_entry(&home(), moved, Some(&old)));
        changed.unwrap();
        assert_eq!(all(&store, EntryKind::Tenancy), [of("b", "2026-03-01")]);
    }
}

//! Changes of day lists.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::day_records::{YearDays, list_of, put_account, year_key};
use super::edit::RegistryEdit;
use crate::domain::{AccountName, LocalDate};
use crate::ledger::contract::{DateSpan, DayList, Label};
use crate::store::error::StoreError;
use crate::store::records::RecordKind;

/// The maximum number of lists of an account.
const MOST_LISTS: usize = 16;

impl RegistryEdit<'_> {
    /// Adds days to the account's list of the same name: they replace those of the same dates.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TooManyDayLists`],
    /// [`StoreError::TooManyDays`], [`StoreError::TooManyDayTypes`].
    pub fn put_days(&mut self, account: &AccountName, list: &DayList) -> Result<(), StoreError> {
        self.check_account(account)?;
        let known = self.known_list(account, list.name());
        let mut days = known.map_or_else(BTreeMap::new, |known| known.days().clone());
        days.extend(list.days().iter().map(|(date, kind)| (*date, kind.clone())));
        self.replace_days(account, list.name(), &days)?;
        let all = self.registry.days.get(account);
        let all = all.into_iter().flat_map(|all| all.iter());
        let count: usize = all.clone().map(|(_, days)| days.count()).sum();
        if count > DayList::MOST_DAYS {
            return Err(StoreError::TooManyDays(list.name().to_string()));
        }
        let names: BTreeSet<&Label> = all.map(|((name, _), _)| name).collect();
        if names.len() > MOST_LISTS {
            return Err(StoreError::TooManyDayLists(account.to_string()));
        }
        Ok(())
    }

    /// Removes the days of a list in a range; returns their number. A list without days does not
    /// exist.
    pub(crate) fn remove_days(
        &mut self,
        account: &AccountName,
        name: &Label,
        dates: DateSpan,
    ) -> Result<u64, StoreError> {
        let unknown = || StoreError::UnknownDayList(name.to_string());
        let known = self.known_list(account, name).ok_or_else(unknown)?;
        let mut left = known.days().clone();
        for (date, _) in known.within(dates) {
            left.remove(&date);
        }
        self.replace_days(account, name, &left)?;
        Ok(known.days().len().saturating_sub(left.len()) as u64)
    }

    /// Removes all day lists of an account.
    pub(super) fn remove_day_lists(&mut self, account: &AccountName) {
        let records = self.changes.of(RecordKind::Days);
        let all = self.registry.days.remove(account);
        for (name, year) in all.iter().flat_map(|all| all.keys()) {
            records.remove(year_key(account, name, *year));
        }
    }

    /// Writes the years of a list that change.
    fn replace_days(
        &mut self,
        account: &AccountName,
        name: &Label,
        days: &BTreeMap<LocalDate, Label>,
    ) -> Result<(), StoreError> {
        let mut years = BTreeMap::<i32, YearDays>::new();
        for (date, kind) in days {
            if !years.entry(date.year()).or_default().push(*date, kind) {
                return Err(StoreError::TooManyDayTypes(name.to_string()));
            }
        }
        let mut all = self.registry.days.get(account).cloned().unwrap_or_default();
        let kept = Arc::make_mut(&mut all);
        let records = self.changes.of(RecordKind::Days);
        let is_gone = |(of, year): &(Label, i32)| of == name && !years.contains_key(year);
        for (_, year) in kept.extract_if(.., |key, _| is_gone(key)).map(|it| it.0) {
            records.remove(year_key(account, name, year));
        }
        for (year, days) in years {
            let key = (name.clone(), year);
            if kept.get(&key) != Some(&days) {
                records.insert(year_key(account, name, year), days.encode()?);
                kept.insert(key, days);
            }
        }
        put_account(&mut self.registry.days, account.clone(), all);
        Ok(())
    }

    fn known_list(&self, account: &AccountName, name: &Label) -> Option<DayList> {
        list_of(self.registry.days.get(account)?, name)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::time::at;
    use crate::domain::{Account, Phases, Plan, Zone};
    use crate::ledger::contract::DayLists;
    use crate::store::embedded::facts::FactChanges;
    use crate::store::embedded::facts::change::kind_of;
    use crate::store::handle::Store;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn name(text: &str) -> Label {
        DayList::parse_name(text).unwrap()
    }

    fn home() -> AccountName {
        AccountName::new("home").unwrap()
    }

    fn open(dir: &Path) -> Store {
        let store = Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap();
        for name in ["home", "other"] {
            let account = Account {
                name: AccountName::new(name).unwrap(),
                plan: Plan::Paid,
                zone: Zone::UTC,
                phases: Phases::default(),
                created: at(0),
            };
            store.edit(move |edit| edit.put_account(account)).unwrap();
        }
        store
    }

    fn list(of: &str, text: &str) -> DayList {
        DayList::parse(name(of), text).unwrap()
    }

    fn put(store: &Store, of: &str, text: &str) -> Result<(), StoreError> {
        let list = list(of, text);
        store.edit(move |edit| edit.put_days(&home(), &list))
    }

    fn remove(store: &Store, of: &str, dates: [Option<&str>; 2]) -> Result<u64, StoreError> {
        let [from, end] = dates.map(|date| date.map(|text| LocalDate::parse(text).unwrap()));
        let name = name(of);
        store.edit(move |edit| edit.remove_days(&home(), &name, DateSpan { from, end }))
    }

    /// As many days from a date on, with types in turn.
    fn days(from: &str, count: usize, types: usize) -> String {
        let from = LocalDate::parse(from).unwrap();
        let day = |n: usize| {
            let date = from.plus_days(i32::try_from(n).unwrap()).unwrap();
            format!("{date},type {}\n", n % types)
        };
        (0..count).map(day).collect()
    }

    fn all(store: &Store) -> Vec<DayList> {
        store.registry().day_lists(&home()).collect()
    }

    #[test]
    fn days_are_put_corrected_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        put(
            &store,
            "tempo",
            "2025-12-31,red\n2026-01-01,white\n2026-01-02,blue",
        )
        .unwrap();
        put(&store, "peak", "2026-01-02,yes").unwrap();
        put(&store, "tempo", "2026-01-01,red\n2026-01-03,red").unwrap();
        let tempo = "2025-12-31,red\n2026-01-01,red\n2026-01-02,blue\n2026-01-03,red";
        let expected = [list("peak", "2026-01-02,yes"), list("tempo", tempo)];
        assert_eq!(all(&store), expected);
        drop(store);
        let store = open(dir.path());
        assert_eq!(all(&store), expected);
        let other = AccountName::new("other").unwrap();
        assert_eq!(store.registry().day_lists(&other).count(), 0);
        // For a pricer: those that a contract names, if there are any.
        let names = [name("tempo"), name("missing")];
        assert_eq!(
            store.registry().named_day_lists(&home(), &names),
            DayLists::new(vec![list("tempo", tempo)])
        );

        assert_eq!(
            remove(&store, "tempo", [Some("2026-01-02"), Some("2026-01-03")]),
            Ok(1)
        );
        assert_eq!(
            remove(&store, "tempo", [Some("2026-01-02"), Some("2026-01-03")]),
            Ok(0)
        );
        assert_eq!(remove(&store, "tempo", [None, Some("2026-01-01")]), Ok(1));
        let left = list("tempo", "2026-01-01,red\n2026-01-03,red");
        assert_eq!(all(&store), [list("peak", "2026-01-02,yes"), left]);
        assert_eq!(remove(&store, "tempo", [None, None]), Ok(2));
        assert_eq!(remove(&store, "peak", [None, None]), Ok(1));
        let unknown = Err(StoreError::UnknownDayList("tempo".into()));
        assert_eq!(remove(&store, "tempo", [None, None]), unknown);
        assert!(all(&store).is_empty());
        assert!(store.check().is_clean());
    }

    #[test]
    fn an_account_has_so_many_lists_days_and_types() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let most = days("2000-01-01", 9_986, 16);
        put(&store, "daily", &most).unwrap();
        for n in 0..14 {
            put(&store, &format!("list {n}"), "2026-01-01,red").unwrap();
        }
        let error = put(&store, "last", "2026-01-01,red").unwrap_err();
        assert_eq!(error, StoreError::TooManyDays("last".into()));
        remove(&store, "list 0", [None, None]).unwrap();
        remove(&store, "list 1", [None, None]).unwrap();
        put(&store, "list 0", "2026-01-01,red\n2026-01-02,red").unwrap();
        // Other types of the same days.
        put(&store, "daily", &days("2000-01-01", 9_986, 3)).unwrap();
        let error = put(&store, "daily", "2035-01-01,red").unwrap_err();
        assert_eq!(error, StoreError::TooManyDays("daily".into()));
        remove(&store, "daily", [Some("2001-01-01"), None]).unwrap();
        for n in 1..3 {
            put(&store, &format!("list {n}"), "2026-01-01,red").unwrap();
        }
        put(&store, "list 14", "2026-01-01,red").unwrap();
        let error = put(&store, "list 15", "2026-01-01,red").unwrap_err();
        assert_eq!(error, StoreError::TooManyDayLists("home".into()));
        let error = put(&store, "list 0", &days("2026-01-01", 17, 17)).unwrap_err();
        assert_eq!(error, StoreError::TooManyDayTypes("list 0".into()));
        // A refusal changes nothing.
        assert_eq!(
            all(&store)[1],
            list("list 0", "2026-01-01,red\n2026-01-02,red")
        );
        assert!(store.check().is_clean());
    }

    #[test]
    fn they_go_with_their_account() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        put(&store, "tempo", &days("2020-05-01", 2_000, 3)).unwrap();
        store.edit(|edit| edit.remove_account(&home())).unwrap();
        assert!(store.check().is_clean());
        let refused = put(&store, "tempo", "2026-01-01,red");
        assert_eq!(refused, Err(StoreError::UnknownAccount("home".into())));
        drop(store);
        assert!(all(&open(dir.path())).is_empty());
    }

    #[test]
    fn a_damaged_year_is_found() {
        for (key, value) in [
            ("home\0tempo\x002026", &b"rubbish"[..]),
            ("home\0tempo\x00026", b"\x01\x01\x03red\x01\x01\x00"),
            // The 366th day of a common year; a type that there is not; two days out of order.
            (
                "home\0tempo\x002026",
                b"\x01\x01\x03red\x01\xfb\x6e\x01\x00",
            ),
            ("home\0tempo\x002026", b"\x01\x01\x03red\x01\x01\x01"),
            (
                "home\0tempo\x002026",
                b"\x01\x01\x03red\x02\x02\x00\x01\x00",
            ),
            ("home\0tempo\x002026", b"\x01\x00\x00"),
            ("stranger\0tempo\x002026", b"\x01\x01\x03red\x01\x01\x00"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let store = open(dir.path());
            let mut changes = FactChanges::default();
            changes.put(kind_of(RecordKind::Days), key, value.to_vec());
            store.change_facts(changes);
            let problems = format!("{:?}", store.check().problems);
            assert!(
                problems.contains("day list"),
                "{key:?} {value:?}: {problems}"
            );
        }
    }
}

//! Changes of people and wall tablets.

use std::collections::BTreeMap;

use super::edit::RegistryEdit;
use super::people_records::{encode_membership, encode_person, encode_tablet, membership_key};
use crate::domain::{
    AccountName, Membership, PasswordHash, Person, PersonName, SessionOwner, WallName, WallTablet,
};
use crate::store::error::StoreError;
use crate::store::records::RecordKind;

impl RegistryEdit<'_> {
    /// Adds a person, unless there is one with this name; returns whether they were added.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TooManyPeople`].
    pub fn add_person(&mut self, person: Person) -> Result<bool, StoreError> {
        if self.registry.people.contains_key(&person.name) {
            return Ok(false);
        }
        if self.registry.people.len() >= Person::MOST {
            return Err(StoreError::TooManyPeople);
        }
        self.put_person(person)?;
        Ok(true)
    }

    /// Changes a person's rights.
    ///
    /// # Errors
    /// [`StoreError::UnknownPerson`], [`StoreError::UnknownAccount`].
    pub fn set_memberships(
        &mut self,
        name: &PersonName,
        accounts: BTreeMap<AccountName, Membership>,
    ) -> Result<Person, StoreError> {
        let person = Person {
            accounts,
            ..self.person(name)?
        };
        self.put_person(person.clone())?;
        Ok(person)
    }

    /// Sets a person's password, ends all of their sessions, and unlinks their users of Home
    /// Assistant.
    pub(crate) fn set_person_password(
        &mut self,
        name: &PersonName,
        password: PasswordHash,
    ) -> Result<(), StoreError> {
        let person = Person {
            password,
            ..self.person(name)?
        };
        self.put_person(person)?;
        self.forget_proofs_of(&SessionOwner::Person(name.clone()));
        Ok(())
    }

    /// Removes a person, ends their sessions, and unlinks their users of Home Assistant.
    ///
    /// # Errors
    /// [`StoreError::UnknownPerson`].
    pub fn remove_person(&mut self, name: &PersonName) -> Result<(), StoreError> {
        let person = self.person(name)?;
        let people = self.changes.of(RecordKind::People);
        people.remove(name.as_str());
        for account in person.accounts.keys() {
            people.remove(membership_key(name, account));
        }
        self.registry.people.remove(name);
        self.forget_proofs_of(&SessionOwner::Person(name.clone()));
        Ok(())
    }

    fn person(&self, name: &PersonName) -> Result<Person, StoreError> {
        let known = self.registry.people.get(name).cloned();
        known.ok_or_else(|| StoreError::UnknownPerson(name.to_string()))
    }

    fn put_person(&mut self, person: Person) -> Result<(), StoreError> {
        for account in person.accounts.keys() {
            self.check_account(account)?;
        }
        let name = &person.name;
        let people = self.changes.of(RecordKind::People);
        people.insert(name.as_str(), encode_person(&person)?);
        let before = self.registry.people.get(name);
        for account in before.into_iter().flat_map(|it| it.accounts.keys()) {
            if !person.accounts.contains_key(account) {
                people.remove(membership_key(name, account));
            }
        }
        for (account, membership) in &person.accounts {
            let key = membership_key(name, account);
            people.insert(key.as_str(), encode_membership(*membership)?);
        }
        self.registry.people.insert(person.name.clone(), person);
        Ok(())
    }

    /// Adds a wall tablet, unless there is one with this name; returns whether it was added.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TooManyTablets`].
    pub fn add_tablet(&mut self, tablet: WallTablet) -> Result<bool, StoreError> {
        if self.registry.tablets.contains_key(&tablet.name) {
            return Ok(false);
        }
        if self.registry.tablets.len() >= WallTablet::MOST {
            return Err(StoreError::TooManyTablets);
        }
        self.check_account(&tablet.account)?;
        self.put_tablet(tablet)?;
        Ok(true)
    }

    /// Updates a wall tablet, unless it was revoked.
    pub(crate) fn use_tablet(&mut self, tablet: WallTablet) -> Result<(), StoreError> {
        let known = self.registry.tablets.get(&tablet.name);
        // Another tablet may have its name by now.
        if known.is_some_and(|known| known.session == tablet.session) {
            self.put_tablet(tablet)?;
        }
        Ok(())
    }

    pub(crate) fn remove_tablet(&mut self, name: &WallName) -> Result<(), StoreError> {
        if self.registry.tablets.remove(name).is_none() {
            return Err(StoreError::UnknownTablet(name.to_string()));
        }
        self.changes.of(RecordKind::Tablets).remove(name.as_str());
        Ok(())
    }

    fn put_tablet(&mut self, tablet: WallTablet) -> Result<(), StoreError> {
        let tablets = self.changes.of(RecordKind::Tablets);
        tablets.insert(tablet.name.as_str(), encode_tablet(&tablet)?);
        self.registry.tablets.insert(tablet.name.clone(), tablet);
        Ok(())
    }

    /// Removes all people's rights to an account, and its wall tablets: a later account with this
    /// name is another one.
    pub(super) fn forget_account(&mut self, account: &AccountName) -> Result<(), StoreError> {
        let people = self.registry.people.values();
        let of_account: Vec<_> = people
            .filter(|it| it.accounts.contains_key(account))
            .cloned()
            .collect();
        for mut person in of_account {
            person.accounts.remove(account);
            self.put_person(person)?;
        }
        let tablets = self.registry.tablets.values();
        let its: Vec<_> = tablets
            .filter(|it| it.account == *account)
            .map(|it| it.name.clone())
            .collect();
        its.iter().try_for_each(|name| self.remove_tablet(name))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::domain::time::at;
    use crate::domain::{Account, Password, Phases, Plan, Rights, Session, SessionId, Zone};
    use crate::store::handle::Store;
    use crate::store::records::RecordsView as _;
    use crate::store::registry::Registry;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn open(dir: &Path) -> Store {
        Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap()
    }

    fn account(name: &str) -> AccountName {
        AccountName::new(name).unwrap()
    }

    fn name(name: &str) -> PersonName {
        PersonName::new(name).unwrap()
    }

    fn hash(text: &str) -> PasswordHash {
        Password::new(text).unwrap().hash([1; 16]).unwrap()
    }

    fn person(of: &str, password: &PasswordHash) -> Person {
        let accounts = [
            (account("home"), Membership::Member),
            (account("shop"), Membership::Viewer),
        ];
        Person {
            name: name(of),
            password: password.clone(),
            accounts: BTreeMap::from(accounts),
            created: at(1),
        }
    }

    fn tablet(of: &str, n: u8) -> WallTablet {
        WallTablet {
            name: WallName::new(of).unwrap(),
            account: account("shop"),
            session: SessionId([n; 32]),
            created: at(1),
            last_used: None,
        }
    }

    /// A store with the accounts `home` and `shop`.
    fn store(dir: &Path) -> Store {
        let store = open(dir);
        for name in ["home", "shop"] {
            let made = Account {
                name: account(name),
                plan: Plan::Paid,
                zone: Zone::UTC,
                phases: Phases::default(),
                created: at(0),
            };
            store.edit(move |edit| edit.put_account(made)).unwrap();
        }
        store
    }

    /// The same in memory and on disk.
    #[track_caller]
    fn check_written(store: &Store) {
        let (written, _) = Registry::load(&store.shared().facts).unwrap();
        let known = store.registry();
        assert_eq!(written.people, known.people);
        assert_eq!(written.tablets, known.tablets);
        assert_eq!(written.sessions, known.sessions);
        assert!(store.check().is_clean());
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(future)
    }

    /// Begins session `n` of a person.
    fn begin(store: &Store, of: &str, n: u8, password: &PasswordHash) -> Result<(), StoreError> {
        let owner = SessionOwner::Person(name(of));
        let session = Session::begun(SessionId([n; 32]), owner, at(i64::from(n)));
        let password = password.clone();
        block_on(store.edit_async(move |edit| edit.begin_session(session, &password)))
    }

    /// The first bytes of the ids of all sessions.
    fn sessions(store: &Store) -> Vec<u8> {
        let registry = store.registry();
        registry.sessions.keys().map(|id| id.0[0]).collect()
    }

    #[test]
    fn rights_change_at_once_and_go_with_their_account() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let password = hash("a password");
        for is_new in [true, false] {
            let anna = person("Anna", &password);
            assert_eq!(store.edit(|edit| edit.add_person(anna)).unwrap(), is_new);
        }
        let (owner, home, shop) = (
            SessionOwner::Person(name("Anna")),
            account("home"),
            account("shop"),
        );
        let rights = || store.registry().rights_of(&owner);
        assert!(rights().allow(&home, Membership::Member));
        assert!(rights().show(&shop) && !rights().allow(&shop, Membership::Member));
        check_written(&store);

        let only = BTreeMap::from([(shop.clone(), Membership::Member)]);
        store
            .edit(move |edit| edit.set_memberships(&name("Anna"), only))
            .unwrap();
        assert!(!rights().show(&home) && rights().allow(&shop, Membership::Member));
        check_written(&store);
        let unknown = BTreeMap::from([(account("x"), Membership::Viewer)]);
        let refused = store.edit(move |edit| edit.set_memberships(&name("Anna"), unknown));
        assert!(matches!(refused, Err(StoreError::UnknownAccount(_))));

        // A later account with the same name is another one.
        store
            .edit(move |edit| edit.add_tablet(tablet("hall", 1)))
            .unwrap();
        store.edit(move |edit| edit.remove_account(&shop)).unwrap();
        assert_eq!(rights(), Rights::Accounts(BTreeMap::new()));
        assert!(store.registry().tablet(&SessionId([1; 32])).is_none());
        check_written(&store);
        store
            .edit(move |edit| edit.remove_person(&name("Anna")))
            .unwrap();
        let again = store.edit(move |edit| edit.remove_person(&name("Anna")));
        assert!(matches!(again, Err(StoreError::UnknownPerson(_))));
        let left = store.shared().facts.all(RecordKind::People);
        assert_eq!(left.unwrap(), []);
    }

    #[test]
    fn sessions_end_with_the_password_and_the_person() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let (first, second) = (hash("a password"), hash("another password"));
        store
            .edit({
                let first = first.clone();
                move |edit| edit.put_administrator(first)
            })
            .unwrap();
        for of in ["Anna", "Bert"] {
            store
                .edit({
                    let one = person(of, &first);
                    move |edit| edit.add_person(one)
                })
                .unwrap();
        }
        let owner = SessionOwner::Administrator;
        let administrators = Session::begun(SessionId([99; 32]), owner, at(1));
        block_on(store.edit_async({
            let first = first.clone();
            move |edit| edit.begin_session(administrators, &first)
        }))
        .unwrap();
        // Her own oldest sessions end, and nobody else's.
        begin(&store, "Bert", 50, &first).unwrap();
        for n in 1..=9 {
            begin(&store, "Anna", n, &first).unwrap();
        }
        assert_eq!(sessions(&store), [2, 3, 4, 5, 6, 7, 8, 9, 50, 99]);
        check_written(&store);

        let set = store.edit({
            let second = second.clone();
            move |edit| edit.set_person_password(&name("Anna"), second)
        });
        set.unwrap();
        assert_eq!(sessions(&store), [50, 99]);
        assert!(begin(&store, "Anna", 10, &first).is_err());
        begin(&store, "Anna", 10, &second).unwrap();
        // The administrator's password is independent.
        let changed = store.edit({
            let second = second.clone();
            move |edit| edit.put_administrator(second)
        });
        changed.unwrap();
        assert_eq!(sessions(&store), [10, 50]);
        store
            .edit(move |edit| edit.remove_person(&name("Anna")))
            .unwrap();
        assert_eq!(sessions(&store), [50]);
        assert!(begin(&store, "Anna", 11, &second).is_err());
        check_written(&store);
        drop(store);
        assert_eq!(sessions(&open(dir.path())), [50]);
    }

    #[test]
    fn people_and_tablets_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let password = hash("a password");
        for n in 0..Person::MOST {
            let one = person(&format!("p{n}"), &password);
            assert!(store.edit(move |edit| edit.add_person(one)).unwrap());
        }
        let one = person("more", &password);
        let more = store.edit(move |edit| edit.add_person(one));
        assert!(matches!(more, Err(StoreError::TooManyPeople)));
        for n in 0..16 {
            let one = tablet(&format!("t{n}"), n);
            assert!(store.edit(move |edit| edit.add_tablet(one)).unwrap());
        }
        let more = store.edit(move |edit| edit.add_tablet(tablet("more", 99)));
        assert!(matches!(more, Err(StoreError::TooManyTablets)));
        assert!(
            !store
                .edit(move |edit| edit.add_tablet(tablet("t3", 99)))
                .unwrap()
        );
        check_written(&store);
    }

    #[test]
    fn a_use_does_not_bring_a_tablet_back() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        store
            .edit(move |edit| edit.add_tablet(tablet("hall", 1)))
            .unwrap();
        let used = tablet("hall", 1).used(at(7)).unwrap();
        block_on(store.edit_async({
            let used = used.clone();
            move |edit| edit.use_tablet(used)
        }))
        .unwrap();
        let last_used = |n| {
            store
                .registry()
                .tablet(&SessionId([n; 32]))
                .map(|it| it.last_used)
        };
        assert_eq!(last_used(1), Some(Some(at(7))));
        store
            .edit(|edit| edit.remove_tablet(&WallName::new("hall").unwrap()))
            .unwrap();
        block_on(store.edit_async({
            let used = used.clone();
            move |edit| edit.use_tablet(used)
        }))
        .unwrap();
        assert_eq!(last_used(1), None);
        store
            .edit(move |edit| edit.add_tablet(tablet("hall", 2)))
            .unwrap();
        block_on(store.edit_async(move |edit| edit.use_tablet(used))).unwrap();
        assert_eq!((last_used(1), last_used(2)), (None, Some(None)));
        check_written(&store);
    }
}

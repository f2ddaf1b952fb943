//! Users of Home Assistant who are signed in by their visits: their changes.

use super::edit::RegistryEdit;
use super::linked_user_records::encode;
use crate::domain::{HomeUserId, LinkedUser, PasswordHash, SessionOwner};
use crate::store::error::StoreError;
use crate::store::records::RecordKind;

impl RegistryEdit<'_> {
    /// Links a user of Home Assistant to somebody who proved `password`. An earlier link of the
    /// user ends.
    ///
    /// # Errors
    /// [`StoreError::PasswordChanged`], [`StoreError::TooManyLinkedUsers`].
    pub(crate) fn link_user(
        &mut self,
        linked: LinkedUser,
        password: &PasswordHash,
    ) -> Result<(), StoreError> {
        self.check_password(&linked.owner, password)?;
        let id = linked.user.id.clone();
        self.forget_linked_user(&id);
        let all = self.registry.linked_users.values();
        if all.filter(|it| it.owner == linked.owner).count() >= LinkedUser::MOST {
            return Err(StoreError::TooManyLinkedUsers);
        }
        let users = self.changes.of(RecordKind::LinkedUsers);
        users.insert(id.as_str(), encode(&linked)?);
        self.registry.linked_users.insert(id, linked);
        Ok(())
    }

    /// Removes the link of a user of Home Assistant, and ends the sessions that it began.
    ///
    /// # Errors
    /// [`StoreError::UnknownLinkedUser`] if there is none, or it is not that of `owner`.
    pub(crate) fn unlink_user(
        &mut self,
        id: &HomeUserId,
        owner: Option<&SessionOwner>,
    ) -> Result<(), StoreError> {
        let linked = self.registry.linked_users.get(id);
        let linked = linked.filter(|it| owner.is_none_or(|owner| it.owner == *owner));
        if linked.is_none() {
            return Err(StoreError::UnknownLinkedUser(id.to_string()));
        }
        self.forget_linked_user(id);
        Ok(())
    }

    /// Removes the links of all users of Home Assistant who are linked to `owner`.
    pub(super) fn forget_linked_users_of(&mut self, owner: &SessionOwner) {
        let all = self.registry.linked_users.values();
        let its: Vec<_> = all
            .filter(|it| it.owner == *owner)
            .map(|it| it.user.id.clone())
            .collect();
        for id in its {
            self.forget_linked_user(&id);
        }
    }

    fn forget_linked_user(&mut self, id: &HomeUserId) {
        if self.registry.linked_users.remove(id).is_some() {
            let users = self.changes.of(RecordKind::LinkedUsers);
            users.remove(id.as_str());
            self.end_sessions(|session| session.by.as_ref() == Some(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::domain::time::at;
    use crate::domain::{HomeUser, Password, Person, PersonName, Session, SessionId};
    use crate::store::handle::Store;
    use crate::store::registry::Registry;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn hash(text: &str) -> PasswordHash {
        Password::new(text).unwrap().hash([1; 16]).unwrap()
    }

    fn id(text: &str) -> HomeUserId {
        HomeUserId::new(text).unwrap()
    }

    fn anna() -> SessionOwner {
        SessionOwner::Person(PersonName::new("Anna").unwrap())
    }

    fn linked(user: &str, owner: SessionOwner) -> LinkedUser {
        LinkedUser {
            user: HomeUser::new(id(user), ["Ännchen"]).unwrap(),
            owner,
            linked: at(5),
        }
    }

    /// A store with an administrator and Anna, who have this password.
    fn store(dir: &Path, password: &PasswordHash) -> Store {
        let store = Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap();
        let person = Person {
            name: PersonName::new("Anna").unwrap(),
            password: password.clone(),
            accounts: BTreeMap::new(),
            created: at(1),
        };
        let administrators = password.clone();
        let made = store.edit(move |edit| {
            edit.put_administrator(administrators)?;
            edit.add_person(person)
        });
        assert!(made.unwrap());
        store
    }

    fn link(store: &Store, user: LinkedUser, password: &PasswordHash) -> Result<(), StoreError> {
        let password = password.clone();
        store.edit(move |edit| edit.link_user(user, &password))
    }

    fn begin(store: &Store, n: u8, user: &str, owner: SessionOwner) -> Result<(), StoreError> {
        let session = Session {
            by: Some(id(user)),
            ..Session::begun(SessionId([n; 32]), owner, at(i64::from(n)))
        };
        store.edit(move |edit| edit.begin_linked_session(session))
    }

    /// The first bytes of the ids of all sessions, and the ids of linked users; the same in memory
    /// and on disk.
    #[track_caller]
    fn known(store: &Store) -> (Vec<u8>, Vec<String>) {
        let (written, _) = Registry::load(&store.shared().facts).unwrap();
        let registry = store.registry();
        assert_eq!(written.linked_users, registry.linked_users);
        assert_eq!(written.sessions, registry.sessions);
        let sessions = registry.sessions.keys().map(|id| id.0[0]);
        let users = registry.linked_users().map(|it| it.user.id.to_string());
        (sessions.collect(), users.collect())
    }

    fn of(sessions: &[u8], users: &[&str]) -> (Vec<u8>, Vec<String>) {
        let users = users.iter().map(|&user| user.to_owned());
        (sessions.to_vec(), users.collect())
    }

    #[test]
    fn a_link_ends_with_its_sessions() {
        let (dir, password) = (tempfile::tempdir().unwrap(), hash("a password"));
        let store = store(dir.path(), &password);
        let other = link(&store, linked("a", anna()), &hash("another password"));
        assert!(matches!(other, Err(StoreError::PasswordChanged)));
        assert!(begin(&store, 1, "a", anna()).is_err());
        link(&store, linked("a", anna()), &password).unwrap();
        link(&store, linked("b", SessionOwner::Administrator), &password).unwrap();
        begin(&store, 1, "a", anna()).unwrap();
        begin(&store, 2, "b", SessionOwner::Administrator).unwrap();
        // Nobody becomes another one by a link.
        assert!(begin(&store, 3, "a", SessionOwner::Administrator).is_err());
        let own = Session::begun(SessionId([4; 32]), anna(), at(4));
        let proved = password.clone();
        let begun = store.edit(move |edit| edit.begin_session(own, &proved));
        begun.unwrap();
        assert_eq!(known(&store), of(&[1, 2, 4], &["a", "b"]));

        let theirs = store.edit(|edit| edit.unlink_user(&id("b"), Some(&anna())));
        assert!(matches!(theirs, Err(StoreError::UnknownLinkedUser(_))));
        store
            .edit(|edit| edit.unlink_user(&id("a"), Some(&anna())))
            .unwrap();
        assert_eq!(known(&store), of(&[2, 4], &["b"]));
        // Linked to another one, the user is no longer the first one.
        link(&store, linked("b", anna()), &password).unwrap();
        assert_eq!(known(&store), of(&[4], &["b"]));
        begin(&store, 5, "b", anna()).unwrap();
        drop(store);
        let store = Store::open(dir.path(), StoreSettings::default(), OpenMode::Existing);
        assert_eq!(known(&store.unwrap()), of(&[4, 5], &["b"]));
    }

    #[test]
    fn links_end_with_the_password_and_the_person() {
        let (dir, password) = (tempfile::tempdir().unwrap(), hash("a password"));
        let store = store(dir.path(), &password);
        let next = hash("another password");
        link(&store, linked("a", anna()), &password).unwrap();
        link(&store, linked("b", SessionOwner::Administrator), &password).unwrap();
        begin(&store, 1, "a", anna()).unwrap();
        begin(&store, 2, "b", SessionOwner::Administrator).unwrap();
        let name = PersonName::new("Anna").unwrap();
        let set = (name.clone(), next.clone());
        let changed = store.edit(move |edit| edit.set_person_password(&set.0, set.1));
        changed.unwrap();
        assert_eq!(known(&store), of(&[2], &["b"]));
        let set = next.clone();
        store.edit(move |edit| edit.put_administrator(set)).unwrap();
        assert_eq!(known(&store), of(&[], &[]));
        link(&store, linked("a", anna()), &next).unwrap();
        begin(&store, 1, "a", anna()).unwrap();
        store.edit(move |edit| edit.remove_person(&name)).unwrap();
        assert_eq!(known(&store), of(&[], &[]));
    }

    #[test]
    fn links_of_each_person_are_bounded() {
        let (dir, password) = (tempfile::tempdir().unwrap(), hash("a password"));
        let store = store(dir.path(), &password);
        for n in 0..LinkedUser::MOST {
            link(&store, linked(&format!("{n}"), anna()), &password).unwrap();
        }
        let more = link(&store, linked("more", anna()), &password);
        assert!(matches!(more, Err(StoreError::TooManyLinkedUsers)));
        // The same again, and those of others.
        link(&store, linked("3", anna()), &password).unwrap();
        link(&store, linked("4", SessionOwner::Administrator), &password).unwrap();
        link(&store, linked("more", anna()), &password).unwrap();
        assert_eq!(known(&store).1.len(), LinkedUser::MOST + 1);
    }
}

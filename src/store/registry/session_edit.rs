//! Changes of the administrator's password and of sessions.

use super::edit::RegistryEdit;
use super::records::{PASSWORD_KEY, encode_password};
use super::session_records::{encode_session, session_key};
use crate::domain::{HomeUserId, PasswordHash, SavedForm, Session, SessionId, SessionOwner};
use crate::store::error::StoreError;
use crate::store::records::RecordKind;

/// The maximum number of sessions of the administrator.
// Each change copies the whole registry, and each sign-in adds a session.
const MAX_SESSIONS: usize = 64;
/// The maximum number of sessions of a person.
const MAX_OF_PERSON: usize = 8;

impl RegistryEdit<'_> {
    /// Sets the administrator's password, unless there is one.
    pub(crate) fn put_first_administrator(
        &mut self,
        password: PasswordHash,
    ) -> Result<(), StoreError> {
        if self.registry.administrator.is_some() {
            return Err(StoreError::AdministratorExists);
        }
        self.put_administrator(password)
    }

    /// Sets the administrator's password, ends all sessions of the administrator, and unlinks their
    /// users of Home Assistant.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be encoded.
    pub fn put_administrator(&mut self, password: PasswordHash) -> Result<(), StoreError> {
        let administrator = self.changes.of(RecordKind::Administrator);
        administrator.insert(PASSWORD_KEY, encode_password(&password)?);
        self.registry.administrator = Some(password);
        self.forget_proofs_of(&SessionOwner::Administrator);
        Ok(())
    }

    /// Ends all sessions of `owner`, and removes the links of their users of Home Assistant: a
    /// client that signed in with an old password, or has a stolen cookie, must not stay signed in.
    pub(super) fn forget_proofs_of(&mut self, owner: &SessionOwner) {
        self.end_sessions(|session| session.owner == *owner);
        self.forget_linked_users_of(owner);
    }

    /// Fails unless `password` is that of `owner`: it may have been changed since it was proved.
    pub(super) fn check_password(
        &self,
        owner: &SessionOwner,
        password: &PasswordHash,
    ) -> Result<(), StoreError> {
        let is_its = self.registry.password_of(owner) == Some(password);
        is_its.then_some(()).ok_or(StoreError::PasswordChanged)
    }

    /// Begins a session after `password` was proved. Fails if it has been changed since.
    ///
    /// # Errors
    /// [`StoreError::PasswordChanged`] if `password` is no longer the owner's.
    pub fn begin_session(
        &mut self,
        session: Session,
        password: &PasswordHash,
    ) -> Result<(), StoreError> {
        self.check_password(&session.owner, password)?;
        self.begin(session)
    }

    /// Begins a session for the visit of a linked user of Home Assistant.
    ///
    /// # Errors
    /// [`StoreError::UnknownLinkedUser`] if the user is not linked to the session's owner, or not
    /// any more.
    pub(crate) fn begin_linked_session(&mut self, session: Session) -> Result<(), StoreError> {
        let user = session.by.as_ref();
        let linked = user.and_then(|user| self.registry.linked_user(user));
        if linked.is_none_or(|linked| linked.owner != session.owner) {
            let user = user.map(HomeUserId::to_string);
            return Err(StoreError::UnknownLinkedUser(user.unwrap_or_default()));
        }
        self.begin(session)
    }

    fn begin(&mut self, session: Session) -> Result<(), StoreError> {
        // Expired sessions must not count against the limit.
        self.end_sessions(|known| known.is_over(session.created));
        // Everybody can always sign in: their own oldest sessions end, new ones are not refused,
        // and nobody ends those of others.
        let most = match session.owner {
            SessionOwner::Administrator => MAX_SESSIONS,
            SessionOwner::Person(_) => MAX_OF_PERSON,
        };
        let sessions = self.registry.sessions.values();
        let own = sessions.filter(|known| known.owner == session.owner);
        let mut own: Vec<_> = own.map(|known| (known.last_used, known.id)).collect();
        own.sort_unstable();
        let surplus = (own.len() + 1).saturating_sub(most);
        for (_, oldest) in own.into_iter().take(surplus) {
            self.end_session(oldest);
        }
        self.put_session(session)
    }

    /// Notes the last use of a session, unless it has ended.
    pub(crate) fn use_session(&mut self, session: &Session) -> Result<(), StoreError> {
        let last_used = session.last_used;
        self.update_session(session.id, |known| known.last_used = last_used)
    }

    /// Notes the form that a session saved, unless it has ended.
    pub(crate) fn keep_saved(&mut self, id: SessionId, saved: SavedForm) -> Result<(), StoreError> {
        self.update_session(id, |known| known.saved = Some(saved))
    }

    fn update_session(
        &mut self,
        id: SessionId,
        update: impl FnOnce(&mut Session),
    ) -> Result<(), StoreError> {
        let Some(mut session) = self.registry.sessions.get(&id).cloned() else {
            return Ok(());
        };
        update(&mut session);
        self.put_session(session)
    }

    /// Ends a session, unless it has ended already.
    pub(crate) fn end_session(&mut self, id: SessionId) {
        self.end_sessions(|session| session.id == id);
    }

    fn put_session(&mut self, session: Session) -> Result<(), StoreError> {
        let sessions = self.changes.of(RecordKind::Sessions);
        sessions.insert(session_key(&session.id), encode_session(&session)?);
        self.registry.sessions.insert(session.id, session);
        Ok(())
    }

    pub(super) fn end_sessions(&mut self, is_ended: impl Fn(&Session) -> bool) {
        let sessions = &mut self.registry.sessions;
        for (id, _) in sessions.extract_if(.., |_, session| is_ended(session)) {
            let sessions = self.changes.of(RecordKind::Sessions);
            sessions.remove(session_key(&id));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::domain::Password;
    use crate::domain::time::at;
    use crate::store::handle::Store;
    use crate::store::registry::Registry;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn open(dir: &Path) -> Store {
        Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap()
    }

    fn id(n: u8) -> SessionId {
        SessionId([n; 32])
    }

    fn password(text: &str) -> PasswordHash {
        Password::new(text).unwrap().hash([1; 16]).unwrap()
    }

    /// The first bytes of the ids of all sessions, which are the same in memory and on disk.
    #[track_caller]
    fn sessions(store: &Store) -> Vec<u8> {
        let of = |sessions: &BTreeMap<SessionId, Session>| -> Vec<Session> {
            sessions.values().cloned().collect()
        };
        let written = Registry::load(&store.shared().facts);
        let known = of(&store.registry().sessions);
        assert_eq!(of(&written.unwrap().0.sessions), known);
        known.iter().map(|session| session.id.0[0]).collect()
    }

    /// Begins session `n` at `n` milliseconds, with this password.
    fn begin(store: &Store, n: u8, password: &PasswordHash) -> Result<(), StoreError> {
        let session = Session::begun(id(n), SessionOwner::Administrator, at(i64::from(n)));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let password = password.clone();
        runtime.block_on(store.edit_async(move |edit| edit.begin_session(session, &password)))
    }

    #[test]
    fn sessions_begin_and_end() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let (first, second) = (password("first password"), password("second password"));
        let refused = begin(&store, 1, &first);
        assert!(matches!(refused, Err(StoreError::PasswordChanged)));

        store
            .edit({
                let first = first.clone();
                move |edit| edit.put_first_administrator(first)
            })
            .unwrap();
        let again = store.edit({
            let second = second.clone();
            move |edit| edit.put_first_administrator(second)
        });
        assert!(matches!(again, Err(StoreError::AdministratorExists)));
        for n in [1, 255, 3] {
            begin(&store, n, &first).unwrap();
        }
        assert_eq!(sessions(&store), [1, 3, 255]);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime
            .block_on(store.edit_async(move |edit| {
                edit.end_session(id(3));
                Ok(())
            }))
            .unwrap();
        runtime
            .block_on(store.edit_async(move |edit| {
                edit.end_session(id(3));
                Ok(())
            }))
            .unwrap();
        let used = Session::begun(id(3), SessionOwner::Administrator, at(9));
        runtime
            .block_on(store.edit_async(move |edit| edit.use_session(&used)))
            .unwrap();
        assert_eq!(sessions(&store), [1, 255]);

        store
            .edit({
                let second = second.clone();
                move |edit| edit.put_administrator(second)
            })
            .unwrap();
        assert!(sessions(&store).is_empty());
        assert!(begin(&store, 4, &first).is_err());
        begin(&store, 5, &second).unwrap();
        drop(store);
        let store = open(dir.path());
        assert_eq!(store.registry().administrator(), Some(&second));
        assert_eq!(sessions(&store), [5]);
    }

    #[test]
    fn a_session_knows_its_last_saved_form() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let password = password("first password");
        let first = password.clone();
        store
            .edit(move |edit| edit.put_first_administrator(first))
            .unwrap();
        begin(&store, 1, &password).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let saved = SavedForm {
            digest: [7; 16],
            leads_to: "bills?done=bill-added".into(),
        };
        // The session 9 has ended.
        for n in [1, 9] {
            let saved = saved.clone();
            store
                .edit(move |edit| edit.keep_saved(id(n), saved))
                .unwrap();
        }
        assert_eq!(sessions(&store), [1]);
        let used = Session::begun(id(1), SessionOwner::Administrator, at(9));
        runtime
            .block_on(store.edit_async(move |edit| edit.use_session(&used)))
            .unwrap();
        let known = store.registry().session(&id(1), at(9)).cloned().unwrap();
        assert_eq!((known.saved, known.last_used), (Some(saved), at(9)));
        assert_eq!(sessions(&store), [1]);
    }

    #[test]
    fn sessions_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let password = password("a password");
        store
            .edit({
                let password = password.clone();
                move |edit| edit.put_administrator(password)
            })
            .unwrap();
        for n in 1..=65 {
            begin(&store, n, &password).unwrap();
        }
        assert_eq!(sessions(&store), (2..=65).collect::<Vec<_>>());
        // By this time, all of them have expired.
        let late = Session::begun(
            id(100),
            SessionOwner::Administrator,
            at(40 * 24 * 3_600_000),
        );
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime
            .block_on(store.edit_async(move |edit| edit.begin_session(late, &password)))
            .unwrap();
        assert_eq!(sessions(&store), [100]);
    }
}

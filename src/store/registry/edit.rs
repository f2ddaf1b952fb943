//! Changes of the registry: each checks its preconditions, changes a copy in memory, and collects the records to write.
//! The committing thread writes them in one transaction, and publishes the copy.

use crate::domain::{
    Account, AccountName, ApiId, Credential, PasswordHash, Sensor, SensorId, Session, SessionId,
};
use crate::store::engine::WriteBatch;
use crate::store::error::StoreError;
use crate::store::registry::records::{
    PASSWORD_KEY, RegistryTrees, encode_account, encode_credential, encode_password, encode_sensor,
    encode_session, session_key,
};
use crate::store::registry::registered::Registry;

/// The longest name of a sensor or label of a credential, in bytes. sled writes a page that grows too long as a file of its
/// own (docs/STORAGE.md), and a record is read up to a certain length only.
pub(crate) const MAX_TEXT_BYTES: usize = 1_024;
/// The most sessions at once.
// Each change copies the whole registry, and each sign-in adds a session.
const MAX_SESSIONS: usize = 64;

/// A change of the registry that is being made.
pub(crate) struct RegistryEdit<'a> {
    pub(crate) trees: &'a RegistryTrees,
    /// What will be registered.
    pub(crate) registry: Registry,
    /// The records to write.
    pub(crate) batch: WriteBatch,
    /// Credentials that are removed.
    pub(crate) removed: Vec<ApiId>,
}

impl<'a> RegistryEdit<'a> {
    pub(crate) fn new(trees: &'a RegistryTrees, registry: Registry) -> Self {
        Self {
            trees,
            registry,
            batch: WriteBatch::default(),
            removed: Vec::new(),
        }
    }

    /// Sets the administrator's password, and ends all sessions but `keeping`. `is_first` refuses to replace a password.
    pub(crate) fn put_administrator(
        &mut self,
        password: PasswordHash,
        is_first: bool,
        keeping: Option<SessionId>,
    ) -> Result<(), StoreError> {
        if is_first && self.registry.administrator.is_some() {
            return Err(StoreError::AdministratorExists);
        }
        let administrator = self.batch.of(&self.trees.administrator);
        administrator.insert(PASSWORD_KEY, encode_password(&password)?);
        self.registry.administrator = Some(password);
        // Whoever signed in with the old password must not stay signed in.
        self.end_sessions(|session| Some(session.id) != keeping);
        Ok(())
    }

    /// Begins a session for whoever proved `password`, which may have been changed since.
    pub(crate) fn begin_session(
        &mut self,
        session: Session,
        password: &PasswordHash,
    ) -> Result<(), StoreError> {
        if self.registry.administrator.as_ref() != Some(password) {
            return Err(StoreError::PasswordChanged);
        }
        // Those that are over must not count against the limit.
        self.end_sessions(|known| known.is_over(session.created));
        // The administrator can always sign in: old sessions give way, new ones are not refused.
        while self.registry.sessions.len() >= MAX_SESSIONS {
            let sessions = self.registry.sessions.values();
            let Some(oldest) = sessions.min_by_key(|it| it.last_used).map(|it| it.id) else {
                break;
            };
            self.end_session(oldest);
        }
        self.put_session(session)
    }

    /// Updates a session, unless it has ended.
    pub(crate) fn use_session(&mut self, session: Session) -> Result<(), StoreError> {
        if self.registry.sessions.contains_key(&session.id) {
            self.put_session(session)?;
        }
        Ok(())
    }

    /// Ends a session, unless it has ended already.
    pub(crate) fn end_session(&mut self, id: SessionId) {
        self.end_sessions(|session| session.id == id);
    }

    fn put_session(&mut self, session: Session) -> Result<(), StoreError> {
        let sessions = self.batch.of(&self.trees.sessions);
        sessions.insert(session_key(&session.id).as_str(), encode_session(&session)?);
        self.registry.sessions.insert(session.id, session);
        Ok(())
    }

    fn end_sessions(&mut self, is_ended: impl Fn(&Session) -> bool) {
        let sessions = &mut self.registry.sessions;
        for (id, _) in sessions.extract_if(.., |_, session| is_ended(session)) {
            let sessions = self.batch.of(&self.trees.sessions);
            sessions.remove(session_key(&id).as_str());
        }
    }

    /// Adds an account, or replaces the one with its name.
    pub(crate) fn put_account(&mut self, account: Account) -> Result<(), StoreError> {
        let accounts = self.batch.of(&self.trees.accounts);
        accounts.insert(account.name.as_str(), encode_account(&account)?);
        self.registry.accounts.insert(account.name.clone(), account);
        Ok(())
    }

    /// Adds an account, unless there is one with its name; returns whether it was added.
    pub(crate) fn add_account(&mut self, account: Account) -> Result<bool, StoreError> {
        let is_new = !self.registry.accounts.contains_key(&account.name);
        if is_new {
            self.put_account(account)?;
        }
        Ok(is_new)
    }

    /// Changes an account to what `update` makes of it.
    pub(crate) fn update_account(
        &mut self,
        name: &AccountName,
        update: impl FnOnce(&mut Account),
    ) -> Result<Account, StoreError> {
        let known = self.registry.accounts.get(name).cloned();
        let mut account =
            known.ok_or_else(|| StoreError::UnknownAccount(name.as_str().to_owned()))?;
        update(&mut account);
        self.put_account(account.clone())?;
        Ok(account)
    }

    /// Removes an account and its credentials. It must not have sensors.
    pub(crate) fn remove_account(&mut self, name: &AccountName) -> Result<(), StoreError> {
        self.check_account(name)?;
        let mut sensors = self.registry.sensors.values();
        if sensors.any(|sensor| sensor.account == *name) {
            return Err(StoreError::AccountHasSensors(name.as_str().to_owned()));
        }
        self.registry.accounts.remove(name);
        self.batch.of(&self.trees.accounts).remove(name.as_str());
        self.remove_credentials(|credential| credential.account == *name);
        Ok(())
    }

    /// Adds a credential, or replaces the one with its id.
    pub(crate) fn put_credential(&mut self, credential: Credential) -> Result<(), StoreError> {
        check_text("a credential's label", &credential.label)?;
        self.check_account(&credential.account)?;
        let credentials = self.batch.of(&self.trees.credentials);
        credentials.insert(credential.api_id.as_str(), encode_credential(&credential)?);
        self.registry
            .credentials
            .insert(credential.api_id.clone(), credential);
        Ok(())
    }

    /// Adds a credential, unless there is one with its id; returns whether it was added.
    pub(crate) fn add_credential(&mut self, credential: Credential) -> Result<bool, StoreError> {
        let is_new = !self.registry.credentials.contains_key(&credential.api_id);
        if is_new {
            self.put_credential(credential)?;
        }
        Ok(is_new)
    }

    /// Changes a credential to what `update` makes of it.
    pub(crate) fn update_credential(
        &mut self,
        api_id: &ApiId,
        update: impl FnOnce(&mut Credential),
    ) -> Result<Credential, StoreError> {
        let known = self.registry.credentials.get(api_id).cloned();
        let mut credential =
            known.ok_or_else(|| StoreError::UnknownCredential(api_id.as_str().to_owned()))?;
        update(&mut credential);
        self.put_credential(credential.clone())?;
        Ok(credential)
    }

    pub(crate) fn remove_credential(&mut self, api_id: &ApiId) -> Result<(), StoreError> {
        if !self.registry.credentials.contains_key(api_id) {
            return Err(StoreError::UnknownCredential(api_id.as_str().to_owned()));
        }
        self.remove_credentials(|credential| credential.api_id == *api_id);
        Ok(())
    }

    fn remove_credentials(&mut self, is_removed: impl Fn(&Credential) -> bool) {
        let credentials = &mut self.registry.credentials;
        for (api_id, _) in credentials.extract_if(.., |_, credential| is_removed(credential)) {
            // A later credential with the same id starts without a last use.
            for tree in [&self.trees.credentials, &self.trees.last_uses] {
                self.batch.of(tree).remove(api_id.as_str());
            }
            self.removed.push(api_id);
        }
    }

    /// Adds a sensor, or replaces the one with its id if that is the same account's.
    pub(crate) fn put_sensor(&mut self, sensor: Sensor) -> Result<(), StoreError> {
        check_text("a sensor's name", &sensor.name)?;
        self.check_account(&sensor.account)?;
        // Readings must not pass from one account to another.
        let known = self.registry.sensors.get(&sensor.id);
        if known.is_some_and(|known| known.account != sensor.account) {
            return Err(StoreError::SensorTaken(sensor.id.as_str().to_owned()));
        }
        self.check_whole(&sensor)?;
        let sensors = self.batch.of(&self.trees.sensors);
        sensors.insert(sensor.id.as_str(), encode_sensor(&sensor, false)?);
        self.registry.sensors.insert(sensor.id.clone(), sensor);
        Ok(())
    }

    /// Refuses a sensor that is part of one of another account, or of itself by way of others.
    fn check_whole(&self, sensor: &Sensor) -> Result<(), StoreError> {
        let mut names = vec![sensor.id.as_str()];
        let mut next = sensor.part_of.as_ref();
        while let Some(id) = next {
            names.push(id.as_str());
            if *id == sensor.id {
                return Err(StoreError::PartOfItself(names.join(" > ")));
            }
            let whole = self.registry.sensors.get(id);
            let own = whole.filter(|whole| whole.account == sensor.account);
            let own = own.ok_or_else(|| StoreError::UnknownWhole(id.as_str().to_owned()))?;
            // Ends: those that are registered are in no circle, and this one would be seen again.
            next = own.part_of.as_ref();
        }
        Ok(())
    }

    /// Removes a sensor. Its record stays, marked as removed, until its readings are deleted. Its parts are parts of nothing then.
    pub(crate) fn remove_sensor(&mut self, id: &SensorId) -> Result<(), StoreError> {
        let Some(sensor) = self.registry.sensors.remove(id) else {
            return Err(StoreError::UnknownSensor(id.as_str().to_owned()));
        };
        let sensors = self.batch.of(&self.trees.sensors);
        sensors.insert(id.as_str(), encode_sensor(&sensor, true)?);
        for part in self.registry.sensors.values_mut() {
            if part.part_of.as_ref() == Some(id) {
                part.part_of = None;
                sensors.insert(part.id.as_str(), encode_sensor(part, false)?);
            }
        }
        self.remove_corrections(&sensor.account, id);
        Ok(())
    }

    fn check_account(&self, name: &AccountName) -> Result<(), StoreError> {
        if self.registry.accounts.contains_key(name) {
            return Ok(());
        }
        Err(StoreError::UnknownAccount(name.as_str().to_owned()))
    }
}

fn check_text(what: &'static str, text: &str) -> Result<(), StoreError> {
    if text.len() <= MAX_TEXT_BYTES {
        return Ok(());
    }
    Err(StoreError::TextTooLong {
        what,
        longest: MAX_TEXT_BYTES,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::domain::{Password, Timestamp};
    use crate::store::handle::Store;
    use crate::store::settings::{OpenMode, StoreSettings};

    fn open(dir: &Path) -> Store {
        Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap()
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms).unwrap()
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
            sessions.values().copied().collect()
        };
        let written = store.shared.trees.registry.sessions();
        let known = of(&store.registry().sessions);
        assert_eq!(of(&written.unwrap()), known);
        known.iter().map(|session| session.id.0[0]).collect()
    }

    /// Begins session `n` at `n` milliseconds, with this password.
    fn begin(store: &Store, n: u8, password: &PasswordHash) -> Result<(), StoreError> {
        let session = Session::begun(id(n), at(i64::from(n)));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(store.begin_session_durably(session, password.clone()))
    }

    #[test]
    fn sessions_begin_and_end() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let (first, second) = (password("first password"), password("second password"));
        let refused = begin(&store, 1, &first);
        assert!(matches!(refused, Err(StoreError::PasswordChanged)));

        store
            .put_first_administrator_durably(first.clone())
            .unwrap();
        let again = store.put_first_administrator_durably(second.clone());
        assert!(matches!(again, Err(StoreError::AdministratorExists)));
        for n in [1, 255, 3] {
            begin(&store, n, &first).unwrap();
        }
        assert_eq!(sessions(&store), [1, 3, 255]);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(store.end_session_durably(id(3))).unwrap();
        runtime.block_on(store.end_session_durably(id(3))).unwrap();
        let used = Session::begun(id(3), at(9));
        runtime.block_on(store.use_session_durably(used)).unwrap();
        assert_eq!(sessions(&store), [1, 255]);

        store
            .put_administrator_durably(second.clone(), Some(id(255)))
            .unwrap();
        assert_eq!(sessions(&store), [255]);
        assert!(begin(&store, 4, &first).is_err());
        drop(store);
        let store = open(dir.path());
        assert_eq!(store.registry().administrator(), Some(&second));
        assert_eq!(sessions(&store), [255]);
    }

    #[test]
    fn sessions_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let password = password("a password");
        store
            .put_administrator_durably(password.clone(), None)
            .unwrap();
        for n in 1..=65 {
            begin(&store, n, &password).unwrap();
        }
        assert_eq!(sessions(&store), (2..=65).collect::<Vec<_>>());
        // By this time, all of them are over.
        let late = Session::begun(id(100), at(40 * 24 * 3_600_000));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime
            .block_on(store.begin_session_durably(late, password))
            .unwrap();
        assert_eq!(sessions(&store), [100]);
    }
}

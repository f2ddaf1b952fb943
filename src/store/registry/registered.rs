//! What is registered, in memory: the administrator with its sessions, accounts, credentials, sensors.

use std::collections::BTreeMap;
use std::iter::successors;

use super::correction_records::AllCorrections;
use crate::domain::{
    Account, AccountName, ApiId, ApiKey, Credential, PasswordHash, Plan, Scope, Sensor, SensorId,
    Session, SessionId, Timestamp,
};
use crate::ledger::Corrections;

/// All that is registered, as of one moment. Kept in memory whole: a household has a handful of each.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    pub(crate) administrator: Option<PasswordHash>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) accounts: BTreeMap<AccountName, Account>,
    pub(crate) credentials: BTreeMap<ApiId, Credential>,
    pub(crate) sensors: BTreeMap<SensorId, Sensor>,
    // Shared: there may be thousands, and each change copies the registry.
    pub(crate) corrections: AllCorrections,
}

/// What valid credentials allow, and for which account.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// The account.
    pub account: AccountName,
    /// Its plan.
    pub plan: Plan,
    /// The operations allowed.
    pub scope: Scope,
}

impl Registry {
    /// What the credentials allow; `None` for an unknown id or a wrong key, in the same time.
    #[must_use]
    pub fn sign_in(&self, api_id: &ApiId, api_key: &ApiKey) -> Option<Grant> {
        let known = self.credentials.get(api_id);
        // Hashed for an unknown id too, so that timing does not reveal which ids exist.
        let hash = api_key.hash();
        let credential = known.filter(|credential| credential.key_hash.is(&hash))?;
        let account = self.accounts.get(&credential.account)?;
        Some(Grant {
            account: account.name.clone(),
            plan: account.plan,
            scope: credential.scope,
        })
    }

    /// What a key allows without an id, and the id of its credential. Only one credential may have the key, and the key
    /// must be long enough not to be guessed.
    #[must_use]
    pub fn sign_in_by_key(&self, api_key: &ApiKey) -> Option<(&ApiId, Grant)> {
        /// In bytes. Without an id, a guess succeeds if any credential has the key.
        const SHORTEST: usize = 20;
        let hash = api_key.hash();
        // Compared with all of them: without an id, nothing else leads to the credential.
        let is_its = |credential: &&Credential| credential.key_hash.is(&hash);
        let mut known = self.credentials.values().filter(is_its);
        // Two credentials with one key may belong to different accounts, so neither may sign in.
        let (Some(credential), None) = (known.next(), known.next()) else {
            return None;
        };
        let grant = self.sign_in(&credential.api_id, api_key)?;
        let is_long_enough = api_key.reveal().len() >= SHORTEST;
        is_long_enough.then_some((&credential.api_id, grant))
    }

    /// The sensor with this id, if it belongs to `account` and is authorized.
    #[must_use]
    pub fn authorized_sensor(&self, account: &AccountName, id: &SensorId) -> Option<&Sensor> {
        self.sensors
            .get(id)
            .filter(|sensor| sensor.authorized && sensor.account == *account)
    }

    /// The hash of the administrator's password; `None` if none was ever set.
    #[must_use]
    pub const fn administrator(&self) -> Option<&PasswordHash> {
        self.administrator.as_ref()
    }

    /// The session with this id, unless it is over at `now`.
    #[must_use]
    pub fn session(&self, id: &SessionId, now: Timestamp) -> Option<&Session> {
        self.sessions
            .get(id)
            .filter(|session| !session.is_over(now))
    }

    /// All accounts, by name.
    pub fn accounts(&self) -> impl Iterator<Item = &Account> {
        self.accounts.values()
    }

    /// The account with this name.
    #[must_use]
    pub fn account(&self, name: &AccountName) -> Option<&Account> {
        self.accounts.get(name)
    }

    /// All credentials, by id.
    pub fn credentials(&self) -> impl Iterator<Item = &Credential> {
        self.credentials.values()
    }

    /// The credential with this id.
    #[must_use]
    pub fn credential(&self, api_id: &ApiId) -> Option<&Credential> {
        self.credentials.get(api_id)
    }

    /// The corrections of an account; `None` if it has none.
    #[must_use]
    pub fn corrections(&self, account: &AccountName) -> Option<&Corrections> {
        self.corrections.get(account).map(AsRef::as_ref)
    }

    /// All sensors, by id.
    pub fn sensors(&self) -> impl Iterator<Item = &Sensor> {
        self.sensors.values()
    }

    /// All sensors, each after the one that it is part of: in this order they can be registered one by one.
    pub(crate) fn wholes_first(&self) -> Vec<&Sensor> {
        let depth = |sensor: &&Sensor| {
            let whole = |sensor: &&Sensor| self.sensors.get(sensor.part_of.as_ref()?);
            // At most as many as there are sensors, as there are no circles; a damaged store may have one.
            successors(Some(*sensor), whole)
                .take(self.sensors.len())
                .count()
        };
        let mut sensors: Vec<&Sensor> = self.sensors.values().collect();
        sensors.sort_by_cached_key(depth);
        sensors
    }

    /// The sensor with this id, of any account.
    #[must_use]
    pub fn sensor(&self, id: &SensorId) -> Option<&Sensor> {
        self.sensors.get(id)
    }
}

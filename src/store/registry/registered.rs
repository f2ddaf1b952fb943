//! The registry in memory: the administrator, people, sessions, accounts, credentials, sensors.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;
use std::sync::Arc;

use super::contract_records::AllContracts;
use super::correction_records::AllCorrections;
use super::day_records::{AllDays, list_of};
use super::entry::{AccountEntry, KindEntries};
use super::notice_records::AllNotices;
use super::series_records::AllSeries;
use super::shared_map::SharedMap;
use crate::domain::{
    Account, AccountName, ApiId, ApiKey, Credential, EntryKind, HomeAssistantAddress,
    HomeAssistantEntry, HomeAssistantTokens, HomeUserId, LinkedUser, Meter, PasswordHash, Person,
    PersonName, Plan, Rights, Role, Scope, Secret, Sensor, SensorId, ServiceSetting,
    ServiceSettings, Session, SessionId, SessionOwner, SettingValue, Timestamp, WallName,
    WallTablet,
};
use crate::ledger::contract::{Contracts, DayList, DayLists, Label};
use crate::ledger::notice::{KnownNotice, NoticeKey};
use crate::ledger::utility::EnteredBill;
use crate::ledger::{Corrections, DailyRestart, Facts};

/// The whole registry, as of one moment. All of it is in memory: a household has a handful of each.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// Whether keys, people and wall tablets are refused until somebody confirms damage to the
    /// store, because a revoked one may have come back. They can be changed meanwhile.
    pub(crate) is_access_suspended: bool,
    pub(crate) administrator: Option<PasswordHash>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) people: BTreeMap<PersonName, Person>,
    pub(crate) tablets: BTreeMap<WallName, WallTablet>,
    pub(crate) linked_users: BTreeMap<HomeUserId, LinkedUser>,
    pub(crate) accounts: SharedMap<AccountName, Account>,
    pub(crate) credentials: SharedMap<ApiId, Credential>,
    pub(crate) sensors: SharedMap<SensorId, Sensor>,
    // Shared: there may be thousands, and each change copies the registry.
    pub(crate) corrections: AllCorrections,
    pub(crate) contracts: AllContracts,
    pub(crate) series: AllSeries,
    pub(crate) days: AllDays,
    pub(crate) entries: BTreeMap<EntryKind, KindEntries>,
    pub(crate) notices: AllNotices,
    pub(crate) settings: ServiceSettings,
}

/// The rights of valid credentials.
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
    /// The rights of the credentials; `None` for an unknown id or a wrong key, in the same time,
    /// and for all while access is suspended.
    #[must_use]
    pub fn sign_in(&self, api_id: &ApiId, api_key: &ApiKey) -> Option<Grant> {
        let known = self.credentials.get(api_id);
        // Hashed for an unknown id too, so that timing does not reveal which ids exist.
        let hash = api_key.hash();
        let credential = known.filter(|credential| credential.key_hash.is(&hash))?;
        if self.is_access_suspended {
            return None;
        }
        let account = self.accounts.get(&credential.account)?;
        Some(Grant {
            account: account.name.clone(),
            plan: account.plan,
            scope: credential.scope,
        })
    }

    /// The rights of a key without an id, and the id of its credential. Only one credential may
    /// have the key, and the key must be too long to be guessed.
    #[must_use]
    pub fn sign_in_by_key(&self, api_key: &ApiKey) -> Option<(&ApiId, Grant)> {
        /// In bytes. Without an id, a guess succeeds if any credential has the key.
        const SHORTEST: usize = 20;
        let hash = api_key.hash();
        // Compared with all of them: without an id, any credential may be the right one.
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

    /// The hash of a person's password; `None` for an unknown person, one without a password, and
    /// for all but the administrator while access is suspended.
    #[must_use]
    pub fn password_of(&self, owner: &SessionOwner) -> Option<&PasswordHash> {
        match owner {
            SessionOwner::Administrator => self.administrator.as_ref(),
            SessionOwner::Person(_) if self.is_access_suspended => None,
            SessionOwner::Person(name) => self.people.get(name).map(|person| &person.password),
        }
    }

    /// The rights of a session's owner. A removed person has none.
    #[must_use]
    pub fn rights_of(&self, owner: &SessionOwner) -> Rights {
        match owner {
            SessionOwner::Administrator => Rights::Everything,
            SessionOwner::Person(name) => {
                let person = self.people.get(name);
                Rights::Accounts(person.map(|it| it.accounts.clone()).unwrap_or_default())
            }
        }
    }

    /// All people except the administrator, by name.
    pub fn people(&self) -> impl Iterator<Item = &Person> {
        self.people.values()
    }

    /// The person with this name.
    #[must_use]
    pub fn person(&self, name: &PersonName) -> Option<&Person> {
        self.people.get(name)
    }

    /// All wall tablets, by name.
    pub fn tablets(&self) -> impl Iterator<Item = &WallTablet> {
        self.tablets.values()
    }

    /// The wall tablet whose session this is, unless access is suspended.
    #[must_use]
    pub fn tablet(&self, session: &SessionId) -> Option<&WallTablet> {
        let mut tablets = self.tablets.values();
        let tablet = tablets.find(|it| it.session == *session);
        tablet.filter(|_| !self.is_access_suspended)
    }

    /// The linked user of Home Assistant with this id, unless access is suspended.
    #[must_use]
    pub fn linked_user(&self, id: &HomeUserId) -> Option<&LinkedUser> {
        let linked = self.linked_users.get(id);
        linked.filter(|_| !self.is_access_suspended)
    }

    /// All users of Home Assistant who are linked to somebody, by id.
    pub fn linked_users(&self) -> impl Iterator<Item = &LinkedUser> {
        self.linked_users.values()
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

    /// The contracts of an account; `None` if it has none.
    #[must_use]
    pub fn contracts(&self, account: &AccountName) -> Option<&Arc<Contracts>> {
        self.contracts.get(account)
    }

    /// The entries of an account of a kind, by name.
    pub(crate) fn entries(
        &self,
        kind: EntryKind,
        account: &AccountName,
    ) -> impl Iterator<Item = &AccountEntry> {
        let all = self.entries.get(&kind).into_iter();
        all.flat_map(|all| all.of(account))
    }

    /// The utility's bills of an account, by number.
    pub fn bills(&self, account: &AccountName) -> impl Iterator<Item = (u32, &EnteredBill)> {
        let all = self.entries(EntryKind::Bill, account);
        all.filter_map(|entry| match entry {
            AccountEntry::Bill(number, bill) => Some((*number, bill)),
            _ => None,
        })
    }

    /// The day list of an account with this name, in any capitals; `None` if there is none.
    #[must_use]
    pub fn day_list(&self, account: &AccountName, name: &Label) -> Option<DayList> {
        list_of(self.days.get(account)?, self.day_list_name(account, name)?)
    }

    /// The name of the day list that somebody means by a name, in any capitals.
    #[must_use]
    pub fn day_list_name(&self, account: &AccountName, name: &Label) -> Option<&Label> {
        let all = self.days.get(account)?;
        name.same_of(all.keys().map(|(name, _)| name))
    }

    /// The name of the price series that somebody means by a name, in any capitals.
    #[must_use]
    pub fn series_name(&self, account: &AccountName, name: &Label) -> Option<&Label> {
        name.same_of(self.series.get(account)?.keys())
    }

    /// All day lists of an account, by name.
    pub fn day_lists(&self, account: &AccountName) -> impl Iterator<Item = DayList> {
        let all = self.days.get(account).into_iter();
        let names: BTreeSet<&Label> = all
            .flat_map(|all| all.keys().map(|(name, _)| name))
            .collect();
        names
            .into_iter()
            .filter_map(|name| self.day_list(account, name))
    }

    /// The day lists with these names, for a pricer: those that there are.
    #[must_use]
    pub fn named_day_lists<'a>(
        &self,
        account: &AccountName,
        names: impl IntoIterator<Item = &'a Label>,
    ) -> DayLists {
        let lists = names
            .into_iter()
            .filter_map(|name| self.day_list(account, name));
        DayLists::new(lists.collect())
    }

    /// The described formats of files of an account: each name, and the text.
    pub fn formats(&self, account: &AccountName) -> impl Iterator<Item = (&Label, &str)> {
        let all = self.entries(EntryKind::Format, account);
        all.filter_map(|entry| match entry {
            AccountEntry::Format(name, text) => Some((name, &**text)),
            _ => None,
        })
    }

    /// The Home Assistant of an account.
    #[must_use]
    pub fn home_assistant(&self, account: &AccountName) -> Option<&HomeAssistantEntry> {
        let mut all = self.entries(EntryKind::HomeAssistant, account);
        all.find_map(|entry| match entry {
            AccountEntry::HomeAssistant(home) => Some(&**home),
            _ => None,
        })
    }

    /// The accounts that have a Home Assistant.
    pub(crate) fn home_assistant_accounts(&self) -> impl Iterator<Item = &AccountName> {
        let all = self.entries.get(&EntryKind::HomeAssistant).into_iter();
        all.flat_map(KindEntries::owners)
    }

    /// The token that the store keeps for an account's Home Assistant.
    pub(crate) fn home_assistant_token(
        &self,
        account: &AccountName,
        address: &HomeAssistantAddress,
    ) -> Secret {
        let text = self.settings.get(&ServiceSetting::HomeAssistantTokens);
        let Some(SettingValue::Text(text)) = text else {
            return Secret::default();
        };
        let tokens = HomeAssistantTokens::read(text.reveal()).unwrap_or_default();
        tokens.of(account, address)
    }

    /// The ledger's facts about a sensor, besides its readings: its meter, the corrections in
    /// effect, and when its register may begin again.
    #[must_use]
    pub fn metered(&self, sensor: &Sensor) -> (Meter, Facts) {
        let corrections = self.corrections(&sensor.account);
        let facts = corrections.map(|corrections| corrections.facts_of(&sensor.id));
        let zone = || self.account(&sensor.account).map(|it| it.zone.clone());
        let facts = Facts {
            restart: match sensor.role {
                Role::Solar => DailyRestart::AfterDarkness,
                _ => zone().map_or(DailyRestart::Never, DailyRestart::AtMidnight),
            },
            ..facts.unwrap_or_default()
        };
        (sensor.meter, facts)
    }

    /// All known notices, by account and id. Ended ones stay until their end was sent.
    pub fn notices(&self) -> impl Iterator<Item = (&NoticeKey, &KnownNotice)> {
        self.notices.iter()
    }

    /// The notice with this key.
    #[must_use]
    pub fn notice(&self, key: &NoticeKey) -> Option<&KnownNotice> {
        self.notices.get(key)
    }

    /// The settings of the service made on pages.
    #[must_use]
    pub const fn settings(&self) -> &ServiceSettings {
        &self.settings
    }

    /// All sensors, by id.
    pub fn sensors(&self) -> impl Iterator<Item = &Sensor> {
        self.sensors.values()
    }

    /// All sensors, each after the one that it is part of: they can be registered one by one in
    /// this order.
    pub(crate) fn wholes_first(&self) -> Vec<&Sensor> {
        let most = self.sensors.len();
        let depth = |sensor: &&Sensor| {
            let whole = |sensor: &&Sensor| self.sensors.get(sensor.part_of.as_ref()?);
            // At most as many as there are sensors, because there are no circles; a damaged store
            // may have one.
            successors(Some(*sensor), whole).take(most).count()
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

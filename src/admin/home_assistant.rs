//! Requests about the Home Assistants of accounts, and their rows. Testing one needs the settings of
//! the service, which is asked for them: see `http/operate/home_assistant.rs`.

use serde::{Deserialize, Serialize};

use super::error::{AdminError, wrong};
use super::names::{found, owner, sensor_id, time};
use crate::domain::words::words;
use crate::domain::{
    AccountName, EntryKind, GridAnswer, HomeAssistantAddress, HomeAssistantEntry, Role, Secret,
    Timestamp,
};
use crate::home_assistant::{
    CountQuestion, CountQuestionError, HistoryWishes, HomeProgress, HomeSensor, HouseProposal,
    LinkTerms,
};
use crate::store::{EntryName, Registry, Store, StoreError};

/// The longest token, in bytes.
const LONGEST_TOKEN: usize = 1_024;
/// The longest path of a file with one, in bytes.
const LONGEST_PATH: usize = 1_024;

/// A request about the Home Assistant of an account; `None` for the only account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum HomeAssistantRequest {
    /// That of an account, or without one those of all. Answer:
    /// [`super::Response::HomeAssistants`].
    Show {
        /// The account.
        account: Option<String>,
    },
    /// Asks it who it is, and about the house. Answer: [`super::Response::House`].
    Test {
        /// The account.
        account: Option<String>,
    },
    /// Adds it, or changes it. Answer: [`super::Response::HomeAssistants`], with this one alone.
    Add {
        /// The account.
        account: Option<String>,
        /// Its address; `None` for the one that runs the service as an add-on.
        address: Option<String>,
        /// A file of the service with its token; `None` for the token that the store has for this
        /// address.
        token_file: Option<String>,
        /// Which of the proposed sensors it feeds; `None` to add it without asking it first, for the
        /// sensors that it feeds already.
        sensors: Option<SensorWishes>,
    },
    /// Sends the account's history to it from now on, or no longer. Answer:
    /// [`super::Response::HomeAssistants`], with this one alone.
    Send {
        /// The account.
        account: Option<String>,
        /// Whether it is sent.
        send: bool,
    },
    /// Compares what it counted with the ledger. Answer: [`super::Response::Counted`].
    Compare(CountForm),
    /// Removes it, with its token. Answer: [`super::Response::Done`].
    Remove {
        /// The account.
        account: Option<String>,
    },
}

/// The months that are compared with the ledger, as typed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CountForm {
    /// The account.
    pub account: Option<String>,
    /// One of its sensors; `None` for all.
    pub sensor: Option<String>,
    /// A time in the first month, and the end of the last one or a time in it.
    pub range: [Option<String>; 2],
}

/// Which sensors are taken from a proposal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensorWishes {
    /// Entities that feed none.
    pub leave_out: Vec<String>,
    /// Entities that feed one of another role than the proposed one, or that are not proposed.
    pub roles: Vec<(String, Role)>,
    /// The kind of a further sensor at the grid.
    pub at_grid: Option<GridAnswer>,
    /// Whether its prices are taken: numbers as a contract, entities as price series.
    pub with_prices: bool,
}

/// Where the token of a Home Assistant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenPlace {
    /// In a file of the service.
    File,
    /// In the store.
    Store,
    /// With the Supervisor that runs the service as an add-on.
    Supervisor,
    /// Nowhere, as after a restore.
    Missing,
}

words! { TokenPlace: File "file", Store "store", Supervisor "supervisor", Missing "missing"; "file, store, supervisor or missing" }

/// The Home Assistant of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeAssistantRow {
    /// The account.
    pub account: AccountName,
    /// Its entry.
    pub home_assistant: HomeAssistantEntry,
    /// Where its token is.
    pub token: TokenPlace,
    /// How far it was read since the start of the service; `None` if it is not read here.
    pub reading: Option<HomeProgress<String>>,
}

/// The Home Assistant of an account; `None` if it has none.
#[must_use]
pub fn home_assistant_row(
    registry: &Registry,
    account: &AccountName,
    terms: &LinkTerms,
) -> Option<HomeAssistantRow> {
    let home = registry.home_assistant(account)?;
    let kept = registry.home_assistant_token(account, &home.address);
    let token = match &home.token_file {
        Some(_) => TokenPlace::File,
        None if kept.is_set() => TokenPlace::Store,
        None if terms.own_at(&home.address).is_some() => TokenPlace::Supervisor,
        None => TokenPlace::Missing,
    };
    Some(HomeAssistantRow {
        account: account.clone(),
        home_assistant: home.clone(),
        token,
        reading: None,
    })
}

/// The Home Assistant of an account, which must have one.
///
/// # Errors
/// [`AdminError::Unfit`] without one; as for each account.
pub(crate) fn known_home_assistant(
    registry: &Registry,
    account: Option<&str>,
    terms: &LinkTerms,
) -> Result<HomeAssistantRow, AdminError> {
    let account = owner(registry, account)?;
    let row = home_assistant_row(registry, &account, terms);
    row.ok_or_else(|| unknown().into())
}

/// The Home Assistants of an account, or of all.
///
/// # Errors
/// [`AdminError`] if there is no such account.
pub(crate) fn home_assistant_rows(
    registry: &Registry,
    account: Option<&str>,
    terms: &LinkTerms,
) -> Result<Vec<HomeAssistantRow>, AdminError> {
    let accounts = match account {
        Some(_) => vec![owner(registry, account)?],
        None => registry.accounts().map(|it| it.name.clone()).collect(),
    };
    let rows = accounts.iter();
    Ok(rows
        .filter_map(|account| home_assistant_row(registry, account, terms))
        .collect())
}

/// Reads an entry as typed, for an account that must exist.
///
/// # Errors
/// [`AdminError::Field`].
pub(crate) fn typed_home_assistant(
    registry: &Registry,
    (account, address): (Option<&str>, Option<&str>),
    (token_file, token): (Option<String>, &Secret),
    terms: &LinkTerms,
) -> Result<(AccountName, HomeAssistantEntry), AdminError> {
    let account = owner(registry, account)?;
    let address: HomeAssistantAddress = match (address, &terms.own) {
        (Some(address), _) => address
            .parse()
            .map_err(|error| wrong("address", format!("expected {error}"), None))?,
        (None, Some(own)) => own.address.clone(),
        (None, None) => {
            let problem = "expected one: no Supervisor runs this service";
            return Err(wrong("address", problem, "http://homeassistant.local:8123"));
        }
    };
    let is_path = |path: &String| path.starts_with('/') && path.len() <= LONGEST_PATH;
    if !token_file.as_ref().is_none_or(is_path) {
        return Err(wrong(
            "token_file",
            "expected the whole path of a file, of up to 1,024 bytes",
            "/etc/wattkeeper/home-assistant-token",
        ));
    }
    let text = token.reveal();
    if text.len() > LONGEST_TOKEN || !text.chars().all(|c| c.is_ascii_graphic()) {
        return Err(wrong(
            "token",
            "expected a long-lived token, up to 1,024 visible characters without spaces",
            None,
        ));
    }
    let kept = registry.home_assistant_token(&account, &address);
    let is_known = kept.is_set() || terms.own_at(&address).is_some();
    if token_file.is_none() && !token.is_set() && !is_known {
        return Err(wrong(
            "token",
            "there is none yet; make a long-lived one in Home Assistant (Profile, Security), and enter it on the page of its settings, or name its file with --token-file",
            None,
        ));
    }
    // Another address is another house.
    let known = registry.home_assistant(&account);
    let known = known.filter(|known| known.address == address);
    let sensors = known.map(|known| known.sensors.clone());
    let home = HomeAssistantEntry {
        send: known.is_some_and(|known| known.send),
        prices: known.map(|known| known.prices.clone()).unwrap_or_default(),
        address,
        token_file,
        sensors: sensors.unwrap_or_default(),
    };
    Ok((account, home))
}

impl CountForm {
    /// The Home Assistant of the account, and the question.
    ///
    /// # Errors
    /// [`AdminError::Field`] for a wrong time or sensor; as [`known_home_assistant`].
    pub(crate) fn question(
        &self,
        (store, terms): (&Store, &LinkTerms),
        now: Timestamp,
    ) -> Result<(HomeAssistantRow, CountQuestion), AdminError> {
        let account = found(store, self.account.as_deref())?;
        let registry = store.registry();
        let known = known_home_assistant(&registry, Some(account.name.as_str()), terms)?;
        let typed = |field, text: &Option<String>| {
            let text = text.as_deref().filter(|text| !text.is_empty());
            text.map(|text| time(field, text, &account.zone))
                .transpose()
        };
        let [from, to] = &self.range;
        let ends = (typed("from", from)?, typed("to", to)?);
        let sensor = self.sensor.as_deref().filter(|id| !id.is_empty());
        let sensor = sensor.map(sensor_id).transpose()?;
        let fed = &known.home_assistant.sensors;
        let question = CountQuestion::new(account, fed, sensor.as_ref(), ends, now);
        let question = question.map_err(|error| match error {
            CountQuestionError::Sensor | CountQuestionError::NoSensor => {
                wrong("sensor", error, None)
            }
            CountQuestionError::Empty | CountQuestionError::TooMany(_) => {
                wrong("from", error, None)
            }
        });
        Ok((known, question?))
    }
}

impl SensorWishes {
    /// The sensors that are taken from a proposal.
    ///
    /// # Errors
    /// [`AdminError::Field`] for an entity that is not in it.
    pub(crate) fn choose(&self, house: HouseProposal) -> Result<Vec<HomeSensor>, AdminError> {
        let is_of = |sensor: &HomeSensor, entity: &str| {
            sensor.feeds.entities().any(|it| it.as_str() == entity)
        };
        let named = self.roles.iter().map(|(entity, _)| entity);
        for entity in self.leave_out.iter().chain(named) {
            let mut all = house.sensors.iter();
            if !all.any(|it| is_of(&it.sensor, entity)) {
                let problem = format!(
                    "{entity:?} is none; expected an entity that `wattkeeper ha test` lists"
                );
                return Err(wrong("entity", problem, None));
            }
        }
        let chosen = house.sensors.into_iter().filter_map(|it| {
            let mut sensor = it.sensor;
            let role = self.roles.iter().find(|(entity, _)| is_of(&sensor, entity));
            let is_left_out = self.leave_out.iter().any(|entity| is_of(&sensor, entity));
            if is_left_out || (!it.is_proposed && role.is_none()) {
                return None;
            }
            sensor.role = role.map_or(sensor.role, |(_, role)| *role);
            Some(sensor)
        });
        Ok(chosen.collect())
    }
}

/// Puts the Home Assistant of an account. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] if there are too many, [`AdminError::Store`].
pub(crate) fn put_home_assistant(
    store: &Store,
    account: &AccountName,
    home: HomeAssistantEntry,
    token: Secret,
) -> Result<(), AdminError> {
    let account = account.clone();
    Ok(store.edit(move |edit| edit.put_home_assistant(&account, home, &token))?)
}

/// Sends the history of an account to its Home Assistant from now on, or no longer. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] without one; [`AdminError::Refused`] if it gets the history of another
/// account; [`AdminError::Store`].
pub(crate) fn set_sending(
    store: &Store,
    account: &AccountName,
    send: bool,
    wishes: &HistoryWishes,
) -> Result<(), AdminError> {
    let registry = store.registry();
    let home = registry.home_assistant(account).ok_or_else(unknown)?;
    if send && let Some(other) = wishes.other_sender(&registry, account, &home.address) {
        let problem = format!("the history of {other} is sent to the same address");
        return Err(wrong("account", problem, None));
    }
    let home = HomeAssistantEntry {
        send,
        ..home.clone()
    };
    put_home_assistant(store, account, home, Secret::default())
}

/// Removes the Home Assistant of an account, with its token. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] without one, [`AdminError::Store`].
pub(crate) fn remove_home_assistant(
    store: &Store,
    account: &AccountName,
) -> Result<(), AdminError> {
    let account = account.clone();
    let (kind, name) = (EntryKind::HomeAssistant, EntryName::Only);
    Ok(store.edit(move |edit| edit.remove_entry(&account, kind, &name))?)
}

fn unknown() -> StoreError {
    StoreError::unknown(EntryKind::HomeAssistant, &EntryName::Only)
}

/// The error of a request that came to a store alone, without the settings of its service.
pub(super) fn not_here() -> AdminError {
    AdminError::Refused("a Home Assistant is asked by the service, not by its store".to_owned())
}

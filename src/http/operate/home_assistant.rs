//! Requests of commands about the Home Assistants of accounts: the settings of the service say which
//! certificates they trust, and its readers how far they are. A command that has the store open
//! itself asks here, too.

use std::path::PathBuf;

use crate::admin::{
    AdminError, HomeAssistantRequest, HomeAssistantRow, Response, home_assistant_rows,
    known_home_assistant, known_sensors, put_home_assistant, put_house, remove_home_assistant,
    typed_home_assistant,
};
use crate::config::LiveSettings;
use crate::domain::{AccountName, HomeAssistantEntry, Secret, Timestamp};
use crate::home_assistant::{HouseProposal, LinkSettings, LinkToken, ReadHomes, propose};
use crate::store::Store;

/// The store, the settings of its service, and its readers; none of a service that does not run.
pub(crate) struct HomeAssistantsOf<'a> {
    pub(crate) store: &'a Store,
    pub(crate) settings: &'a LiveSettings,
    pub(crate) homes: &'a ReadHomes,
}

/// Carries out a request. Blocks, for a question to Home Assistant for minutes.
///
/// # Errors
/// An [`AdminError`] with the fault and the remedy.
pub(crate) fn run(
    of: &HomeAssistantsOf<'_>,
    request: HomeAssistantRequest,
    now: Timestamp,
) -> Result<Response, AdminError> {
    let registry = of.store.registry();
    let none = Secret::default();
    match request {
        HomeAssistantRequest::Show { account } => {
            let rows = home_assistant_rows(&registry, account.as_deref())?;
            let rows = rows.into_iter().map(|row| of.with_progress(row));
            Ok(Response::HomeAssistants(rows.collect()))
        }
        HomeAssistantRequest::Test { account } => {
            let known = known_home_assistant(&registry, account.as_deref())?;
            let link = of.link(&known.account, &known.home_assistant, &none);
            let house = of.propose(&known.account, &link, now)?;
            Ok(Response::House(Box::new(house)))
        }
        HomeAssistantRequest::Add {
            account,
            address,
            token_file,
            sensors,
        } => {
            let place = (account.as_deref(), address.as_str());
            let (account, home) = typed_home_assistant(&registry, place, (token_file, &none))?;
            match sensors {
                None => put_home_assistant(of.store, &account, home, none)?,
                Some(wishes) => {
                    let link = of.link(&account, &home, &none);
                    let chosen = wishes.choose(of.propose(&account, &link, now)?)?;
                    put_house(of.store, &account, (home, none), &chosen, now)?;
                }
            }
            let rows = home_assistant_rows(&of.store.registry(), Some(account.as_str()))?;
            Ok(Response::HomeAssistants(rows))
        }
        HomeAssistantRequest::Remove { account } => {
            let known = known_home_assistant(&registry, account.as_deref())?;
            remove_home_assistant(of.store, &known.account)?;
            Ok(Response::Done)
        }
    }
}

impl HomeAssistantsOf<'_> {
    /// The terms of a connection; without a typed token, with that of the store.
    pub(crate) fn link(
        &self,
        account: &AccountName,
        home: &HomeAssistantEntry,
        typed: &Secret,
    ) -> LinkSettings {
        let token = if typed.is_set() {
            typed.clone()
        } else {
            let registry = self.store.registry();
            registry.home_assistant_token(account, &home.address)
        };
        let in_force = self.settings.in_force();
        LinkSettings {
            address: home.address.clone(),
            token: LinkToken::new(token, home.token_file.as_ref().map(PathBuf::from)),
            ca_file: in_force.config.home_assistant.trusted(),
        }
    }

    fn propose(
        &self,
        account: &AccountName,
        link: &LinkSettings,
        now: Timestamp,
    ) -> Result<HouseProposal, AdminError> {
        let known = known_sensors(&self.store.registry(), account);
        propose(link, &known, now).map_err(|error| {
            AdminError::Refused(format!("Home Assistant at {}: {error}", link.address))
        })
    }

    /// The same row with how far it was read.
    pub(crate) fn with_progress(&self, row: HomeAssistantRow) -> HomeAssistantRow {
        let homes = self.homes.list();
        let mut own = homes
            .iter()
            .filter(|it| it.settings().account == row.account);
        HomeAssistantRow {
            reading: own.next().map(|it| it.progress().told()),
            ..row
        }
    }
}

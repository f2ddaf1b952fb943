//! Requests of commands about the Home Assistants of accounts: the settings of the service say which
//! certificates they trust, and its readers how far they are. A command that has the store open
//! itself asks here, too.

use crate::admin::{
    AdminError, HomeAssistantRequest, HomeAssistantRow, Response, home_assistant_rows,
    known_home_assistant, known_sensors, put_home_assistant, put_house, remove_home_assistant,
    typed_home_assistant,
};
use crate::config::LiveSettings;
use crate::domain::{AccountName, HomeAssistantEntry, Secret, Timestamp};
use crate::home_assistant::{HouseProposal, LinkSettings, LinkTerms, ReadHomes, propose};
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
    let (none, terms) = (Secret::default(), of.terms());
    match request {
        HomeAssistantRequest::Show { account } => {
            let rows = home_assistant_rows(&registry, account.as_deref(), &terms)?;
            let rows = rows.into_iter().map(|row| of.with_progress(row));
            Ok(Response::HomeAssistants(rows.collect()))
        }
        HomeAssistantRequest::Test { account } => {
            let known = known_home_assistant(&registry, account.as_deref(), &terms)?;
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
            let place = (account.as_deref(), address.as_deref());
            let typed = (token_file, &none);
            let (account, home) = typed_home_assistant(&registry, place, typed, &terms)?;
            match sensors {
                None => put_home_assistant(of.store, &account, home, none)?,
                Some(wishes) => {
                    let link = of.link(&account, &home, &none);
                    let chosen = wishes.choose(of.propose(&account, &link, now)?)?;
                    put_house(of.store, &account, (home, none), &chosen, now)?;
                }
            }
            let rows = home_assistant_rows(&of.store.registry(), Some(account.as_str()), &terms)?;
            Ok(Response::HomeAssistants(rows))
        }
        HomeAssistantRequest::Remove { account } => {
            let known = known_home_assistant(&registry, account.as_deref(), &terms)?;
            remove_home_assistant(of.store, &known.account)?;
            Ok(Response::Done)
        }
    }
}

impl HomeAssistantsOf<'_> {
    pub(crate) fn terms(&self) -> LinkTerms {
        self.settings.in_force().config.home_terms()
    }

    /// The connection to an account's Home Assistant; without a typed token, with the known one.
    pub(crate) fn link(
        &self,
        account: &AccountName,
        home: &HomeAssistantEntry,
        typed: &Secret,
    ) -> LinkSettings {
        let registry = self.store.registry();
        self.terms().link(&registry, (account, home), typed)
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

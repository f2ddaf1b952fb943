//! Requests of commands about the Home Assistants of accounts: the settings of the service say which
//! certificates they trust. A command that has the store open itself asks here, too.

use std::path::PathBuf;

use crate::admin::{
    AdminError, HomeAssistantRequest, HomeAssistantRow, HomeAssistantTrial, Response,
    home_assistant_rows, known_home_assistant, put_home_assistant, remove_home_assistant,
    typed_home_assistant,
};
use crate::config::LiveSettings;
use crate::domain::{AccountName, HomeAssistantEntry, Secret};
use crate::home_assistant::{LinkSettings, LinkToken, try_home_assistant};
use crate::store::Store;

/// The store, and the settings of its service.
pub(crate) struct HomeAssistantsOf<'a> {
    pub(crate) store: &'a Store,
    pub(crate) settings: &'a LiveSettings,
}

/// Carries out a request. Blocks, for a test up to a minute and a half.
///
/// # Errors
/// An [`AdminError`] with the fault and the remedy.
pub(crate) fn run(
    of: &HomeAssistantsOf<'_>,
    request: HomeAssistantRequest,
) -> Result<Response, AdminError> {
    let registry = of.store.registry();
    match request {
        HomeAssistantRequest::Show { account } => {
            let rows = home_assistant_rows(&registry, account.as_deref())?;
            Ok(Response::HomeAssistants(rows))
        }
        HomeAssistantRequest::Test { account } => {
            let known = known_home_assistant(&registry, account.as_deref())?;
            let link = of.link(&known.account, &known.home_assistant, &Secret::default());
            Ok(Response::HomeAssistantTrial(try_out(&link)?))
        }
        HomeAssistantRequest::Add {
            account,
            address,
            token_file,
            unasked,
        } => {
            let none = Secret::default();
            let place = (account.as_deref(), address.as_str());
            let (account, home) = typed_home_assistant(&registry, place, (token_file, &none))?;
            if !unasked {
                try_out(&of.link(&account, &home, &none))?;
            }
            put_home_assistant(of.store, &account, home, none)?;
            Ok(Response::HomeAssistants(of.rows(&account)?))
        }
        HomeAssistantRequest::Remove { account } => {
            let known = known_home_assistant(&registry, account.as_deref())?;
            remove_home_assistant(of.store, &known.account)?;
            Ok(Response::Done)
        }
    }
}

impl HomeAssistantsOf<'_> {
    /// What a connection needs; without a typed token, with that of the store.
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

    fn rows(&self, account: &AccountName) -> Result<Vec<HomeAssistantRow>, AdminError> {
        home_assistant_rows(&self.store.registry(), Some(account.as_str()))
    }
}

fn try_out(link: &LinkSettings) -> Result<HomeAssistantTrial, AdminError> {
    let tried = try_home_assistant(link);
    let identity = tried.map_err(|error| {
        AdminError::Refused(format!("Home Assistant at {}: {error}", link.address))
    })?;
    Ok(HomeAssistantTrial { identity })
}

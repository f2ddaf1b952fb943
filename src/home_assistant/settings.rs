//! A Home Assistant that is connected to, and whose history is sent.

use std::path::PathBuf;

use super::error::HomeAssistantError;
use crate::domain::{AccountName, HomeAssistantAddress, HomeAssistantEntry, Secret};
use crate::store::{Registry, explain_denied};

/// A Home Assistant, as a connection to it needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSettings {
    /// Its address.
    pub address: HomeAssistantAddress,
    /// Its token.
    pub token: LinkToken,
    /// The trusted certificates, in PEM; `None` for the system's.
    pub ca_file: Option<PathBuf>,
}

/// The terms of all connections to Home Assistants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkTerms {
    /// The trusted certificates, in PEM; `None` for the system's.
    pub ca_file: Option<PathBuf>,
    /// The Home Assistant that runs this service as an add-on.
    pub own: Option<OwnHome>,
}

/// The Home Assistant whose Supervisor runs this service, by way of that Supervisor. Its token is in
/// the environment of this process alone: no store, log or backup has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnHome {
    /// The address that the Supervisor has for add-ons.
    pub address: HomeAssistantAddress,
    /// The Supervisor's token.
    pub token: Secret,
}

/// A long-lived token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkToken {
    /// The token itself; empty for none.
    Typed(Secret),
    /// In the first line of this file, which is read for each connection.
    File(PathBuf),
}

/// Where the history is sent, and whose.
#[derive(Clone, Debug, PartialEq)]
pub struct HistorySettings {
    /// Where.
    pub link: LinkSettings,
    /// The account; `None` for the only one.
    pub account: Option<AccountName>,
}

impl LinkToken {
    /// The token of the file, if there is one.
    #[must_use]
    pub fn new(token: Secret, file: Option<PathBuf>) -> Self {
        file.map_or(Self::Typed(token), Self::File)
    }
}

impl LinkTerms {
    /// The connection to the Home Assistant of an account: with a typed token, or else with that of
    /// its file, of the store, or of the Supervisor.
    #[must_use]
    pub fn link(
        &self,
        registry: &Registry,
        (account, home): (&AccountName, &HomeAssistantEntry),
        typed: &Secret,
    ) -> LinkSettings {
        let own = self.own_at(&home.address);
        let kept = || registry.home_assistant_token(account, &home.address);
        let token = Some(typed.clone()).filter(Secret::is_set);
        let token = token.or_else(|| Some(kept()).filter(Secret::is_set));
        let token = token.or_else(|| own.map(|own| own.token.clone()));
        LinkSettings {
            address: home.address.clone(),
            token: LinkToken::new(
                token.unwrap_or_default(),
                home.token_file.as_ref().map(PathBuf::from),
            ),
            ca_file: self.ca_file.clone(),
        }
    }

    /// The Home Assistant that runs this service, if this is its address: the Supervisor's token
    /// goes to no other.
    #[must_use]
    pub fn own_at(&self, address: &HomeAssistantAddress) -> Option<&OwnHome> {
        self.own.as_ref().filter(|own| own.address == *address)
    }
}

impl LinkSettings {
    /// The token. Blocks on the disk.
    pub(super) fn token(&self) -> Result<Secret, HomeAssistantError> {
        let token = match &self.token {
            LinkToken::File(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| explain_denied(path, error))
                    .map_err(|error| HomeAssistantError::TokenFile {
                        path: path.clone(),
                        cause: error.to_string(),
                    })?;
                Secret::new(text.lines().next().unwrap_or_default().trim().to_owned())
            }
            LinkToken::Typed(token) => token.clone(),
        };
        if token.is_set() {
            Ok(token)
        } else {
            Err(HomeAssistantError::NoToken)
        }
    }
}

impl HistorySettings {
    /// The account whose history is sent.
    ///
    /// # Errors
    /// [`HomeAssistantError`] if there is none, or if nobody says which one.
    pub fn account(&self, registry: &Registry) -> Result<AccountName, HomeAssistantError> {
        let mut all = registry.accounts().map(|account| &account.name);
        if let Some(name) = &self.account {
            let found = all.find(|known| *known == name).cloned();
            return found.ok_or_else(|| HomeAssistantError::NoAccount(name.to_string()));
        }
        match (all.next(), all.next()) {
            (Some(only), None) => Ok(only.clone()),
            _ => Err(HomeAssistantError::WhichAccount),
        }
    }
}

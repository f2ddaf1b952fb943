//! Where the history is sent, and whose.

use std::path::PathBuf;

use super::address::HomeAssistantAddress;
use super::error::HistoryError;
use crate::domain::{AccountName, Secret};
use crate::store::{Registry, explain_denied};

/// Where the history is sent, and whose.
#[derive(Clone, Debug, PartialEq)]
pub struct HistorySettings {
    /// The address of Home Assistant.
    pub address: HomeAssistantAddress,
    /// The long-lived token there; empty for none.
    pub token: Secret,
    /// The file with the token in its first line; it takes precedence. Read for each connection.
    pub token_file: Option<PathBuf>,
    /// The trusted certificates, in PEM; `None` for the system's.
    pub ca_file: Option<PathBuf>,
    /// The account; `None` for the only one.
    pub account: Option<AccountName>,
}

impl HistorySettings {
    /// The token. Blocks on the disk.
    pub(super) fn token(&self) -> Result<Secret, HistoryError> {
        let token = match &self.token_file {
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| explain_denied(path, error))
                    .map_err(|error| HistoryError::TokenFile(error.to_string()))?;
                Secret::new(text.lines().next().unwrap_or_default().trim().to_owned())
            }
            None => self.token.clone(),
        };
        if token.is_set() {
            Ok(token)
        } else {
            Err(HistoryError::NoToken)
        }
    }

    /// The account whose history is sent.
    pub(super) fn account(&self, registry: &Registry) -> Result<AccountName, HistoryError> {
        let mut all = registry.accounts().map(|account| &account.name);
        if let Some(name) = &self.account {
            let found = all.find(|known| *known == name).cloned();
            return found.ok_or_else(|| HistoryError::NoAccount(name.to_string()));
        }
        match (all.next(), all.next()) {
            (Some(only), None) => Ok(only.clone()),
            _ => Err(HistoryError::WhichAccount),
        }
    }
}

//! The settings of Home Assistant: sensors by way of the broker, and history by its WebSocket API.

use std::path::PathBuf;

use serde::Deserialize;

use super::notices::path;
use super::values;
use crate::domain::{AccountName, HomeAssistantAddress, Secret};
use crate::home_assistant::{HistorySettings, HistoryWishes, LinkSettings, LinkTerms, LinkToken};

/// The settings of Home Assistant.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct HomeAssistantConfig {
    /// Whether sensors are announced through the broker.
    pub discovery: bool,
    /// The first levels of the topics of discovery.
    #[serde(deserialize_with = "values::topic_prefix")]
    pub prefix: String,
    /// The address that history is sent to.
    #[serde(deserialize_with = "values::home_assistant")]
    pub url: Option<HomeAssistantAddress>,
    /// The token there; empty for none.
    #[serde(deserialize_with = "values::webhook_token")]
    pub token: Secret,
    /// A file with the token; empty for none.
    pub token_file: PathBuf,
    /// The trusted certificates; empty for those of the system.
    pub ca_file: PathBuf,
    /// The account whose history is sent; `None` for the only one.
    #[serde(deserialize_with = "values::account")]
    pub account: Option<AccountName>,
}

impl HomeAssistantConfig {
    /// Where history is sent; `None` if it is not.
    #[must_use]
    pub fn history(&self) -> Option<HistorySettings> {
        let link = LinkSettings {
            address: self.url.clone()?,
            token: LinkToken::new(self.token.clone(), path(&self.token_file)),
            ca_file: self.trusted(),
        };
        Some(HistorySettings {
            link,
            account: self.account.clone(),
        })
    }

    /// Where history is sent by these settings, and with these terms by the entries of accounts.
    #[must_use]
    pub fn histories(&self, terms: LinkTerms) -> HistoryWishes {
        HistoryWishes {
            of_service: self.history(),
            terms,
        }
    }

    /// The certificates that each connection to a Home Assistant trusts; `None` for the system's.
    #[must_use]
    pub fn trusted(&self) -> Option<PathBuf> {
        path(&self.ca_file)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::home_assistant::LinkToken;

    #[test]
    fn history_is_sent_to_an_address() {
        let mut config = Config::default().home_assistant;
        assert_eq!(config.history(), None);
        config.url = Some("http://ha.lan:8123".parse().unwrap());
        config.token_file = "/run/token".into();
        let history = config.history().unwrap();
        assert_eq!(history.link.token, LinkToken::File("/run/token".into()));
        assert_eq!((history.link.ca_file, history.account), (None, None));
    }
}

//! The tokens that the store keeps, as one secret setting.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::address::HomeAssistantAddress;
use crate::domain::{AccountName, Secret};

/// The tokens by account, each for one address: nobody else gets it.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct HomeAssistantTokens(BTreeMap<AccountName, (HomeAssistantAddress, Secret)>);

/// A token in the text of the setting. A [`Secret`] has no form in JSON, so that none is written by
/// accident.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptToken {
    address: HomeAssistantAddress,
    token: String,
}

impl HomeAssistantTokens {
    /// Reads the text of the setting; an empty one has none. `None` if it is another text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::default());
        }
        let kept: BTreeMap<AccountName, KeptToken> = serde_json::from_str(text).ok()?;
        let tokens = kept
            .into_iter()
            .map(|(account, one)| (account, (one.address, Secret::new(one.token))));
        Some(Self(tokens.collect()))
    }

    /// The text of the setting.
    pub(crate) fn text(&self) -> String {
        let kept = self.0.iter().map(|(account, (address, token))| {
            let (address, token) = (address.clone(), token.reveal().to_owned());
            (account, KeptToken { address, token })
        });
        let kept: BTreeMap<_, _> = kept.collect();
        if kept.is_empty() {
            return String::new();
        }
        // Texts alone, and writing to memory does not fail.
        serde_json::to_string(&kept).unwrap_or_default()
    }

    /// The token of an account for this address.
    pub(crate) fn of(&self, account: &AccountName, address: &HomeAssistantAddress) -> Secret {
        let kept = self.0.get(account);
        let kept = kept.filter(|(known, _)| known == address);
        kept.map(|(_, token)| token.clone()).unwrap_or_default()
    }

    /// Puts a token in the place of the one that the account had.
    pub(crate) fn put(
        &mut self,
        account: AccountName,
        address: HomeAssistantAddress,
        token: Secret,
    ) {
        self.0.insert(account, (address, token));
    }

    /// Forgets the token of an account; returns whether there was one.
    pub(crate) fn forget(&mut self, account: &AccountName) -> bool {
        self.0.remove(account).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_one_account_and_one_address() {
        let account = |name: &str| AccountName::new(name).unwrap();
        let address = |text: &str| text.parse::<HomeAssistantAddress>().unwrap();
        let own = address("http://ha.lan:8123/behind");
        let token = Secret::new("e\"y\u{e4}".to_owned());
        let mut tokens = HomeAssistantTokens::default();
        assert_eq!(tokens.text(), "");
        tokens.put(account("home"), own.clone(), token.clone());
        let mut read = HomeAssistantTokens::read(&tokens.text()).unwrap();
        assert!(read == tokens);
        assert_eq!(read.of(&account("home"), &own), token);
        for (name, url) in [
            ("home", "http://ha.lan:8123"),
            ("home", "https://ha.lan:8123/behind"),
            ("shop", "http://ha.lan:8123/behind"),
        ] {
            assert!(!read.of(&account(name), &address(url)).is_set(), "{url}");
        }
        assert!(read.forget(&account("home")) && !read.forget(&account("home")));
        assert!(read == HomeAssistantTokens::read("").unwrap());
        assert!(HomeAssistantTokens::read("{").is_none());
    }
}

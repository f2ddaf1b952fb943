//! What people enter about a Home Assistant.

use serde::{Deserialize, Serialize};

use super::address::HomeAssistantAddress;

/// The Home Assistant of an account. An account has one at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HomeAssistantEntry {
    /// Its address.
    pub address: HomeAssistantAddress,
    /// A file of the service with the token in its first line; `None` if the store keeps the token.
    #[serde(default)]
    pub token_file: Option<String>,
}

impl HomeAssistantEntry {
    /// The most of a service: each has connections of its own, and their tokens are one setting.
    pub const MOST_IN_ALL: usize = 50;
}

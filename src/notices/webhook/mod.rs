//! Messages about notices, posted to an address that a person chose: one when a notice opens, one when it ends. A message is sent until
//! it is taken; nothing waits for that.
//!
//! - `address`: where messages go
//! - `message`: what they say, in three formats
//! - `post`: the client, and the thread that waits for answers
//! - `outbox`: which message is next, and when

mod address;
mod message;
mod outbox;
mod post;

use std::fmt;
use std::path::PathBuf;

pub use self::address::{NotWebhookAddress, WebhookAddress};
pub(super) use self::outbox::Outbox;
pub(crate) use self::post::https_agent;
pub use self::post::{WebhookProblem, try_webhook};
use crate::domain::words::words;

/// How a message is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebhookFormat {
    /// As `GET /notices` has it.
    #[default]
    Json,
    /// As ntfy takes it.
    Ntfy,
    /// As Gotify takes it.
    Gotify,
}

words! { WebhookFormat: Json "json", Ntfy "ntfy", Gotify "gotify"; "json, ntfy or gotify" }

/// Where messages go, and how.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSettings {
    /// The address.
    pub address: WebhookAddress,
    /// How a message is written.
    pub format: WebhookFormat,
    /// What the server knows this service by.
    pub token: Option<String>,
    /// A file of which the first line is the token; it takes precedence.
    pub token_file: Option<PathBuf>,
}

/// Without the token.
impl fmt::Debug for WebhookSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookSettings")
            .field("address", &self.address)
            .field("format", &self.format)
            .field("has_token", &self.token.is_some())
            .field("token_file", &self.token_file)
            .finish()
    }
}

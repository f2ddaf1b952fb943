//! Messages about notices, posted to an address that a person chose: one when a notice opens, one
//! when it ends; and the reports. A message is sent until it is accepted; nothing waits for that.
//!
//! - `address`: addresses of webhooks
//! - `message`: their content, in each format
//! - `mail`: messages by e-mail
//! - `post`: the client, and the thread that waits for answers; `problem`: why a message was not accepted
//! - `report`: the same of reports
//! - `outbox`: the next message, and its time

mod address;
mod mail;
mod message;
mod outbox;
mod post;
mod problem;
mod report;

use std::fmt;
use std::path::PathBuf;

pub use self::address::{NotWebhookAddress, WebhookAddress};
#[cfg(any(test, fuzzing))]
pub use self::mail::fuzz as fuzz_mail;
pub(crate) use self::mail::is_mail_address;
pub(super) use self::outbox::Outbox;
pub(crate) use self::post::https_agent;
pub use self::post::try_webhook;
pub use self::problem::WebhookProblem;
use crate::domain::words::words;
use crate::texts::Language;

/// The format of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebhookFormat {
    /// The format of `GET /notices`.
    #[default]
    Json,
    /// The format of ntfy.
    Ntfy,
    /// The format of Gotify.
    Gotify,
    /// Persistent notifications of Home Assistant.
    HomeAssistant,
    /// E-mail; so are all messages to a mail server.
    Email,
}

words! { WebhookFormat: Json "json", Ntfy "ntfy", Gotify "gotify", HomeAssistant "home-assistant", Email "email";
"json, ntfy, gotify, home-assistant or email" }

impl WebhookFormat {
    /// Whether the end of a notice changes what is shown. A further message about a moment that has
    /// passed would only disturb people.
    const fn shows_ends(self) -> bool {
        matches!(self, Self::Json | Self::HomeAssistant)
    }
}

/// The address and format of messages.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSettings {
    /// The address.
    pub address: WebhookAddress,
    /// The format of messages.
    pub format: WebhookFormat,
    /// The tag of the language of messages that people read.
    pub language: String,
    /// The token that authenticates this service.
    pub token: Option<String>,
    /// A file whose first line is the token; takes precedence.
    pub token_file: Option<PathBuf>,
    /// The recipient of e-mail, and its sender: if that is empty, the recipient.
    pub mail_to: String,
    /// See there.
    pub mail_from: String,
}

impl WebhookSettings {
    /// The language of messages that people read.
    pub(super) fn language(&self) -> &'static Language {
        Language::of_tag(&self.language).unwrap_or(Language::english())
    }
}

/// Leaves out the token.
impl fmt::Debug for WebhookSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookSettings")
            .field("address", &self.address)
            .field("format", &self.format)
            .field("language", &self.language)
            .field("has_token", &self.token.is_some())
            .field("token_file", &self.token_file)
            .field("mail_to", &self.mail_to)
            .field("mail_from", &self.mail_from)
            .finish()
    }
}

//! A source of an account.

use std::sync::Arc;

use super::form::{SourceContent, SourceForm};
use super::known::KnownSource;
use crate::domain::{AccountName, LocalDate, Secret};
use crate::ledger::contract::Label;
use crate::poll::PasswordPlace;

/// A source of an account.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceSourceSettings {
    /// The known source; `None` for one that the settings describe.
    pub source: Option<&'static KnownSource>,
    /// How it is asked.
    pub form: Arc<SourceForm>,
    /// The zone or region; empty if it has none.
    pub zone: String,
    /// The account; `None` for the only one.
    pub account: Option<AccountName>,
    /// The price series or day list that it fills.
    pub series: Label,
    /// The first day to fetch; `None` for today.
    pub since: Option<LocalDate>,
    /// The place of the key.
    pub key: Option<PasswordPlace>,
    /// Whether it may be in a private network.
    pub allow_private: bool,
}

impl PriceSourceSettings {
    /// The earliest day that can be fetched.
    pub const FIRST_DAY: &str = "2000-01-01";

    /// The name of the source, for people: that of a known one, or its server.
    #[must_use]
    pub fn title(&self) -> &str {
        self.source
            .map_or_else(|| self.form.url.server(), |known| known.name())
    }

    /// Scheme and server of the source.
    #[must_use]
    pub fn server(&self) -> &str {
        self.form.url.server()
    }

    /// Scheme and server that the key is sent to.
    #[must_use]
    pub fn key_server(&self) -> &str {
        self.form.key_url().server()
    }

    /// Whether requests have a key.
    #[must_use]
    pub fn needs_key(&self) -> bool {
        self.form.needs_key()
    }

    /// Whether it fills a day list.
    #[must_use]
    pub fn has_days(&self) -> bool {
        matches!(self.form.content, SourceContent::Days(_))
    }

    /// Whether both fill the same series.
    #[must_use]
    pub fn fills_the_same(&self, other: &Self) -> bool {
        let is_same_account = match (&self.account, &other.account) {
            (Some(own), Some(other)) => own == other,
            // The only account may be the named one.
            _ => true,
        };
        is_same_account && self.series == other.series && self.has_days() == other.has_days()
    }

    /// The same source with a key from the browser; the same key with an empty one.
    #[must_use]
    pub fn with_key(self, key: &Secret) -> Self {
        let typed = key.is_set().then(|| PasswordPlace::Typed(key.clone()));
        Self {
            key: typed.or(self.key),
            ..self
        }
    }

    /// The form of answers, with the zone in its places.
    pub(super) fn answered_form(&self) -> SourceForm {
        self.form.with_zone(self.asked_zone())
    }

    /// The zone as requests have it.
    pub(super) fn asked_zone(&self) -> &str {
        let own = self.form.zones.get(&self.zone);
        own.map_or(self.zone.as_str(), String::as_str)
    }
}

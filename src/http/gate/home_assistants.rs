//! The connections to the Home Assistants of accounts, with the certificates that the service trusts.

use super::state::AppState;
use crate::admin::{AdminError, CountForm, HomeAssistantRow, known_sensors};
use crate::config::LiveSettings;
use crate::domain::{AccountName, HomeAssistantEntry, Secret, Timestamp};
use crate::home_assistant::{
    HistoryWishes, HomeAssistantError, HomeComparison, HomeComparisons, HouseProposal,
    LinkSettings, LinkTerms, ReadHomes, propose,
};
use crate::store::Store;

/// The store, the settings of its service, and its readers and comparisons; none of a service that does not run.
pub(crate) struct HomeAssistantsOf<'a> {
    pub(crate) store: &'a Store,
    pub(crate) settings: &'a LiveSettings,
    pub(crate) homes: (&'a ReadHomes, &'a HomeComparisons),
}

impl<'a> HomeAssistantsOf<'a> {
    /// Those of a running service.
    pub(crate) fn of(app: &'a AppState) -> Self {
        Self {
            store: &app.store,
            settings: &app.settings,
            homes: (&app.homes, &app.comparisons),
        }
    }

    /// The terms of all connections.
    pub(crate) fn terms(&self) -> LinkTerms {
        self.settings.in_force().config.home_terms()
    }

    /// Where history is sent.
    pub(crate) fn wishes(&self) -> HistoryWishes {
        let settings = self.settings.in_force();
        let terms = settings.config.home_terms();
        settings.config.home_assistant.histories(terms)
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

    /// Compares what a Home Assistant counted with the ledger. Blocks, for minutes.
    ///
    /// # Errors
    /// As [`CountForm::question`]; the inner one if it cannot be compared.
    pub(crate) fn compare(
        &self,
        form: &CountForm,
        now: Timestamp,
    ) -> Result<Result<HomeComparison, HomeAssistantError>, AdminError> {
        let (known, question) = form.question((self.store, &self.terms()), now)?;
        let link = self.link(&known.account, &known.home_assistant, &Secret::default());
        Ok(self.homes.1.compare(self.store, &link, &question, now))
    }

    /// Asks one about the house. Blocks, for minutes.
    ///
    /// # Errors
    /// [`AdminError::Refused`] if it does not answer.
    pub(crate) fn propose(
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
        let homes = self.homes.0.list();
        let mut own = homes
            .iter()
            .filter(|it| it.settings().account == row.account);
        HomeAssistantRow {
            reading: own.next().map(|it| it.progress().told()),
            ..row
        }
    }
}

//! Requests of commands about price sources, which belong to the settings of the service. A command
//! that has the store open itself asks here, too.

use std::sync::Arc;

use toml::Table;

use crate::admin::{AdminError, PriceSourceRequest, PriceSourceRow, Response, SourceTrialRow};
use crate::config::{ConfigError, LiveSettings, NewPriceSource, SettingsError};
use crate::domain::{AccountName, Secret, Timestamp};
use crate::ledger::contract::Label;
use crate::price_sources::{
    PriceSourceSettings, PriceSources, SourceError, SourceTally, SourceTrial, check_source,
    try_source,
};
use crate::store::Store;

/// The most prices that a trial names.
const MOST_SHOWN: usize = 8;

/// The store, the settings, and the outcomes of the sources that are asked; none of a service that
/// does not run.
pub(crate) struct SourcesOf<'a> {
    pub(crate) store: &'a Store,
    pub(crate) settings: &'a LiveSettings,
    pub(crate) asked: &'a PriceSources,
}

/// Carries out a request. Blocks, for a trial up to a minute.
///
/// # Errors
/// An [`AdminError`] with the fault and the remedy.
pub(crate) fn run(
    of: &SourcesOf<'_>,
    request: PriceSourceRequest,
    now: Timestamp,
) -> Result<Response, AdminError> {
    match request {
        PriceSourceRequest::List => Ok(Response::PriceSources(of.rows(|_| true))),
        PriceSourceRequest::Try { section } => {
            let settings = settings_of(&new_source(&section)?)?;
            Ok(Response::SourceTrial(of.try_out(settings, now)?))
        }
        PriceSourceRequest::Add { section, unasked } => {
            of.add(&new_source(&section)?, unasked, now)
        }
        PriceSourceRequest::Remove { account, series } => {
            of.remove(account.as_deref(), &series)?;
            Ok(Response::Done)
        }
    }
}

impl SourcesOf<'_> {
    fn rows(&self, is_wanted: impl Fn(&PriceSourceSettings) -> bool) -> Vec<PriceSourceRow> {
        let in_force = self.settings.in_force();
        let asked = self.asked.list();
        let sources = in_force.config.price_sources.iter();
        let sources = sources.filter(|source| is_wanted(source));
        sources
            .map(|source| {
                let mut kept = in_force.price_sources.iter();
                let in_file = !kept.any(|one| one.parsed.fills_the_same(source));
                let tally = asked.iter().find(|tally| tally.settings() == source);
                row(source, in_file, tally)
            })
            .collect()
    }

    fn try_out(
        &self,
        settings: PriceSourceSettings,
        now: Timestamp,
    ) -> Result<SourceTrialRow, AdminError> {
        let settings = self.settings.in_force().with_kept_key(settings);
        let tried = try_source(self.store, &settings, now);
        let tried = tried.map_err(|error| of_source(&settings, &error))?;
        Ok(trial_row(&tried))
    }

    fn add(
        &self,
        new: &NewPriceSource,
        unasked: bool,
        now: Timestamp,
    ) -> Result<Response, AdminError> {
        let settings = settings_of(new)?;
        if unasked {
            let checked = check_source(self.store, &settings);
            checked.map_err(|error| of_source(&settings, &error))?;
        } else {
            self.try_out(settings.clone(), now)?;
        }
        let added = self.settings.fetch_prices(self.store, new);
        added.map_err(refused)?;
        let rows = self.rows(|source| source.fills_the_same(&settings));
        Ok(Response::PriceSources(rows))
    }

    fn remove(&self, account: Option<&str>, series: &str) -> Result<(), AdminError> {
        let is_meant = |source: &PriceSourceSettings| {
            let own = source.account.as_ref().map(AccountName::as_str);
            let is_same = Label::new(series).is_ok_and(|name| source.series.is_same(&name));
            is_same && account.is_none_or(|name| own == Some(name))
        };
        let in_force = self.settings.in_force();
        let kept = in_force.price_sources.iter();
        let mut meant = kept.filter(|one| is_meant(&one.parsed));
        match (meant.next(), meant.next()) {
            (Some(one), None) => {
                let removed = self.settings.stop_fetching(self.store, &one.section);
                removed.map_err(refused)
            }
            (Some(_), Some(_)) => Err(AdminError::Refused(format!(
                "several price sources fill {series:?}: name one with --account NAME"
            ))),
            (None, _) if in_force.config.price_sources.iter().any(is_meant) => {
                Err(AdminError::Refused(format!(
                    "the configuration file has the price source of {series:?}: remove its section [[price_source]] there"
                )))
            }
            (None, _) => Err(AdminError::Refused(format!(
                "there is no price source of {series:?}: `wattkeeper price-source list` lists them"
            ))),
        }
    }
}

fn of_source(settings: &PriceSourceSettings, error: &SourceError) -> AdminError {
    AdminError::Refused(format!("{}: {error}", settings.title()))
}

fn row(
    source: &PriceSourceSettings,
    in_file: bool,
    tally: Option<&Arc<SourceTally>>,
) -> PriceSourceRow {
    let last = tally.and_then(|tally| tally.last());
    let answered = tally.and_then(|tally| tally.answered());
    let conflicts = tally.and_then(|tally| tally.conflicts());
    let time = |time: Timestamp| time.to_string();
    PriceSourceRow {
        account: source.account.as_ref().map(ToString::to_string),
        series: source.series.to_string(),
        source: source.title().to_owned(),
        server: source.server().to_owned(),
        zone: Some(source.zone.clone()).filter(|zone| !zone.is_empty()),
        since: source.since.map(|day| day.to_string()),
        in_file,
        asked: last.as_ref().map(|(asked, _)| time(*asked)),
        answered: answered.map(time),
        error: last.and_then(|(_, outcome)| outcome.err().map(|error| error.to_string())),
        conflicts: conflicts.map(|(count, _)| count as u64),
        conflicts_from: conflicts.map(|(_, first)| time(first)),
        others: tally.map(|tally| tally.others()).unwrap_or_default(),
    }
}

fn trial_row(trial: &SourceTrial) -> SourceTrialRow {
    let compared = &trial.compared;
    let prices = compared.prices.iter();
    let prices = prices.map(|price| (price.from.to_string(), price.price.to_string()));
    let days = compared.days.iter();
    let days = days.map(|(day, label)| (day.to_string(), label.to_string()));
    SourceTrialRow {
        from: trial.range.start().to_string(),
        to: trial.range.end().to_string(),
        count: compared.count as u64,
        new: (compared.prices.len() + compared.days.len()) as u64,
        conflicts: compared.conflicts.map_or(0, |(count, _)| count as u64),
        conflicts_from: compared.conflicts.map(|(_, first)| first.to_string()),
        others: compared.others.clone(),
        first: prices.chain(days).take(MOST_SHOWN).collect(),
    }
}

fn new_source(section: &str) -> Result<NewPriceSource, AdminError> {
    let section: Result<Table, _> = section.parse();
    let section = section.map_err(|error| {
        let fault = error.message().trim();
        AdminError::Refused(format!(
            "the lines are not TOML: {fault}; expected those of a section [[price_source]], without this line"
        ))
    })?;
    let key = Secret::default();
    Ok(NewPriceSource { section, key })
}

fn settings_of(new: &NewPriceSource) -> Result<PriceSourceSettings, AdminError> {
    new.settings().map_err(|error| match error {
        ConfigError::Invalid {
            key,
            value,
            expected,
            ..
        } => AdminError::Field {
            field: key.rsplit('.').next().unwrap_or_default().to_owned().into(),
            problem: format!("{value}, expected {expected}"),
            example: None,
        },
        error => AdminError::Refused(error.to_string()),
    })
}

fn refused(error: SettingsError) -> AdminError {
    match error {
        SettingsError::Store(error) => error.into(),
        SettingsError::Invalid { expected, .. } => AdminError::Field {
            field: "series".into(),
            problem: format!("expected {expected}"),
            example: None,
        },
        error => AdminError::Refused(error.to_string()),
    }
}

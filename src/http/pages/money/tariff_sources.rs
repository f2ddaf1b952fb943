//! The sources of a tariff's prices and days: tested, and set up, on the page of the tariff.

use std::sync::Arc;

use actix_web::web::Data;
use toml::Table;

use super::tariff_form::{TypedSource, TypedTariff};
use crate::config::{NewPriceSource, SettingsError};
use crate::domain::{Account, LocalDate, Secret, TimeRange};
use crate::house::ExtraPrices;
use crate::http::pages::frame::{PageError, Visit, figures};
use crate::http::pages::service::{
    ServiceClock, SourceFields, Trials, source_problem_text, wrong_source,
};
use crate::http::wire::body::in_background;
use crate::price_sources::{
    KnownSource, PriceSourceSettings, SourceTrial, check_source, past_prices, try_source,
};

/// The sources of a form, after they were asked.
#[derive(Default)]
pub(super) struct TriedSources {
    /// The answer of each new one, in a sentence.
    pub(super) answers: Vec<String>,
    /// Those whose past prices can be asked for.
    pub(super) asked: Vec<PriceSourceSettings>,
}

/// Whether a source needs a key, which its form then has a field for.
pub(super) fn needs_key(source: &str) -> bool {
    let known = KnownSource::with_id(source);
    let form = known.and_then(|known| known.form_with(&Table::new()).ok());
    form.is_some_and(|form| form.needs_key())
}

/// The source as the list of price sources has it.
fn new_source(
    visit: &Visit,
    account: &Account,
    (chosen, from): (&TypedSource, LocalDate),
) -> Result<NewPriceSource, PageError> {
    let source = chosen.source;
    let today = LocalDate::at(visit.app.counted_now(), &account.zone);
    let earliest = LocalDate::parse(PriceSourceSettings::FIRST_DAY).unwrap_or(from);
    // Past costs need past prices.
    let since = (from < today).then(|| from.max(earliest).to_string());
    let key = if needs_key(&source.source) {
        Secret::new(visit.trimmed("key")?)
    } else {
        Secret::default()
    };
    let fields = SourceFields {
        source: source.source.clone(),
        zone: source.zone.clone(),
        account: account.name.to_string(),
        series: source.series(),
        since: since.unwrap_or_default(),
        mapping: visit.trimmed("mapping")?,
        key,
    };
    fields.source(visit.language())
}

/// Tests the sources that are chosen and not set up yet. One with a key is set up at once: the key is
/// not sent back to the browser.
pub(super) async fn try_sources(
    visit: &Visit,
    account: &Account,
    (typed, trials): (&TypedTariff, &Data<Trials>),
) -> Result<TriedSources, PageError> {
    let mut found = TriedSources {
        asked: typed.old_sources.clone(),
        ..TriedSources::default()
    };
    let language = visit.language();
    for chosen in &typed.new_sources {
        let new = new_source(visit, account, (chosen, typed.start.first_day))?;
        let settings = new.settings();
        let settings = settings.map_err(|error| wrong_source(&error, language))?;
        let app = &visit.app;
        let settings = app.settings.in_force().with_kept_key(settings);
        if settings.needs_key() && settings.key.is_none() && !new.key.is_set() {
            return Err(PageError::mistake("tariff-needs-key", "key"));
        }
        if !visit.field("anyway")?.is_empty() {
            if settings.needs_key() {
                set_up(visit, chosen.field, new).await?;
            }
            continue;
        }
        let asked = settings.clone().with_key(&new.key);
        let (store, now) = (Arc::clone(&app.store), app.now().time);
        let tried = trials.run(move || try_source(&store, &asked, now)).await?;
        let tried = tried.ok_or(PageError::mistake("trial-busy", chosen.field))?;
        let tried = tried.map_err(|error| {
            PageError::form(chosen.field, source_problem_text(&error, language))
        })?;
        found.answers.push(answer(visit, settings.title(), &tried));
        if settings.needs_key() {
            set_up(visit, chosen.field, new).await?;
        }
        found.asked.push(settings);
    }
    Ok(found)
}

fn answer(visit: &Visit, title: &str, trial: &SourceTrial) -> String {
    let language = visit.language();
    let clocks = ServiceClock::of(&visit.app, language);
    let values = [
        ("source", title.to_owned().into()),
        (
            "count",
            figures::count(trial.compared.count as u64, language).into(),
        ),
        ("from", clocks.when(trial.range.start()).into()),
        ("to", clocks.when(trial.range.end()).into()),
    ];
    language.fill("tariff-source-answers", values)
}

/// Sets up the sources that are chosen and not set up yet.
pub(super) async fn add_sources(
    visit: &Visit,
    account: &Account,
    typed: &TypedTariff,
) -> Result<(), PageError> {
    for chosen in &typed.new_sources {
        let new = new_source(visit, account, (chosen, typed.start.first_day))?;
        set_up(visit, chosen.field, new).await?;
    }
    Ok(())
}

async fn set_up(visit: &Visit, field: &'static str, new: NewPriceSource) -> Result<(), PageError> {
    let language = visit.language();
    let settings = new.settings();
    let settings = settings.map_err(|error| wrong_source(&error, language))?;
    check_source(&visit.app.store, &settings)
        .map_err(|error| PageError::form(field, source_problem_text(&error, language)))?;
    let (store, live) = (
        Arc::clone(&visit.app.store),
        Arc::clone(&visit.app.settings),
    );
    let kept = in_background(move || live.fetch_prices(&store, &new)).await?;
    kept.map_err(|error| match error {
        SettingsError::Store(error) => error.into(),
        _ => PageError::mistake("sources-not-free", field),
    })
}

/// The prices of a past range from these sources, as far as they answer: a preview can do without.
pub(super) async fn past_of(
    trials: &Data<Trials>,
    sources: Vec<PriceSourceSettings>,
    range: TimeRange,
) -> Result<ExtraPrices, PageError> {
    let asked = move || {
        let mut all = ExtraPrices::default();
        for source in &sources {
            if let Ok(mut found) = past_prices(source, range) {
                all.series.append(&mut found.series);
                all.days.append(&mut found.days);
            }
        }
        all
    };
    Ok(trials.run(asked).await?.unwrap_or_default())
}

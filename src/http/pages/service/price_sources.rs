//! `/settings/price-sources`: the sources of prices and colours of days, with the last answer of
//! each, and the form that adds one. The form asks the source first, and shows what it would store.

use std::sync::Arc;

use actix_web::web::Data;
use askama::Template;

use super::connection::ServiceClock;
use super::source_form::{SourceFields, wrong};
use super::source_problem::source_problem_text;
use super::trials::Trials;
use crate::config::SettingsError;
use crate::domain::Timestamp;
use crate::http::gate::AppState;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::settings::parts::layout;
use crate::http::wire::body::in_background;
use crate::price_sources::{
    FetchOutcome, KnownSource, SourceTally, SourceTrial, check_source, try_source,
};
use crate::texts::Language;

#[derive(Template)]
#[template(path = "service/price_sources.html")]
struct SourcesPage {
    layout: Layout,
    sources: Vec<SourceView>,
    accounts: Vec<String>,
    fields: SourceFields,
    trial: Option<TrialView>,
}

/// A source that is asked.
pub(in crate::http::pages) struct SourceView {
    pub(in crate::http::pages) title: String,
    pub(in crate::http::pages) series: String,
    pub(in crate::http::pages) server: String,
    pub(in crate::http::pages) is_bad: bool,
    /// Its last answer, or why there is none.
    pub(in crate::http::pages) state: String,
    /// Prices that differ from stored ones.
    pub(in crate::http::pages) conflict: Option<String>,
    /// The rates that were not taken.
    pub(in crate::http::pages) others: Option<String>,
    /// The section to remove it by; `None` for one from the file.
    pub(in crate::http::pages) section: Option<String>,
}

/// The prices that a source would store.
struct TrialView {
    /// Whether it was added.
    is_kept: bool,
    summary: String,
    conflict: Option<String>,
    /// The rates that were not taken.
    others: Option<String>,
    /// The first prices: the time and the price of a kilowatt-hour; or the date and the type.
    rows: Vec<(String, String)>,
    has_days: bool,
}

/// The most prices that a trial shows.
const MOST_ROWS: usize = 8;

impl SourcesPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let registry = visit.app.store.registry();
        let accounts = registry.accounts().map(|account| account.name.to_string());
        Ok(Self {
            layout: layout(visit)?,
            sources: views(&visit.app, visit.language()),
            accounts: accounts.collect(),
            fields: SourceFields::shown(visit)?,
            trial: None,
        })
    }
}

/// The sources that are asked, those of the file first.
pub(in crate::http::pages) fn views(
    app: &AppState,
    language: &'static Language,
) -> Vec<SourceView> {
    let in_force = app.settings.in_force();
    let clocks = ServiceClock::of(app, language);
    let is_leader = app.store.is_leader();
    let view = |tally: &Arc<SourceTally>| {
        let source = tally.settings();
        let mut kept = in_force.price_sources.iter();
        let kept = kept.find(|one| one.parsed.fills_the_same(source));
        let (is_bad, state) = match tally.last() {
            None if !is_leader => (false, language.say("sources-elsewhere")),
            None => (false, language.say("sources-not-yet")),
            Some((time, Ok(outcome))) => (false, answered(time, outcome, &clocks)),
            Some((time, Err(error))) => {
                let why = source_problem_text(&error, language);
                let values = [("time", clocks.when(time).into()), ("why", why.into())];
                (true, language.fill("polled-failed", values))
            }
        };
        SourceView {
            title: source.title().to_owned(),
            series: source.series.to_string(),
            server: source.server().to_owned(),
            is_bad,
            state,
            conflict: tally.conflicts().map(|found| conflict_text(found, &clocks)),
            others: others_text(&tally.others(), language),
            section: kept.map(|one| one.section.clone()),
        }
    };
    app.price_sources.list().iter().map(view).collect()
}

fn answered(time: Timestamp, outcome: FetchOutcome, clocks: &ServiceClock) -> String {
    let language = clocks.language;
    let number = |count: usize| figures::count(count as u64, language);
    let values = [
        ("time", clocks.when(time).into()),
        ("count", number(outcome.count).into()),
        ("stored", number(outcome.stored).into()),
        ("from", clocks.when(outcome.range.start()).into()),
        ("to", clocks.when(outcome.range.end()).into()),
    ];
    language.fill("sources-answered", values)
}

fn conflict_text((count, first): (usize, Timestamp), clocks: &ServiceClock) -> String {
    let language = clocks.language;
    let count = figures::count(count as u64, language);
    let values = [("count", count.into()), ("time", clocks.when(first).into())];
    language.fill("sources-conflict", values)
}

/// The rates that were not taken; `None` without any.
fn others_text(others: &[String], language: &Language) -> Option<String> {
    let rates = [("rates", others.join("; ").into())];
    (!others.is_empty()).then(|| language.fill("sources-others", rates))
}

impl TrialView {
    fn new(trial: &SourceTrial, is_kept: bool, clocks: &ServiceClock) -> Self {
        let language = clocks.language;
        let compared = &trial.compared;
        let prices = compared.prices.iter().map(|price| {
            let price_text = figures::exact_money(price.price, language);
            (clocks.when(price.from), price_text)
        });
        let days = compared.days.iter();
        let days = days.map(|(day, label)| (day.to_string(), label.to_string()));
        let stored = compared.prices.len() + compared.days.len();
        let number = |count: usize| figures::count(count as u64, language);
        let values = [
            ("count", number(compared.count).into()),
            ("stored", number(stored).into()),
            ("from", clocks.when(trial.range.start()).into()),
            ("to", clocks.when(trial.range.end()).into()),
        ];
        Self {
            is_kept,
            summary: language.fill("sources-trial", values),
            conflict: compared.conflicts.map(|found| conflict_text(found, clocks)),
            others: others_text(&compared.others, language),
            rows: prices.chain(days).take(MOST_ROWS).collect(),
            has_days: !compared.days.is_empty(),
        }
    }
}

/// `GET /settings/price-sources`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&SourcesPage::new(&visit)?))
}

/// `POST /settings/price-sources`: asks the source, and adds it if it answers, or if the form says
/// `anyway`. With `only`, it is only asked.
pub(crate) async fn add(visit: Visit, trials: Data<Trials>) -> PageResult {
    let language = visit.language();
    let new = SourceFields::typed(&visit)?.source(language)?;
    let settings = new.settings().map_err(|error| wrong(&error, language))?;
    let app = &visit.app;
    let is_only = !visit.field("only")?.is_empty();
    let mut trial = None;
    if is_only || visit.field("anyway")?.is_empty() {
        let settings = app.settings.in_force().with_kept_key(settings);
        let (store, now) = (Arc::clone(&app.store), app.now().time);
        let tried = trials.run(move || try_source(&store, &settings, now));
        let tried = tried.await?;
        let tried = tried.ok_or(PageError::mistake("trial-busy", "main"))?;
        trial =
            Some(tried.map_err(|error| {
                PageError::form("source", source_problem_text(&error, language))
            })?);
    }
    if trial.is_none() {
        let checked = new.settings().map_err(|error| wrong(&error, language))?;
        check_source(&app.store, &checked)
            .map_err(|error| PageError::form("source", source_problem_text(&error, language)))?;
    }
    if !is_only {
        let (store, settings) = (Arc::clone(&app.store), Arc::clone(&app.settings));
        let kept = in_background(move || settings.fetch_prices(&store, &new)).await?;
        kept.map_err(|error| match error {
            SettingsError::Store(error) => error.into(),
            _ => PageError::mistake("sources-not-free", "series"),
        })?;
    }
    let Some(trial) = trial else {
        return Ok(see_other("settings/price-sources?done=source"));
    };
    let clocks = ServiceClock::of(app, language);
    let mut page = SourcesPage::new(&visit)?;
    page.trial = Some(TrialView::new(&trial, !is_only, &clocks));
    if is_only {
        page.fields = SourceFields::typed(&visit)?;
    }
    Ok(ok(&page))
}

/// `POST /settings/price-sources/remove`: removes a source; what it stored stays.
pub(crate) async fn remove(visit: Visit) -> PageResult {
    // A browser sends its own line ends.
    let section = visit.field("section")?.replace("\r\n", "\n");
    let app = &visit.app;
    let (store, settings) = (Arc::clone(&app.store), Arc::clone(&app.settings));
    let removed = in_background(move || settings.stop_fetching(&store, &section)).await?;
    match removed {
        Ok(()) => Ok(see_other("settings/price-sources?done=source-removed")),
        Err(error) => {
            log::error!("cannot remove a price source: {error}");
            Err(PageError::mistake("sources-stay", "main"))
        }
    }
}

//! `/settings/home-assistant`: the Home Assistants of the accounts, and the form that adds or
//! changes one. The form asks it who it is, and about the house.

use std::sync::Arc;

use actix_web::web::Data;
use askama::Template;

use super::connection::ServiceClock;
use super::history::{HistoryView, view_of};
use super::home_problem::home_problem_text;
use super::house::{ProposalView, ask_house, link_of, own_entry};
use super::trials::Trials;
use crate::admin::{
    AdminError, TokenPlace, home_assistant_row, put_home_assistant, remove_home_assistant,
    set_sending, typed_home_assistant,
};
use crate::domain::{AccountName, HomeAssistantEntry, Role, Secret};
use crate::home_assistant::{HomeProgress, ReadStage};
use crate::http::gate::HomeAssistantsOf;
use crate::http::operate::home_assistant::may_send;
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::response::{leads_to, ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::settings::parts::{add_first_account, layout, zones};
use crate::http::wire::body::in_background;
use crate::store::StoreError;

#[derive(Template)]
#[template(path = "service/home_assistant.html")]
struct HomeAssistantPage {
    layout: Layout,
    homes: Vec<HomeView>,
    accounts: Vec<String>,
    /// The account of the form.
    account: String,
    address: String,
    /// The house as the account's Home Assistant knows it, once it was asked.
    house: Option<ProposalView>,
    /// Whether a Home Assistant runs this service, so that its sensors need neither an address nor a
    /// token.
    has_own: bool,
    /// The other accounts that could read it.
    others: Vec<String>,
    /// The time zones for the first account.
    zones: Vec<String>,
}

/// The Home Assistant of an account.
struct HomeView {
    account: String,
    address: String,
    is_bad: bool,
    /// Where its token is, and how far it was read.
    how_far: String,
    /// Sensors and entities that are not read.
    problems: Vec<String>,
    /// Whether a person wants its history sent there.
    sends: bool,
    /// The history that is sent.
    history: Option<HistoryView>,
}

impl HomeAssistantPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let app = &visit.app;
        let registry = app.store.registry();
        let clocks = ServiceClock::of(app, visit.language());
        let read = app.homes.list();
        let terms = app.settings.in_force().config.home_terms();
        let wishes = HomeAssistantsOf::of(app).wishes();
        let names = registry.accounts().map(|account| &account.name);
        let homes = names.filter_map(|name| {
            let row = home_assistant_row(&registry, name, &terms)?;
            let mut own = read.iter().filter(|it| it.settings().account == *name);
            let progress = own.next().map(|it| it.progress());
            let language = clocks.language;
            let token = language.word("ha-token", TokenPlace::as_str(row.token));
            let entry = &row.home_assistant;
            let is_leader = app.store.is_leader();
            let how_far = how_far(entry, progress.as_ref(), is_leader, &clocks);
            let other = || wishes.other_sender(&registry, name, &entry.address);
            let is_taken = entry.send && other().is_some();
            let problem = is_taken.then(|| language.say("ha-same-address"));
            let is_failing = progress.as_ref().is_some_and(|it| it.failed.is_some());
            Some(HomeView {
                account: name.to_string(),
                address: row.home_assistant.address.text(),
                is_bad: is_failing || row.token == TokenPlace::Missing,
                how_far: format!("{token} {how_far}"),
                problems: progress
                    .map(|it| it.problems)
                    .into_iter()
                    .flatten()
                    .chain(problem)
                    .collect(),
                sends: row.home_assistant.send,
                history: view_of(app, name, clocks.language),
            })
        });
        let homes: Vec<_> = homes.collect();
        let accounts = registry.accounts().map(|account| account.name.to_string());
        let accounts: Vec<_> = accounts.collect();
        let mut account = visit.param("account")?;
        if !accounts.contains(&account) {
            account = accounts.first().cloned().unwrap_or_default();
        }
        let own = homes.iter().find(|home| home.account == account);
        let has_own = terms.own.is_some();
        let is_free =
            |name: &&String| **name != account && homes.iter().all(|it| it.account != **name);
        Ok(Self {
            layout: layout(visit)?,
            address: own.map_or_else(String::new, |home| home.address.clone()),
            has_own,
            others: accounts
                .iter()
                .filter(is_free)
                .filter(|_| has_own)
                .cloned()
                .collect(),
            zones: if accounts.is_empty() {
                zones("")
            } else {
                Vec::new()
            },
            homes,
            accounts,
            account,
            house: None,
        })
    }

    /// The Home Assistant that runs this service, for an account without one.
    fn own(&self, visit: &Visit) -> Option<(AccountName, HomeAssistantEntry)> {
        if self.homes.iter().any(|home| home.account == self.account) {
            return None;
        }
        // Without accounts, the form adds the first one.
        let account = AccountName::new(&self.account).or_else(|_| AccountName::new("home"));
        Some((account.ok()?, own_entry(visit)?))
    }
}

/// How far a Home Assistant was read, in words.
fn how_far(
    home: &HomeAssistantEntry,
    progress: Option<&HomeProgress>,
    is_leader: bool,
    clocks: &ServiceClock,
) -> String {
    let language = clocks.language;
    if home.sensors.is_empty() {
        return language.say("ha-no-sensors");
    }
    let Some(progress) = progress.filter(|_| is_leader) else {
        return language.say("ha-elsewhere");
    };
    if let Some((time, error)) = &progress.failed {
        let why = home_problem_text(error, language);
        let values = [("time", clocks.when(*time).into()), ("why", why.into())];
        return language.fill("polled-failed", values);
    }
    let number = |count: u64| figures::count(count, language);
    let values = [
        ("sensors", number(home.sensors.len() as u64).into()),
        ("read", number(progress.months.0).into()),
        ("months", number(progress.months.1).into()),
        ("readings", number(progress.readings).into()),
    ];
    match progress.stage {
        ReadStage::History => language.fill("ha-reads-history", values),
        ReadStage::Live => language.fill("ha-reads-live", values),
        ReadStage::Connecting | ReadStage::Waiting => language.say("ha-connecting"),
    }
}

/// `GET /settings/home-assistant?account=...`: asks the Home Assistant that runs this service about
/// the house, if the account has none.
pub(crate) async fn show(visit: Visit, trials: Data<Trials>) -> PageResult {
    let mut page = HomeAssistantPage::new(&visit)?;
    if let Some((account, home)) = page.own(&visit) {
        match ask_house(&visit, &trials, (&account, &home), &Secret::default()).await {
            Ok(house) => page.house = Some(house),
            Err(PageError::Form(problem)) => {
                let known = page.layout.problem.take();
                page.layout.problem = known.or(Some(problem));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(ok(&page))
}

/// `POST /settings/home-assistant`: asks it, and keeps it if it answers, or if the form says
/// `anyway`.
pub(crate) async fn save(visit: Visit, trials: Data<Trials>) -> PageResult {
    add_first_account(&visit).await?;
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let address = visit.trimmed("address")?;
    let token = Secret::new(visit.trimmed("token")?);
    let app = &visit.app;
    let typed = {
        let registry = app.store.registry();
        let known = registry.home_assistant(&account);
        // A file that a command named stays, until somebody types a token or another address.
        let is_same = known.is_some_and(|it| Ok(&it.address) == address.parse().as_ref());
        let file = known.and_then(|it| it.token_file.clone());
        let file = file.filter(|_| is_same && !token.is_set());
        let place = (Some(account.as_str()), Some(address.as_str()));
        let terms = app.settings.in_force().config.home_terms();
        typed_home_assistant(&registry, place, (file, &token), &terms)
    };
    let (account, home) = typed.map_err(|error| mistake(&error))?;
    let mut house = None;
    if visit.field("anyway")?.is_empty() {
        house = Some(ask_house(&visit, &trials, (&account, &home), &token).await?);
    }
    let (store, of) = (Arc::clone(&app.store), account.clone());
    let kept = in_background(move || put_home_assistant(&store, &of, home, token)).await?;
    kept.map_err(|error| match error {
        AdminError::Unfit(StoreError::TooManyHomeAssistants) => {
            PageError::mistake("ha-too-many", "main")
        }
        error => PageError::of_admin(error, |_| "main"),
    })?;
    if house.is_none() {
        let parameters = [("account", account.as_str()), ("done", "ha")];
        return Ok(leads_to("settings/home-assistant", &parameters));
    }
    let page = HomeAssistantPage::new(&visit)?;
    Ok(ok(&HomeAssistantPage {
        account: account.to_string(),
        address,
        house,
        ..page
    }))
}

/// `POST /settings/home-assistant/house`: asks again about the house.
pub(crate) async fn look(visit: Visit, trials: Data<Trials>) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let home = visit.app.store.registry().home_assistant(&account).cloned();
    let home = home.ok_or(PageError::NotFound)?;
    let house = ask_house(&visit, &trials, (&account, &home), &Secret::default()).await?;
    let page = HomeAssistantPage::new(&visit)?;
    Ok(ok(&HomeAssistantPage {
        account: account.to_string(),
        address: home.address.text(),
        house: Some(house),
        ..page
    }))
}

/// `POST /settings/home-assistant/send`: history is sent to it from now on, or no longer.
pub(crate) async fn send(visit: Visit, trials: Data<Trials>) -> PageResult {
    let account = known_account(&visit, &visit.field("account")?)?.name;
    let app = &visit.app;
    let home = app.store.registry().home_assistant(&account).cloned();
    let home = home.ok_or(PageError::NotFound)?;
    let is_sent = visit.field("send")? == "yes";
    if is_sent {
        let link = link_of(&visit, &account, &home, &Secret::default());
        let asked = trials.run(move || may_send(&link)).await?;
        let asked = asked.ok_or(PageError::mistake("trial-busy", "main"))?;
        let language = visit.language();
        asked.map_err(|error| PageError::form("main", home_problem_text(&error, language)))?;
    }
    let (store, of) = (Arc::clone(&app.store), account.clone());
    let wishes = HomeAssistantsOf::of(app).wishes();
    let set = in_background(move || set_sending(&store, &of, is_sent, &wishes)).await?;
    set.map_err(|error| match error.at() {
        "account" => PageError::mistake("ha-same-address", "main"),
        _ => PageError::of_admin(error, |_| "main"),
    })?;
    let done = if is_sent { "ha-sends" } else { "ha-sends-not" };
    let parameters = [("account", account.as_str()), ("done", done)];
    Ok(leads_to("settings/home-assistant", &parameters))
}

/// `POST /settings/home-assistant/remove`: its sensors and their readings stay.
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let account: AccountName = known_account(&visit, &visit.field("account")?)?.name;
    let store = Arc::clone(&visit.app.store);
    let removed = in_background(move || remove_home_assistant(&store, &account)).await?;
    match removed {
        // Without one, the form was sent twice.
        Ok(()) | Err(AdminError::Unfit(_)) => {
            Ok(see_other("settings/home-assistant?done=ha-removed"))
        }
        Err(error) => Err(PageError::of_admin(error, |_| "main")),
    }
}

fn mistake(error: &AdminError) -> PageError {
    match error.at() {
        "token" => PageError::mistake("ha-wrong-token-text", "token"),
        _ => PageError::mistake("ha-wrong-address", "address"),
    }
}

//! `/settings/home-assistant`: the Home Assistants of the accounts, and the form that adds or
//! changes one. The form asks it who it is.

use std::sync::Arc;

use actix_web::web::Data;
use askama::Template;

use super::home_problem::{field_of, home_problem_text};
use super::trials::Trials;
use crate::admin::{
    AdminError, TokenPlace, home_assistant_row, put_home_assistant, remove_home_assistant,
    typed_home_assistant,
};
use crate::domain::{AccountName, Secret};
use crate::home_assistant::{HomeAssistantIdentity, try_home_assistant};
use crate::http::operate::home_assistant::HomeAssistantsOf;
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::response::{leads_to, ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::pages::settings::parts::layout;
use crate::http::wire::body::in_background;
use crate::store::StoreError;
use crate::texts::Language;

#[derive(Template)]
#[template(path = "service/home_assistant.html")]
struct HomeAssistantPage {
    layout: Layout,
    homes: Vec<HomeView>,
    accounts: Vec<String>,
    /// The account of the form.
    account: String,
    address: String,
    /// Who answered the form.
    identity: Option<String>,
}

/// The Home Assistant of an account.
struct HomeView {
    account: String,
    address: String,
    is_bad: bool,
    /// Where its token is.
    state: String,
}

impl HomeAssistantPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let registry = visit.app.store.registry();
        let language = visit.language();
        let names = registry.accounts().map(|account| &account.name);
        let rows = names.filter_map(|name| home_assistant_row(&registry, name));
        let homes = rows.map(|row| HomeView {
            account: row.account.to_string(),
            address: row.home_assistant.address.text(),
            is_bad: row.token == TokenPlace::Missing,
            state: language.word("ha-token", TokenPlace::as_str(row.token)),
        });
        let homes: Vec<_> = homes.collect();
        let accounts = registry.accounts().map(|account| account.name.to_string());
        let accounts: Vec<_> = accounts.collect();
        let mut account = visit.param("account")?;
        if !accounts.contains(&account) {
            account = accounts.first().cloned().unwrap_or_default();
        }
        let own = homes.iter().find(|home| home.account == account);
        Ok(Self {
            layout: layout(visit)?,
            address: own.map_or_else(String::new, |home| home.address.clone()),
            homes,
            accounts,
            account,
            identity: None,
        })
    }
}

/// `GET /settings/home-assistant?account=...`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&HomeAssistantPage::new(&visit)?))
}

/// `POST /settings/home-assistant`: asks it, and keeps it if it answers, or if the form says
/// `anyway`.
pub(crate) async fn save(visit: Visit, trials: Data<Trials>) -> PageResult {
    let language = visit.language();
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
        let place = (Some(account.as_str()), address.as_str());
        typed_home_assistant(&registry, place, (file, &token))
    };
    let (account, home) = typed.map_err(|error| mistake(&error))?;
    let mut identity = None;
    if visit.field("anyway")?.is_empty() {
        let of = HomeAssistantsOf {
            store: &app.store,
            settings: &app.settings,
        };
        let link = of.link(&account, &home, &token);
        let tried = trials.run(move || try_home_assistant(&link)).await?;
        let tried = tried.ok_or(PageError::mistake("trial-busy", "main"))?;
        let tried = tried.map_err(|error| {
            PageError::form(field_of(&error), home_problem_text(&error, language))
        })?;
        identity = Some(identity_text(&tried, language));
    }
    let (store, of) = (Arc::clone(&app.store), account.clone());
    let kept = in_background(move || put_home_assistant(&store, &of, home, token)).await?;
    kept.map_err(|error| match error {
        AdminError::Unfit(StoreError::TooManyHomeAssistants) => {
            PageError::mistake("ha-too-many", "main")
        }
        error => PageError::of_admin(error, |_| "main"),
    })?;
    if identity.is_none() {
        let parameters = [("account", account.as_str()), ("done", "ha")];
        return Ok(leads_to("settings/home-assistant", &parameters));
    }
    let page = HomeAssistantPage::new(&visit)?;
    Ok(ok(&HomeAssistantPage {
        account: account.to_string(),
        address,
        identity,
        ..page
    }))
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

fn identity_text(identity: &HomeAssistantIdentity, language: &Language) -> String {
    let rights = if identity.is_administrator {
        language.say("ha-administrator")
    } else {
        language.say("ha-reader")
    };
    let values = [
        ("location", identity.location.as_str().into()),
        ("version", identity.version.as_str().into()),
        ("person", identity.person.as_str().into()),
    ];
    let who = language.fill("ha-identity", values);
    format!("{who} {rights}")
}

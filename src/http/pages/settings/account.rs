//! The pages to add, change, and remove an account.

use std::fmt::Display;
use std::str::FromStr;

use askama::Template;

use super::parts::{layout, zones};
use crate::admin::{NewAccount, Request};
use crate::domain::{Account, Phases, Plan};
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{leads_to, ok, see_other};
use crate::http::pages::frame::seen::{StoredField, seen};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};

#[derive(Template)]
#[template(path = "settings/account.html")]
struct AccountPage {
    layout: Layout,
    is_new: bool,
    name: String,
    /// Absent while all accounts are paid: only services for customers have plans.
    plan: Option<Plan>,
    zone: String,
    zones: Vec<String>,
    /// Absent for a new account: it has no sensors yet.
    phases: Option<Phases>,
    has_sensors: bool,
    /// The digest of the stored values.
    seen: String,
}

impl AccountPage {
    /// The page of an account, or of a new one.
    fn new(visit: &Visit, account: Option<&Account>) -> Result<Self, PageError> {
        let name = account.map(|it| it.name.to_string());
        let plan = account.map_or(Plan::Paid, |it| it.plan);
        let zone = account.map_or("", |it| it.zone.name());
        let registry = visit.app.store.registry();
        let has_plans = registry.accounts().any(|it| it.plan == Plan::Free);
        let mut sensors = registry.sensors();
        Ok(Self {
            seen: match account {
                Some(account) => seen(&stored(visit, account)?),
                None => String::new(),
            },
            layout: layout(visit)?,
            is_new: account.is_none(),
            name: name.unwrap_or_default(),
            plan: has_plans.then_some(plan),
            zone: zone.to_owned(),
            zones: zones(zone),
            phases: account.map(|it| it.phases),
            has_sensors: sensors.any(|sensor| account.is_some_and(|it| it.name == sensor.account)),
        })
    }
}

/// The fields of the form with their stored values.
fn stored(visit: &Visit, account: &Account) -> Result<Vec<StoredField>, PageError> {
    let label = |name| visit.language().say(name);
    let phases = visit.stored_field("phases", label("account-phases"), account.phases.as_str())?;
    let phases = StoredField {
        words: |language, word| {
            let phases = word.parse().ok()?;
            Some(language.word("account-phases", Phases::as_str(phases)))
        },
        ..phases
    };
    let zone = visit.stored_field("tz", label("account-zone"), account.zone.name())?;
    Ok(vec![zone, phases])
}

/// `GET /settings/account/new`
pub(crate) async fn new(visit: Visit) -> PageResult {
    Ok(ok(&AccountPage::new(&visit, None)?))
}

/// `POST /settings/account/new`
pub(crate) async fn add(visit: Visit) -> PageResult {
    let account = Request::AddAccount(NewAccount {
        name: visit.field("name")?,
        plan: chosen(&visit, "plan")?.unwrap_or(Plan::Paid),
        zone: visit.field("tz")?,
        phases: Phases::default(),
    });
    admin_call(&visit.app, account, field_of).await?;
    Ok(see_other("settings?done=account-added"))
}

/// Reads a choice of the form; `None` if the form lacks the field.
fn chosen<C>(visit: &Visit, field: &'static str) -> Result<Option<C>, PageError>
where
    C: FromStr<Err: Display>,
{
    if visit.field(field)?.is_empty() {
        return Ok(None);
    }
    visit.choice(field).map(Some)
}

fn field_of(field: &str) -> &'static str {
    match field {
        "tz" => "tz",
        _ => "name",
    }
}

/// `GET /settings/account?name=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.param("name")?)?;
    Ok(ok(&AccountPage::new(&visit, Some(&account))?))
}

/// `POST /settings/account`
pub(crate) async fn change(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.field("name")?)?;
    visit.check_seen(&stored(&visit, &account)?)?;
    let name = account.name.to_string();
    // Parsed first, so that a bad choice changes nothing.
    let plan = Request::SetPlan {
        name: name.clone(),
        plan: chosen(&visit, "plan")?.unwrap_or(account.plan),
    };
    let settings = Request::SetAccount {
        name: name.clone(),
        zone: Some(visit.field("tz")?),
        phases: chosen(&visit, "phases")?,
    };
    admin_call(&visit.app, settings, field_of).await?;
    admin_call(&visit.app, plan, field_of).await?;
    let to = [("name", &*name), ("done", "saved")];
    Ok(leads_to("settings/account", &to))
}

/// `POST /settings/account/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let name = known_account(&visit, &visit.field("name")?)?
        .name
        .to_string();
    admin_call(&visit.app, Request::RemoveAccount { name }, |_| "main").await?;
    Ok(see_other("settings?done=account-removed"))
}

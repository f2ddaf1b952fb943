//! The pages to add, change, and remove an account.

use askama::Template;

use super::parts::{layout, zones};
use crate::admin::Request;
use crate::domain::{Account, AccountName, Plan};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::visit::or_again;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};

#[derive(Template)]
#[template(path = "settings/account.html")]
struct AccountPage {
    layout: Layout,
    is_new: bool,
    name: String,
    plan: String,
    zone: String,
    zones: Vec<String>,
    has_sensors: bool,
}

impl AccountPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        Ok(Self {
            layout: layout(visit)?,
            is_new: true,
            name: String::new(),
            plan: Plan::Paid.as_str().to_owned(),
            zone: String::new(),
            zones: zones(""),
            has_sensors: false,
        })
    }

    fn of(visit: &Visit, account: &Account) -> Result<Self, PageError> {
        let registry = visit.app.store.registry();
        let mut sensors = registry.sensors();
        Ok(Self {
            is_new: false,
            name: account.name.to_string(),
            plan: account.plan.as_str().to_owned(),
            zone: account.zone.name().to_owned(),
            zones: zones(account.zone.name()),
            has_sensors: sensors.any(|sensor| sensor.account == account.name),
            ..Self::new(visit)?
        })
    }

    fn plan(&self) -> Result<Plan, PageError> {
        let plan = self.plan.parse();
        plan.map_err(|error| PageError::refused("plan", &format!("plan: {error}")))
    }
}

/// `GET /settings/account/new`
pub(crate) async fn new(visit: Visit) -> PageResult {
    Ok(ok(&AccountPage::new(&visit)?))
}

/// `POST /settings/account/new`
pub(crate) async fn add(visit: Visit) -> PageResult {
    let page = AccountPage {
        name: visit.field("name")?,
        plan: visit.field("plan")?,
        zone: visit.field("tz")?,
        ..AccountPage::new(&visit)?
    };
    let added = try_to_add(&visit, &page).await;
    or_again(added, page, |page| &mut page.layout)
}

async fn try_to_add(visit: &Visit, page: &AccountPage) -> PageResult {
    let account = Request::AddAccount {
        name: page.name.clone(),
        plan: page.plan()?,
        zone: page.zone.clone(),
    };
    admin_call(&visit.app, account, field_of).await?;
    Ok(see_other("settings?done=account-added"))
}

fn field_of(field: &str) -> &'static str {
    match field {
        "tz" => "tz",
        _ => "name",
    }
}

/// `GET /settings/account?name=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let account = known(&visit, &visit.param("name")?)?;
    Ok(ok(&AccountPage::of(&visit, &account)?))
}

fn known(visit: &Visit, name: &str) -> Result<Account, PageError> {
    let registry = visit.app.store.registry();
    let name = AccountName::new(name).map_err(|_| PageError::NotFound)?;
    registry.account(&name).cloned().ok_or(PageError::NotFound)
}

/// `POST /settings/account`
pub(crate) async fn change(visit: Visit) -> PageResult {
    let account = known(&visit, &visit.field("name")?)?;
    let page = AccountPage {
        plan: visit.field("plan")?,
        zone: visit.field("tz")?,
        ..AccountPage::of(&visit, &account)?
    };
    let changed = try_to_change(&visit, &page).await;
    or_again(changed, page, |page| &mut page.layout)
}

async fn try_to_change(visit: &Visit, page: &AccountPage) -> PageResult {
    let name = page.name.clone();
    // Parsed first, so that a bad plan changes nothing.
    let plan = Request::SetPlan {
        name: name.clone(),
        plan: page.plan()?,
    };
    let zone = Request::SetZone {
        name: name.clone(),
        zone: page.zone.clone(),
    };
    admin_call(&visit.app, zone, field_of).await?;
    admin_call(&visit.app, plan, field_of).await?;
    let parameters = [("name", name.as_str()), ("done", "saved")];
    Ok(see_other(&address("settings/account", &parameters)))
}

/// `POST /settings/account/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let name = known(&visit, &visit.field("name")?)?.name.to_string();
    admin_call(&visit.app, Request::RemoveAccount { name }, |_| "main").await?;
    Ok(see_other("settings?done=account-removed"))
}

//! Accounts: added, changed, removed.

use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::done;
use crate::admin::{AdminError, PriceRow, Request};
use crate::domain::account::{Account, AccountName, Plan};
use crate::domain::calendar::Zone;
use crate::domain::price::Price;
use crate::http::gate::state::AppState;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::form::Form;
use crate::http::pages::frame::layout::{Frame, Tab, render, see_other};
use crate::http::pages::frame::problem::{Problem, at};
use crate::http::pages::frame::session::Visitor;
use crate::http::wire::params::param;

/// Which field the errors about an account are told at.
const FIELDS: &[(&str, &str)] = &[
    ("account name", "name"),
    ("time zone", "tz"),
    ("there is an account", "name"),
    ("price", "price"),
];

#[derive(Template)]
#[template(path = "settings/account.html")]
struct AccountPage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<Problem>,
    /// Whether it is still to be added.
    is_new: bool,
    name: String,
    plan: String,
    zone: String,
    zones: Vec<String>,
    /// A decimal per kilowatt-hour, and its currency; empty where there is none.
    price: String,
    currency: String,
    has_sensors: bool,
}

impl AccountPage {
    fn at(&self, field: &str) -> Option<&str> {
        at(self.problem.as_ref(), field)
    }
}

/// The zones to choose from, `chosen` among them.
pub(super) fn zones(chosen: &str) -> Vec<String> {
    let mut zones = Zone::names();
    if !chosen.is_empty() && !zones.iter().any(|zone| zone == chosen) {
        zones.insert(0, chosen.to_owned());
    }
    zones
}

/// `GET /settings/account/new`
pub(in crate::http::pages) async fn new(
    visitor: ReqData<Visitor>,
) -> Result<HttpResponse, PageError> {
    render(StatusCode::OK, &new_page(&visitor))
}

fn new_page(visitor: &Visitor) -> AccountPage {
    AccountPage {
        frame: Frame::new(Tab::Settings, visitor),
        done: None,
        problem: None,
        is_new: true,
        name: String::new(),
        plan: Plan::Paid.as_str().to_owned(),
        zone: String::new(),
        zones: zones(""),
        price: String::new(),
        currency: String::new(),
        has_sensors: false,
    }
}

/// `POST /settings/account/new`
pub(in crate::http::pages) async fn add(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let (name, plan, zone) = (form.text("name")?, form.text("plan")?, form.text("tz")?);
    let added = match parse_plan(&plan) {
        Ok(plan) => {
            let (name, zone) = (name.clone(), zone.clone());
            admin_call(&app, Request::AddAccount { name, plan, zone }).await?
        }
        Err(error) => Err(error),
    };
    let Err(error) = added else {
        return Ok(see_other("/settings?done=account-added"));
    };
    let page = AccountPage {
        problem: Some(Problem::of(&error, FIELDS)),
        zones: zones(""),
        name,
        plan,
        zone,
        ..new_page(&visitor)
    };
    render(StatusCode::UNPROCESSABLE_ENTITY, &page)
}

/// `GET /settings/account?name=…`
pub(in crate::http::pages) async fn show(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let name = param(request.query_string(), "name")?.unwrap_or_default();
    let page = AccountPage {
        done: done(&request)?,
        ..page_of(&app, &visitor, &name)?
    };
    render(StatusCode::OK, &page)
}

fn page_of(app: &AppState, visitor: &Visitor, name: &str) -> Result<AccountPage, PageError> {
    let account = known(app, name)?;
    let registry = app.store.registry();
    let has_sensors = registry
        .sensors()
        .any(|sensor| sensor.account == account.name);
    Ok(AccountPage {
        frame: Frame::new(Tab::Settings, visitor),
        done: None,
        problem: None,
        is_new: false,
        name: account.name.to_string(),
        plan: account.plan.as_str().to_owned(),
        zones: zones(account.zone.name()),
        zone: account.zone.name().to_owned(),
        price: account
            .price
            .as_ref()
            .map(Price::amount)
            .unwrap_or_default(),
        currency: account
            .price
            .as_ref()
            .map(Price::currency)
            .unwrap_or_default()
            .to_owned(),
        has_sensors,
    })
}

fn known(app: &AppState, name: &str) -> Result<Account, PageError> {
    let known = AccountName::new(name)
        .ok()
        .and_then(|name| app.store.registry().account(&name).cloned());
    known.ok_or(PageError::NotFound)
}

/// `POST /settings/account`
pub(in crate::http::pages) async fn change(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let (name, plan, zone) = (form.text("name")?, form.text("plan")?, form.text("tz")?);
    let (price, currency) = (form.text("price")?, form.text("currency")?);
    known(&app, &name)?;
    let changed = match parse_plan(&plan) {
        Ok(plan) => {
            let zone = Request::SetAccount {
                name: name.clone(),
                zone: Some(zone.clone()),
                price: Some(price_row(&price, &currency)),
            };
            let plan = Request::SetPlan {
                name: name.clone(),
                plan,
            };
            match admin_call(&app, zone).await? {
                Ok(_) => admin_call(&app, plan).await?,
                refused => refused,
            }
        }
        Err(error) => Err(error),
    };
    let Err(error) = changed else {
        return Ok(see_other(&address(
            "/settings/account",
            &[("name", &name), ("done", "saved")],
        )));
    };
    let page = AccountPage {
        problem: Some(Problem::of(&error, FIELDS)),
        plan,
        zone,
        price,
        currency,
        ..page_of(&app, &visitor, &name)?
    };
    render(StatusCode::UNPROCESSABLE_ENTITY, &page)
}

/// `POST /settings/account/remove`
pub(in crate::http::pages) async fn remove(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let name = form.text("name")?;
    known(&app, &name)?;
    let removed = admin_call(&app, Request::RemoveAccount { name: name.clone() }).await?;
    let Err(error) = removed else {
        return Ok(see_other("/settings?done=account-removed"));
    };
    let page = AccountPage {
        problem: Some(Problem::of(&error, &[("", "remove")])),
        ..page_of(&app, &visitor, &name)?
    };
    render(StatusCode::UNPROCESSABLE_ENTITY, &page)
}

/// The price of a form: none where its fields are empty. A comma does for a point.
fn price_row(price: &str, currency: &str) -> PriceRow {
    let (price, currency) = (price.trim(), currency.trim());
    if price.is_empty() && currency.is_empty() {
        return PriceRow::None;
    }
    PriceRow::Per {
        kwh: price.replace(',', "."),
        currency: currency.to_owned(),
    }
}

fn parse_plan(text: &str) -> Result<Plan, AdminError> {
    text.parse()
        .map_err(|error| AdminError::Invalid(format!("plan: {error}")))
}

//! `/settings`: all that is set, on one page; each of it has a page of its own, where it is changed.

pub(super) mod account;
pub(super) mod description;
pub(super) mod key;
pub(super) mod password;
pub(super) mod sensor;
pub(super) mod steps;

use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use crate::admin::SensorRow;
use crate::domain::account::{AccountName, ApiId};
use crate::domain::calendar::Zone;
use crate::domain::password::Password;
use crate::domain::sensor::SensorId;
use crate::http::gate::state::AppState;
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::layout::{Frame, Tab, render};
use crate::http::pages::frame::problem::{Problem, at};
use crate::http::pages::frame::session::Visitor;
use crate::http::pages::frame::{admin_call, figures};
use crate::http::wire::params::param;

#[derive(Template)]
#[template(path = "settings/overview.html")]
struct Overview {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<Problem>,
    sensors: Vec<SensorView>,
    accounts: Vec<AccountView>,
    keys: Vec<KeyView>,
}

impl Overview {
    const MIN_CHARS: usize = Password::MIN_CHARS;

    fn at(&self, field: &str) -> Option<&str> {
        at(self.problem.as_ref(), field)
    }
}

/// What is shown of a sensor.
struct SensorView {
    id: String,
    name: String,
    account: String,
    authorized: bool,
    role: &'static str,
    register: &'static str,
    is_active: bool,
    /// By the clocks of its account.
    last_upload: Option<String>,
    zone: String,
    readings: String,
}

impl SensorView {
    fn new(app: &AppState, row: SensorRow) -> Self {
        let zone = zone_of(app, &row.account);
        let last_upload = SensorId::new(&row.sensor_id)
            .ok()
            .and_then(|id| app.store.activity(&id)?.arrivals)
            .and_then(|arrivals| arrivals.last_upload(app.counted_now()));
        Self {
            last_upload: last_upload.map(|time| figures::date_and_clock(time, &zone)),
            zone: zone.name().to_owned(),
            id: row.sensor_id,
            name: row.name,
            account: row.account,
            authorized: row.authorized,
            role: row.role.as_str(),
            register: row.register.as_str(),
            is_active: row.active,
            readings: figures::count(row.readings),
        }
    }
}

/// What is shown of an account.
struct AccountView {
    name: String,
    plan: &'static str,
    zone: String,
    sensors: usize,
}

/// What is shown of a credential.
struct KeyView {
    api_id: String,
    label: String,
    account: String,
    scope: &'static str,
    last_used: Option<String>,
}

/// `GET /settings`
pub(super) async fn show(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    overview(&app, &visitor, StatusCode::OK, done(&request)?, None).await
}

async fn overview(
    app: &AppState,
    visitor: &Visitor,
    status: StatusCode,
    done: Option<&'static str>,
    problem: Option<Problem>,
) -> Result<HttpResponse, PageError> {
    let sensors = admin_call::sensors(app).await?;
    let registry = app.store.registry();
    let accounts = registry.accounts().map(|account| AccountView {
        name: account.name.to_string(),
        plan: account.plan.as_str(),
        zone: account.zone.name().to_owned(),
        sensors: registry
            .sensors()
            .filter(|sensor| sensor.account == account.name)
            .count(),
    });
    let keys = registry.credentials().map(|credential| KeyView {
        api_id: credential.api_id.to_string(),
        label: credential.label.clone(),
        account: credential.account.to_string(),
        scope: key::scope_in_words(credential.scope),
        last_used: last_used(app, &credential.api_id, &credential.account),
    });
    let page = Overview {
        frame: Frame::new(Tab::Settings, visitor),
        done,
        problem,
        accounts: accounts.collect(),
        keys: keys.collect(),
        sensors: sensors
            .into_iter()
            .map(|row| SensorView::new(app, row))
            .collect(),
    };
    render(status, &page)
}

/// When a credential was used last, by the clocks of its account.
fn last_used(app: &AppState, api_id: &ApiId, account: &AccountName) -> Option<String> {
    let time = app.store.last_use(api_id)?;
    Some(figures::date_and_clock(
        time,
        &zone_of(app, account.as_str()),
    ))
}

fn zone_of(app: &AppState, account: &str) -> Zone {
    let registry = app.store.registry();
    let account = AccountName::new(account)
        .ok()
        .and_then(|name| registry.account(&name).cloned());
    account.map_or(Zone::UTC, |account| account.zone)
}

/// What came of the form before, which the address tells by a word.
fn done(request: &HttpRequest) -> Result<Option<&'static str>, PageError> {
    let word = param(request.query_string(), "done")?;
    Ok(match word.as_deref() {
        Some("password") => Some("Password changed. All other browsers were signed out."),
        Some("account-added") => Some("Account added."),
        Some("account-removed") => Some("Account and its API keys removed."),
        Some("key-revoked") => Some("API key revoked."),
        Some("sensor-added") => Some("Sensor added."),
        Some("sensor-removed") => Some("Sensor and its readings removed."),
        Some("saved") => Some("Saved."),
        Some("authorized") => {
            Some("Sensor authorized: it can upload, and its readings can be downloaded.")
        }
        Some("revoked") => Some(
            "Sensor revoked: it cannot upload, and its readings cannot be downloaded. They are kept.",
        ),
        _ => None,
    })
}

//! Sensors: added, changed, authorized, revoked, removed.

use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use serde::Serialize;

use super::account::zones;
use super::{SensorView, done, key, steps};
use crate::admin::{AdminError, Request, SensorTerms};
use crate::domain::account::{Plan, Scope};
use crate::http::gate::state::AppState;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::form::Form;
use crate::http::pages::frame::layout::{Frame, Tab, render, see_other};
use crate::http::pages::frame::problem::{Problem, at};
use crate::http::pages::frame::session::Visitor;
use crate::http::wire::params::param;

/// Which field the errors about a new sensor are told at.
const FIELDS: &[(&str, &str)] = &[
    ("sensor id", "id"),
    ("account name", "account"),
    ("there is an account", "account"),
    ("there is no account", "account"),
    ("time zone", "tz"),
    ("name", "name"),
];

#[derive(Template)]
#[template(path = "settings/new_sensor.html")]
struct NewSensorPage {
    frame: Frame,
    problem: Option<Problem>,
    /// None yet: then the form makes the first.
    accounts: Vec<String>,
    zones: Vec<String>,
    account: String,
    zone: String,
    name: String,
    id: String,
    wants_key: bool,
}

impl NewSensorPage {
    fn at(&self, field: &str) -> Option<&str> {
        at(self.problem.as_ref(), field)
    }
}

#[derive(Template)]
#[template(path = "settings/sensor.html")]
struct SensorPage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<Problem>,
    sensor: SensorView,
}

impl SensorPage {
    fn at(&self, field: &str) -> Option<&str> {
        at(self.problem.as_ref(), field)
    }
}

/// `GET /settings/sensor/new`
pub(in crate::http::pages) async fn new(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
) -> Result<HttpResponse, PageError> {
    render(StatusCode::OK, &new_page(&app, &visitor))
}

fn new_page(app: &AppState, visitor: &Visitor) -> NewSensorPage {
    let registry = app.store.registry();
    let accounts = registry.accounts().map(|account| account.name.to_string());
    let accounts: Vec<String> = accounts.collect();
    let is_first = accounts.is_empty();
    NewSensorPage {
        frame: Frame::new(Tab::Settings, visitor),
        problem: None,
        zones: if is_first { zones("") } else { Vec::new() },
        account: if is_first { "home" } else { "" }.to_owned(),
        accounts,
        zone: String::new(),
        name: String::new(),
        id: String::new(),
        wants_key: true,
    }
}

/// `POST /settings/sensor/new`: adds the sensor, before it the account where there was none, and after it a key where one is
/// wanted. Where it stops on the way, what was added stays, and the form can be sent again.
pub(in crate::http::pages) async fn add(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let mut page = new_page(&app, &visitor);
    page.account = form.text("account")?;
    page.zone = form.text("tz")?;
    page.name = form.text("name")?;
    page.id = form.text("id")?;
    page.wants_key = form.text("key")? == "yes";
    if let Err(error) = try_to_add(&app, &page).await? {
        // An account may have been added before.
        page.accounts = new_page(&app, &visitor).accounts;
        page.problem = Some(Problem::of(&error, FIELDS));
        return render(StatusCode::UNPROCESSABLE_ENTITY, &page);
    }
    if !page.wants_key {
        return Ok(see_other(&address(
            "/settings/sensor",
            &[("id", &page.id), ("done", "sensor-added")],
        )));
    }
    let label = if page.name.is_empty() {
        &page.id
    } else {
        &page.name
    };
    match key::make(&app, &page.account, Scope::Write, label).await? {
        Ok(made) => steps::answer(&app, &visitor, &request, &page.id, label, &made),
        Err(error) => {
            page.problem = Some(Problem::of(&error, FIELDS));
            render(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
    }
}

async fn try_to_add(
    app: &AppState,
    page: &NewSensorPage,
) -> Result<Result<(), AdminError>, PageError> {
    // Adding one again only authorizes it, which is not what a form that says `add` is for.
    let registry = app.store.registry();
    if registry
        .sensors()
        .any(|sensor| sensor.id.as_str() == page.id)
    {
        let text = format!("sensor id: sensor {:?} already exists", page.id);
        return Ok(Err(AdminError::Exists(text)));
    }
    if page.accounts.is_empty() {
        let account = Request::AddAccount {
            name: page.account.clone(),
            plan: Plan::Paid,
            zone: page.zone.clone(),
        };
        if let Err(error) = admin_call(app, account).await? {
            return Ok(Err(error));
        }
    }
    let sensor = Request::AddSensor {
        id: page.id.clone(),
        account: page.account.clone(),
        terms: SensorTerms {
            name: Some(page.name.clone()).filter(|name| !name.is_empty()),
            ..SensorTerms::default()
        },
    };
    Ok(admin_call(app, sensor).await?.map(drop))
}

/// `GET /settings/sensor?id=…`
pub(in crate::http::pages) async fn show(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let id = param(request.query_string(), "id")?.unwrap_or_default();
    let page = SensorPage {
        done: done(&request)?,
        ..page_of(&app, &visitor, &id).await?
    };
    render(StatusCode::OK, &page)
}

async fn page_of(app: &AppState, visitor: &Visitor, id: &str) -> Result<SensorPage, PageError> {
    let row = admin_call::sensor(app, id).await?;
    Ok(SensorPage {
        frame: Frame::new(Tab::Settings, visitor),
        done: None,
        problem: None,
        sensor: SensorView::new(app, row),
    })
}

/// Whether a sensor's readings come, for a page that waits for the first.
#[derive(Serialize)]
struct State {
    readings: u64,
    active: bool,
}

/// `GET /settings/sensor/state?id=…`: JSON.
pub(in crate::http::pages) async fn state(
    app: Data<AppState>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let id = param(request.query_string(), "id")?.unwrap_or_default();
    let row = admin_call::sensor(&app, &id).await?;
    Ok(HttpResponse::Ok().json(State {
        readings: row.readings,
        active: row.active,
    }))
}

/// `POST /settings/sensor/change`: its name and what it measures.
pub(in crate::http::pages) async fn change(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let id = form.text("id")?;
    let request = Request::SetSensor {
        id: id.clone(),
        terms: SensorTerms {
            name: Some(form.text("name")?),
            role: form.text("role")?.parse().ok(),
            register: form.text("register")?.parse().ok(),
        },
    };
    changed(&app, &visitor, &id, request, "saved", "name").await
}

/// `POST /settings/sensor/authorize`
pub(in crate::http::pages) async fn authorize(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let id = form.text("id")?;
    let authorized = form.text("authorized")? == "yes";
    let request = Request::AuthorizeSensor {
        id: id.clone(),
        authorized,
    };
    let word = if authorized { "authorized" } else { "revoked" };
    changed(&app, &visitor, &id, request, word, "authorize").await
}

/// Has a change of a sensor made, and shows it again.
async fn changed(
    app: &AppState,
    visitor: &Visitor,
    id: &str,
    request: Request,
    word: &str,
    field: &'static str,
) -> Result<HttpResponse, PageError> {
    let before = page_of(app, visitor, id).await?;
    match admin_call(app, request).await? {
        Ok(_) => Ok(see_other(&address(
            "/settings/sensor",
            &[("id", id), ("done", word)],
        ))),
        Err(error) => {
            let page = SensorPage {
                problem: Some(Problem::of(&error, &[("", field)])),
                ..before
            };
            render(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
    }
}

/// `POST /settings/sensor/remove`: only with its id typed, since the readings go with it.
pub(in crate::http::pages) async fn remove(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let (id, typed) = (form.text("id")?, form.text("typed")?);
    let page = page_of(&app, &visitor, &id).await?;
    let problem = if typed == id {
        match admin_call(&app, Request::RemoveSensor { id }).await? {
            Ok(_) => return Ok(see_other("/settings?done=sensor-removed")),
            Err(error) => Problem::of(&error, &[("", "typed")]),
        }
    } else {
        Problem::new("typed", "This is not the sensor id. Nothing was removed.")
    };
    let page = SensorPage {
        problem: Some(problem),
        ..page
    };
    render(StatusCode::UNPROCESSABLE_ENTITY, &page)
}

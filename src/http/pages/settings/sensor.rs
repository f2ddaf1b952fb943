//! The pages to add, change, authorize, revoke, and remove a sensor.

use actix_web::HttpResponse;
use askama::Template;
use serde::Serialize;

use super::parts::{SensorView, account_names, layout, zones};
use super::{key, steps};
use crate::admin::{Request, SensorTerms};
use crate::domain::{Plan, Role, Scope, Sign};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::{self, admin_call};
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::visit::or_again;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};

/// The fields of the form, by the prefix of the errors about adding the account; the first one for all other errors.
const ACCOUNT_FIELDS: &[(&str, &str)] = &[("account name", "account"), ("time zone", "tz")];
/// The same for adding the sensor.
const SENSOR_FIELDS: &[(&str, &str)] = &[
    ("sensor id", "id"),
    ("account name", "account"),
    ("there is no account", "account"),
    ("name", "name"),
];

#[derive(Template)]
#[template(path = "settings/new_sensor.html")]
struct NewSensorPage {
    layout: Layout,
    /// If empty, the form adds the first account, too.
    accounts: Vec<String>,
    zones: Vec<String>,
    account: String,
    zone: String,
    name: String,
    id: String,
    role: Role,
    wants_key: bool,
}

impl NewSensorPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let accounts = account_names(&visit.app);
        let is_first = accounts.is_empty();
        Ok(Self {
            layout: layout(visit)?,
            zones: if is_first { zones("") } else { Vec::new() },
            account: if is_first { "home" } else { "" }.to_owned(),
            accounts,
            zone: String::new(),
            name: String::new(),
            id: String::new(),
            role: Role::default(),
            wants_key: true,
        })
    }
}

#[derive(Template)]
#[template(path = "settings/sensor.html")]
struct SensorPage {
    layout: Layout,
    role: Role,
    is_inverted: bool,
    sensor: SensorView,
}

impl SensorPage {
    async fn of(visit: &Visit, id: &str) -> Result<Self, PageError> {
        let row = admin_call::sensor(&visit.app, id).await?;
        Ok(Self {
            layout: layout(visit)?,
            role: row.role,
            is_inverted: row.sign == Sign::Inverted,
            sensor: SensorView::new(&visit.app, row),
        })
    }
}

/// `GET /settings/sensor/new`
pub(crate) async fn new(visit: Visit) -> PageResult {
    Ok(ok(&NewSensorPage::new(&visit)?))
}

/// `POST /settings/sensor/new`: adds the first account if there is none, then the sensor, then a key if wanted. A failure on the way
/// keeps what was added before, and the form can be submitted again.
pub(crate) async fn add(visit: Visit) -> PageResult {
    let mut page = NewSensorPage {
        account: visit.field("account")?,
        zone: visit.field("tz")?,
        name: visit.field("name")?,
        id: visit.field("id")?,
        // The form offers known words only.
        role: visit.field("role")?.parse().unwrap_or_default(),
        wants_key: visit.field("key")? == "yes",
        ..NewSensorPage::new(&visit)?
    };
    let added = try_to_add(&visit, &page).await;
    // The account may have been added, even if the sensor was not.
    page.accounts = account_names(&visit.app);
    or_again(added, page, |page| &mut page.layout)
}

async fn try_to_add(visit: &Visit, page: &NewSensorPage) -> PageResult {
    let app = &visit.app;
    // Adding an existing sensor would authorize it, which nobody expects from this form.
    let registry = app.store.registry();
    if registry.sensors().any(|it| it.id.as_str() == page.id) {
        let text = format!("sensor id: sensor {:?} already exists", page.id);
        return Err(PageError::form("id", &text));
    }
    if page.accounts.is_empty() {
        let account = Request::AddAccount {
            name: page.account.clone(),
            plan: Plan::Paid,
            zone: page.zone.clone(),
        };
        admin_call(app, account, ACCOUNT_FIELDS).await?;
    }
    let sensor = Request::AddSensor {
        id: page.id.clone(),
        account: page.account.clone(),
        terms: SensorTerms {
            name: Some(page.name.clone()).filter(|name| !name.is_empty()),
            role: Some(page.role),
            ..SensorTerms::default()
        },
    };
    admin_call(app, sensor, SENSOR_FIELDS).await?;
    if !page.wants_key {
        return Ok(saved(&page.id, "sensor-added"));
    }
    let label = if page.name.is_empty() {
        &page.id
    } else {
        &page.name
    };
    // A device only uploads: whoever finds its key there can read nothing.
    let key = key::create(app, &page.account, Scope::Write, label, ACCOUNT_FIELDS).await?;
    Ok(steps::show(visit, layout(visit)?, &page.id, label, &key))
}

/// Leads to the page of a sensor, which shows what was `done`.
fn saved(id: &str, done: &str) -> HttpResponse {
    see_other(&address("/settings/sensor", &[("id", id), ("done", done)]))
}

/// `GET /settings/sensor?id=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&SensorPage::of(&visit, &visit.param("id")?).await?))
}

/// What a page that waits for the first reading polls.
#[derive(Serialize)]
struct PolledState {
    readings: u64,
    active: bool,
}

/// `GET /settings/sensor/state?id=…`: JSON.
pub(crate) async fn state(visit: Visit) -> PageResult {
    let row = admin_call::sensor(&visit.app, &visit.param("id")?).await?;
    Ok(HttpResponse::Ok().json(PolledState {
        readings: row.readings,
        active: row.active,
    }))
}

/// `POST /settings/sensor/change`: its name and what it measures.
pub(crate) async fn change(visit: Visit) -> PageResult {
    let id = visit.field("id")?;
    let request = Request::SetSensor {
        id: id.clone(),
        terms: SensorTerms {
            name: Some(visit.field("name")?),
            // The form offers known words only. Any other leaves what is stored.
            role: visit.field("role")?.parse().ok(),
            register: visit.field("register")?.parse().ok(),
            sign: visit.field("sign")?.parse().ok(),
            ..SensorTerms::default()
        },
    };
    // Read before the change, which may be refused: then the form shows what is stored.
    let page = SensorPage::of(&visit, &id).await?;
    let changed = admin_call(&visit.app, request, &[("", "name")]).await;
    or_again(changed.map(|_| saved(&id, "saved")), page, |page| {
        &mut page.layout
    })
}

/// `POST /settings/sensor/authorize`
pub(crate) async fn authorize(visit: Visit) -> PageResult {
    let id = admin_call::sensor(&visit.app, &visit.field("id")?)
        .await?
        .sensor_id;
    let authorized = visit.field("authorized")? == "yes";
    let request = Request::AuthorizeSensor {
        id: id.clone(),
        authorized,
    };
    admin_call(&visit.app, request, &[]).await?;
    let done = if authorized { "authorized" } else { "revoked" };
    Ok(saved(&id, done))
}

/// `POST /settings/sensor/remove`: requires the typed id, as this deletes the readings.
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let id = visit.field("id")?;
    let page = SensorPage::of(&visit, &id).await?;
    let removed = try_to_remove(&visit, id).await;
    or_again(removed, page, |page| &mut page.layout)
}

async fn try_to_remove(visit: &Visit, id: String) -> PageResult {
    if visit.field("typed")? != id {
        let text = "This is not the sensor id. Nothing was removed";
        return Err(PageError::form("typed", text));
    }
    admin_call(&visit.app, Request::RemoveSensor { id }, &[("", "typed")]).await?;
    Ok(see_other("/settings?done=sensor-removed"))
}

//! The pages to change, authorize, revoke, and remove a sensor.

use actix_web::HttpResponse;
use askama::Template;
use serde::Serialize;

use super::parts::{SensorView, layout};
use crate::admin::{OrNone, Request, SensorRow, SensorTerms};
use crate::domain::{
    AccountName, Between, MeterKind, PowerLimit, Role, Rollover, SensorId, Sign, SilentAfter,
};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::{self, admin_call};
use crate::http::pages::frame::at_grid::grid_answer;
use crate::http::pages::frame::figures;
use crate::http::pages::frame::response::{leads_to, ok, see_other};
use crate::http::pages::frame::seen::StoredField;
use crate::http::pages::frame::typed_number::field_text;
use crate::http::pages::frame::{FormField, Layout, PageError, PageResult, ShownFields, Visit};
use crate::locks::lock;
use crate::texts::Language;

const WH_PER_KWH: f64 = 1_000.0;

#[derive(Template)]
#[template(path = "settings/sensor.html")]
struct SensorPage {
    layout: Layout,
    fields: ShownFields,
    /// The addresses of its events, to type in its register, and to report a change of its meter.
    events: String,
    typed: String,
    change: String,
    /// The sensors that it can be part of: id and name of the account's other sensors.
    others: Vec<(String, String)>,
    sensor: SensorView,
}

impl SensorPage {
    async fn of(visit: &Visit, id: &str) -> Result<Self, PageError> {
        let row = admin_call::sensor(&visit.app, id).await?;
        let again = visit.is_again() && visit.field("more")? == "yes";
        let registry = visit.app.store.registry();
        let others = registry
            .sensors()
            .filter(|it| it.account.as_str() == row.account && it.id.as_str() != row.sensor_id);
        let others = others.map(|it| (it.id.to_string(), it.name.clone()));
        Ok(Self {
            layout: layout(visit)?,
            fields: visit.shown_fields(stored(visit, &row)?, again),
            others: others.collect(),
            events: address("events", &[("sensor", &row.sensor_id)]),
            typed: address("meter", &[("sensor", &row.sensor_id)]),
            change: address("meter/change", &[("sensor", &row.sensor_id)]),
            sensor: SensorView::new(&visit.app, row, visit.language()),
        })
    }
}

/// A field of a sensor's form.
type SensorField = FormField<SensorRow, SensorTerms>;

/// The fields that each form has. The form offers only known words; any other changes nothing.
static USUAL: [SensorField; 6] = [
    SensorField::labelled("settings-name", "name")
        .stored(|row, _| row.name.clone())
        .changes(|terms, name| terms.name = Some(name)),
    SensorField::labelled("role-title", "role")
        .stored(|row, _| row.role.as_str().to_owned())
        .offers(|language, word| Some(language.word("role", Role::as_str(word.parse().ok()?))))
        .changes(|terms, word| terms.role = word.parse().ok()),
    SensorField::labelled("sensor-register", "register")
        .stored(|row, _| row.register.as_str().to_owned())
        .offers(|language, word| {
            let kind = word.parse().ok()?;
            Some(language.word("sensor-register", MeterKind::as_str(kind)))
        })
        .changes(|terms, word| terms.register = word.parse().ok()),
    SensorField::labelled("sensor-power-sign", "power_sign")
        .stored(|row, _| row.power_sign.as_str().to_owned())
        .offers(sign_text)
        .changes(|terms, word| terms.power_sign = word.parse().ok()),
    SensorField::labelled("sensor-register-sign", "register_sign")
        .stored(|row, _| row.register_sign.as_str().to_owned())
        .offers(sign_text)
        .changes(|terms, word| terms.register_sign = word.parse().ok()),
    SensorField::labelled("sensor-between", "between")
        .stored(|row, _| row.between.as_str().to_owned())
        .offers(|language, word| {
            let between = word.parse().ok()?;
            Some(language.word("sensor-between", Between::as_str(between)))
        })
        .changes(|terms, word| terms.between = word.parse().ok()),
];

/// The fields that are rarely set. An empty one resets its term.
static RARE: [SensorField; 5] = [
    SensorField::labelled("wizard-part-of", "part_of")
        .stored(|row, _| row.part_of.clone().unwrap_or_default())
        .changes(|terms, id| terms.part_of = or_none(&id, |id| Some(id.to_owned()))),
    SensorField::labelled("sensor-silence", "silent_after")
        .stored(|row, _| {
            row.silent_after
                .map_or_else(String::new, |it| it.to_string())
        })
        .mistake("sensor-silence-problem", |terms, text, _| {
            let read = |text: &str| text.parse().ok().and_then(SilentAfter::minutes);
            terms.silent_after = Some(or_none(text, read)?);
            Some(())
        }),
    SensorField::labelled("sensor-plausible", "plausible")
        .stored(|row, _| row.plausible.to_string())
        .mistake("sensor-plausible-problem", |terms, text, _| {
            terms.plausible = match text {
                "" => Some(PowerLimit::default()),
                watts => Some(watts.parse().ok()?),
            };
            Some(())
        }),
    SensorField::labelled("sensor-rollover", "rollover")
        .stored(|row, language| {
            let kilowatthours = row.rollover.map(|wh| (wh / WH_PER_KWH).to_string());
            kilowatthours.map_or_else(String::new, |number| field_text(&number, language))
        })
        .mistake("sensor-rollover-problem", |terms, text, numbers| {
            let read = |text: &str| numbers.kilowatthours(text).and_then(Rollover::at);
            terms.rollover = Some(or_none(text, read)?);
            Some(())
        }),
    SensorField::labelled("sensor-home-assistant", "home_assistant")
        .stored(|row, _| if row.home_assistant { "yes" } else { "" }.to_owned())
        .changes(|terms, choice| terms.home_assistant = Some(choice == "yes")),
];

fn sign_text(language: &Language, word: &str) -> Option<String> {
    Some(language.word("sensor", Sign::as_str(word.parse().ok()?)))
}

/// The fields of the form with their stored values.
fn stored(visit: &Visit, row: &SensorRow) -> Result<Vec<StoredField>, PageError> {
    let fields = USUAL.iter().chain(&RARE);
    fields.map(|it| it.stored_in(row, visit)).collect()
}

/// The term in a field, or none for an empty field; `None` if the field contains no valid term.
fn or_none<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<OrNone<T>> {
    if text.is_empty() {
        return Some(OrNone::None);
    }
    read(text).map(OrNone::Is)
}

/// Leads to the page of a sensor, which reports the change named by `done`.
fn saved(id: &str, done: &str) -> HttpResponse {
    leads_to("settings/sensor", &[("id", id), ("done", done)])
}

/// `GET /settings/sensor?id=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&SensorPage::of(&visit, &visit.param("id")?).await?))
}

/// The state that a page polls while it waits for the first reading.
#[derive(Serialize)]
struct PolledState {
    readings: u64,
    active: bool,
    /// While the readings of a file are stored: how many are, and how many will be, in the
    /// reader's language.
    #[serde(skip_serializing_if = "Option::is_none")]
    importing: Option<String>,
}

/// `GET /settings/sensor/state?id=…`: JSON.
pub(crate) async fn state(visit: Visit) -> PageResult {
    let row = admin_call::sensor(&visit.app, &visit.param("id")?).await?;
    let importing = lock(&visit.app.imports).get(&row.sensor_id).copied();
    Ok(HttpResponse::Ok().json(PolledState {
        readings: row.readings,
        active: row.active,
        importing: importing.map(|counts| {
            counts
                .map(|count| figures::count(count, visit.language()))
                .join(" / ")
        }),
    }))
}

/// `POST /settings/sensor/change`: changes its name and its measures.
pub(crate) async fn change(visit: Visit) -> PageResult {
    let row = admin_call::sensor(&visit.app, &visit.field("id")?).await?;
    visit.check_seen(&stored(&visit, &row)?)?;
    let id = row.sensor_id.clone();
    let numbers = visit.numbers();
    let mut terms = SensorTerms {
        // From a form made before there were two signs.
        sign: visit.field("sign")?.parse().ok(),
        ..SensorTerms::default()
    };
    visit.change_by(&USUAL, &numbers, &mut terms)?;
    if visit.field("more")? == "yes" {
        visit.change_by(&RARE, &numbers, &mut terms)?;
    }
    visit.ask(&numbers.questions())?;
    let role = terms.role.filter(|role| *role != row.role);
    if let (Some(role), Ok(account), Ok(sensor)) =
        (role, AccountName::new(&row.account), SensorId::new(&id))
    {
        terms.at_grid = grid_answer(&visit, &account, [(sensor, role)])?;
    }
    let request = Request::SetSensor {
        id: id.clone(),
        terms,
    };
    let changed = admin_call(&visit.app, request, |field| match field {
        "name" => "name",
        _ => "part_of",
    });
    changed.await?;
    Ok(saved(&id, "saved"))
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
    admin_call(&visit.app, request, |_| "main").await?;
    let done = if authorized { "authorized" } else { "revoked" };
    Ok(saved(&id, done))
}

/// `POST /settings/sensor/remove`: requires the typed id, because this deletes the readings.
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let id = visit.field("id")?;
    if visit.field("typed")? != id {
        return Err(PageError::mistake("sensor-not-its-id", "typed"));
    }
    admin_call(&visit.app, Request::RemoveSensor { id }, |_| "typed").await?;
    Ok(see_other("settings?done=sensor-removed"))
}

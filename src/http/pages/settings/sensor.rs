//! The pages to change, authorize, revoke, and remove a sensor.

use actix_web::HttpResponse;
use askama::Template;
use serde::Serialize;

use super::parts::{SensorView, layout};
use crate::admin::{OrNone, Request, SensorRow, SensorTerms};
use crate::domain::{Between, MeterKind, PowerLimit, Role, Rollover, Sign, SilentAfter};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::{self, admin_call};
use crate::http::pages::frame::figures;
use crate::http::pages::frame::response::{leads_to, ok, see_other};
use crate::http::pages::frame::seen::{StoredField, seen};
use crate::http::pages::frame::typed_number::field_text;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::locks::lock;
use crate::texts::Language;

const WH_PER_KWH: f64 = 1_000.0;

#[derive(Template)]
#[template(path = "settings/sensor.html")]
struct SensorPage {
    layout: Layout,
    role: &'static str,
    /// The choices of each sign: the name of its field, its title, and the sign in effect.
    signs: [(&'static str, String, Sign); 2],
    is_held: bool,
    /// The addresses of its events, to type in its register, and to report a change of its meter.
    events: String,
    typed: String,
    change: String,
    /// The sensors that it can be part of: id and name of the account's other sensors.
    others: Vec<(String, String)>,
    /// In minutes; empty if it is learnt.
    silent_after: String,
    /// In kilowatt-hours; empty if there is none.
    rollover: String,
    sensor: SensorView,
    /// The digest of the stored values.
    seen: String,
}

impl SensorPage {
    async fn of(visit: &Visit, id: &str) -> Result<Self, PageError> {
        let mut row = admin_call::sensor(&visit.app, id).await?;
        let seen = seen(&stored(&row, visit.language()));
        let again = visit.is_again() && visit.field("more")? == "yes";
        if again {
            put_typed(visit, &mut row)?;
        }
        let registry = visit.app.store.registry();
        let others = registry
            .sensors()
            .filter(|it| it.account.as_str() == row.account && it.id.as_str() != row.sensor_id);
        let others = others.map(|it| (it.id.to_string(), it.name.clone()));
        let language = visit.language();
        let in_words = |number: Option<String>| number.unwrap_or_default();
        Ok(Self {
            layout: layout(visit)?,
            others: others.collect(),
            silent_after: if again {
                visit.field("silent_after")?
            } else {
                in_words(row.silent_after.map(|minutes| minutes.to_string()))
            },
            rollover: if again {
                visit.field("rollover")?
            } else {
                rollover_text(&row, language)
            },
            role: row.role.as_str(),
            signs: [
                (
                    "power_sign",
                    language.say("sensor-power-sign"),
                    row.power_sign,
                ),
                (
                    "register_sign",
                    language.say("sensor-register-sign"),
                    row.register_sign,
                ),
            ],
            is_held: row.between == Between::Hold,
            events: address("events", &[("sensor", &row.sensor_id)]),
            typed: address("meter", &[("sensor", &row.sensor_id)]),
            change: address("meter/change", &[("sensor", &row.sensor_id)]),
            sensor: SensorView::new(&visit.app, row, language),
            seen,
        })
    }
}

fn rollover_text(row: &SensorRow, language: &Language) -> String {
    let kilowatthours = row.rollover.map(|wh| (wh / WH_PER_KWH).to_string());
    kilowatthours.map_or_else(String::new, |number| field_text(&number, language))
}

/// Replaces the stored values by the typed ones if a form is shown again. Numbers are shown as
/// typed, right or wrong.
fn put_typed(visit: &Visit, row: &mut SensorRow) -> Result<(), PageError> {
    row.name = visit.field("name")?;
    // The form offers only known words.
    row.role = visit.field("role")?.parse().unwrap_or(row.role);
    row.register = visit.field("register")?.parse().unwrap_or(row.register);
    row.power_sign = visit.field("power_sign")?.parse().unwrap_or(row.power_sign);
    let register_sign = visit.field("register_sign")?.parse();
    row.register_sign = register_sign.unwrap_or(row.register_sign);
    row.between = visit.field("between")?.parse().unwrap_or(row.between);
    row.plausible = visit.field("plausible")?.parse().unwrap_or(row.plausible);
    row.part_of = Some(visit.field("part_of")?).filter(|id| !id.is_empty());
    row.home_assistant = visit.field("home_assistant")? == "yes";
    Ok(())
}

fn role_text(language: &Language, word: &str) -> String {
    let role = word.parse::<Role>().unwrap_or_default();
    language.word("role", Role::as_str(role))
}

fn register_text(language: &Language, word: &str) -> String {
    let kind = word.parse::<MeterKind>().unwrap_or_default();
    language.word("sensor-register", MeterKind::as_str(kind))
}

fn between_text(language: &Language, word: &str) -> String {
    let between = word.parse::<Between>().unwrap_or_default();
    language.word("sensor-between", Between::as_str(between))
}

/// The fields of the form with their stored values.
fn stored(row: &SensorRow, language: &Language) -> Vec<StoredField> {
    let say = |name| language.say(name);
    let sign = |language: &Language, sign: &str| match sign {
        "inverted" => language.say("sensor-inverted"),
        _ => language.say("sensor-as-is"),
    };
    let number = |number: Option<u32>| number.map_or_else(String::new, |it| it.to_string());
    let with = |field, label, stored: &str, words| StoredField {
        words,
        ..StoredField::plain(field, label, stored)
    };
    let part_of = row.part_of.clone().unwrap_or_default();
    let home_assistant = if row.home_assistant { "yes" } else { "" };
    vec![
        StoredField::plain("name", say("settings-name"), &*row.name),
        with("role", say("role-title"), row.role.as_str(), role_text),
        with(
            "register",
            say("sensor-register"),
            row.register.as_str(),
            register_text,
        ),
        with(
            "power_sign",
            say("sensor-power-sign"),
            row.power_sign.as_str(),
            sign,
        ),
        with(
            "register_sign",
            say("sensor-register-sign"),
            row.register_sign.as_str(),
            sign,
        ),
        with(
            "between",
            say("sensor-between"),
            row.between.as_str(),
            between_text,
        ),
        StoredField::plain("part_of", say("wizard-part-of"), part_of),
        StoredField::plain(
            "silent_after",
            say("sensor-silence"),
            number(row.silent_after),
        ),
        StoredField::plain(
            "plausible",
            say("sensor-plausible"),
            row.plausible.to_string(),
        ),
        StoredField::plain(
            "rollover",
            say("sensor-rollover"),
            rollover_text(row, language),
        ),
        StoredField::plain(
            "home_assistant",
            say("sensor-home-assistant"),
            home_assistant,
        ),
    ]
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
    visit.check_seen(&stored(&row, visit.language()))?;
    let id = row.sensor_id;
    let terms = SensorTerms {
        name: Some(visit.field("name")?),
        // The form offers only known words. Any other leaves the stored value unchanged.
        role: visit.field("role")?.parse().ok(),
        register: visit.field("register")?.parse().ok(),
        // From a form made before there were two signs.
        sign: visit.field("sign")?.parse().ok(),
        power_sign: visit.field("power_sign")?.parse().ok(),
        register_sign: visit.field("register_sign")?.parse().ok(),
        between: visit.field("between")?.parse().ok(),
        ..rarely_set(&visit)?
    };
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

/// Terms that are rarely set, if the form has them; an empty field resets a term.
fn rarely_set(visit: &Visit) -> Result<SensorTerms, PageError> {
    if visit.field("more")? != "yes" {
        return Ok(SensorTerms::default());
    }
    let silence = or_none(&visit.trimmed("silent_after")?, |text| {
        text.parse().ok().and_then(SilentAfter::minutes)
    });
    let numbers = visit.numbers();
    let rollover = or_none(&visit.trimmed("rollover")?, |text| {
        numbers.kilowatthours(text).and_then(Rollover::at)
    });
    let plausible = match &*visit.trimmed("plausible")? {
        "" => PowerLimit::default(),
        text => text
            .parse()
            .map_err(|_| PageError::mistake("sensor-plausible-problem", "plausible"))?,
    };
    let part_of = or_none(&visit.field("part_of")?, |id| Some(id.to_owned()));
    visit.ask(&numbers.questions())?;
    Ok(SensorTerms {
        silent_after: Some(
            silence.ok_or(PageError::mistake("sensor-silence-problem", "silent_after"))?,
        ),
        rollover: Some(rollover.ok_or(PageError::mistake("sensor-rollover-problem", "rollover"))?),
        plausible: Some(plausible),
        part_of,
        home_assistant: Some(visit.field("home_assistant")? == "yes"),
        ..SensorTerms::default()
    })
}

/// The term in a field, or none for an empty field; `None` if the field contains no valid term.
fn or_none<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<OrNone<T>> {
    if text.is_empty() {
        return Some(OrNone::None);
    }
    read(text).map(OrNone::Is)
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

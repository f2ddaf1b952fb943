//! `/settings/home-assistant/counted`: what the Home Assistant of an account counted, beside what the
//! meters measured, month by month.

use actix_web::web::Data;
use askama::Template;

use super::home_problem::home_problem_text;
use super::house::identity_text;
use crate::admin::{AdminError, CountForm};
use crate::chart::Wording;
use crate::domain::{Account, HomeAssistantEntry, Interval, SensorId};
use crate::home_assistant::{CountReason, CountedDifference, CountedMonth, HomeComparison};
use crate::http::gate::{AppState, HomeAssistantsOf};
use crate::http::pages::frame::account_scope::known_account;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::settings::parts::layout;
use crate::http::wire::body::in_background;
use crate::texts::Language;

#[derive(Template)]
#[template(path = "service/counted.html")]
struct CountedPage {
    layout: Layout,
    account: String,
    /// The id and the name of each sensor with a register from there.
    choices: Vec<(String, String)>,
    form: CountForm,
    /// Who answered, and the rights of the token.
    identity: Option<String>,
    /// Why there is no comparison.
    problem: Option<String>,
    sensors: Vec<CountedSensorView>,
    /// Whether history is sent there, and whether the token may.
    sends: bool,
    may_send: bool,
}

/// The months of a sensor.
struct CountedSensorView {
    name: String,
    entity: String,
    months: Vec<CountedMonthView>,
}

/// A month of a sensor.
struct CountedMonthView {
    month: String,
    /// The difference first, which a phone must show; then that counted and that measured.
    energies: [String; 3],
    /// Each reason in words, and the address of the events at that time.
    reasons: Vec<(String, String)>,
}

/// `GET /settings/home-assistant/counted?account=...`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let account = known_account(&visit, &visit.param("account")?)?;
    let form = CountForm {
        account: Some(account.name.to_string()),
        sensor: Some(visit.param("sensor")?),
        range: [Some(visit.param("from")?), Some(visit.param("to")?)],
    };
    let (app, asked) = (Data::clone(&visit.app), form.clone());
    let now = app.counted_now();
    let compared = in_background(move || HomeAssistantsOf::of(&app).compare(&asked, now)).await?;
    let language = visit.language();
    let (compared, problem) = match compared {
        Ok(Ok(compared)) => (Some(compared), None),
        Ok(Err(error)) => (None, Some(home_problem_text(&error, language))),
        Err(AdminError::Unfit(_)) => return Err(PageError::NotFound),
        Err(AdminError::Store(error)) => return Err(error.into()),
        Err(error) => (None, Some(mistake(error.at(), language))),
    };
    let sensors = compared
        .as_ref()
        .map(|it| views(it, &account, &visit.app, language));
    let home = app_home(&visit.app, &account);
    Ok(ok(&CountedPage {
        sends: home.is_some_and(|home| home.send),
        may_send: compared
            .as_ref()
            .is_some_and(|it| it.identity.is_administrator),
        layout: layout(&visit)?,
        choices: choices(&visit.app, &account),
        account: account.name.to_string(),
        form,
        identity: compared.map(|it| identity_text(&it.identity, language)),
        problem,
        sensors: sensors.unwrap_or_default(),
    }))
}

fn app_home(app: &AppState, account: &Account) -> Option<HomeAssistantEntry> {
    app.store.registry().home_assistant(&account.name).cloned()
}

fn mistake(field: &str, language: &Language) -> String {
    match field {
        "sensor" | "id" => language.say("ha-counted-no-sensor"),
        _ => language.say("ha-counted-wrong-range"),
    }
}

fn choices(app: &AppState, account: &Account) -> Vec<(String, String)> {
    let home = app_home(app, account);
    let fed = home.iter().flat_map(|home| &home.sensors);
    let with_register = fed.filter(|it| it.energy.is_some());
    with_register
        .map(|it| (it.sensor.to_string(), name_of(app, &it.sensor)))
        .collect()
}

fn name_of(app: &AppState, id: &SensorId) -> String {
    let registry = app.store.registry();
    let sensor = registry.sensor(id).map(|it| it.name.clone());
    sensor.unwrap_or_else(|| id.to_string())
}

/// The months, sensor by sensor, the newest first.
fn views(
    compared: &HomeComparison,
    account: &Account,
    app: &AppState,
    language: &'static Language,
) -> Vec<CountedSensorView> {
    let wording = Wording::new(&account.zone, language);
    let of_sensor = |months: &[CountedMonth]| {
        let first = months.first()?;
        let months = months.iter().rev();
        let months = months.filter(|it| it.counted.is_some() || it.measured.is_some());
        Some(CountedSensorView {
            name: name_of(app, &first.sensor_id),
            entity: first.entity.to_string(),
            months: months.map(|it| month_view(it, wording, language)).collect(),
        })
    };
    let sensors = compared
        .months
        .chunk_by(|one, other| one.sensor_id == other.sensor_id);
    sensors.filter_map(of_sensor).collect()
}

fn month_view(month: &CountedMonth, wording: Wording<'_>, language: &Language) -> CountedMonthView {
    let energy = |value: Option<f64>| {
        let value = value.map(|value| figures::energy(value, language));
        value.unwrap_or_else(|| figures::UNKNOWN.to_owned())
    };
    let reasons = month.reasons.iter().map(|it| {
        let (from, to) = it.shown_range();
        let (from, to) = (from.to_string(), to.to_string());
        let sensor = month.sensor_id.as_str();
        let parameters = [("sensor", sensor), ("from", &from), ("to", &to)];
        (
            reason_text(it, wording, language),
            address("events", &parameters),
        )
    });
    CountedMonthView {
        month: wording.bucket_name(month.from, Interval::Month),
        energies: [month.difference, month.counted, month.measured].map(energy),
        reasons: reasons.collect(),
    }
}

fn reason_text(
    difference: &CountedDifference,
    wording: Wording<'_>,
    language: &Language,
) -> String {
    let reason = language.word("ha-reason", CountReason::as_str(difference.reason));
    let values = [
        ("reason", reason.into()),
        (
            "energy",
            figures::energy(difference.energy, language).into(),
        ),
        ("time", wording.date_and_clock(difference.from).into()),
    ];
    language.fill("ha-counted-reason", values)
}

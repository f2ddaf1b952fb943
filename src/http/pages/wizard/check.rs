//! `/settings/sensor/check`: the first readings of a sensor, and the settings that they suggest.

use std::sync::Arc;

use askama::Template;

use super::devices::role_text;
use crate::admin::{Request, SensorRow, SensorTerms};
use crate::chart::Wording;
use crate::domain::{AccountName, Between, MeterKind, Sensor, SensorId, Sign, Timestamp, Zone};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::{self, admin_call};
use crate::http::pages::frame::response::{leads_to, ok};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::settings::parts::{layout, zone_of};
use crate::http::wire::body::in_background;
use crate::ledger::contract::{ContractTemplate, Country};
use crate::ledger::{MeterGuess, guess_meter};
use crate::notices::FirstReadings;
use crate::notices::sentence::{advice, happened, name_of};
use crate::query::{self, Point};
use crate::store::{Measure, Registry, Store, StoreError};
use crate::texts::Language;

/// The number of first values that a guess is based on.
const LOOKED_AT: usize = 500;

#[derive(Template)]
#[template(path = "wizard/check.html")]
struct CheckPage {
    layout: Layout,
    sensor: SensorRow,
    /// The time of the newest reading, if there is one.
    when: Option<String>,
    power: Option<String>,
    register: Option<String>,
    role: String,
    /// The proposed settings: fields of the form with their values.
    guessed: Vec<(&'static str, &'static str)>,
    /// The reasons, in sentences.
    reasons: Vec<String>,
    /// Likely mistakes: the event and the remedy of each.
    mistakes: Vec<(String, String)>,
    /// The address of this page.
    again: String,
    /// The name and the address of each tariff of the country, if the account has none yet; all
    /// tariffs are behind the link below them.
    tariffs: Option<Vec<(String, String)>>,
}

/// The values of a sensor that a guess is based on.
struct FirstValues {
    watts: Vec<Point>,
    watthours: Vec<Point>,
    newest_watts: Option<Point>,
    newest_watthours: Option<Point>,
}

impl FirstValues {
    /// Reads the values; may block on disk reads.
    fn read(store: &Store, id: &SensorId) -> Result<Self, StoreError> {
        let first = |measure| query::first_points(store, id, measure, LOOKED_AT);
        let newest = |measure| query::newest(store, id, measure, Timestamp::MAX);
        Ok(Self {
            watts: first(Measure::Watts)?,
            watthours: first(Measure::Watthours)?,
            newest_watts: newest(Measure::Watts)?,
            newest_watthours: newest(Measure::Watthours)?,
        })
    }
}

impl CheckPage {
    async fn of(visit: &Visit, id: &str) -> Result<Self, PageError> {
        let (app, language) = (&visit.app, visit.language());
        let row = admin_call::sensor(app, id).await?;
        let id = SensorId::new(&row.sensor_id).map_err(|_| PageError::NotFound)?;
        let sensor: Option<Sensor> = app.store.registry().sensor(&id).cloned();
        let sensor = sensor.ok_or(PageError::NotFound)?;
        let (store, its, now) = (Arc::clone(&app.store), sensor.clone(), app.counted_now());
        let reading = move || {
            let values = FirstValues::read(&store, &id)?;
            let first = FirstReadings {
                sensor: &its,
                watts: &values.watts,
                watthours: &values.watthours,
            };
            let mistakes = first.mistakes(&store, now)?;
            Ok::<_, StoreError>((values, mistakes))
        };
        let (values, mistakes) = in_background(reading).await??;
        let power: Vec<_> = values.watts.iter().map(|it| (it.time, it.value)).collect();
        let registers: Vec<f64> = values.watthours.iter().map(|it| it.value).collect();
        let newest = [&values.newest_watts, &values.newest_watthours];
        let newest = newest.into_iter().flatten().map(|it| it.time).max();
        let (zone, its_account) = (zone_of(app, &row.account), sensor.account.clone());
        let guess = guess_meter(sensor.role, &sensor.meter, &power, &registers);
        let (guessed, reasons) = worded(guess, language);
        let registry = app.store.registry();
        let mistakes = mistakes.iter().map(|it| {
            let wording = Wording::new(&zone, language);
            let happened = happened(it, name_of(&registry, it), wording);
            (happened, advice(it, language))
        });
        Ok(Self {
            layout: layout(visit)?,
            when: newest.map(|time| Wording::new(&zone, language).date_and_clock(time)),
            power: values
                .newest_watts
                .map(|it| figures::power(it.value, language)),
            register: values
                .newest_watthours
                .map(|it| kilowatt_hours(it.value, language)),
            role: role_text(sensor.role, language),
            guessed,
            reasons,
            mistakes: mistakes.collect(),
            tariffs: newest.and_then(|_| tariffs(&registry, &its_account, (&zone, language))),
            again: address("settings/sensor/check", &[("id", &row.sensor_id)]),
            sensor: row,
        })
    }
}

/// The tariffs of the country of a time zone, each with the address of its form, for an account that
/// has no contract yet.
fn tariffs(
    registry: &Registry,
    account: &AccountName,
    (zone, language): (&Zone, &Language),
) -> Option<Vec<(String, String)>> {
    let known = registry.contracts(account);
    if known.is_some_and(|known| !known.all().is_empty()) {
        return None;
    }
    let country = Country::of_zone(zone);
    let own = ContractTemplate::all().iter();
    let own = own.filter(|one| Some(one.country()) == country);
    let link = |one: &ContractTemplate| {
        let parameters = [("account", account.as_str()), ("template", one.id())];
        let name = language.tariff(one.name()).to_owned();
        (name, address("costs/tariff", &parameters))
    };
    Some(own.map(link).collect())
}

/// A register with all its digits, in the unit that meters show.
fn kilowatt_hours(watthours: f64, language: &Language) -> String {
    let shown = (watthours / 1_000.0).to_string();
    format!("{}\u{202F}kWh", language.number(&shown))
}

/// The fields that set the guessed values, and the reasons in sentences.
fn worded(
    guess: MeterGuess,
    language: &Language,
) -> (Vec<(&'static str, &'static str)>, Vec<String>) {
    let (power, register) = (guess.power_sign, guess.register_sign);
    let fields = [
        ("power_sign", power.map(Sign::as_str)),
        ("register_sign", register.map(Sign::as_str)),
        ("register", guess.register.map(MeterKind::as_str)),
        ("between", guess.between.map(Between::as_str)),
    ];
    let fields = fields.into_iter();
    // If both measures are inverted, one sentence covers both.
    let both = power.filter(|_| power == register);
    let alone = |sign: Option<Sign>| sign.filter(|_| both.is_none());
    let reasons = [
        both.map(|it| language.word("guess-sign", Sign::as_str(it))),
        alone(power).map(|it| language.word("guess-power-sign", Sign::as_str(it))),
        alone(register).map(|it| language.word("guess-register-sign", Sign::as_str(it))),
        guess
            .register
            .map(|it| language.word("guess-register", MeterKind::as_str(it))),
        guess
            .between
            .map(|it| language.word("guess-between", Between::as_str(it))),
    ];
    (
        fields
            .filter_map(|(field, word)| Some((field, word?)))
            .collect(),
        reasons.into_iter().flatten().collect(),
    )
}

/// `GET /settings/sensor/check?id=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&CheckPage::of(&visit, &visit.param("id")?).await?))
}

/// `POST /settings/sensor/check`: applies the guessed settings.
pub(crate) async fn accept(visit: Visit) -> PageResult {
    let id = visit.field("id")?;
    let request = Request::SetSensor {
        id: id.clone(),
        terms: SensorTerms {
            // The form has only known words. Any other leaves the stored value unchanged.
            register: visit.field("register")?.parse().ok(),
            power_sign: visit.field("power_sign")?.parse().ok(),
            register_sign: visit.field("register_sign")?.parse().ok(),
            between: visit.field("between")?.parse().ok(),
            ..SensorTerms::default()
        },
    };
    admin_call(&visit.app, request, |_| "main").await?;
    let to = [("id", &*id), ("done", "saved")];
    Ok(leads_to("settings/sensor/check", &to))
}

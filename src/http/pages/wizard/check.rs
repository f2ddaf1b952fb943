//! `/settings/sensor/check`: the first readings of a sensor, and what they say of its settings.

use std::sync::Arc;

use askama::Template;

use super::devices::role_text;
use crate::admin::{Request, SensorRow, SensorTerms};
use crate::domain::{MeterKind, Sensor, SensorId, Sign, Timestamp};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::admin_call::{self, admin_call};
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::visit::or_again;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::settings::parts::{layout, zone_of};
use crate::http::wire::body::in_background;
use crate::ledger::guess_meter;
use crate::query::{self, Point};
use crate::store::{Measure, Store, StoreError};

/// So many of a sensor's first values tell what it does.
const LOOKED_AT: usize = 500;

#[derive(Template)]
#[template(path = "wizard/check.html")]
struct CheckPage {
    layout: Layout,
    sensor: SensorRow,
    /// When the newest reading was, if there is one.
    when: Option<String>,
    power: Option<String>,
    register: Option<String>,
    role: String,
    /// What to set otherwise: the word of the sign and of the register, and why.
    sign: Option<(&'static str, String)>,
    kind: Option<(&'static str, String)>,
    /// This page again.
    again: String,
}

/// The values of a sensor that a guess needs.
struct FirstValues {
    watts: Vec<Point>,
    watthours: Vec<Point>,
    newest_watts: Option<Point>,
    newest_watthours: Option<Point>,
}

impl FirstValues {
    /// Blocks on the disk.
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
        let store = Arc::clone(&app.store);
        let values = in_background(move || FirstValues::read(&store, &id)).await??;
        let only = |points: &[Point]| points.iter().map(|it| it.value).collect::<Vec<_>>();
        let newest = [&values.newest_watts, &values.newest_watthours];
        let newest = newest.into_iter().flatten().map(|it| it.time).max();
        let zone = zone_of(app, &row.account);
        let guess = guess_meter(
            sensor.role,
            &sensor.meter,
            &only(&values.watts),
            &only(&values.watthours),
        );
        Ok(Self {
            layout: layout(visit)?,
            when: newest.map(|time| figures::date_and_clock(time, &zone, language)),
            power: values
                .newest_watts
                .map(|it| figures::power(it.value, language)),
            register: values
                .newest_watthours
                .map(|it| format!("{}\u{202F}Wh", language.number(&it.value.to_string()))),
            role: role_text(sensor.role, language),
            sign: guess
                .sign
                .map(|it| (it.as_str(), language.word("guess-sign", Sign::as_str(it)))),
            kind: guess.register.map(|it| {
                (
                    it.as_str(),
                    language.word("guess-register", MeterKind::as_str(it)),
                )
            }),
            again: address("settings/sensor/check", &[("id", &row.sensor_id)]),
            sensor: row,
        })
    }
}

/// `GET /settings/sensor/check?id=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&CheckPage::of(&visit, &visit.param("id")?).await?))
}

/// `POST /settings/sensor/check`: takes over what the page guessed.
pub(crate) async fn accept(visit: Visit) -> PageResult {
    let id = visit.field("id")?;
    let request = Request::SetSensor {
        id: id.clone(),
        terms: SensorTerms {
            // The form has known words only. Any other leaves what is stored.
            register: visit.field("register")?.parse().ok(),
            sign: visit.field("sign")?.parse::<Sign>().ok(),
            ..SensorTerms::default()
        },
    };
    let page = CheckPage::of(&visit, &id).await?;
    let changed = admin_call(&visit.app, request, &[("", "main")]).await;
    let to = address("settings/sensor/check", &[("id", &id), ("done", "saved")]);
    or_again(changed.map(|_| see_other(&to)), page, |page| {
        &mut page.layout
    })
}

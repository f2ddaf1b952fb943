//! `/home-assistant`: the Home Assistant of the account. Its address makes the service connect, so
//! only an administrator enters it.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use super::events::FORMATS;
use super::names::{END_TIME, FORMAT, SENSOR_ID, START_TIME};
use crate::admin::{
    AdminError, CountForm, HomeAssistantRow, home_assistant_row, remove_home_assistant,
};
use crate::domain::{AccountName, HomeAssistantEntry};
use crate::home_assistant::{CountedDifference, HomeAssistantError, HomeComparison};
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, HomeAssistantsOf};
use crate::http::wire::body::in_background;
use crate::http::wire::params::{one_of, param};
use crate::http::wire::{ApiError, Format};

/// `GET /home-assistant`
pub(super) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reader(&app, &request)?.account;
    Ok(answer(&app, &account))
}

/// `DELETE /home-assistant`: it is no longer read; its sensors and their readings stay.
pub(super) async fn delete(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = changer(&app, &request, "home-assistant")?.account;
    let (store, of) = (app.store.clone(), account.clone());
    in_background(move || remove_home_assistant(&store, &of)).await??;
    Ok(answer(&app, &account))
}

/// `GET /home-assistant/comparison`: the energy that it counted, beside that of the ledger.
pub(super) async fn compare(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let format = one_of(query, FORMAT, &FORMATS)?.unwrap_or(Format::Json);
    let (sensor, from, to) = (
        param(query, SENSOR_ID)?,
        param(query, START_TIME)?,
        param(query, END_TIME)?,
    );
    let account = reader(&app, &request)?.account;
    let form = CountForm {
        account: Some(account.to_string()),
        sensor,
        range: [from, to],
    };
    let now = app.counted_now();
    let compared = in_background(move || HomeAssistantsOf::of(&app).compare(&form, now));
    let compared = compared.await?.map_err(|error| match error.at() {
        "from" => ApiError::unfit(START_TIME, error.problem()),
        "to" => ApiError::unfit(END_TIME, error.problem()),
        "sensor" | "id" => ApiError::unfit(SENSOR_ID, error.problem()),
        _ => match error {
            AdminError::Unfit(_) => ApiError::NotFound,
            error => error.into(),
        },
    })?;
    let compared = compared.map_err(|error| match error {
        HomeAssistantError::Busy => ApiError::Overloaded,
        // Its path concerns the administrator alone.
        HomeAssistantError::TokenFile { .. } => {
            ApiError::HomeAssistant(HomeAssistantError::NoToken.to_string())
        }
        HomeAssistantError::Store(_) => ApiError::Internal("a comparison with Home Assistant"),
        error => ApiError::HomeAssistant(error.to_string()),
    })?;
    let mut answer = HttpResponse::Ok();
    Ok(match format {
        Format::Csv => answer
            .content_type(Format::Csv.content_type())
            .body(csv(&compared)),
        Format::Json | Format::Ndjson => answer.json(compared),
    })
}

/// The columns of the table.
const COLUMNS: [&str; 11] = [
    SENSOR_ID,
    "entity",
    "month",
    "counted",
    "measured",
    "difference",
    "reason",
    "from",
    "to",
    "energy",
    "event",
];

/// The comparison as a table: a line for each reason, and one for each month without any.
fn csv(compared: &HomeComparison) -> Vec<u8> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let number = |value: Option<f64>| value.map(|it| it.to_string()).unwrap_or_default();
    // Writing to memory does not fail.
    drop(table.write_record(COLUMNS));
    for month in &compared.months {
        let own = [
            month.sensor_id.to_string(),
            month.entity.to_string(),
            month.month.clone(),
            number(month.counted),
            number(month.measured),
            number(month.difference),
        ];
        let none = month.reasons.is_empty().then_some(None);
        for one in none.into_iter().chain(month.reasons.iter().map(Some)) {
            let of = |text: fn(&CountedDifference) -> String| one.map(text).unwrap_or_default();
            let reason = [
                of(|it| it.reason.as_str().to_owned()),
                of(|it| it.from.to_string()),
                of(|it| it.to.to_string()),
                of(|it| it.energy.to_string()),
                of(|it| {
                    let event = it.event.as_ref();
                    event.map_or_else(String::new, |event| event.time.to_string())
                }),
            ];
            drop(table.write_record(own.iter().chain(&reason)));
        }
    }
    table.into_inner().unwrap_or_default()
}

fn answer(app: &AppState, account: &AccountName) -> HttpResponse {
    let terms = app.settings.in_force().config.home_terms();
    let row = home_assistant_row(&app.store.registry(), account, &terms);
    let homes = app.homes.list();
    let mut read = homes.iter().filter(|it| it.settings().account == *account);
    // Paths of the machine concern its administrator alone.
    let row = row.map(|row| HomeAssistantRow {
        home_assistant: HomeAssistantEntry {
            token_file: None,
            ..row.home_assistant
        },
        reading: read.next().map(|it| it.progress().told()),
        ..row
    });
    HttpResponse::Ok().json(json!({ "home_assistant": row }))
}

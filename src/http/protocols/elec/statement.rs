//! `GET /statement` and `GET /compare`: the cost of a range, by the contracts and by offers, or of the
//! house without some part; and that of a sub-meter.

use std::ops::Range;

use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;

use super::json::uncached;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, EntryKind, SensorId, TimeRange, Timestamp, Zone};
use crate::house::{
    CompareError, ComparisonAnswer, HousePrices, HouseWithout, SavingsError, SensorStatement,
    SensorStatementAnswer, SensorStatementError, StatementAnswer, compare, offer_statement,
    sensor_statement_csv, statement, statement_csv, statement_without,
};
use crate::http::gate::AppState;
use crate::http::gate::auth::reading_account;
use crate::http::protocols::elec::download::{answered_range, range};
use crate::http::protocols::elec::names::{END_TIME, FORMAT, OFFER, SENSOR_ID, WITHOUT};
use crate::http::wire::params::{one_of, param, sensor};
use crate::http::wire::{ApiError, Format};
use crate::store::StoreError;

/// `GET /statement`: the statement of a range, by the contracts or by an offer, or of the house
/// without some part; or that of a sub-meter.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let format = one_of(
        query,
        FORMAT,
        &[("json", Format::Json), ("csv", Format::Csv)],
    )?;
    let format = format.unwrap_or(Format::Json);
    let offer = param(query, OFFER)?;
    let parts = HouseWithout::ALL.map(|parts| (HouseWithout::as_str(parts), parts));
    let without = one_of(query, WITHOUT, &parts)?;
    if offer.is_some() && without.is_some() {
        return Err(ApiError::unfit(WITHOUT, "expected either this or an offer"));
    }
    let of = match param(query, SENSOR_ID)? {
        Some(_) => Some(sensor(query, SENSOR_ID)?),
        None => None,
    };
    let (account, asked) = account_and_range(&app, &request)?;
    let Some(of) = of else {
        return of_house(&app, account, (offer, without, asked), format).await;
    };
    let problem = "expected without sensor_id: a sub-meter's statement has the prices of the contracts and the house as it was";
    match (offer, without) {
        (Some(_), _) => Err(ApiError::unfit(OFFER, problem)),
        (None, Some(_)) => Err(ApiError::unfit(WITHOUT, problem)),
        (None, None) => of_sensor(&app, account, (of, asked), format).await,
    }
}

async fn of_house(
    app: &AppState,
    account: Account,
    (name, without, asked): (Option<String>, Option<HouseWithout>, Range<Timestamp>),
    format: Format,
) -> Result<HttpResponse, ApiError> {
    let registry = app.store.registry();
    let offer = name.map(|name| {
        let offer = registry.offer(&account.name, &name).cloned();
        let unknown = || StoreError::unknown(EntryKind::Offer, &name).to_string();
        offer.ok_or_else(|| ApiError::unfit(OFFER, unknown()))
    });
    let offer = offer.transpose()?;
    let (of, now) = (account.name.clone(), app.counted_now());
    let answer = app.report(&of, move |store| {
        let found = match (&offer, without) {
            (Some(offer), _) => offer_statement(store, &account, (offer, asked), now)?,
            (None, Some(without)) => statement_without(store, &account, (without, asked), now)?,
            (None, None) => statement(store, &account, asked, now)?,
        };
        let answer = StatementAnswer::new(&account, &found);
        Ok((answer, statement_csv(&found)))
    });
    let (answer, table) = answer.await?.map_err(refused)?;
    Ok(answered(format, answer, table))
}

async fn of_sensor(
    app: &AppState,
    account: Account,
    (of, asked): (SensorId, Range<Timestamp>),
    format: Format,
) -> Result<HttpResponse, ApiError> {
    let (name, now) = (account.name.clone(), app.counted_now());
    let answer = app.report(&name, move |store| {
        let found = SensorStatement::of(store, &account, (&of, asked), now)?;
        let answer = SensorStatementAnswer::new(&account, &found);
        Ok((answer, sensor_statement_csv(&found)))
    });
    let (answer, table) = answer.await?.map_err(|error| match error {
        SensorStatementError::Store(error) => error.into(),
        SensorStatementError::NoSensor(_) => ApiError::SensorNotAuthorized,
        other => ApiError::unfit(SENSOR_ID, other.to_string()),
    })?;
    Ok(answered(format, answer, table))
}

pub(super) fn answered(format: Format, answer: impl Serialize, table: Vec<u8>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store"));
    match format {
        Format::Csv => response
            .content_type(Format::Csv.content_type())
            .body(table),
        _ => response.insert_header(ContentType::json()).json(answer),
    }
}

/// `GET /compare`: the cost of a range by the contracts and by each offer.
pub(crate) async fn get_comparison(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let (account, asked) = account_and_range(&app, &request)?;
    let (name, now) = (account.name.clone(), app.counted_now());
    let answer = app.report(&name, move |store| {
        let found = compare(store, &account, asked, now)?;
        Ok(ComparisonAnswer::new(&account, &found))
    });
    let answer = answer.await?.map_err(|error| match error {
        CompareError::Store(error) => error.into(),
        other => ApiError::unfit(END_TIME, other.to_string()),
    })?;
    Ok(uncached(answer))
}

/// The error for unknown savings.
pub(super) fn refused(error: SavingsError) -> ApiError {
    match error {
        SavingsError::Store(error) => error.into(),
        SavingsError::NoPart(Some(_)) => ApiError::unfit(WITHOUT, error.to_string()),
        SavingsError::NoPart(None) => ApiError::unfit("account", error.to_string()),
        other => ApiError::unfit(END_TIME, other.to_string()),
    }
}

/// The account of the credentials, and the range of the answer by its clock.
pub(super) fn account_and_range(
    app: &AppState,
    request: &HttpRequest,
) -> Result<(Account, Range<Timestamp>), ApiError> {
    let query = request.query_string();
    check(range(query, &Zone::UTC)?)?;
    let account = reading_account(app, request)?;
    let asked = range(query, &account.zone)?;
    let asked = answered_range(query, asked, (&account.zone, app.counted_now()))?;
    Ok((account, asked))
}

fn check(range: TimeRange) -> Result<(), ApiError> {
    if range.length_ms() <= HousePrices::MOST_DAYS * MS_PER_DAY {
        return Ok(());
    }
    Err(ApiError::unfit(
        END_TIME,
        format!(
            "expected a range of at most {} days",
            HousePrices::MOST_DAYS
        ),
    ))
}

//! `GET /statement` and `GET /compare`: the cost of a range, by the contracts and by offers, or of the
//! house without some part.

use std::ops::Range;

use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, TimeRange, Timestamp, Zone};
use crate::house::{
    CompareError, ComparisonAnswer, HousePrices, HouseWithout, SavingsError, StatementAnswer,
    compare, offer_statement, statement, statement_csv, statement_without,
};
use crate::http::gate::AppState;
use crate::http::gate::auth::reader;
use crate::http::protocols::elec::download::range;
use crate::http::protocols::elec::names::{END_TIME, FORMAT, OFFER, WITHOUT};
use crate::http::wire::body::in_background;
use crate::http::wire::params::{one_of, param};
use crate::http::wire::{ApiError, Format};
use crate::store::StoreError;

/// `GET /statement`: the statement of a range, by the contracts or by an offer, or of the house
/// without some part.
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
    let name = param(query, OFFER)?;
    let parts = HouseWithout::ALL.map(|parts| (HouseWithout::as_str(parts), parts));
    let without = one_of(query, WITHOUT, &parts)?;
    if name.is_some() && without.is_some() {
        return Err(ApiError::unfit(WITHOUT, "expected either this or an offer"));
    }
    let (account, asked) = account_and_range(&app, &request)?;
    let registry = app.store.registry();
    let offer = name.map(|name| {
        let offer = registry.offer(&account.name, &name).cloned();
        let unknown = || StoreError::UnknownOffer(name.clone()).to_string();
        offer.ok_or_else(|| ApiError::unfit(OFFER, unknown()))
    });
    let offer = offer.transpose()?;
    let (store, now) = (app.store.clone(), app.counted_now());
    let turn = app.report_turn(&account.name).await?;
    let computed = move || {
        let _turn = turn;
        let found = match (&offer, without) {
            (Some(offer), _) => offer_statement(&store, &account, (offer, asked), now)?,
            (None, Some(without)) => statement_without(&store, &account, (without, asked), now)?,
            (None, None) => statement(&store, &account, asked, now)?,
        };
        let answer = StatementAnswer::new(&account, &found);
        Ok((answer, statement_csv(&found)))
    };
    let answer: Result<_, SavingsError> = in_background(computed).await?;
    let (answer, table) = answer.map_err(refused)?;
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store"));
    Ok(match format {
        Some(Format::Csv) => response
            .content_type(Format::Csv.content_type())
            .body(table),
        _ => response.insert_header(ContentType::json()).json(answer),
    })
}

/// `GET /compare`: the cost of a range by the contracts and by each offer.
pub(crate) async fn get_comparison(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let (account, asked) = account_and_range(&app, &request)?;
    let (store, now) = (app.store.clone(), app.counted_now());
    let turn = app.report_turn(&account.name).await?;
    let computed = move || {
        let _turn = turn;
        let found = compare(&store, &account, asked, now)?;
        Ok(ComparisonAnswer::new(&account, &found))
    };
    let answer: Result<_, CompareError> = in_background(computed).await?;
    let answer = answer.map_err(|error| match error {
        CompareError::Store(error) => error.into(),
        other => ApiError::unfit(END_TIME, other.to_string()),
    })?;
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header(ContentType::json())
        .json(answer))
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

/// The account of the credentials, and the requested range by its clock.
pub(super) fn account_and_range(
    app: &AppState,
    request: &HttpRequest,
) -> Result<(Account, Range<Timestamp>), ApiError> {
    let query = request.query_string();
    check(range(query, &Zone::UTC)?)?;
    let grant = reader(app, request)?;
    let account = app.store.registry().account(&grant.account).cloned();
    let account = account.ok_or(ApiError::BadCredentials)?;
    let asked = range(query, &account.zone)?;
    Ok((account, asked.start()..asked.end()))
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

//! `GET /statement`: the cost of a range.

use actix_web::http::header::{CACHE_CONTROL, ContentType};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::domain::time::MS_PER_DAY;
use crate::domain::{TimeRange, Zone};
use crate::house::{HousePrices, StatementAnswer, statement, statement_csv};
use crate::http::gate::AppState;
use crate::http::gate::auth::reader;
use crate::http::protocols::elec::download::range;
use crate::http::protocols::elec::names::{END_TIME, FORMAT};
use crate::http::wire::body::in_background;
use crate::http::wire::params::one_of;
use crate::http::wire::{ApiError, Format};

/// `GET /statement`: the statement of a range.
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
    check(range(query, &Zone::UTC)?)?;
    let grant = reader(&app, &request)?;
    let account = app.store.registry().account(&grant.account).cloned();
    let account = account.ok_or(ApiError::BadCredentials)?;
    let asked = range(query, &account.zone)?;
    let (store, now) = (app.store.clone(), app.counted_now());
    let turn = app.report_turn(&grant.account).await?;
    let computed = move || {
        let _turn = turn;
        let found = statement(&store, &account, asked.start()..asked.end(), now);
        found.map(|found| {
            (
                StatementAnswer::new(&account, &found),
                statement_csv(&found),
            )
        })
    };
    let (answer, table) = in_background(computed).await??;
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store"));
    Ok(match format {
        Some(Format::Csv) => response
            .content_type(Format::Csv.content_type())
            .body(table),
        _ => response.insert_header(ContentType::json()).json(answer),
    })
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

//! `/days`: the account's day lists.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use super::names::{END_TIME, FORMAT, START_TIME};
use crate::admin::{DayListRow, DayRow, put_days, remove_days};
use crate::domain::LocalDate;
use crate::http::gate::auth::{changer, reader};
use crate::http::gate::{AppState, Credentials};
use crate::http::protocols::elec::json::uncached;
use crate::http::wire::body::{in_background, parse};
use crate::http::wire::{ApiError, Body, params};
use crate::ledger::contract::{DateSpan, DayList, Label};
use crate::store::Store;

const LIST: &str = "list";

/// `GET /days`: the account's lists, or the days of one.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let name = params::param(query, LIST)?;
    let name = name.map(|text| label(&text)).transpose()?;
    let format = params::one_of(query, FORMAT, &[("json", false), ("csv", true)])?;
    let dates = dates(query)?;
    let account = reader(&app, &request)?.account;
    let of = account.clone();
    let Some(name) = name else {
        let listing = move |store: &Store| {
            let registry = store.registry();
            let lists = registry.day_lists(&of);
            let rows = lists.map(|list| DayListRow::new(&of, &list));
            rows.collect::<Vec<_>>()
        };
        let rows = app.page(&account, Some(0), listing).await?;
        return Ok(uncached(json!({ "lists": rows })));
    };
    let listing = move |store: &Store| {
        let list = store.registry().day_list(&of, &name);
        list.map(|list| DayRow::all(&list, dates))
    };
    let days = app.page(&account, Some(0), listing).await?;
    let days = days.unwrap_or_default();
    if format != Some(true) {
        return Ok(uncached(days));
    }
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store"));
    response.content_type("text/csv; charset=utf-8");
    Ok(response.body(DayRow::table(&days)))
}

/// `PUT /days`: adds the days in the body to a list, replacing those of the same dates; responds
/// once they are durable.
pub(crate) async fn put(
    request: HttpRequest,
    payload: web::Payload,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let name = label(&params::required(request.query_string(), LIST)?)?;
    let is_known = || Credentials::are_in_head(&app, &request);
    let Body { bytes, reserved } = app.read_body(&request, payload, is_known).await?;
    let list = parse(bytes.len(), move || {
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| ApiError::unfit("body", "expected text in UTF-8"))?;
        DayList::parse(name, text).map_err(|error| ApiError::unfit("body", error.to_string()))
    });
    let list = list.await??;
    let grant = changer(&app, &request, "days")?;
    let answer = json!({"list": list.name().as_str(), "accepted": list.days().len()});
    let store = app.store.clone();
    in_background(move || put_days(&store, &grant.account, &list)).await??;
    drop(reserved);
    Ok(HttpResponse::Ok().json(answer))
}

/// `DELETE /days`: removes a list, or its days in a range.
pub(crate) async fn delete(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let name = label(&params::required(query, LIST)?)?;
    let dates = dates(query)?;
    let grant = changer(&app, &request, "days")?;
    let store = app.store.clone();
    let list = name.clone();
    let removed = in_background(move || remove_days(&store, &grant.account, &list, dates));
    let removed = removed.await??;
    Ok(HttpResponse::Ok().json(json!({"list": name.as_str(), "removed": removed})))
}

/// The range of a query.
fn dates(query: &str) -> Result<DateSpan, ApiError> {
    let date = |name| {
        let text = params::param(query, name)?;
        let parsed = text.map(|text| {
            let expected = "expected a date that exists, such as 2026-01-05";
            LocalDate::parse(&text).map_err(|_| ApiError::invalid(name, expected, &text))
        });
        parsed.transpose()
    };
    let (from, end) = (date(START_TIME)?, date(END_TIME)?);
    Ok(DateSpan { from, end })
}

fn label(text: &str) -> Result<Label, ApiError> {
    DayList::parse_name(text).map_err(|error| ApiError::unfit(LIST, error.to_string()))
}

//! `GET /savings`: what the panels and the battery saved; `GET /payback`: how far purchases have
//! paid for themselves.

use actix_web::{HttpRequest, HttpResponse, web};

use super::json::uncached;
use super::statement::{account_and_range, refused};
use crate::house::{PaybackAnswer, SavingsAnswer, paybacks, savings};
use crate::http::gate::AppState;
use crate::http::gate::auth::reading_account;
use crate::http::wire::ApiError;

/// `GET /savings`: the cost of a range as it was, and without the panels, the battery, and both.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let (account, asked) = account_and_range(&app, &request)?;
    let (name, now) = (account.name.clone(), app.counted_now());
    let answer = app.report(&name, move |store| {
        let found = savings(store, &account, asked, now)?;
        Ok(SavingsAnswer::new(&account, &found))
    });
    Ok(uncached(answer.await?.map_err(refused)?))
}

/// `GET /payback`: how far the purchases of the account have paid for themselves.
pub(crate) async fn get_payback(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reading_account(&app, &request)?;
    let (name, now) = (account.name.clone(), app.counted_now());
    let answer = app.report(&name, move |store| {
        let found = paybacks(store, &account, now)?;
        Ok(PaybackAnswer::new(&account, &found))
    });
    Ok(uncached(answer.await?.map_err(refused)?))
}

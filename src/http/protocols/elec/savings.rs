//! `GET /savings`: what the panels and the battery saved; `GET /payback`: how far purchases have
//! paid for themselves.

use actix_web::{HttpRequest, HttpResponse, web};

use super::json::uncached;
use super::statement::{account_and_range, refused};
use crate::house::{PaybackAnswer, SavingsAnswer, SavingsError, paybacks, savings};
use crate::http::gate::AppState;
use crate::http::gate::auth::reader;
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;

/// `GET /savings`: the cost of a range as it was, and without the panels, the battery, and both.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let (account, asked) = account_and_range(&app, &request)?;
    let (store, now) = (app.store.clone(), app.counted_now());
    let turn = app.report_turn(&account.name).await?;
    let computed = move || {
        let _turn = turn;
        let found = savings(&store, &account, asked, now)?;
        Ok(SavingsAnswer::new(&account, &found))
    };
    let answer: Result<_, SavingsError> = in_background(computed).await?;
    Ok(uncached(answer.map_err(refused)?))
}

/// `GET /payback`: how far the purchases of the account have paid for themselves.
pub(crate) async fn get_payback(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let grant = reader(&app, &request)?;
    let account = app.store.registry().account(&grant.account).cloned();
    let account = account.ok_or(ApiError::BadCredentials)?;
    let (store, now) = (app.store.clone(), app.counted_now());
    let turn = app.report_turn(&account.name).await?;
    let computed = move || {
        let _turn = turn;
        let found = paybacks(&store, &account, now)?;
        Ok(PaybackAnswer::new(&account, &found))
    };
    let answer: Result<_, SavingsError> = in_background(computed).await?;
    Ok(uncached(answer.map_err(refused)?))
}

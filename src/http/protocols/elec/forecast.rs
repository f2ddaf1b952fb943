//! `GET /forecast`: energy and costs of the running month and year.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::house::forecast;
use crate::http::gate::AppState;
use crate::http::gate::auth::reader;
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;

/// `GET /forecast`: where the account is heading.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let grant = reader(&app, &request)?;
    let account = app.store.registry().account(&grant.account).cloned();
    let account = account.ok_or(ApiError::BadCredentials)?;
    let (store, now) = (app.store.clone(), app.counted_now());
    let turn = app.report_turn(&grant.account).await?;
    let computed = move || {
        let _turn = turn;
        forecast(&store, &account, now)
    };
    let answer = in_background(computed).await??;
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store"));
    Ok(response.json(answer))
}

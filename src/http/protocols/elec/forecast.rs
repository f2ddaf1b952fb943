//! `GET /forecast`: energy and costs of the running month and year.

use actix_web::{HttpRequest, HttpResponse, web};

use super::json::uncached;
use crate::house::forecast;
use crate::http::gate::AppState;
use crate::http::gate::auth::reading_account;
use crate::http::wire::ApiError;

/// `GET /forecast`: where the account is heading.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reading_account(&app, &request)?;
    let (name, now) = (account.name.clone(), app.counted_now());
    let answer = app.report(&name, move |store| forecast(store, &account, now));
    Ok(uncached(answer.await??))
}

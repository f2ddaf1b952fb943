//! `GET /peak`: the running span of each demand charge.

use actix_web::{HttpRequest, HttpResponse, web};

use super::json::uncached;
use crate::house::{PeakAnswer, PeakGuard};
use crate::http::gate::AppState;
use crate::http::gate::auth::reading_account;
use crate::http::wire::ApiError;

/// `GET /peak`: whether the account's house is about to make a new peak.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reading_account(&app, &request)?;
    let (name, now) = (account.name.clone(), app.counted_now());
    let answer = app.report(&name, move |store| {
        // A guard that knows nothing yet: late readings count at once.
        let found = PeakGuard::default().look(store, &account, now)?;
        Ok::<_, crate::store::StoreError>(PeakAnswer::new(&account, found.as_ref(), now))
    });
    Ok(uncached(answer.await??))
}

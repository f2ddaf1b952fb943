//! `GET /prices/cheapest`: when a kilowatt-hour is cheapest.

use actix_web::{HttpRequest, HttpResponse, web};

use super::json::uncached;
use super::names::START_TIME;
use crate::domain::time::MS_PER_DAY;
use crate::house::{CheapestAnswer, CheapestError, CheapestField, CheapestForm, CheapestView};
use crate::http::gate::AppState;
use crate::http::gate::auth::reading_account;
use crate::http::protocols::elec::download::FLAGS;
use crate::http::wire::ApiError;
use crate::http::wire::params::{one_of, param};

pub(crate) const HOURS: &str = "hours";
pub(crate) const BEFORE: &str = "before";
pub(crate) const SPLIT: &str = "split";

/// `GET /prices/cheapest`: the cheapest time of a window.
pub(crate) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let query = request.query_string();
    let form = CheapestForm {
        hours: param(query, HOURS)?,
        before: param(query, BEFORE)?,
        start: param(query, START_TIME)?,
        is_split: one_of(query, SPLIT, &FLAGS)?.unwrap_or(false),
    };
    let question = form.question().map_err(refusal)?;
    let account = reading_account(&app, &request)?;
    let (name, now) = (account.name.clone(), app.counted_now());
    let searched = move |store: &_| {
        let found = CheapestView::of(store, &account, &question, now);
        found.map(|found| CheapestAnswer::new(&account, &found))
    };
    let answer = app.page(&name, Some(MS_PER_DAY), searched).await?;
    let answer = answer.map_err(refusal)?;
    Ok(uncached(answer))
}

fn refusal(error: CheapestError) -> ApiError {
    let field = error.field().map(|field| match field {
        CheapestField::Hours => HOURS,
        CheapestField::Before => BEFORE,
        CheapestField::Start => START_TIME,
    });
    match (error, field) {
        (error, Some(field)) => ApiError::unfit(field, error.to_string()),
        (CheapestError::Store(error), None) => error.into(),
        (CheapestError::NoContract, None) => ApiError::NoContract,
        (error, None) => ApiError::NoPrices(error.to_string()),
    }
}

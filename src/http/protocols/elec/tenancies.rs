//! `GET /tenancies/statements`: the payments of all tenants for a range, and the rest of the house.

use actix_web::{HttpRequest, HttpResponse, web};

use super::names::FORMAT;
use super::statement::{account_and_range, answered};
use crate::house::{TenanciesAnswer, TenanciesStatement};
use crate::http::gate::AppState;
use crate::http::wire::params::one_of;
use crate::http::wire::{ApiError, Format};
use crate::store::StoreError;

/// `GET /tenancies/statements`: the statements of all tenancies with days in a range.
pub(crate) async fn statements(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let formats = [("json", Format::Json), ("csv", Format::Csv)];
    let format = one_of(request.query_string(), FORMAT, &formats)?;
    let (account, asked) = account_and_range(&app, &request)?;
    let (name, now) = (account.name.clone(), app.counted_now());
    let answer = app.report(&name, move |store| {
        let found = TenanciesStatement::of(store, &account, asked, now)?;
        Ok::<_, StoreError>((TenanciesAnswer::new(&account, &found), found.csv()))
    });
    let (answer, table) = answer.await??;
    Ok(answered(format.unwrap_or(Format::Json), answer, table))
}

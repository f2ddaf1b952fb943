//! `/home-assistant`: the Home Assistant of the account. Its address makes the service connect, so
//! only an administrator enters it.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::admin::{HomeAssistantRow, home_assistant_row, remove_home_assistant};
use crate::domain::{AccountName, HomeAssistantEntry};
use crate::http::gate::AppState;
use crate::http::gate::auth::{changer, reader};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;

/// `GET /home-assistant`
pub(super) async fn get(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = reader(&app, &request)?.account;
    Ok(answer(&app, &account))
}

/// `DELETE /home-assistant`: it is no longer read; its sensors and their readings stay.
pub(super) async fn delete(
    request: HttpRequest,
    app: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let account = changer(&app, &request, "home-assistant")?.account;
    let (store, of) = (app.store.clone(), account.clone());
    in_background(move || remove_home_assistant(&store, &of)).await??;
    Ok(answer(&app, &account))
}

fn answer(app: &AppState, account: &AccountName) -> HttpResponse {
    let terms = app.settings.in_force().config.home_terms();
    let row = home_assistant_row(&app.store.registry(), account, &terms);
    let homes = app.homes.list();
    let mut read = homes.iter().filter(|it| it.settings().account == *account);
    // Paths of the machine concern its administrator alone.
    let row = row.map(|row| HomeAssistantRow {
        home_assistant: HomeAssistantEntry {
            token_file: None,
            ..row.home_assistant
        },
        reading: read.next().map(|it| it.progress().told()),
        ..row
    });
    HttpResponse::Ok().json(json!({ "home_assistant": row }))
}

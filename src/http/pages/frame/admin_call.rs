//! Pages ask for the same as the commands, of the same functions.

use std::sync::Arc;

use crate::admin;
use crate::admin::{AdminError, Request, Response, SensorRow};
use crate::http::gate::state::AppState;
use crate::http::pages::frame::error::PageError;
use crate::http::wire::body::in_background;
use crate::http::wire::error::ApiError;

/// Has a request carried out; the inner error is what to tell the person who asked.
///
/// # Errors
/// [`PageError::Api`] where that panicked.
pub(crate) async fn admin_call(
    app: &AppState,
    request: Request,
) -> Result<Result<Response, AdminError>, PageError> {
    let (store, now) = (Arc::clone(&app.store), app.counted_now());
    Ok(in_background(move || admin::run(&store, request, now)).await?)
}

/// All sensors, by id.
///
/// # Errors
/// [`PageError::Api`] where they could not be read.
pub(crate) async fn sensors(app: &AppState) -> Result<Vec<SensorRow>, PageError> {
    match admin_call(app, Request::ListSensors).await? {
        Ok(Response::Sensors(rows)) => Ok(rows),
        other => Err(unread(other)),
    }
}

/// The sensor of that id.
///
/// # Errors
/// [`PageError::NotFound`] where there is none; [`PageError::Api`] where it could not be read.
pub(crate) async fn sensor(app: &AppState, id: &str) -> Result<SensorRow, PageError> {
    match admin_call(app, Request::FindSensor { id: id.to_owned() }).await? {
        Ok(Response::Sensors(rows)) => rows.into_iter().next().ok_or(PageError::NotFound),
        Err(_) if app.store.unavailable().is_none() => Err(PageError::NotFound),
        other => Err(unread(other)),
    }
}

fn unread(answer: Result<Response, AdminError>) -> PageError {
    if let Err(error) = answer {
        log::error!("sensors could not be read: {error}");
    }
    ApiError::Internal("sensors could not be read").into()
}

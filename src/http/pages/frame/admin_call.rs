//! Changes and look-ups by the same functions that serve the commands.

use std::sync::Arc;

use super::error::PageError;
use super::problem::FormProblem;
use crate::admin::{self, AdminError, Request, Response, SensorRow};
use crate::http::gate::AppState;
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;

/// Runs a request for a form with these `fields`, see [`FormProblem::of`].
///
/// # Errors
/// [`PageError::Form`] if the request is refused; [`PageError::Api`] if it panics.
pub(crate) async fn admin_call(
    app: &AppState,
    request: Request,
    fields: &[(&str, &'static str)],
) -> Result<Response, PageError> {
    let result = run(app, request).await?;
    result.map_err(|error| PageError::Form(FormProblem::of(&error, fields)))
}

/// All sensors, sorted by id.
///
/// # Errors
/// [`PageError::Api`] if the store cannot be read.
pub(crate) async fn sensors(app: &AppState) -> Result<Vec<SensorRow>, PageError> {
    match run(app, Request::ListSensors).await? {
        Ok(Response::Sensors(rows)) => Ok(rows),
        other => Err(unexpected(other)),
    }
}

/// The sensor with this id.
///
/// # Errors
/// [`PageError::NotFound`] if there is none; [`PageError::Api`] if the store cannot be read.
pub(crate) async fn sensor(app: &AppState, id: &str) -> Result<SensorRow, PageError> {
    match run(app, Request::FindSensor { id: id.to_owned() }).await? {
        Ok(Response::Sensors(rows)) => rows.into_iter().next().ok_or(PageError::NotFound),
        // The error itself does not say whether the sensor is missing or the store has failed.
        Err(_) if app.store.unavailable().is_none() => Err(PageError::NotFound),
        other => Err(unexpected(other)),
    }
}

async fn run(app: &AppState, request: Request) -> Result<Result<Response, AdminError>, ApiError> {
    let (store, now) = (Arc::clone(&app.store), app.counted_now());
    in_background(move || admin::run(&store, request, now)).await
}

fn unexpected(response: Result<Response, AdminError>) -> PageError {
    if let Err(error) = response {
        log::error!("cannot read the sensors: {error}");
    }
    ApiError::Internal("cannot read the sensors").into()
}

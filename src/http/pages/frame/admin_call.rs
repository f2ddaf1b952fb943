//! Changes and queries by the functions that also serve the commands.

use std::sync::Arc;

use super::error::{FieldOf, PageError};
use crate::admin::{self, AdminError, Request, Response, SensorRow};
use crate::http::gate::AppState;
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;

/// Runs a request for a form.
///
/// # Errors
/// [`PageError::Form`] if the request is refused; [`PageError::Api`] if the store fails or the
/// request panics.
pub(crate) async fn admin_call(
    app: &AppState,
    request: Request,
    field_of: FieldOf,
) -> Result<Response, PageError> {
    let result = run(app, request).await?;
    result.map_err(|error| PageError::of_admin(error, field_of))
}

/// Returns all sensors, sorted by id.
///
/// # Errors
/// [`PageError::Api`] if the store cannot be read.
pub(crate) async fn sensors(app: &AppState) -> Result<Vec<SensorRow>, PageError> {
    let rows = run(app, Request::ListSensors).await?;
    rows_of(rows.map_err(|error| PageError::of_admin(error, |_| "main"))?)
}

/// Returns the sensor with this id.
///
/// # Errors
/// [`PageError::NotFound`] if there is none; [`PageError::Api`] if the store cannot be read.
pub(crate) async fn sensor(app: &AppState, id: &str) -> Result<SensorRow, PageError> {
    let rows = match run(app, Request::FindSensor { id: id.to_owned() }).await? {
        Err(AdminError::Store(error)) => return Err(error.into()),
        Err(_) => return Err(PageError::NotFound),
        Ok(rows) => rows_of(rows)?,
    };
    rows.into_iter().next().ok_or(PageError::NotFound)
}

async fn run(app: &AppState, request: Request) -> Result<Result<Response, AdminError>, ApiError> {
    let (store, now) = (Arc::clone(&app.store), app.counted_now());
    in_background(move || admin::run(&store, request, now)).await
}

fn rows_of(response: Response) -> Result<Vec<SensorRow>, PageError> {
    let rows = response.try_into();
    rows.map_err(|_| ApiError::Internal("unexpected answer to a request for sensors").into())
}

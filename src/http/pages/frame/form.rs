//! What a form sends.

use std::rc::Rc;

use actix_web::http::header::HeaderMap;
use actix_web::web;

use crate::http::gate::state::AppState;
use crate::http::pages::frame::error::PageError;
use crate::http::wire::error::ApiError;
use crate::http::wire::params::param;

/// The fields of a form that passed the guard; of type `application/x-www-form-urlencoded`, which is written like a
/// query string.
#[derive(Clone)]
pub(crate) struct Form(Rc<str>);

impl Form {
    /// Reads a form.
    ///
    /// # Errors
    /// As `body.rs` has them; and where it is no text.
    pub(crate) async fn read(
        app: &AppState,
        headers: &HeaderMap,
        payload: web::Payload,
    ) -> Result<Self, PageError> {
        let body = app.bodies.read(headers, payload).await?;
        let text = String::from_utf8(body.bytes).map_err(|_| ApiError::InvalidField {
            name: "form".into(),
            problem: "expected application/x-www-form-urlencoded".into(),
        })?;
        Ok(Self(Rc::from(text)))
    }

    /// What stands in the field `name`; nothing where it is missing.
    ///
    /// # Errors
    /// Where it comes twice or is not written as forms are.
    pub(crate) fn text(&self, name: &str) -> Result<String, PageError> {
        Ok(param(&self.0, name)?.unwrap_or_default())
    }
}

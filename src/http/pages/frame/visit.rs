//! A request as the handlers of pages get it: after the guard.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use askama::Template;

use super::error::{PageError, PageResult};
use super::layout::{Layout, Tab};
use super::response::render;
use super::session::Visitor;
use crate::http::gate::AppState;
use crate::http::wire::ApiError;
use crate::http::wire::params::param;

/// The fields of a form that the guard has accepted, written like a query string.
pub(crate) struct FormFields(String);

impl FormFields {
    /// The form in the body of a request.
    ///
    /// # Errors
    /// [`ApiError::InvalidField`] if the body is not UTF-8.
    pub(crate) fn new(body: Vec<u8>) -> Result<Self, ApiError> {
        let text = String::from_utf8(body).map_err(|_| ApiError::InvalidField {
            name: "form".into(),
            problem: "expected application/x-www-form-urlencoded".into(),
        })?;
        Ok(Self(text))
    }

    /// The value of the field `name`; empty if it is missing.
    ///
    /// # Errors
    /// [`ApiError`] if the field comes twice or is badly encoded.
    pub(crate) fn field(&self, name: &str) -> Result<String, ApiError> {
        Ok(param(&self.0, name)?.unwrap_or_default())
    }
}

/// A request for a page that has passed its guard.
pub(crate) struct Visit {
    pub(crate) app: Data<AppState>,
    pub(crate) visitor: Visitor,
    pub(crate) request: HttpRequest,
}

impl FromRequest for Visit {
    type Error = PageError;
    type Future = Ready<Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let visit = || {
            Some(Self {
                app: request.app_data::<Data<AppState>>()?.clone(),
                // The guard has left it there.
                visitor: request.extensions().get::<Visitor>()?.clone(),
                request: request.clone(),
            })
        };
        let missing = ApiError::Internal("a page has no guard");
        ready(visit().ok_or(missing.into()))
    }
}

impl Visit {
    /// The value of the field `name` of the form; empty if it is missing.
    ///
    /// # Errors
    /// [`PageError::Api`] if the field comes twice or is badly encoded.
    pub(crate) fn field(&self, name: &str) -> Result<String, PageError> {
        match self.request.extensions().get::<FormFields>() {
            Some(form) => Ok(form.field(name)?),
            None => Ok(String::new()),
        }
    }

    /// The value of the parameter `name` of the address; empty if it is missing.
    ///
    /// # Errors
    /// [`PageError::Api`] if the parameter comes twice or is badly encoded.
    pub(crate) fn param(&self, name: &str) -> Result<String, PageError> {
        Ok(param(self.query(), name)?.unwrap_or_default())
    }

    /// The query string.
    pub(crate) fn query(&self) -> &str {
        self.request.query_string()
    }

    /// The frame around a page for this visitor; without tabs if `tab` is `None`.
    pub(crate) fn layout(&self, tab: impl Into<Option<Tab>>) -> Layout {
        Layout {
            tab: tab.into(),
            csrf: self.visitor.form_token(),
            ..Layout::default()
        }
    }
}

/// The response to a form: `result`, or the page with the form again if that is a [`PageError::Form`].
///
/// # Errors
/// Any other error of `result`.
pub(crate) fn or_again<P: Template>(
    result: PageResult,
    mut page: P,
    layout: fn(&mut P) -> &mut Layout,
) -> PageResult {
    match result {
        Err(PageError::Form(problem)) => {
            layout(&mut page).problem = Some(problem);
            Ok(render(StatusCode::UNPROCESSABLE_ENTITY, &page))
        }
        other => other,
    }
}

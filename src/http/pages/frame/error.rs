//! Errors of pages, shown as a page.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use askama::Template;
use thiserror::Error;

use super::layout::Layout;
use super::problem::FormProblem;
use super::response::render;
use crate::http::wire::ApiError;
use crate::store::StoreError;

/// What the handler of a page returns.
pub(crate) type PageResult = Result<HttpResponse, PageError>;

/// Why a page cannot be shown.
#[derive(Debug, Error)]
pub(crate) enum PageError {
    /// An error that the API has, too.
    #[error("Something went wrong")]
    Api(#[from] ApiError),
    /// A mistake in a form. Forms that can be corrected are shown again instead.
    #[error("Nothing was changed")]
    Form(FormProblem),
    #[error("This form has expired")]
    FormExpired,
    #[error("This setup address is not valid")]
    SetupClosed,
    #[error("Page not found")]
    NotFound,
    #[error("Method not allowed")]
    WrongMethod,
    #[error("The server is busy")]
    Busy,
}

impl PageError {
    /// A mistake in this field of a form, see [`FormProblem::new`].
    pub(crate) fn form(field: &'static str, message: &str) -> Self {
        Self::Form(FormProblem::new(field, message))
    }

    /// What the reader can do about it.
    fn remedy(&self) -> String {
        match self {
            Self::Api(error) => error.to_string(),
            Self::Form(problem) => problem.text.clone(),
            Self::FormExpired => {
                "Nothing was changed. Go back, reload the page, and submit the form again.".into()
            }
            Self::SetupClosed => "It works once, until wattkeeper stops. If an administrator password is set, sign in, or run \
                                  `wattkeeper password` on the server to set a new one. Otherwise restart `wattkeeper serve`: it \
                                  prints a new setup address."
                .into(),
            Self::NotFound => "Check the address for typos.".into(),
            Self::WrongMethod => "Nothing was changed.".into(),
            Self::Busy => "Try again in a moment.".into(),
        }
    }
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> Self {
        Self::Api(error.into())
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    layout: Layout,
    title: String,
    remedy: String,
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Api(error) => error.status_code(),
            Self::Form(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::FormExpired | Self::SetupClosed => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn error_response(&self) -> HttpResponse {
        if let Self::Api(error) = self {
            error.log();
        }
        let page = ErrorPage {
            // Without tabs and forms: the guard may have refused the request before it knew the visitor.
            layout: Layout::default(),
            title: self.to_string(),
            remedy: self.remedy(),
        };
        let mut response = render(self.status_code(), &page);
        let wait = match self {
            Self::Api(error) => {
                response.extensions_mut().insert(error.code());
                error.retry_after_secs()
            }
            // Some of the work that fills the queue is done by then.
            Self::Busy => Some(5),
            _ => None,
        };
        if let Some(secs) = wait {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(secs));
        }
        response
    }
}

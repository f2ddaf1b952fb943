//! Errors of pages, shown as a page.

use std::fmt::Display;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use askama::Template;
use thiserror::Error;

use super::layout::Layout;
use super::problem::FormProblem;
use super::response::render;
use crate::admin::AdminError;
use crate::http::wire::error::ErrorDetail;
use crate::http::wire::{ApiError, ErrorCode};
use crate::store::StoreError;
use crate::texts::Language;

/// The result of a page's handler.
pub(crate) type PageResult = Result<HttpResponse, PageError>;

/// Maps the name of a request's field to the id of a form's field; an empty name maps to the field
/// for everything else.
pub(crate) type FieldOf = fn(&str) -> &'static str;

/// Why a page cannot be shown.
#[derive(Debug, Error)]
pub(crate) enum PageError {
    /// An error that the API has too.
    #[error("Something went wrong")]
    Api(#[from] ApiError),
    /// A mistake in a form. Forms that can be corrected are shown again instead.
    #[error("Nothing was changed")]
    Form(FormProblem),
    #[error("This form has expired")]
    FormExpired,
    #[error("This setup address is not valid")]
    SetupClosed,
    #[error("This link does not work any more")]
    WallRevoked,
    #[error("Page not found")]
    NotFound,
    /// The address only has the methods listed here.
    #[error("Method not allowed")]
    WrongMethod(&'static str),
    #[error("The server is busy")]
    Busy,
}

impl PageError {
    /// A mistake in this field of a form, by the name of its text.
    pub(crate) const fn mistake(text: &'static str, field: &'static str) -> Self {
        Self::Form(FormProblem::named(text, field))
    }

    /// A mistake in this field of a form, as a sentence in the visitor's language.
    pub(crate) fn form(field: &'static str, text: impl Into<String>) -> Self {
        Self::Form(FormProblem::new(field, text))
    }

    /// An error of a lower room, at this field of a form.
    pub(crate) fn refused(field: &'static str, error: &impl Display) -> Self {
        Self::Form(FormProblem::refused(field, error))
    }

    /// The refusal of a request, for a form whose `field_of` gives the field at fault.
    pub(crate) fn of_admin(error: AdminError, field_of: FieldOf) -> Self {
        match error {
            AdminError::Store(error) => error.into(),
            refused => Self::refused(field_of(refused.at()), &refused),
        }
    }

    /// Logs the error if the service itself is at fault.
    pub(crate) fn log(&self) {
        if let Self::Api(error) = self {
            error.log();
        }
    }

    /// The error as a page in this frame.
    pub(crate) fn page(&self, layout: Layout) -> HttpResponse {
        let words = self.words(layout.language);
        let mut response = error_page(self.status_code(), words, layout);
        let mut extensions = response.extensions_mut();
        extensions.insert(self.code());
        extensions.insert(ErrorDetail(self.detail()));
        drop(extensions);
        let wait = match self {
            Self::Api(error) => error.retry_after_secs(),
            // Part of the work in the queue is done by then.
            Self::Busy => Some(5),
            _ => None,
        };
        let headers = response.headers_mut();
        if let Some(secs) = wait {
            headers.insert(RETRY_AFTER, HeaderValue::from(secs));
        }
        if let Self::WrongMethod(methods) = self {
            headers.insert(ALLOW, HeaderValue::from_static(methods));
        }
        response
    }

    /// The code for programs, as in a problem.
    const fn code(&self) -> ErrorCode {
        ErrorCode(match self {
            Self::Api(error) => return error.code(),
            Self::Form(_) => "invalid_field",
            Self::FormExpired => "form_expired",
            Self::SetupClosed => "setup_closed",
            Self::WallRevoked => "link_revoked",
            Self::NotFound => "not_found",
            Self::WrongMethod(_) => "method_not_allowed",
            Self::Busy => "overloaded",
        })
    }

    /// The text for programs, in English.
    fn detail(&self) -> String {
        match self {
            Self::Api(error) => error.to_string(),
            Self::WrongMethod(methods) => format!("expected {methods}"),
            Self::Form(problem) => problem.text(Language::english()),
            other => other.to_string(),
        }
    }

    /// The error and its remedy, for the reader.
    fn words(&self, language: &Language) -> ErrorWords {
        match self {
            Self::Form(problem) => (language.say("error-form"), problem.text(language)),
            Self::FormExpired => (
                language.say("error-expired"),
                language.say("error-expired-remedy"),
            ),
            Self::SetupClosed => (
                language.say("error-setup"),
                language.say("error-setup-remedy"),
            ),
            Self::WallRevoked => (
                language.say("error-wall"),
                language.say("error-wall-remedy"),
            ),
            Self::Api(_) | Self::NotFound | Self::WrongMethod(_) | Self::Busy => {
                words_of(self.code(), &self.detail(), language)
            }
        }
    }
}

/// The error and its remedy.
type ErrorWords = (String, String);

/// An error of any room in the words of a language.
pub(crate) fn words_of(
    ErrorCode(code): ErrorCode,
    detail: &str,
    language: &Language,
) -> ErrorWords {
    match code {
        "not_found" => (
            language.say("error-not-found"),
            language.say("error-not-found-remedy"),
        ),
        "method_not_allowed" => (
            language.say("error-method"),
            language.say("error-method-remedy"),
        ),
        "overloaded" => (
            language.say("error-busy"),
            language.say("error-busy-remedy"),
        ),
        "body_too_large" => (
            language.say("error-too-large"),
            language.fill("error-too-large-remedy", [("detail", detail.into())]),
        ),
        "too_many_requests" => (
            language.say("error-too-many"),
            language.say("error-too-many-remedy"),
        ),
        _ => {
            let remedy = language.fill("error-refused", [("detail", detail.into())]);
            (language.say("error-api"), remedy)
        }
    }
}

/// An error as a page, without tabs and forms: the guard may have refused the request before it
/// knew the visitor.
pub(crate) fn error_page(
    status: StatusCode,
    (title, remedy): ErrorWords,
    layout: Layout,
) -> HttpResponse {
    let page = ErrorPage {
        layout,
        title,
        remedy,
    };
    render(status, &page)
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
            Self::FormExpired | Self::SetupClosed | Self::WallRevoked => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::WrongMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn error_response(&self) -> HttpResponse {
        self.log();
        // The guard knows the language and the address, and builds the page again with them.
        self.page(Layout::default())
    }
}

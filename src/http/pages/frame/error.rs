//! Errors of pages, shown as a page.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use askama::Template;
use thiserror::Error;

use crate::http::pages::frame::assets::{Assets, assets};
use crate::http::pages::frame::layout::render;
use crate::http::wire::error::ApiError;
use crate::store::StoreError;

/// Why a page cannot be shown.
#[derive(Debug, Error)]
pub(crate) enum PageError {
    /// An error that the API has, too.
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error("This form has expired")]
    FormOutOfDate,
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
    /// What the reader can do about it.
    fn remedy(&self) -> String {
        match self {
            Self::Api(error) => error.to_string(),
            Self::FormOutOfDate => {
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
    assets: &'static Assets,
    title: String,
    remedy: String,
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Api(error) => error.status_code(),
            Self::FormOutOfDate | Self::SetupClosed => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let title = match self {
            Self::Api(error) => {
                error.log();
                "Something went wrong".to_owned()
            }
            other => other.to_string(),
        };
        let page = ErrorPage {
            assets: assets(),
            title,
            remedy: self.remedy(),
        };
        let status = self.status_code();
        let mut response =
            render(status, &page).unwrap_or_else(|_| HttpResponse::build(status).finish());
        if status == StatusCode::SERVICE_UNAVAILABLE {
            let headers = response.headers_mut();
            headers.insert(RETRY_AFTER, HeaderValue::from(5));
        }
        response
    }
}

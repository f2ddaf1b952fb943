//! Why a page is not shown, as a page.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use askama::Template;
use thiserror::Error;

use crate::http::pages::frame::assets::{Assets, assets};
use crate::http::pages::frame::layout::render;
use crate::http::wire::error::ApiError;
use crate::store::StoreError;

/// Why a page is not shown; a page of its own says so.
#[derive(Debug, Error)]
pub(crate) enum PageError {
    /// What can go wrong with the API, too.
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error("This form is out of date")]
    FormOutOfDate,
    #[error("This set-up address is not valid")]
    SetupClosed,
    #[error("There is no such page")]
    NotFound,
    #[error("This page cannot be asked for like that")]
    WrongMethod,
    #[error("Too much to do at the moment")]
    Busy,
}

impl PageError {
    /// What a person can do about it.
    fn remedy(&self) -> String {
        match self {
            Self::Api(error) => error.to_string(),
            Self::FormOutOfDate => {
                "Nothing was changed. Go back, load the page again, and send the form once more.".into()
            }
            Self::SetupClosed => "It is good for one administrator, until wattkeeper stops; while there is none, \
                                  `wattkeeper serve` prints a new one when it starts. If there is one, sign in; `wattkeeper password` \
                                  sets a new password on the machine itself."
                .into(),
            Self::NotFound => "The address may be misspelt, or from another version.".into(),
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
                "That did not work".to_owned()
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

//! What all pages share: the head with its tabs, and how a page is answered.

use actix_web::HttpResponse;
use actix_web::cookie::Cookie;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, LOCATION};
use askama::Template;

use super::assets::{Assets, assets};
use super::error::PageError;
use super::session::Visitor;
use crate::http::wire::error::ApiError;

/// The pages that the head of each names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Dashboard,
    Settings,
    Status,
}

impl Tab {
    pub(crate) const fn address(self) -> &'static str {
        match self {
            Self::Dashboard => "/",
            Self::Settings => "/settings",
            Self::Status => "/status",
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Dashboard => "Dashboard",
            Self::Settings => "Settings",
            Self::Status => "Status",
        }
    }
}

/// What `base.html` shows around a page.
pub(crate) struct Frame {
    pub(crate) tab: Tab,
    pub(crate) tabs: [Tab; 3],
    pub(crate) assets: &'static Assets,
    pub(crate) version: &'static str,
    /// The hidden field `csrf` of each form.
    pub(crate) csrf: String,
}

impl Frame {
    pub(crate) fn new(tab: Tab, visitor: &Visitor) -> Self {
        Self {
            tab,
            tabs: [Tab::Dashboard, Tab::Settings, Tab::Status],
            assets: assets(),
            version: env!("CARGO_PKG_VERSION"),
            csrf: visitor.form_token(),
        }
    }
}

/// A page as an answer.
pub(crate) fn render(status: StatusCode, page: &impl Template) -> Result<HttpResponse, PageError> {
    let html = page
        .render()
        .map_err(|_| ApiError::Internal("a template failed"))?;
    Ok(HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .body(html))
}

/// Sends the browser to another page, which it asks for by GET.
pub(crate) fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, address))
        .finish()
}

/// An answer along with a cookie.
pub(crate) fn with_cookie(
    mut response: HttpResponse,
    cookie: &Cookie<'_>,
) -> Result<HttpResponse, PageError> {
    response
        .add_cookie(cookie)
        .map_err(|_| ApiError::Internal("a cookie could not be written"))?;
    Ok(response)
}

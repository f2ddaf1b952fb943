//! What a person sees: the pages, their routes, and what they have in common.
//!
//! The addresses of pages and of the API never meet, whatever the API's base path is: the API's end in `/elec` or
//! `/sensors`, and no page's does.

mod assets;
mod dashboard;
mod form;
mod guard;
mod hashing;
mod headers;
mod password;
mod session;
mod settings;
mod setup;
mod sign_in;
mod status;

use actix_web::body::BoxBody;
use actix_web::cookie::Cookie;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use actix_web::middleware::from_fn;
use actix_web::{Error, HttpResponse, Resource, ResponseError, Route, guard as only_if, web};
use askama::Template;
use thiserror::Error;

use self::assets::{Assets, assets};
pub(in crate::http) use self::hashing::Hashing;
use self::session::Visitor;
pub(crate) use self::setup::SetupToken;
use super::error::ApiError;
use crate::store::StoreError;

/// All routes of pages. Who is not signed in sees those of `open` only.
pub(super) fn configure(cfg: &mut web::ServiceConfig) {
    cfg.service(page("/").route(get().to(dashboard::show)))
        .service(page("/settings").route(get().to(settings::show)))
        .service(page("/settings/password").route(web::post().to(password::change)))
        .service(page("/status").route(get().to(status::show)))
        .service(page("/sign-out").route(web::post().to(sign_in::sign_out)))
        .service(
            open("/sign-in")
                .route(get().to(sign_in::show))
                .route(web::post().to(sign_in::sign_in)),
        )
        .service(
            open("/setup")
                .route(get().to(setup::show))
                .route(web::post().to(setup::set_up)),
        )
        .service(
            web::resource("/static/{version}/{name:[a-z-]+\\.[a-z]+}")
                .wrap(from_fn(headers::only))
                .route(get().to(assets::get)),
        );
}

/// A page for the administrator only.
fn page(path: &str) -> Resource<impl PageFactory> {
    web::resource(path)
        .default_service(web::to(wrong_method))
        .wrap(from_fn(guard::signed_in_only))
}

/// A page for anyone.
fn open(path: &str) -> Resource<impl PageFactory> {
    web::resource(path)
        .default_service(web::to(wrong_method))
        .wrap(from_fn(guard::anyone))
}

/// What a guarded resource is made of.
trait PageFactory:
    ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = Error,
        InitError = (),
    > + 'static
{
}

impl<T> PageFactory for T where
    T: ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<BoxBody>,
            Error = Error,
            InitError = (),
        > + 'static
{
}

fn get() -> Route {
    web::route().guard(only_if::Any(only_if::Get()).or(only_if::Head()))
}

async fn wrong_method() -> Result<HttpResponse, PageError> {
    Err(PageError::WrongMethod)
}

/// The pages that the head of each names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Dashboard,
    Settings,
    Status,
}

impl Tab {
    const fn address(self) -> &'static str {
        match self {
            Self::Dashboard => "/",
            Self::Settings => "/settings",
            Self::Status => "/status",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Dashboard => "Dashboard",
            Self::Settings => "Settings",
            Self::Status => "Status",
        }
    }
}

/// What `base.html` shows around a page.
struct Frame {
    tab: Tab,
    tabs: [Tab; 3],
    assets: &'static Assets,
    version: &'static str,
    /// The hidden field `csrf` of each form.
    csrf: String,
}

impl Frame {
    fn new(tab: Tab, visitor: &Visitor) -> Self {
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
fn render(status: StatusCode, page: &impl Template) -> Result<HttpResponse, PageError> {
    let html = page
        .render()
        .map_err(|_| ApiError::Internal("a template failed"))?;
    Ok(HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .body(html))
}

/// Sends the browser to another page, which it asks for by GET.
fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, address))
        .finish()
}

/// An answer along with a cookie.
fn with_cookie(mut response: HttpResponse, cookie: &Cookie<'_>) -> Result<HttpResponse, PageError> {
    response
        .add_cookie(cookie)
        .map_err(|_| ApiError::Internal("a cookie could not be written"))?;
    Ok(response)
}

/// Why a page is not shown; a page of its own says so.
#[derive(Debug, Error)]
enum PageError {
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
            headers.insert(RETRY_AFTER, actix_web::http::header::HeaderValue::from(5));
        }
        response
    }
}

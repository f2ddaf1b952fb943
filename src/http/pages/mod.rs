//! What a person sees: the pages, their routes, and what they have in common.
//!
//! The addresses of pages and of the API never meet, whatever the API's base path is: the API's end in `/elec` or
//! `/sensors`, and no page's does.

mod address;
mod ask;
mod assets;
mod charts;
mod dashboard;
mod description;
mod error;
mod figures;
mod form;
mod guard;
mod hashing;
mod headers;
mod live;
mod now;
mod picture;
mod problem;
mod session;
mod settings;
mod setup;
mod sign_in;
mod span;
mod status;
mod view;
mod whose;

use actix_web::body::BoxBody;
use actix_web::cookie::Cookie;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, LOCATION};
use actix_web::middleware::from_fn;
use actix_web::{Error, HttpResponse, Resource, Route, guard as only_if, web};
use askama::Template;

use self::address::address;
use self::assets::{Assets, assets};
use self::error::PageError;
pub(in crate::http) use self::hashing::Hashing;
pub(in crate::http) use self::live::Streams;
use self::session::Visitor;
use self::settings::{account, key, password, sensor};
pub(crate) use self::setup::SetupToken;
use super::error::ApiError;

/// All routes of pages. Who is not signed in sees those of `open` only.
pub(super) fn configure(cfg: &mut web::ServiceConfig) {
    let post = web::post;
    cfg.service(page("/").route(get().to(dashboard::show)))
        .service(page("/chart").route(get().to(charts::show)))
        .service(page("/chart.csv").route(get().to(charts::csv)))
        .service(page("/live").route(web::get().to(live::show)))
        .service(page("/status").route(get().to(status::show)))
        .service(page("/settings").route(get().to(settings::show)))
        .service(page("/settings/password").route(post().to(password::change)))
        .service(
            page("/settings/account")
                .route(get().to(account::show))
                .route(post().to(account::change)),
        )
        .service(
            page("/settings/account/new")
                .route(get().to(account::new))
                .route(post().to(account::add)),
        )
        .service(page("/settings/account/remove").route(post().to(account::remove)))
        .service(page("/settings/key").route(get().to(key::show)))
        .service(
            page("/settings/key/new")
                .route(get().to(key::new))
                .route(post().to(key::add)),
        )
        .service(page("/settings/key/rotate").route(post().to(key::rotate)))
        .service(page("/settings/key/revoke").route(post().to(key::revoke)))
        .service(page("/settings/sensor").route(get().to(sensor::show)))
        .service(page("/settings/sensor/state").route(get().to(sensor::state)))
        .service(
            page("/settings/sensor/new")
                .route(get().to(sensor::new))
                .route(post().to(sensor::add)),
        )
        .service(page("/settings/sensor/change").route(post().to(sensor::change)))
        .service(page("/settings/sensor/authorize").route(post().to(sensor::authorize)))
        .service(page("/settings/sensor/remove").route(post().to(sensor::remove)))
        .service(page("/sign-out").route(post().to(sign_in::sign_out)))
        .service(
            open("/sign-in")
                .route(get().to(sign_in::show))
                .route(post().to(sign_in::sign_in)),
        )
        .service(open("/openapi").route(get().to(description::show)))
        .service(
            open("/setup")
                .route(get().to(setup::show))
                .route(post().to(setup::set_up)),
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

//! What a person sees: the pages and their routes.
//!
//! The addresses of pages and of the API never meet, whatever the API's base path is: the API's end in `/elec` or
//! `/sensors`, and no page's does.

mod charts;
mod frame;
pub(crate) mod overview;
mod settings;
pub(crate) mod sign_in;

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::from_fn;
use actix_web::{Error, HttpResponse, Resource, Route, guard as only_if, web};

use self::charts::chart as charts_page;
use self::frame::error::PageError;
use self::frame::{assets, guard, headers};
use self::overview::live::Streams;
use self::overview::{dashboard, live, status};
use self::settings::{account, description, key, password, sensor};
use self::sign_in::hashing::Hashing;
use self::sign_in::setup::Setup;
pub(crate) use self::sign_in::setup::SetupToken;
use self::sign_in::{form as sign_in_form, setup};

/// What the pages alone share.
#[derive(Clone)]
pub(super) struct Shared {
    hashing: web::Data<Hashing>,
    setup: web::Data<Setup>,
    streams: web::Data<Streams>,
}

impl Shared {
    pub(super) fn new(setup: Option<SetupToken>) -> Self {
        Self {
            hashing: web::Data::new(Hashing::new()),
            setup: web::Data::new(Setup(setup)),
            streams: web::Data::new(Streams::new()),
        }
    }

    /// Ends the streams of [`live`], which would keep the service from stopping.
    pub(super) fn end_streams(&self) {
        self.streams.end();
    }

    pub(super) fn configure(&self, cfg: &mut web::ServiceConfig) {
        cfg.app_data(self.hashing.clone())
            .app_data(self.setup.clone())
            .app_data(self.streams.clone())
            .configure(routes);
    }
}

/// All routes of pages. Who is not signed in sees those of `open` only.
fn routes(cfg: &mut web::ServiceConfig) {
    let post = web::post;
    cfg.service(page("/").route(get().to(dashboard::show)))
        .service(page("/chart").route(get().to(charts_page::show)))
        .service(page("/chart.csv").route(get().to(charts_page::csv)))
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
        .service(page("/sign-out").route(post().to(sign_in_form::sign_out)))
        .service(
            open("/sign-in")
                .route(get().to(sign_in_form::show))
                .route(post().to(sign_in_form::sign_in)),
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

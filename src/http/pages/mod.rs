//! The pages for people, and their routes. Nothing here decides anything: pages show what the rooms below know, and change it
//! through the same functions as the commands.
//!
//! Rooms import only from those before them:
//! - `frame`: what all pages share
//! - `sign_in`, `settings`, `charts`, `overview`: the pages

mod charts;
mod frame;
mod overview;
mod settings;
mod sign_in;

use actix_web::middleware::from_fn;
use actix_web::{
    FromRequest, Handler, HttpRequest, Resource, Responder, Route, guard as only_if, web,
};

use self::charts::chart;
use self::frame::error::{PageError, PageResult};
use self::frame::{assets, guard, headers};
use self::overview::live::LiveStreams;
use self::overview::{api_reference, dashboard, live, status};
use self::settings::{account, key, overview as settings_page, sensor};
use self::sign_in::password::Hashing;
use self::sign_in::setup::Setup;
pub(crate) use self::sign_in::setup::SetupToken;
use self::sign_in::{form, setup};

/// The state that only the pages share.
#[derive(Clone)]
pub(super) struct PagesState {
    hashing: web::Data<Hashing>,
    setup: web::Data<Setup>,
    streams: web::Data<LiveStreams>,
}

impl PagesState {
    pub(super) fn new(setup: Option<SetupToken>) -> Self {
        Self {
            hashing: web::Data::new(Hashing::new()),
            setup: web::Data::new(Setup(setup)),
            streams: web::Data::new(LiveStreams::new()),
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

/// All routes. They never collide with those of the API, whatever its base path is: those end in `/elec` or `/sensors`.
fn routes(cfg: &mut web::ServiceConfig) {
    let public = vec![
        ("/sign-in", vec![get(form::show), post(form::sign_in)]),
        ("/setup", vec![get(setup::show), post(setup::set_up)]),
        ("/openapi", vec![get(api_reference::show)]),
    ];
    #[rustfmt::skip] // A table: one address per line.
    let pages = vec![
        ("/", vec![get(dashboard::show)]),
        ("/chart", vec![get(chart::show)]),
        ("/chart.csv", vec![get(chart::csv)]),
        // No HEAD: it would hold a stream.
        ("/live", vec![web::get().to(live::show)]),
        ("/status", vec![get(status::show)]),
        ("/settings", vec![get(settings_page::show)]),
        ("/settings/password", vec![post(settings_page::change_password)]),
        ("/settings/account", vec![get(account::show), post(account::change)]),
        ("/settings/account/new", vec![get(account::new), post(account::add)]),
        ("/settings/account/remove", vec![post(account::remove)]),
        ("/settings/key", vec![get(key::show)]),
        ("/settings/key/new", vec![get(key::new), post(key::add)]),
        ("/settings/key/rotate", vec![post(key::rotate)]),
        ("/settings/key/revoke", vec![post(key::revoke)]),
        ("/settings/sensor", vec![get(sensor::show)]),
        ("/settings/sensor/new", vec![get(sensor::new), post(sensor::add)]),
        ("/settings/sensor/state", vec![get(sensor::state)]),
        ("/settings/sensor/change", vec![post(sensor::change)]),
        ("/settings/sensor/authorize", vec![post(sensor::authorize)]),
        ("/settings/sensor/remove", vec![post(sensor::remove)]),
        ("/sign-out", vec![post(form::sign_out)]),
    ];
    for (path, routes) in public {
        let guarded = resource(path, routes).wrap(from_fn(guard::anyone));
        // Outermost, so that refusals of the guard have these headers, too.
        cfg.service(guarded.wrap(headers::security()));
    }
    for (path, routes) in pages {
        let guarded = resource(path, routes).wrap(from_fn(guard::signed_in_only));
        cfg.service(guarded.wrap(headers::security()));
    }
    cfg.service(
        web::resource("/static/{version}/{name:[a-z-]+\\.[a-z]+}")
            .wrap(from_fn(guard::asset))
            .wrap(headers::security())
            .route(get(asset)),
    );
}

async fn asset(request: HttpRequest, path: web::Path<(String, String)>) -> PageResult {
    let (version, name) = path.into_inner();
    assets::respond(&request, &version, &name).ok_or(PageError::NotFound)
}

fn resource(path: &str, routes: Vec<Route>) -> Resource {
    let wrong_method = async || PageResult::Err(PageError::WrongMethod);
    let resource = web::resource(path).default_service(web::to(wrong_method));
    routes.into_iter().fold(resource, Resource::route)
}

fn get<F, Args>(handler: F) -> Route
where
    F: Handler<Args, Output: Responder>,
    Args: FromRequest + 'static,
{
    let method = only_if::Any(only_if::Get()).or(only_if::Head());
    web::route().guard(method).to(handler)
}

fn post<F, Args>(handler: F) -> Route
where
    F: Handler<Args, Output: Responder>,
    Args: FromRequest + 'static,
{
    web::post().to(handler)
}

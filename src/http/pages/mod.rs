//! The pages for people, and their routes. Nothing here makes decisions: pages show the state of
//! the rooms below, and change it through the same functions as the commands.
//!
//! Rooms import only from those before them:
//! - `frame`: parts shared by all pages
//! - `sign_in`, `repair`, `settings`, `service`, `wizard`, `people`, `meters`, `charts`, `money`, `energy`,
//!   `overview`: the pages
//! - `state`: the state that only they share

mod charts;
mod energy;
mod frame;
mod meters;
mod money;
mod overview;
mod people;
pub(crate) mod repair;
mod service;
mod settings;
mod sign_in;
mod state;
mod wizard;

use std::future::ready;

use actix_web::dev::RequestHead;
use actix_web::http::StatusCode;
use actix_web::middleware::from_fn;
use actix_web::{
    Error, FromRequest, Handler, HttpMessage as _, HttpRequest, Resource, Responder, Route, web,
};

use self::charts::{chart, spreadsheet};
use self::energy::{hours as energy_hours, page as energy_page};
use self::frame::access::Access::{
    self, Administrator, Anyone, Member, SignedIn, Tablet, Tenant, Viewer,
};
use self::frame::access::PageAccess;
pub(crate) use self::frame::as_asked::as_asked;
use self::frame::as_asked::wants_page;
use self::frame::error::{PageError, PageResult};
use self::frame::kept::SignInWith;
use self::frame::language::language_of;
use self::frame::posted_form::FormFields;
use self::frame::problem::FormProblem;
use self::frame::{assets, guard, headers, language_choice};
use self::meters::{bills, change, events, typed};
pub(crate) use self::money::report::write_report;
use self::money::{
    cheapest, compare, contract, contracts, days, forecast, offer, offers, prices, purchases,
    savings, sensor as sensor_costs, series, statement, tariff, templates, tenancies, tenancy_form,
    what_if,
};
use self::overview::{api_reference, dashboard, live, notices, offline, status, tenant, wall};
use self::people::{me, person, walls};
use self::service::{
    add_device, backups, broker, counted, devices, home_assistant, house, messages, polled,
    price_sources, store, subscriptions,
};
use self::settings::{account, export, history, key, overview as settings_page, sensor};
pub(crate) use self::sign_in::setup::SetupToken;
use self::sign_in::{form as sign_in_form, setup};
pub(super) use self::state::PagesState;
use self::wizard::{check, connect, form as new_sensor};
use crate::http::wire::{BodySize, body::SMALL};

/// Whether a browser requests a page whose address the API with the base path `/` has too.
pub(super) fn is_asked_for(head: &RequestHead) -> bool {
    const SHARED: [&str; 1] = ["/energy"];
    SHARED.contains(&head.uri.path()) && wants_page(head)
}

/// The routes of a page, for showing it and for its form, each with its access rights.
type PageRoutes = (&'static str, Vec<PageRoute>);

/// All routes. Those that an API with the base path `/` has too are in [`is_asked_for`]; at others,
/// such as `/events`, the API answers.
///
/// Each states its access rights; `tests/blackbox/pages/rights.rs` repeats them, and fails for
/// unknown routes.
fn pages() -> Vec<PageRoutes> {
    #[rustfmt::skip] // A table: one address per line.
    let mut pages = vec![
        ("/sign-in", vec![get(Anyone, sign_in_form::show), post(Anyone, sign_in_form::sign_in)]),
        ("/setup", vec![get(Anyone, setup::show), form(Anyone, setup::set_up, setup::show)]),
        ("/openapi", vec![get(Anyone, api_reference::show)]),
        ("/language", vec![post(Anyone, language_choice::choose)]),
        ("/offline", vec![get(Anyone, offline::show)]),
        ("/", vec![get(Tenant, dashboard::show)]),
        ("/tenancy", vec![get(Tenant, tenant::show)]),
        ("/tenancy.csv", vec![get(Tenant, tenant::csv)]),
        ("/chart", vec![get(Viewer, chart::show)]),
        ("/chart.csv", vec![get(Viewer, chart::csv)]),
        ("/chart-spreadsheet.csv", vec![get(Viewer, spreadsheet::show)]),
        ("/live", vec![get(Viewer, live::show)]),
        ("/energy", vec![get(Viewer, energy_page::show)]),
        ("/energy.csv", vec![get(Viewer, energy_page::csv)]),
        ("/energy/hours", vec![get(Viewer, energy_hours::show)]),
        ("/events", vec![get(Viewer, events::show)]),
        ("/events/decide", vec![form(Member, events::decide, events::show_decision)]),
        ("/events/range", vec![form(Member, events::correct_range, events::show_range)]),
        ("/events/revoke", vec![post(Member, events::revoke)]),
        ("/meter", vec![get(Member, typed::show), form(Member, typed::keep, typed::show)]),
        ("/meter/calibrate", vec![post(Member, typed::calibrate)]),
        ("/meter/remove", vec![post(Member, typed::remove)]),
        ("/meter/change", vec![get(Member, change::show), form(Member, change::change, change::show)]),
        ("/bills", vec![get(Viewer, bills::show), form(Member, bills::add, bills::show)]),
        ("/bills/remove", vec![post(Member, bills::remove)]),
        ("/costs", vec![get(Viewer, statement::show)]),
        ("/costs.csv", vec![get(Viewer, statement::csv)]),
        ("/costs.json", vec![get(Viewer, statement::json)]),
        ("/costs/sensor", vec![get(Viewer, sensor_costs::show)]),
        ("/costs/sensor.csv", vec![get(Viewer, sensor_costs::csv)]),
        ("/costs/forecast", vec![get(Viewer, forecast::show)]),
        ("/costs/contracts", vec![get(Member, contracts::show)]),
        ("/costs/templates", vec![get(Member, templates::show)]),
        ("/costs/tariff", vec![get(Member, tariff::show), form(Member, tariff::save, tariff::show)]),
        ("/costs/contract", vec![get(Member, contract::show), form(Member, contract::save, contract::show)]),
        ("/costs/contract/remove", vec![post(Member, contract::remove)]),
        ("/costs/compare", vec![get(Viewer, compare::show)]),
        ("/costs/what-if", vec![get(Viewer, what_if::show), post(Viewer, what_if::show)]),
        ("/costs/offers", vec![get(Member, offers::show)]),
        ("/costs/offer", vec![get(Member, offer::show), form(Member, offer::save, offer::show)]),
        ("/costs/offer/remove", vec![post(Member, offer::remove)]),
        ("/costs/savings", vec![get(Viewer, savings::show)]),
        ("/costs/purchases", vec![get(Viewer, purchases::show), form(Member, purchases::save, purchases::show)]),
        ("/costs/purchases/remove", vec![post(Member, purchases::remove)]),
        ("/costs/tenancies", vec![get(Viewer, tenancies::show), form(Member, tenancy_form::save, tenancies::show)]),
        ("/costs/tenancies/remove", vec![post(Member, tenancy_form::remove)]),
        ("/costs/tenancies/statements", vec![get(Viewer, tenancies::statements)]),
        ("/costs/tenancies.csv", vec![get(Viewer, tenancies::csv)]),
        ("/costs/prices", vec![get(Member, prices::show), post(Member, prices::add)]),
        ("/costs/series", vec![get(Member, series::show)]),
        ("/costs/series/remove", vec![form(Member, series::remove, series::show)]),
        ("/costs/cheapest", vec![get(Viewer, cheapest::show)]),
        ("/costs/days", vec![get(Member, days::show), form(Member, days::add, days::show)]),
        ("/costs/days/remove", vec![form(Member, days::remove, days::show)]),
        ("/notices/dismiss", vec![post(Member, notices::dismiss)]),
        ("/wall", vec![get(Tablet, wall::show)]),
        ("/wall/live", vec![get(Tablet, live::show)]),
        ("/wall/open", vec![get(Anyone, wall::open)]),
        ("/me", vec![get(SignedIn, me::show), form(SignedIn, me::change_password, me::show)]),
        ("/me/unlink", vec![post(SignedIn, me::unlink)]),
        ("/status", vec![get(Administrator, status::show)]),
        ("/sign-out", vec![post(SignedIn, sign_in_form::sign_out)]),
    ];
    pages.extend(settings_pages());
    pages
}

/// The routes of the settings.
fn settings_pages() -> Vec<PageRoutes> {
    #[rustfmt::skip] // A table: one address per line.
    let pages = vec![
        ("/settings", vec![get(Member, settings_page::show)]),
        ("/settings/export", vec![get(Member, export::download)]),
        ("/settings/password", vec![form(Administrator, settings_page::change_password, settings_page::show)]),
        ("/settings/account", vec![get(Administrator, account::show), form(Administrator, account::change, account::show)]),
        ("/settings/account/new", vec![get(Administrator, account::new), form(Administrator, account::add, account::new)]),
        ("/settings/account/remove", vec![post(Administrator, account::remove)]),
        ("/settings/key", vec![get(Administrator, key::show)]),
        ("/settings/key/new", vec![get(Administrator, key::new), form(Administrator, key::add, key::new)]),
        ("/settings/key/rotate", vec![post(Administrator, key::rotate)]),
        ("/settings/key/revoke", vec![post(Administrator, key::revoke)]),
        ("/settings/sensor", vec![get(Administrator, sensor::show)]),
        ("/settings/sensor/new", vec![get(Administrator, new_sensor::show), form(Administrator, new_sensor::add, new_sensor::show)]),
        ("/settings/sensor/connect", vec![get(Administrator, connect::show), post(Administrator, connect::make_key)]),
        ("/settings/sensor/connect/poll", vec![form(Administrator, connect::poll, connect::show)]),
        ("/settings/sensor/connect/topic", vec![form(Administrator, connect::listen, connect::show)]),
        ("/settings/sensor/check", vec![get(Administrator, check::show), form(Administrator, check::accept, check::show)]),
        ("/settings/sensor/state", vec![get(Administrator, sensor::state)]),
        ("/settings/sensor/import", vec![get(Administrator, history::show), post(Administrator, history::send)]),
        ("/settings/sensor/import/forget", vec![post(Administrator, history::forget)]),
        ("/settings/sensor/change", vec![form(Administrator, sensor::change, sensor::show)]),
        ("/settings/sensor/authorize", vec![post(Administrator, sensor::authorize)]),
        ("/settings/sensor/remove", vec![form(Administrator, sensor::remove, sensor::show)]),
        ("/settings/broker", vec![get(Administrator, broker::show), form(Administrator, broker::save, broker::show)]),
        ("/settings/broker/test", vec![post(Administrator, broker::test)]),
        ("/settings/broker/unsubscribe", vec![post(Administrator, subscriptions::remove)]),
        ("/settings/devices", vec![get(Administrator, devices::show), form(Administrator, add_device::add, devices::show)]),
        ("/settings/polled", vec![get(Administrator, polled::show), form(Administrator, polled::add, polled::show)]),
        ("/settings/polled/remove", vec![post(Administrator, polled::remove)]),
        ("/settings/home-assistant", vec![get(Administrator, home_assistant::show), form(Administrator, home_assistant::save, home_assistant::show)]),
        ("/settings/home-assistant/house", vec![form(Administrator, home_assistant::look, home_assistant::show)]),
        ("/settings/home-assistant/sensors", vec![form(Administrator, house::take, home_assistant::show)]),
        ("/settings/home-assistant/prices", vec![form(Administrator, house::take_prices, home_assistant::show)]),
        ("/settings/home-assistant/send", vec![form(Administrator, home_assistant::send, home_assistant::show)]),
        ("/settings/home-assistant/counted", vec![get(Administrator, counted::show)]),
        ("/settings/home-assistant/remove", vec![post(Administrator, home_assistant::remove)]),
        ("/settings/price-sources", vec![get(Administrator, price_sources::show), form(Administrator, price_sources::add, price_sources::show)]),
        ("/settings/price-sources/remove", vec![post(Administrator, price_sources::remove)]),
        ("/settings/backups", vec![get(Administrator, backups::show), form(Administrator, backups::save, backups::show)]),
        ("/settings/store", vec![get(Administrator, store::show)]),
        ("/settings/store/check", vec![form(Administrator, store::check, store::show)]),
        ("/settings/store/confirm", vec![post(Administrator, store::confirm)]),
        ("/settings/store/close", vec![form(Administrator, store::close, store::show)]),
        ("/settings/store/remove", vec![post(Administrator, store::remove)]),
        ("/settings/messages", vec![get(Administrator, messages::show), form(Administrator, messages::save, messages::show)]),
        ("/settings/messages/test", vec![post(Administrator, messages::test)]),
        ("/settings/people", vec![get(Administrator, person::list)]),
        ("/settings/people/unlink", vec![post(Administrator, person::unlink)]),
        ("/settings/person", vec![get(Administrator, person::show), form(Administrator, person::change, person::show)]),
        ("/settings/person/new", vec![get(Administrator, person::new), form(Administrator, person::add, person::new)]),
        ("/settings/person/password", vec![form(Administrator, person::set_password, person::show)]),
        ("/settings/person/remove", vec![post(Administrator, person::remove)]),
        ("/settings/walls", vec![get(Administrator, walls::show), form(Administrator, walls::add, walls::show)]),
        ("/settings/wall/revoke", vec![post(Administrator, walls::revoke)]),
    ];
    pages
}

pub(super) fn routes(cfg: &mut web::ServiceConfig) {
    for (path, routes) in pages() {
        let who = |is_form| {
            let route = routes.iter().find(|route| route.is_form == is_form);
            // Any other method is refused by the page itself, for visitors who may see it.
            route
                .or(routes.first())
                .map_or(Administrator, |route| route.access)
        };
        let access = PageAccess {
            page: who(false),
            form: who(true),
            keeps: routes
                .iter()
                .any(|route| route.comes_back)
                .then_some(sign_in_form::keep as SignInWith),
            // Forms with a file.
            large_field: match path {
                "/costs/prices" => Some(prices::TABLE),
                "/costs/what-if" => Some(what_if::TABLE),
                "/settings/sensor/import" => Some(history::TABLE),
                _ => None,
            },
        };
        let guarded = resource(path, routes).wrap(from_fn(move |request, next| {
            guard::guarded(request, next, access)
        }));
        let guarded = guarded.app_data(BodySize::AtMost(longest_form(path)));
        // Outermost, so that refusals of the guard have these headers too.
        cfg.service(guarded.wrap(headers::security()));
    }
    cfg.service(
        web::resource("/static/{version}/{name:[a-z-]+\\.[a-z]+}")
            .wrap(from_fn(guard::asset))
            .wrap(headers::security())
            .route(get(Anyone, asset).route)
            .default_service(wrong_method("GET, HEAD")),
    );
}

/// The longest form of a page, in bytes, without its large field.
fn longest_form(path: &str) -> usize {
    /// Some fields, and a note.
    const USUAL: usize = 16 * 1024;
    match path {
        // A contract, a table of days, the lines of a bill, and a form that is kept while its
        // visitor signs in.
        "/costs/contract" | "/costs/offer" | "/costs/days" | "/bills" | "/sign-in"
        // A row for each sensor of a house.
        | "/settings/home-assistant/sensors" => SMALL,
        _ => USUAL,
    }
}

async fn asset(request: HttpRequest, path: web::Path<(String, String)>) -> PageResult {
    let (version, name) = path.into_inner();
    assets::respond(&request, &version, &name).ok_or(PageError::NotFound)
}

fn resource(path: &str, routes: Vec<PageRoute>) -> Resource {
    let has = |is_form| routes.iter().any(|route| route.is_form == is_form);
    let methods = match (has(false), has(true)) {
        (true, true) => "GET, HEAD, POST",
        (true, false) => "GET, HEAD",
        _ => "POST",
    };
    let resource = web::resource(path).default_service(wrong_method(methods));
    let routes = routes.into_iter().map(|it| it.route);
    routes.fold(resource, Resource::route)
}

/// An error that lists the methods of an address.
fn wrong_method(methods: &'static str) -> Route {
    web::to(move || ready(PageResult::Err(PageError::WrongMethod(methods))))
}

/// A form; if it is refused, its page `shown` is shown again with the typed values.
fn form<F, Args, G, ShownArgs>(access: Access, taken: F, shown: G) -> PageRoute
where
    F: Handler<Args, Output = PageResult>,
    Args: FromRequest + 'static,
    G: Handler<ShownArgs, Output = PageResult>,
    ShownArgs: FromRequest + 'static,
{
    let route = post(access, move |request: HttpRequest| {
        let (taken, shown) = (taken.clone(), shown.clone());
        async move {
            let is_kept = {
                let extensions = request.extensions();
                let form = extensions.get::<FormFields>();
                form.is_some_and(FormFields::is_kept)
            };
            let problem = if is_kept {
                FormProblem::new("main", language_of(&request).say("form-kept"))
            } else {
                let args = Args::extract(&request).await.map_err(Into::into)?;
                match taken.call(args).await {
                    Err(PageError::Form(problem)) => problem,
                    answer => return answer.map_err(Error::from),
                }
            };
            // For the layout of the page, and for its fields, which show the typed values.
            request.extensions_mut().insert(problem);
            let args = ShownArgs::extract(&request).await.map_err(Into::into)?;
            let mut page = shown.call(args).await?;
            *page.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(page)
        }
    });
    PageRoute {
        comes_back: true,
        ..route
    }
}

/// A route and its access rights.
struct PageRoute {
    access: Access,
    is_form: bool,
    /// Whether a form is shown again after a mistake, and after signing in.
    comes_back: bool,
    route: Route,
}

fn get<F, Args>(access: Access, handler: F) -> PageRoute
where
    F: Handler<Args, Output: Responder>,
    Args: FromRequest + 'static,
{
    PageRoute {
        access,
        is_form: false,
        comes_back: false,
        route: web::get().to(handler),
    }
}

fn post<F, Args>(access: Access, handler: F) -> PageRoute
where
    F: Handler<Args, Output: Responder>,
    Args: FromRequest + 'static,
{
    PageRoute {
        access,
        is_form: true,
        comes_back: false,
        route: web::post().to(handler),
    }
}

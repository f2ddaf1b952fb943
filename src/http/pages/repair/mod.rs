//! The page of a service whose store is not open: salvage it, put a backup in its place, or try
//! again. No other page exists meanwhile, and nobody can sign in, so a secret address opens it.
//!
//! - `desk`: the repair under way, and its result
//! - `page`: the page and its forms
//! - `upload`: a backup that a browser sends

mod desk;
mod page;
mod upload;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header::RETRY_AFTER;
use actix_web::middleware::from_fn;
use actix_web::{App, Error, HttpRequest, HttpResponse, ResponseError as _, web};

pub(crate) use self::desk::{RepairDesk, RepairPlace, RepairSwitch};
use super::frame::{assets, headers};
use crate::http::wire::ApiError;

/// The longest form: a path, a secret and a word.
const FORM_BYTES: usize = 8 << 10;

/// All routes of a service whose store is not open, for one worker.
pub(crate) fn app(
    desk: web::Data<RepairDesk>,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody + use<>>,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    App::new()
        .app_data(desk)
        .app_data(web::FormConfig::default().limit(FORM_BYTES))
        .service(
            web::resource("/repair")
                .route(web::get().to(page::show))
                .route(web::post().to(page::begin)),
        )
        .route("/repair/upload", web::post().to(upload::take))
        .route(
            "/static/{version}/{name:[a-z-]+\\.[a-z]+}",
            web::get().to(asset),
        )
        .default_service(web::to(closed))
        .wrap(from_fn(page::in_language))
        .wrap(headers::security())
}

async fn asset(request: HttpRequest, path: web::Path<(String, String)>) -> HttpResponse {
    let (version, name) = path.into_inner();
    let found = assets::respond(&request, &version, &name);
    found.unwrap_or_else(|| ApiError::NotFound.error_response())
}

/// The answer to everybody else, such as sensors, which keep their readings and try again.
async fn closed(request: HttpRequest, desk: web::Data<RepairDesk>) -> HttpResponse {
    if desk.is_ingress(request.head()) {
        // Home Assistant has checked who that is.
        return page::at(&request, &desk);
    }
    let mut answer = ApiError::OutOfOrder.error_response();
    answer.headers_mut().insert(
        RETRY_AFTER,
        actix_web::http::header::HeaderValue::from_static("60"),
    );
    answer
}

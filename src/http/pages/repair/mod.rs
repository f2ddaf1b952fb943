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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use actix_web::http::StatusCode;
    use actix_web::test::{TestRequest, call_service, init_service, read_body};

    use super::*;
    use crate::http::pages::sign_in::setup::SetupToken;
    use crate::server::system_clock;
    use crate::store::StoreSettings;

    /// Visitors through Home Assistant get the secret with the page. Only the secret changes
    /// anything, because a page of another site could send the same form.
    #[test]
    fn visitors_through_home_assistant_need_no_address() {
        actix_web::rt::System::new().block_on(visit_through_home_assistant());
    }

    async fn visit_through_home_assistant() {
        let dir = tempfile::tempdir().unwrap();
        let place = RepairPlace {
            data_dir: dir.path().to_owned(),
            settings: StoreSettings::default(),
            backups: None,
            ingress: Some([172, 30, 32, 2].into()),
            why: None,
            clock: system_clock(),
        };
        let token = SetupToken::new().unwrap();
        let secret = token.reveal().to_owned();
        let desk = web::Data::new(RepairDesk::new(place, token, Arc::default()));
        let app = init_service(app(desk.clone())).await;
        let from = |ip: &str, request: TestRequest| {
            request
                .peer_addr(format!("{ip}:1").parse().unwrap())
                .to_request()
        };
        for (ip, expected) in [
            ("172.30.32.2", StatusCode::OK),
            ("172.30.32.3", StatusCode::SERVICE_UNAVAILABLE),
        ] {
            let answer = call_service(&app, from(ip, TestRequest::get().uri("/"))).await;
            assert_eq!(answer.status(), expected, "{ip}");
            let page = String::from_utf8(read_body(answer).await.to_vec()).unwrap();
            assert_eq!(page.contains(&secret), expected == StatusCode::OK);
        }
        for (sent, expected) in [("", StatusCode::FORBIDDEN), (&secret, StatusCode::OK)] {
            let form = [("token", sent), ("do", "open")];
            let form = TestRequest::post().uri("/repair").set_form(form);
            let answer = call_service(&app, from("172.30.32.2", form)).await;
            assert_eq!(answer.status(), expected, "{sent}");
            assert_eq!(desk.is_over(), expected == StatusCode::OK);
        }
    }
}

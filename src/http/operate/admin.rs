//! The requests of commands, on the Unix socket in the data dir only: anyone who can open the
//! socket can do everything that [`admin::run`] does. `POST` to [`PATH`] takes a [`Request`].
//! Everything else, such as a request of another version, is answered with 404 and the server's
//! version.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::from_fn;
use actix_web::{App, Error, HttpResponse, web};

use super::home_assistant;
use super::price_sources::{self, SourcesOf};
use crate::admin;
use crate::admin::{Request, Response};
use crate::http::gate::{AppState, HomeAssistantsOf, access};

/// Contains the version, because the encoding of requests may differ between versions.
pub(crate) const PATH: &str = concat!("/admin/", env!("CARGO_PKG_VERSION"));
/// The longest request, in bytes. A chunk of an import takes 0.9 MB; the cursor of a backup
/// contains the ids of all sensors, up to 65 bytes each.
const BODY_AT_MOST: usize = 64 * 1024 * 1024;

/// The application that the socket serves.
pub(crate) fn app(
    state: web::Data<AppState>,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    App::new()
        .app_data(state)
        .route(PATH, web::post().to(run))
        .default_service(web::to(version))
        .wrap(from_fn(access::log_access))
}

async fn run(state: web::Data<AppState>, payload: web::Payload) -> HttpResponse {
    // The inner error is a broken connection: nobody would read the status.
    let Ok(Ok(body)) = payload.to_bytes_limited(BODY_AT_MOST).await else {
        return HttpResponse::PayloadTooLarge().finish();
    };
    let Ok(request) = decode(&body) else {
        return HttpResponse::BadRequest().finish();
    };
    // An error is only displayed by the command, so its text is enough.
    let answer = move || {
        let now = state.now().time;
        let answer = match request {
            Request::PriceSources(request) => {
                let of = SourcesOf {
                    store: &state.store,
                    settings: &state.settings,
                    asked: &state.price_sources,
                };
                price_sources::run(&of, request, now)
            }
            Request::HomeAssistant(request) => {
                home_assistant::run(&HomeAssistantsOf::of(&state), request, now)
            }
            request => admin::run(&state.store, request, now),
        };
        let answer = answer.map_err(|error| error.to_string());
        encode(&answer)
            .inspect_err(|error| log::error!("cannot encode the answer to a command: {error}"))
    };
    match web::block(answer).await {
        Ok(Ok(body)) => HttpResponse::Ok().body(body),
        _ => HttpResponse::InternalServerError().finish(),
    }
}

async fn version() -> HttpResponse {
    HttpResponse::NotFound().body(env!("CARGO_PKG_VERSION"))
}

fn decode(body: &[u8]) -> Result<Request, bincode::error::DecodeError> {
    // The limit keeps a false length from reserving more memory than a body can fill.
    let config = bincode::config::standard().with_limit::<{ 4 * BODY_AT_MOST }>();
    bincode::serde::decode_from_slice(body, config).map(|(request, _)| request)
}

fn encode(answer: &Result<Response, String>) -> Result<Vec<u8>, bincode::error::EncodeError> {
    bincode::serde::encode_to_vec(answer, bincode::config::standard())
}

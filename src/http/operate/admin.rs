//! `POST /admin/run`: where the commands reach a running server. Who shows the token that the server
//! wrote into its data dir may do what [`admin::run`] does.
//!
//! An empty body asks for the version only, answered as text: so any command can tell whether it and
//! the server speak the same language before it says anything in it.

use std::sync::Arc;

use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, web};
use subtle::ConstantTimeEq as _;

use crate::admin;
use crate::admin::{AdminError, Request, Response};
use crate::domain::clock::Clock;
use crate::store::Store;

/// Where it is.
pub(crate) const PATH: &str = "/admin/run";
/// The longest request, in bytes: a chunk of an import takes 0.9 MB.
const BODY_AT_MOST: usize = 2 * 1024 * 1024;

/// What the route needs; given as [`web::Data`].
pub(crate) struct AdminState {
    /// The store.
    pub(crate) store: Arc<Store>,
    /// What a request must show.
    pub(crate) token: String,
    /// The clock.
    pub(crate) clock: Clock,
}

/// Mounts the route.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    cfg.route(PATH, web::post().to(run));
}

async fn run(
    state: web::Data<AdminState>,
    request: HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    // The token first: nothing of a stranger's body is read.
    if !shows_token(&request, &state.token) {
        return HttpResponse::Unauthorized().finish();
    }
    let Ok(Ok(body)) = payload.to_bytes_limited(BODY_AT_MOST).await else {
        return HttpResponse::PayloadTooLarge().finish();
    };
    if body.is_empty() {
        return HttpResponse::Ok().body(env!("CARGO_PKG_VERSION"));
    }
    let Ok(request) = decode(&body) else {
        return HttpResponse::BadRequest().finish();
    };
    let answer = web::block(move || admin::run(&state.store, request, (state.clock)().time)).await;
    match answer.ok().and_then(|answer| encode(&answer)) {
        Some(body) => HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, "application/octet-stream"))
            .body(body),
        None => HttpResponse::InternalServerError().finish(),
    }
}

fn shows_token(request: &HttpRequest, token: &str) -> bool {
    let shown = request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    shown.is_some_and(|shown| shown.ct_eq(token.as_bytes()).into())
}

fn decode(body: &[u8]) -> Result<Request, bincode::error::DecodeError> {
    // The limit keeps a length that lies from reserving more memory than a body can fill.
    let config = bincode::config::standard().with_limit::<{ 4 * BODY_AT_MOST }>();
    bincode::serde::decode_from_slice(body, config).map(|(request, _)| request)
}

fn encode(answer: &Result<Response, AdminError>) -> Option<Vec<u8>> {
    bincode::serde::encode_to_vec(answer, bincode::config::standard()).ok()
}

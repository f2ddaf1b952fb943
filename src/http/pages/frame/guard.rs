//! What stands before every page: who may see it, whether a form was really given by one of these pages, and the headers.
//!
//! A form that changes something carries the field `csrf`, made from the token in a cookie of the same browser
//! ([`Visitor::form_token`]), and is refused without it, here, before any handler: no page of another site can know it. The
//! forms to sign in and to set up carry one made from a cookie of the visit. The headers `Origin` and `Sec-Fetch-Site`
//! would not do instead: browsers send the one as `null` with forms of pages whose `Referrer-Policy` is `no-referrer`, and
//! the other not at all without TLS, which most homes do without.

use actix_web::body::{BodySize, BoxBody, MessageBody, to_bytes};
use actix_web::cookie::Cookie;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_ENCODING, HeaderValue, VARY};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, ResponseError as _, web};

use crate::http::gate::state::AppState;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::form::Form;
use crate::http::pages::frame::headers;
use crate::http::pages::frame::layout::see_other;
use crate::http::pages::frame::session::Visitor;
use crate::http::wire::body::in_background;
use crate::http::wire::error::ApiError;
use crate::http::wire::stream::{WORTH_PACKING, pack_whole, takes_gzip};

/// For pages that only the administrator sees; others are sent to sign in, and told nothing.
pub(crate) async fn signed_in_only(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    guarded(request, next, true).await
}

/// For pages that anyone sees.
pub(crate) async fn anyone(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    guarded(request, next, false).await
}

async fn guarded(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    needs_session: bool,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let takes_gzip = takes_gzip(request.request());
    let (mut response, cookie) = match admit(&mut request, needs_session).await {
        Ok(Admitted::Yes(cookie)) => (next.call(request).await?.map_into_boxed_body(), cookie),
        Ok(Admitted::SignInFirst) => {
            let answer = see_other(&sign_in_address(&request));
            (request.into_response(answer), None)
        }
        Err(error) => (request.into_response(error.error_response()), None),
    };
    // A handler that begins or ends a session has said so already.
    if let Some(cookie) = cookie
        && response.response().cookies().next().is_none()
    {
        response.response_mut().add_cookie(&cookie)?;
    }
    headers::add(&mut response);
    if takes_gzip {
        return pack(response).await;
    }
    Ok(response)
}

enum Admitted {
    /// With a cookie for the answer, where one is due.
    Yes(Option<Cookie<'static>>),
    SignInFirst,
}

/// Looks whether a request may come to its page, which finds the [`Visitor`] and, of a POST, the [`Form`] with it.
async fn admit(request: &mut ServiceRequest, needs_session: bool) -> Result<Admitted, PageError> {
    let app = request
        .app_data::<web::Data<AppState>>()
        .cloned()
        .ok_or(ApiError::Internal("there is no state"))?;
    let visitor = Visitor::of(request.request(), &app)?;
    if needs_session && visitor.session().is_none() {
        return Ok(Admitted::SignInFirst);
    }
    if request.method() == Method::POST {
        let payload = request.extract::<web::Payload>().await;
        let payload = payload.map_err(|_| ApiError::Internal("a body was read twice"))?;
        let form = Form::read(&app, request.headers(), payload).await?;
        if !visitor.gave(&form.text("csrf")?) {
            return Err(PageError::FormOutOfDate);
        }
        request.extensions_mut().insert(form);
    }
    let cookie = match visitor.session() {
        Some(_) => visitor.use_session(&app).await,
        None => visitor.cookie_of_visit(),
    };
    request.extensions_mut().insert(visitor);
    Ok(Admitted::Yes(cookie))
}

/// Where to sign in, and to come back from there to a page that was asked for.
fn sign_in_address(request: &ServiceRequest) -> String {
    let wanted = request
        .uri()
        .path_and_query()
        .map_or("/", |wanted| wanted.as_str());
    if request.method() != Method::GET || wanted == "/" {
        return "/sign-in".into();
    }
    address("/sign-in", &[("to", wanted)])
}

/// Packs a page that is whole. That nobody learns a secret by the length of what is packed with it: a page of another
/// site cannot make a browser ask for these with its cookie, which is `SameSite=Strict`.
async fn pack(response: ServiceResponse<BoxBody>) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_packed = response.headers().contains_key(CONTENT_ENCODING);
    let long = matches!(response.response().body().size(),
        BodySize::Sized(size) if size >= WORTH_PACKING as u64);
    if is_packed || !long {
        return Ok(response);
    }
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let whole = to_bytes(body).await?;
    let packed = in_background(move || pack_whole(&whole)).await??;
    let mut response = response.set_body(BoxBody::new(packed));
    let headers = response.headers_mut();
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    Ok(ServiceResponse::new(request, response))
}

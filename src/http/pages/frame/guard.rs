//! The middleware of every page: requires a session, refuses forged forms, compresses.
//!
//! Every form that changes something has the field `csrf`, derived from the token in a cookie of the same browser
//! ([`Visitor::form_token`]). The guard refuses a form without it before any handler runs: no page of another site can know it.
//! The forms to sign in and to set up use a cookie for visitors without a session.
//!
//! Forms that a browser says to be another site's are refused as well. That alone would not do: browsers send `Origin: null` from
//! pages whose `Referrer-Policy` is `no-referrer`, and `Sec-Fetch-Site` only with TLS, which most homes do without.

use actix_web::body::{BodySize, BoxBody, MessageBody, to_bytes};
use actix_web::cookie::Cookie;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_ENCODING, HeaderValue, VARY};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, ResponseError as _, web};

use super::address::address;
use super::error::PageError;
use super::response::see_other;
use super::session::Visitor;
use super::visit::FormFields;
use crate::http::gate::AppState;
use crate::http::gate::resource::check_source;
use crate::http::gate::sites::check_form;
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::http::wire::stream::{MIN_COMPRESSED_LENGTH, accepts_gzip, compress};

/// For pages of the administrator. Redirects everyone else to sign in, and reveals nothing.
pub(crate) async fn signed_in_only(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    guarded(request, next, true).await
}

/// For pages that anyone may see.
pub(crate) async fn anyone(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    guarded(request, next, false).await
}

/// For the files of pages, which each page loads several of.
pub(crate) async fn asset(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let app = request.app_data::<web::Data<AppState>>();
    match app.map_or(Ok(()), |app| check_source(app, &request, &app.own_requests)) {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(error) => Ok(request.error_response(PageError::Api(error))),
    }
}

async fn guarded(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    needs_session: bool,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let accepts_gzip = accepts_gzip(request.request());
    let (mut response, cookie) = match admit(&mut request, needs_session).await {
        Ok(Admitted::Yes(cookie)) => (next.call(request).await?.map_into_boxed_body(), cookie),
        Ok(Admitted::SignInFirst) => {
            let answer = see_other(&sign_in_address(&request));
            (request.into_response(answer), None)
        }
        Err(error) => (request.into_response(error.error_response()), None),
    };
    // A handler that starts or ends a session has already set its own cookie.
    if let Some(cookie) = cookie
        && response.response().cookies().next().is_none()
    {
        response.response_mut().add_cookie(&cookie)?;
    }
    if accepts_gzip {
        return pack(response).await;
    }
    Ok(response)
}

enum Admitted {
    /// With a cookie for the response, if one is due.
    Yes(Option<Cookie<'static>>),
    SignInFirst,
}

/// Decides whether a request may reach its page. Attaches the [`Visitor`] and, to a POST, the [`FormFields`], for [`Visit`].
///
/// [`Visit`]: super::visit::Visit
async fn admit(request: &mut ServiceRequest, needs_session: bool) -> Result<Admitted, PageError> {
    let app = request
        .app_data::<web::Data<AppState>>()
        .cloned()
        .ok_or(ApiError::Internal("the application state is missing"))?;
    let visitor = Visitor::of(request.request(), &app)?;
    // One page loads several files, and follows figures by the second: people get more than clients of the API.
    let limit = match visitor.session {
        Some(_) => &app.own_requests,
        None => &app.requests,
    };
    check_source(&app, request, limit)?;
    // Before the body is read: without a session nobody can make this service wait for a body here.
    if needs_session && visitor.session.is_none() {
        return Ok(Admitted::SignInFirst);
    }
    if request.method() == Method::POST {
        check_form(&app, request.request())?;
        // Read here, so that no handler runs before the token is checked.
        let payload = request.extract::<web::Payload>().await;
        let payload = payload.map_err(|_| ApiError::Internal("a body is read twice"))?;
        let is_known = || visitor.session.is_some();
        let body = app.read_body(request.request(), payload, is_known).await?;
        let form = FormFields::new(body.bytes)?;
        if !visitor.has_form_token(&form.field("csrf")?) {
            return Err(PageError::FormExpired);
        }
        request.extensions_mut().insert(form);
    }
    let cookie = match visitor.session {
        Some(_) => visitor.use_session(&app).await,
        None => visitor.visit_cookie(),
    };
    request.extensions_mut().insert(visitor);
    Ok(Admitted::Yes(cookie))
}

/// The address to sign in at, which leads back to the requested page afterwards.
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

/// Compresses a page, except streams. The length of a compressed page cannot leak its secrets (BREACH): the cookie is
/// `SameSite=Strict`, so no other site can make a browser request these pages with its session.
async fn pack(response: ServiceResponse<BoxBody>) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_compressed = response.headers().contains_key(CONTENT_ENCODING);
    // A stream has no known size. To compress it as a whole, one would have to wait for its end.
    let is_long = matches!(response.response().body().size(),
        BodySize::Sized(size) if size >= MIN_COMPRESSED_LENGTH as u64);
    if is_compressed || !is_long {
        return Ok(response);
    }
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let whole = to_bytes(body).await?;
    let packed = in_background(move || compress(&whole)).await??;
    let mut response = response.set_body(BoxBody::new(packed));
    let headers = response.headers_mut();
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    Ok(ServiceResponse::new(request, response))
}

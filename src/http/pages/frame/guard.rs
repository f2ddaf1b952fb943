//! The middleware of every page: requires a session, refuses forged forms, compresses.
//!
//! Every form that changes something has the field `csrf`, derived from the token in a cookie of
//! the same browser ([`Visitor::form_token`]). The guard refuses a form without it before any
//! handler runs; pages of other sites cannot know it. The forms to sign in and to set up use a
//! cookie for visitors without a session.
//!
//! Forms that a browser attributes to another site are refused too. That alone would not be enough:
//! browsers send `Origin: null` from pages whose `Referrer-Policy` is `no-referrer`, and
//! `Sec-Fetch-Site` only with TLS, which most homes do not use.

use actix_web::body::{BodySize, BoxBody, MessageBody, to_bytes};
use actix_web::cookie::Cookie;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_ENCODING, HeaderValue, LOCATION, VARY};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, web};

use super::access::{Access, PageAccess};
use super::address::{HOME, address, from_here, page_of};
use super::error::PageError;
use super::kept::{KeptForm, SignInWith};
use super::language::mark;
use super::layout::Layout;
use super::once::PostedForm;
use super::posted_form::FormFields;
use super::response::see_other;
use super::session::{Visitor, without_mark};
use super::visit::Visit;
use crate::domain::{Rights, SensorId, SessionToken};
use crate::http::gate::resource::check_source;
use crate::http::gate::sites::check_form;
use crate::http::gate::{AppState, PriceSender};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::http::wire::params::param;
use crate::http::wire::stream::{MIN_COMPRESSED_LENGTH, accepts_gzip, compress};

/// Guards the static files. Each page loads several of them.
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

/// Guards pages. `access` states the rights for forms and for all other requests. Redirects
/// visitors who have not signed in, and reveals nothing.
pub(crate) async fn guarded(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    access: PageAccess,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let accepts_gzip = accepts_gzip(request.request());
    let frame = Layout::alone(request.request());
    let (language, up) = (frame.language, frame.up.clone());
    let (mut response, cookie) = match admit(&mut request, access).await {
        Ok(Admitted::Yes(cookie)) => (once(request, next, frame).await?, cookie),
        Ok(Admitted::Keep(visitor, kept, page)) => {
            let cookie = visitor.visit_cookie();
            let answer = match request.app_data::<web::Data<AppState>>().cloned() {
                Some(app) => page(
                    &Visit {
                        app,
                        visitor: *visitor,
                        request: request.request().clone(),
                    },
                    kept,
                ),
                None => see_other(&sign_in_address(&request)),
            };
            (request.into_response(answer), cookie)
        }
        Ok(Admitted::SignInFirst) => {
            let answer = see_other(&sign_in_address(&request));
            (request.into_response(answer), None)
        }
        Err(error) => {
            error.log();
            (request.into_response(error.page(frame)), None)
        }
    };
    // A handler that starts or ends a session has already set its own cookie.
    if let Some(cookie) = cookie
        && response.response().cookies().next().is_none()
    {
        response.response_mut().add_cookie(&cookie)?;
    }
    let headers = response.headers_mut();
    if let Some(to) = headers.get(LOCATION).and_then(|to| to.to_str().ok()) {
        // Only visible ASCII, because it was an address.
        let to = HeaderValue::try_from(from_here(&up, to))
            .map_err(|_| ApiError::Internal("an address is not a valid header"))?;
        headers.insert(LOCATION, to);
    }
    mark(headers, language);
    if accepts_gzip {
        return pack(response).await;
    }
    Ok(response)
}

/// The answer of the page. A form that was saved leads to where it led before.
async fn once(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    frame: Layout,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(form) = PostedForm::of(&request) else {
        return answered(request, next, frame).await;
    };
    let turn = match form.turn().await {
        Ok(turn) => turn,
        Err(error) => {
            let page = PageError::Api(error).page(frame);
            return Ok(request.into_response(page));
        }
    };
    if let Some(answer) = turn.earlier() {
        return Ok(request.into_response(answer));
    }
    let response = answered(request, next, frame).await?;
    turn.keep(response).await
}

/// The answer of the page; an error in the visitor's layout.
async fn answered(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    frame: Layout,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let response = next.call(request).await?.map_into_boxed_body();
    let error = response.response().error();
    let page = error.and_then(|error| Some(error.as_error::<PageError>()?.page(frame)));
    Ok(match page {
        Some(page) => response.into_response(page),
        None => response,
    })
}

enum Admitted {
    /// Admitted, with a cookie for the response if one is due.
    Yes(Option<Cookie<'static>>),
    SignInFirst,
    /// The same, while the form is kept.
    Keep(Box<Visitor>, KeptForm, SignInWith),
}

/// Decides whether a request reaches its page. Attaches the [`Visitor`] and, to a POST, the
/// [`FormFields`], for [`Visit`].
///
/// [`Visit`]: super::visit::Visit
async fn admit(request: &mut ServiceRequest, access: PageAccess) -> Result<Admitted, PageError> {
    let app = request
        .app_data::<web::Data<AppState>>()
        .cloned()
        .ok_or(ApiError::Internal("the application state is missing"))?;
    let is_form = request.method() == Method::POST;
    let (large, keeps) = (access.large_field, access.keeps);
    let access = if is_form { access.form } else { access.page };
    let visitor = visitor_of(request, &app, access)?;
    // One page loads several files, and updates figures every second, so people get more requests
    // than clients of the API.
    let limit = match visitor.as_ref().and_then(Visitor::id) {
        Some(_) => &app.own_requests,
        None => &app.requests,
    };
    check_source(&app, request, limit)?;
    let mut visitor = visitor.ok_or(PageError::WallRevoked)?;
    let begun = visit_of_linked(&app, (request, access), &mut visitor).await;
    // Before the body is read, so that a visitor without a session cannot make this service wait
    // for a body here.
    if must_sign_in(access, &visitor) {
        let Some(page) = keeps.filter(|_| is_form && visitor.is_from_here) else {
            return Ok(Admitted::SignInFirst);
        };
        // As long as the form to sign in may be, which strangers send, too.
        check_form(&app, request.request())?;
        let form = read_form(request, &app, &visitor, None).await?;
        return Ok(match form.kept(page_of(request.request())) {
            Some(kept) => Admitted::Keep(Box::new(visitor), kept, page),
            None => Admitted::SignInFirst,
        });
    }
    if is_form {
        check_form(&app, request.request())?;
        // The same for visitors who may not send this form for any account.
        access.check_any(&visitor.rights)?;
        // Read here, so that no handler runs before the token is checked.
        let mut form = read_form(request, &app, &visitor, large).await?;
        // Looked up again, because a body may take its time, and rights may have been withdrawn
        // meanwhile.
        let still = visitor_of(request, &app, access)?;
        visitor = still.ok_or(PageError::WallRevoked)?;
        if must_sign_in(access, &visitor) {
            return Ok(Admitted::SignInFirst);
        }
        check_token(&mut form, &visitor, keeps.is_some())?;
        request.extensions_mut().insert(form);
    }
    check_access(access, (&app, request), &visitor.rights)?;
    let cookie = if begun.is_some() {
        begun
    } else if visitor.id().is_some() {
        visitor.use_session(&app).await
    } else {
        visitor.visit_cookie()
    };
    request.extensions_mut().insert(visitor);
    Ok(Admitted::Yes(cookie))
}

/// The visitor that sends a request, as known now; `None` for a wall tablet with an unknown link.
fn visitor_of(
    request: &ServiceRequest,
    app: &AppState,
    access: Access,
) -> Result<Option<Visitor>, ApiError> {
    match access {
        Access::Tablet => Ok(Visitor::of_tablet(request.request(), app)),
        _ => Visitor::of(request.request(), app).map(Some),
    }
}

/// Checks the token of a form. One of an earlier session comes back to be looked at, if its page
/// shows it again.
fn check_token(form: &mut FormFields, visitor: &Visitor, is_shown: bool) -> Result<(), PageError> {
    let csrf = form.field("csrf")?;
    if !visitor.has_form_token(&csrf) {
        // The visitor has signed in again meanwhile, perhaps in another tab.
        let is_earlier = SessionToken::parse(without_mark(&csrf)).is_some();
        let comes_back = is_earlier && is_shown && form.kept("").is_some();
        if !comes_back {
            return Err(PageError::FormExpired);
        }
        form.keep();
    }
    // It must not be saved by a page that does not show it again.
    if form.is_kept() && !is_shown {
        return Err(PageError::FormExpired);
    }
    Ok(())
}

/// Begins a session for a linked user of Home Assistant who asks for a page, and returns its cookie.
/// Others sign in, and so does everybody while the store refuses changes. A form has the token of a
/// session that its page had, so it begins none.
async fn visit_of_linked(
    app: &AppState,
    (request, access): (&ServiceRequest, Access),
    visitor: &mut Visitor,
) -> Option<Cookie<'static>> {
    if !must_sign_in(access, visitor) || request.method() != Method::GET {
        return None;
    }
    match visitor.sign_in_linked(app).await {
        Ok(cookie) => cookie,
        Err(error) => {
            error.log();
            None
        }
    }
}

fn must_sign_in(access: Access, visitor: &Visitor) -> bool {
    !matches!(access, Access::Anyone | Access::Tablet) && visitor.session.is_none()
}

/// Reads the form in the body of a request. Its field `large` may be as large as an upload of
/// prices; a form without such a field is small.
async fn read_form(
    request: &mut ServiceRequest,
    app: &AppState,
    visitor: &Visitor,
    large: Option<&'static str>,
) -> Result<FormFields, ApiError> {
    let payload = request.extract::<web::Payload>().await;
    let payload = payload.map_err(|_| ApiError::Internal("a body is read twice"))?;
    let sender = visitor.owner().cloned().map(PriceSender::Person);
    let (body, upload) = match (large, sender) {
        (Some(_), Some(sender)) => {
            let read = app.read_prices(request.request(), (payload, sender));
            let (body, upload) = read.await?;
            (body, Some(upload))
        }
        (_, sender) => {
            let is_known = || sender.is_some();
            let body = app.read_body(request.request(), payload, is_known);
            (body.await?, None)
        }
    };
    FormFields::read(body, large, upload).await
}

/// Checks that a visitor with these rights may send the request.
fn check_access(
    access: Access,
    (app, request): (&AppState, &ServiceRequest),
    rights: &Rights,
) -> Result<(), PageError> {
    let extensions = request.extensions();
    let form = extensions.get::<FormFields>();
    let value = |name| match form {
        Some(form) => form.field(name),
        None => Ok(param(request.query_string(), name)?.unwrap_or_default()),
    };
    let (account, sensor) = (value("account")?, value("sensor")?);
    // A tenant's page names no sensor, and must not tell which there are.
    if !sensor.is_empty() && access != Access::Tenant {
        let registry = app.store.registry();
        let id = SensorId::new(&sensor).ok();
        let sensor = id.and_then(|id| registry.sensor(&id));
        // An unknown sensor is reported by the page, to visitors who may see it.
        let owner = sensor.map_or("?", |sensor| sensor.account.as_str());
        access.check(rights, form.is_some(), owner)?;
        if account.is_empty() {
            return Ok(());
        }
    }
    access.check(rights, form.is_some(), &account)
}

/// The address of the sign-in page, which returns to the requested page afterwards.
fn sign_in_address(request: &ServiceRequest) -> String {
    let wanted = page_of(request.request());
    if request.method() != Method::GET || wanted == HOME {
        return "sign-in".into();
    }
    address("sign-in", &[("to", wanted)])
}

/// Compresses a page, except streams. The length of a compressed page cannot leak its secrets
/// (BREACH): the cookie is `SameSite=Strict`, so no other site can make a browser request these
/// pages with its session.
async fn pack(response: ServiceResponse<BoxBody>) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_compressed = response.headers().contains_key(CONTENT_ENCODING);
    // A stream has no known size. Compressing it as a whole would mean waiting for its end.
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
    headers.append(VARY, HeaderValue::from_static("Accept-Encoding"));
    Ok(ServiceResponse::new(request, response))
}

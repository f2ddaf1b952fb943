//! Detects requests that a page of another site made a browser send, with credentials that the
//! browser adds by itself: HTTP Basic credentials that it keeps, and cookies.

use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};

use crate::http::gate::hosts::forwarded_host;
use crate::http::gate::peer::came_by_tls;
use crate::http::gate::state::AppState;
use crate::http::wire::ApiError;

pub(super) const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses a request with HTTP Basic that was sent by a page of another site, unless
/// `http.cors_origins` lists that site. For requests that change something. Browsers never add
/// other credentials by themselves.
///
/// # Errors
/// [`ApiError::CrossSite`].
pub(crate) fn check_basic(app: &AppState, request: &HttpRequest) -> Result<(), ApiError> {
    if has_basic(request) && is_foreign(app, request) {
        return Err(ApiError::CrossSite);
    }
    Ok(())
}

/// Whether a request has HTTP Basic.
pub(crate) fn has_basic(request: &HttpRequest) -> bool {
    let sent = request.headers().get(AUTHORIZATION);
    sent.is_some_and(|value| {
        let scheme = value.as_bytes().trim_ascii_start().get(..5);
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic"))
    })
}

/// The same for a page's form, whose credentials are cookies.
///
/// # Errors
/// [`ApiError::CrossSite`].
pub(crate) fn check_form(app: &AppState, request: &HttpRequest) -> Result<(), ApiError> {
    let header = |name| request.headers().get(name);
    // Without TLS, our own forms look like this too, because their pages have the policy
    // `no-referrer`. The form's token decides then.
    let is_nameless = header(SEC_FETCH_SITE).is_none()
        && header(ORIGIN).is_some_and(|origin| origin.as_bytes() == b"null");
    if !is_nameless && is_foreign(app, request) {
        return Err(ApiError::CrossSite);
    }
    Ok(())
}

/// Whether the browser says that a page of another site sent this. Other clients send none of these
/// headers.
fn is_foreign(app: &AppState, request: &HttpRequest) -> bool {
    let header = |name| Some(request.headers().get(name)?.to_str().unwrap_or("?"));
    let origin = header(ORIGIN);
    let is_allowed = |origin| {
        let mut known = app.cors_origins.iter();
        known.any(|known| known.is_any() || known.as_str() == origin)
    };
    if origin.is_some_and(is_allowed) {
        return false;
    }
    // Browsers send this header only over TLS or to this machine. It says more than `Origin`, which
    // forms may lack.
    if let Some(site) = header(SEC_FETCH_SITE) {
        return !["same-origin", "none"].contains(&site);
    }
    let Some(origin) = origin else {
        return false;
    };
    let by_tls = came_by_tls(request, &app.trusted_proxies);
    let own = [
        header(HOST),
        forwarded_host(request.head(), &app.trusted_proxies),
    ];
    let (scheme, host) = origin.split_once("://").unwrap_or_default();
    // The scheme is compared too: another port of this machine may serve plain HTTP.
    let is_own_scheme = scheme == if by_tls { "https" } else { "http" };
    let is_own_host = own
        .iter()
        .flatten()
        .any(|own| own.eq_ignore_ascii_case(host));
    !(is_own_scheme && is_own_host)
}

//! Keys that a program sends by itself. A request with such a key may name any host: it carries
//! nothing that a browser would add for a page that rebinds its name. Devices with a fixed address
//! reach the service by names that only their network knows.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{AUTHORIZATION, COOKIE, ORIGIN};
use actix_web::{HttpMessage as _, HttpRequest};

use crate::http::gate::auth::API_KEY;
use crate::http::gate::sites::{SEC_FETCH_SITE, has_basic};
use crate::http::wire::ApiError;
use crate::http::wire::params::param;

/// The parameters that hold a key, in the "elec" API, Emoncms and InfluxDB.
const PARAMETERS: [&str; 3] = [API_KEY, APIKEY, "p"];
const APIKEY: &str = "apikey";

/// The host named by a request that is refused unless its body contains a key.
struct OwedKey(String);

/// Checks a program's request that names an unknown host. If the key can only be in the body,
/// [`check_body`] checks that.
///
/// # Errors
/// [`ApiError::UnknownHost`].
pub(super) fn check_head(request: &ServiceRequest, host: String) -> Result<(), ApiError> {
    if request.headers().contains_key(COOKIE) {
        return Err(ApiError::UnknownHost(host));
    }
    if !is_in_head(request.request()) {
        if request.method().is_safe() {
            return Err(ApiError::UnknownHost(host));
        }
        request.request().extensions_mut().insert(OwedKey(host));
    }
    Ok(())
}

/// Checks that a body contains the key that the request owes. Called before a body that may contain
/// a key is used for anything.
///
/// # Errors
/// [`ApiError::UnknownHost`].
pub(crate) fn check_body(request: &HttpRequest, body: &[u8]) -> Result<(), ApiError> {
    let Some(OwedKey(host)) = request.extensions_mut().remove::<OwedKey>() else {
        return Ok(());
    };
    let names = [API_KEY.as_bytes(), APIKEY.as_bytes()];
    let has = |name: &[u8]| body.windows(name.len()).any(|bytes| bytes == name);
    let has_key = names.into_iter().any(has);
    has_key.then_some(()).ok_or(ApiError::UnknownHost(host))
}

/// Checks that an answered request no longer owes a key, since its body may not have been read.
///
/// # Errors
/// [`ApiError::UnknownHost`].
pub(super) fn check_answered(request: &HttpRequest) -> Result<(), ApiError> {
    let owed = request.extensions_mut().remove::<OwedKey>();
    owed.map_or(Ok(()), |OwedKey(host)| Err(ApiError::UnknownHost(host)))
}

fn is_in_head(request: &HttpRequest) -> bool {
    let headers = request.headers();
    // Browsers keep HTTP Basic credentials for a name, and say where a request came from.
    let is_of_browser = [ORIGIN, SEC_FETCH_SITE]
        .iter()
        .any(|name| headers.contains_key(name));
    let is_own = headers.contains_key(AUTHORIZATION) && !(has_basic(request) && is_of_browser);
    // A value that cannot be decoded is still a key, though a wrong one.
    let is_sent = |name| param(request.query_string(), name).map_or(true, |sent| sent.is_some());
    is_own || PARAMETERS.into_iter().any(is_sent)
}

//! Keys that a program sends by itself. A request with one needs no name of the service: it has nothing that a browser would add
//! for a page under a name of others. Devices with a fixed address reach the service by names that only their network knows.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{AUTHORIZATION, COOKIE, ORIGIN};
use actix_web::{HttpMessage as _, HttpRequest};

use crate::http::gate::auth::API_KEY;
use crate::http::gate::sites::{SEC_FETCH_SITE, has_basic};
use crate::http::wire::ApiError;
use crate::http::wire::params::param;

/// The parameters with a key: of the "elec" API, of Emoncms, of InfluxDB.
const PARAMETERS: [&str; 3] = [API_KEY, APIKEY, "p"];
const APIKEY: &str = "apikey";

/// The host of a request that is refused unless its body has a key.
struct OwedKey(String);

/// Checks a request of a program, for a host that is not this service's. If only its body can have the key, that is checked by
/// [`check_body`].
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

/// Checks that a body has the key that the request owes. Where a body may have one, this comes before anything is made of it.
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

/// Checks that a request that was answered does not owe a key any more: its body may not have been read.
///
/// # Errors
/// [`ApiError::UnknownHost`].
pub(super) fn check_answered(request: &HttpRequest) -> Result<(), ApiError> {
    let owed = request.extensions_mut().remove::<OwedKey>();
    owed.map_or(Ok(()), |OwedKey(host)| Err(ApiError::UnknownHost(host)))
}

fn is_in_head(request: &HttpRequest) -> bool {
    let headers = request.headers();
    // A browser keeps those of HTTP Basic for a name, and says where a request came from.
    let is_of_browser = [ORIGIN, SEC_FETCH_SITE]
        .iter()
        .any(|name| headers.contains_key(name));
    let is_own = headers.contains_key(AUTHORIZATION) && !(has_basic(request) && is_of_browser);
    // A value that cannot be decoded is a key, though a wrong one.
    let is_sent = |name| param(request.query_string(), name).map_or(true, |sent| sent.is_some());
    is_own || PARAMETERS.into_iter().any(is_sent)
}

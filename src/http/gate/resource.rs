//! Resources with fixed methods, and the checks that come before every handler.

use std::future::ready;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{HttpServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::{Method, Uri};
use actix_web::middleware::{Next, from_fn};
use actix_web::{Error, HttpResponse, Resource, ResponseError as _, Route, guard, web};

use super::{own_key, peer, sites};
use crate::http::gate::limits::Limit;
use crate::http::gate::state::AppState;
use crate::http::wire::{ApiError, BodySize};

/// A resource with these methods only.
pub(crate) fn only(methods: &'static str, path: &str) -> Resource {
    web::resource(path).default_service(refuse(move || ApiError::MethodNotAllowed(methods)))
}

/// The same for one that takes bodies of at most this size.
pub(crate) fn taking(methods: &'static str, path: &str, most: BodySize) -> Resource {
    only(methods, path).app_data(most)
}

/// Routes an address with a trailing slash like the one without, and one with repeated slashes or
/// the base path twice like the intended one: people join an address from two parts. A redirect
/// would turn an upload into a GET, and a resource with two addresses is matched with a regular
/// expression at every request that passes it.
pub(crate) fn normalize(request: &mut ServiceRequest) {
    let app = request.app_data::<web::Data<AppState>>();
    let base_path = app.map_or("", |app| &app.base_path);
    let meant = meant(request.path(), base_path).map(Uri::try_from);
    if let Some(Ok(uri)) = meant {
        request.match_info_mut().get_mut().update(&uri);
    }
}

/// The intended path; `None` if it is this one.
fn meant(path: &str, base_path: &str) -> Option<String> {
    let is_plain = !path.contains("//") && (path == "/" || !path.ends_with('/'));
    let again = |path: &str| {
        let below = path.strip_prefix(base_path)?;
        let is_twice = below.strip_prefix(base_path)?.starts_with('/');
        (is_twice && !base_path.is_empty()).then(|| below.to_owned())
    };
    if is_plain && again(path).is_none() {
        return None;
    }
    let parts = path.split('/').filter(|part| !part.is_empty());
    let mut path = parts.fold(String::new(), |path, part| path + "/" + part);
    while let Some(below) = again(&path) {
        path = below;
    }
    Some(if path.is_empty() { "/".into() } else { path })
}

/// A route for a method. The web server's own method guards would collect the methods of a resource
/// again at each request, for an answer that [`only`] gives.
pub(crate) fn on(method: Method) -> Route {
    either(method.clone(), method)
}

/// A route for two methods that do the same.
pub(crate) fn either(one: Method, other: Method) -> Route {
    web::route().guard(guard::fn_guard(move |request| {
        [&one, &other].contains(&&request.head().method)
    }))
}

/// Adds the checks of [`admit`] to a resource.
pub(crate) fn guarded(resource: Resource) -> impl HttpServiceFactory {
    resource.wrap(from_fn(admit))
}

/// Adds the checks of [`admit_program`] to a resource.
pub(crate) fn for_programs(resource: Resource) -> impl HttpServiceFactory {
    resource.wrap(from_fn(admit_program))
}

/// Responds to every request with an error.
pub(crate) fn refuse(error: impl Fn() -> ApiError + Copy + 'static) -> Route {
    // Made for each request, because an `ApiError` cannot be cloned.
    web::to(move || ready(Err::<HttpResponse, _>(error())))
}

/// Checks the host that a request names, the request limit of its address, and whether a page of
/// another site sent it.
pub(crate) async fn admit(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let app = request.app_data::<web::Data<AppState>>();
    let checked = app.map_or(Ok(()), |app| {
        check_source(app, &request, &app.requests)?;
        check_site(app, &request)
    });
    match checked {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(error) => Ok(request.error_response(error)),
    }
}

/// The same for resources that only programs request, each time with their key; with the key, a
/// request may name any host.
pub(crate) async fn admit_program(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let app = request.app_data::<web::Data<AppState>>();
    let checked = app.map_or(Ok(()), |app| {
        match app.hosts.check(request.head(), &app.trusted_proxies) {
            Err(ApiError::UnknownHost(host)) => own_key::check_head(&request, host)?,
            checked => checked?,
        }
        count(app, &request, &app.requests)?;
        check_site(app, &request)
    });
    if let Err(error) = checked {
        return Ok(request.error_response(error));
    }
    let answer = next.call(request).await?;
    match own_key::check_answered(answer.request()) {
        Ok(()) => Ok(answer.map_into_boxed_body()),
        Err(error) => Ok(answer.into_response(error.error_response())),
    }
}

fn check_site(app: &AppState, request: &ServiceRequest) -> Result<(), ApiError> {
    if request.method().is_safe() {
        return Ok(());
    }
    sites::check_basic(app, request.request())
}

/// Checks the host that a request names, and counts the request for its address.
///
/// # Errors
/// [`ApiError::UnknownHost`], [`ApiError::TooManyRequests`].
pub(crate) fn check_source(
    app: &AppState,
    request: &ServiceRequest,
    limit: &Limit,
) -> Result<(), ApiError> {
    app.hosts.check(request.head(), &app.trusted_proxies)?;
    count(app, request, limit)
}

fn count(app: &AppState, request: &ServiceRequest, limit: &Limit) -> Result<(), ApiError> {
    let client = peer::client_address(request.head(), &app.trusted_proxies);
    let counted = limit.count(app.now().elapsed, client, None);
    counted.map_err(ApiError::TooManyRequests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_by_an_address() {
        for (base_path, path, expected) in [
            ("/api/v0.2", "/", None),
            ("/api/v0.2", "/api/v0.2/elec", None),
            ("/api/v0.2", "/api/v0.2", None),
            ("/api/v0.2", "/api/v0.2/api/v0.2x", None),
            ("/api/v0.2", "/api/v0.2/elec/", Some("/api/v0.2/elec")),
            ("/api/v0.2", "//api//v0.2///elec", Some("/api/v0.2/elec")),
            (
                "/api/v0.2",
                "/api/v0.2/api/v0.2/elec",
                Some("/api/v0.2/elec"),
            ),
            (
                "/api/v0.2",
                "/api/v0.2//api/v0.2/api/v0.2/elec//",
                Some("/api/v0.2/elec"),
            ),
            ("/api/v0.2", "//", Some("/")),
            ("", "//elec", Some("/elec")),
            ("", "/elec", None),
            ("/elec", "/elec/elec", None),
            ("/elec", "/elec/elec/elec", Some("/elec/elec")),
        ] {
            assert_eq!(meant(path, base_path).as_deref(), expected, "{path}");
        }
    }
}

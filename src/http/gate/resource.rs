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
use crate::http::wire::ApiError;

/// A resource with these methods only.
pub(crate) fn only(methods: &'static str, path: &str) -> Resource {
    web::resource(path).default_service(refuse(move || ApiError::MethodNotAllowed(methods)))
}

/// Routes an address with a slash at its end like the one without. A redirect between the two would turn an upload into a GET,
/// and a resource with two addresses is looked for with a regular expression, at every request that comes past it.
pub(crate) fn strip_last_slash(request: &mut ServiceRequest) {
    let path = request.path().strip_suffix('/');
    let trimmed = path.filter(|path| !path.is_empty()).map(Uri::try_from);
    if let Some(Ok(uri)) = trimmed {
        request.match_info_mut().get_mut().update(&uri);
    }
}

/// A route for a method. The guards of the web server collect the methods of a resource anew at each request, for an answer that
/// [`only`] gives.
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
    // Made anew for each request: an `ApiError` cannot be cloned.
    web::to(move || ready(Err::<HttpResponse, _>(error())))
}

/// Checks the host that a request names, the limit on requests from its address, and whether a page of another site sent it.
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

/// The same for what only programs ask for, each time with their key: with that a request may name any host.
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

/// Checks the host that a request names, and counts it for the address that it comes from.
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

//! Resources with fixed methods, and the limit on requests by address.

use std::future::ready;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{HttpServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::{Next, from_fn};
use actix_web::{Error, HttpResponse, Resource, Route, guard, web};

use super::peer;
use crate::http::gate::state::AppState;
use crate::http::wire::ApiError;

/// A resource with these methods only, at `path` with and without a slash at its end. A redirect between the two would turn
/// an upload into a GET.
pub(crate) fn only(methods: &'static str, path: &str) -> Resource {
    web::resource([path.to_owned(), format!("{path}/")])
        .default_service(refuse(move || ApiError::MethodNotAllowed(methods)))
}

/// A route for two methods that do the same.
pub(crate) fn either(one: Method, other: Method) -> Route {
    web::route().guard(guard::Any(guard::Method(one)).or(guard::Method(other)))
}

/// Adds the limit on requests to a resource.
pub(crate) fn limited(resource: Resource) -> impl HttpServiceFactory {
    resource.wrap(from_fn(limit_requests))
}

/// Responds to every request with an error.
pub(crate) fn refuse(error: impl Fn() -> ApiError + Copy + 'static) -> Route {
    // Made anew for each request: an `ApiError` cannot be cloned.
    web::to(move || ready(Err::<HttpResponse, _>(error())))
}

/// Refuses requests from an address that exceed the limit.
pub(crate) async fn limit_requests(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let wait = request.app_data::<web::Data<AppState>>().and_then(|app| {
        let client = peer::client_address(request.head(), &app.trusted_proxies);
        app.requests.count(app.now().elapsed, client, None).err()
    });
    match wait {
        Some(wait) => Ok(request.error_response(ApiError::TooManyRequests(wait))),
        None => Ok(next.call(request).await?.map_into_boxed_body()),
    }
}

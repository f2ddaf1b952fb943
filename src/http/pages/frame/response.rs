//! Responses of pages.

use actix_web::HttpResponse;
use actix_web::cookie::Cookie;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue, LOCATION};
use askama::Template;

use super::address::address;
use crate::http::wire::ApiError;

/// A page with status 200.
pub(crate) fn ok(page: &impl Template) -> HttpResponse {
    render(StatusCode::OK, page)
}

/// A page. Returns an empty 500 if its template fails.
pub(crate) fn render(status: StatusCode, page: &impl Template) -> HttpResponse {
    match page.render() {
        Ok(html) => HttpResponse::build(status)
            .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
            .body(html),
        Err(error) => {
            log::error!("cannot render a page: {error}");
            HttpResponse::InternalServerError().finish()
        }
    }
}

/// Redirects the browser to another page, which it loads by GET.
pub(crate) fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, address))
        .finish()
}

/// The response to a form: the browser loads the page at this address, which reports the change.
pub(crate) fn leads_to(path: &str, parameters: &[(&str, &str)]) -> HttpResponse {
    see_other(&address(path, parameters))
}

/// The page of a form that was refused while handling it; it already contains its problem.
pub(crate) fn again(page: &impl Template) -> HttpResponse {
    render(StatusCode::UNPROCESSABLE_ENTITY, page)
}

/// A response that browsers save as a file of this name: letters, digits, hyphens and a dot.
///
/// # Errors
/// [`ApiError::Internal`] if the name is not a valid header.
pub(crate) fn attached(mut response: HttpResponse, name: &str) -> Result<HttpResponse, ApiError> {
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{name}\""))
        .map_err(|_| ApiError::Internal("a file name is not a valid header"))?;
    let headers = response.headers_mut();
    headers.insert(CONTENT_DISPOSITION, disposition);
    Ok(response)
}

/// A response with a cookie.
///
/// # Errors
/// [`ApiError::Internal`] if the cookie is not a valid header.
pub(crate) fn with_cookie(
    mut response: HttpResponse,
    cookie: &Cookie<'_>,
) -> Result<HttpResponse, ApiError> {
    response
        .add_cookie(cookie)
        .map_err(|_| ApiError::Internal("cannot write a cookie"))?;
    Ok(response)
}

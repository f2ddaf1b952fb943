//! Errors in the form that the client reads: a browser gets a page in its language, all other
//! clients get problem details. The rooms that refuse a request produce one of the two; protocols
//! of other systems have their own errors, which are passed on unchanged.

use actix_web::body::BoxBody;
use actix_web::dev::{RequestHead, ServiceResponse};
use actix_web::http::header::{
    ACCEPT, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderValue, VARY,
};

use super::error::{error_page, words_of};
use super::headers::secure;
use super::language::{language_of, mark};
use super::layout::Layout;
use crate::http::wire::ErrorCode;
use crate::http::wire::error::ErrorDetail;
use crate::http::wire::problem::{PROBLEM, problem_details};

/// Whether a browser requests a page to show in its window.
pub(crate) fn wants_page(head: &RequestHead) -> bool {
    let accepted = head.headers().get(ACCEPT).and_then(|it| it.to_str().ok());
    accepted.is_some_and(|it| it.contains("text/html"))
}

/// Converts an error into the form that the client reads; other answers stay as they are.
pub(crate) fn as_asked(mut response: ServiceResponse) -> ServiceResponse {
    let told = {
        let extensions = response.response().extensions();
        let code = extensions.get::<ErrorCode>().copied();
        code.zip(extensions.get::<ErrorDetail>().cloned())
    };
    let Some((code, ErrorDetail(detail))) = told else {
        return response;
    };
    let wants_page = wants_page(response.request().head());
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("Accept"));
    let content_type = headers.get(CONTENT_TYPE);
    let is_page = content_type.is_some_and(|it| it.as_bytes().starts_with(b"text/html"));
    // A page without a language mark was made before the visitor's language was known.
    let is_in_language = headers.contains_key(CONTENT_LANGUAGE);
    if is_page == wants_page && is_in_language == wants_page {
        return response;
    }
    let (request, response) = response.into_parts();
    let (mut response, _) = response.into_parts();
    let (status, language) = (response.status(), language_of(&request));
    let (content_type, body) = if wants_page {
        let words = words_of(code, &detail, language);
        let page = error_page(status, words, Layout::alone(&request));
        ("text/html; charset=utf-8", page.into_body())
    } else {
        let problem = problem_details(status, code, &detail);
        (PROBLEM, BoxBody::new(problem))
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LANGUAGE);
    mark(headers, language);
    secure(headers);
    ServiceResponse::new(request, response.set_body(body))
}

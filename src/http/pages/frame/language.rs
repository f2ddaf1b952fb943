//! The language of a page: the chosen one, or else the browser's.

use actix_web::HttpRequest;
use actix_web::http::header::{
    ACCEPT_LANGUAGE, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderValue, VARY,
};

use crate::texts::Language;

/// The cookie with the tag of the chosen language.
pub(super) const COOKIE: &str = "wattkeeper_language";

/// The language for the browser that sent this request.
pub(crate) fn language_of(request: &HttpRequest) -> &'static Language {
    let chosen = request.cookie(COOKIE);
    let chosen = chosen.and_then(|cookie| Language::of_tag(cookie.value()));
    chosen.unwrap_or_else(|| {
        let asked = request.headers().get(ACCEPT_LANGUAGE);
        let asked = asked.and_then(|header| header.to_str().ok());
        Language::accepted(asked.unwrap_or_default())
    })
}

/// Marks a page with its language, and with the headers that determine it.
pub(crate) fn mark(headers: &mut HeaderMap, language: &Language) {
    let is_page = headers
        .get(CONTENT_TYPE)
        .is_some_and(|it| it.as_bytes().starts_with(b"text/html"));
    if let Ok(tag) = HeaderValue::from_str(language.tag())
        && is_page
    {
        headers.insert(CONTENT_LANGUAGE, tag);
        headers.append(VARY, HeaderValue::from_static("Accept-Language, Cookie"));
    }
}

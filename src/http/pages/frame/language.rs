//! The language of a page: the chosen one, or else the browser's.

use actix_web::HttpRequest;
use actix_web::http::header::{
    ACCEPT_LANGUAGE, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderValue, VARY,
};

use crate::texts::{Language, Region};

/// The cookie with the tag of the chosen language.
pub(super) const COOKIE: &str = "wattkeeper_language";

/// The cookie with the code of the chosen region.
pub(super) const REGION_COOKIE: &str = "wattkeeper_region";

/// The language for the browser that sent this request.
pub(crate) fn language_of(request: &HttpRequest) -> &'static Language {
    let chosen = request.cookie(COOKIE);
    let chosen = chosen.and_then(|cookie| Language::of_tag(cookie.value()));
    let asked = request.headers().get(ACCEPT_LANGUAGE);
    let asked = asked.and_then(|header| header.to_str().ok());
    let asked = asked.unwrap_or_default();
    let region = match request.cookie(REGION_COOKIE) {
        // An unknown word, such as `none`, means that of the language.
        Some(cookie) => cookie.value().parse().ok(),
        None => Region::accepted(asked),
    };
    let language = chosen.unwrap_or_else(|| Language::accepted(asked));
    language.in_region(region)
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

//! From a new sensor to its first reading: what to run on the device, with address, ids and key filled in.

use std::fmt::Write as _;

use actix_web::http::StatusCode;
use actix_web::http::header::HOST;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use crate::domain::account::{ApiId, ApiKey};
use crate::http::gate::state::AppState;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::layout::{Frame, Tab, render};
use crate::http::pages::frame::session::Visitor;

#[derive(Template)]
#[template(path = "settings/steps.html")]
struct StepsPage<'a> {
    frame: Frame,
    name: &'a str,
    api_id: &'a str,
    api_key: &'a str,
    /// Where readings are uploaded to.
    url: String,
    /// The sensor's id, the api_id and the api_key as literals.
    literals: [String; 3],
    /// Where a script asks whether a reading came.
    state: String,
    /// Where a person sees it.
    sensor: String,
    /// Whether no other machine can use the address.
    is_local: bool,
}

/// The page that shows a key, this once, and how it is used.
pub(super) fn answer(
    app: &AppState,
    visitor: &Visitor,
    request: &HttpRequest,
    id: &str,
    name: &str,
    (api_id, api_key): &(ApiId, ApiKey),
) -> Result<HttpResponse, PageError> {
    let host = host(request);
    let scheme = if visitor.came_by_tls() {
        "https"
    } else {
        "http"
    };
    let page = StepsPage {
        frame: Frame::new(Tab::Settings, visitor),
        name,
        api_id: api_id.as_str(),
        api_key: api_key.reveal(),
        url: format!("{scheme}://{host}{}/elec", app.base_path),
        literals: [id, api_id.as_str(), api_key.reveal()].map(literal),
        state: address("/settings/sensor/state", &[("id", id)]),
        sensor: address("/settings/sensor", &[("id", id)]),
        is_local: ["localhost", "127.", "[::1]"]
            .iter()
            .any(|local| host.starts_with(local)),
    };
    render(StatusCode::OK, &page)
}

/// The name by which the browser reached the service, so that devices of the same network may.
fn host(request: &HttpRequest) -> String {
    let named = request.headers().get(HOST);
    let named = named.and_then(|host| host.to_str().ok()).filter(|host| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
        !host.is_empty() && host.bytes().all(is_plain)
    });
    named.unwrap_or("localhost").to_owned()
}

/// `text` as a string of JSON, which Python reads the same, and within which nothing means anything to a shell or to a rule
/// of Tasmota: whoever copies a line runs what it shows.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || " -_.".contains(c) {
            literal.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a String cannot fail.
                let _ = write!(literal, "\\u{unit:04x}");
            }
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_address_is_the_one_that_the_browser_knows() {
        for (named, expected) in [
            (Some("pi.local:8080"), "pi.local:8080"),
            (Some("[fe80::1]:80"), "[fe80::1]:80"),
            (Some("x'; rm -r ~; '"), "localhost"),
            (Some("\"><script>"), "localhost"),
            (Some(""), "localhost"),
            (None, "localhost"),
        ] {
            let mut request = TestRequest::get();
            if let Some(named) = named {
                request = request.insert_header((HOST, named));
            }
            assert_eq!(host(&request.to_http_request()), expected);
        }
    }

    #[test]
    fn a_literal_is_the_text_and_nothing_else() {
        for text in ["house", "it's $(rm) `x` \"%value%\" \\ <b>", "Wärme 🔥", ""] {
            let literal = literal(text);
            let read: String = serde_json::from_str(&literal).unwrap();
            assert_eq!(read, text);
            let inner = literal.trim_matches('"');
            assert!(
                !inner.contains(['\'', '$', '`', '"', '%', ';', '<']),
                "{literal}"
            );
        }
    }
}

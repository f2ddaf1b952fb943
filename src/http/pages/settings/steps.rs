//! How to upload the first reading of a new sensor: what to run on the device, with address, ids, and key filled in.

use std::fmt::Write as _;

use actix_web::http::header::HOST;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use crate::domain::{ApiId, ApiKey};
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, Visit};

#[derive(Template)]
#[template(path = "settings/steps.html")]
struct StepsPage<'a> {
    layout: Layout,
    name: &'a str,
    api_id: &'a str,
    api_key: &'a str,
    /// The address for uploads.
    url: String,
    /// The sensor id, the api_id, and the api_key as literals.
    literals: [String; 3],
    /// The address that a script polls for the first reading.
    state: String,
    /// The page of the sensor.
    sensor: String,
    /// Whether the address works on this machine only.
    is_local: bool,
}

/// The page that shows a new key, this once, and how to use it.
pub(super) fn show(
    visit: &Visit,
    layout: Layout,
    id: &str,
    name: &str,
    (api_id, api_key): &(ApiId, ApiKey),
) -> HttpResponse {
    let host = host(&visit.request);
    let scheme = if visit.visitor.by_tls {
        "https"
    } else {
        "http"
    };
    ok(&StepsPage {
        layout,
        name,
        api_id: api_id.as_str(),
        api_key: api_key.reveal(),
        url: format!("{scheme}://{host}{}/elec", visit.app.base_path),
        literals: [id, api_id.as_str(), api_key.reveal()].map(literal),
        state: address("/settings/sensor/state", &[("id", id)]),
        sensor: address("/settings/sensor", &[("id", id)]),
        is_local: ["localhost", "127.", "[::1]"]
            .iter()
            .any(|local| host.starts_with(local)),
    })
}

/// The host that the browser used: devices in the same network can probably use it, too.
fn host(request: &HttpRequest) -> String {
    let named = request.headers().get(HOST);
    let named = named.and_then(|host| host.to_str().ok()).filter(|host| {
        // The client writes this header, and the page puts it into lines to be copied into a shell.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
        !host.is_empty() && host.bytes().all(is_plain)
    });
    named.unwrap_or("localhost").to_owned()
}

/// `text` as a JSON string, which is also a Python string. Escapes all that is special to a shell or to a Tasmota rule, so that a
/// copied line does just what it shows.
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
    fn the_address_has_the_host_that_the_browser_used() {
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
    fn literals_are_safe_to_copy() {
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

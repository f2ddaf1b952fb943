//! Addresses of pages: building them, and checking that they belong to this service.
//!
//! They are relative to the root of the service, at any path of a proxy: `settings?done=saved`. The
//! `<base>` of each page points to the root, and the guard completes redirects. So nothing here
//! knows the path below which browsers see the service.

use std::fmt::Write as _;

use actix_web::HttpRequest;

/// The address of the dashboard.
pub(crate) const HOME: &str = "./";

/// The address of a page with these parameters.
pub(crate) fn address(path: &str, parameters: &[(&str, &str)]) -> String {
    format!("{path}{}", query_string(parameters))
}

/// These parameters as a query string, with its `?`; empty without parameters.
pub(crate) fn query_string(parameters: &[(&str, impl AsRef<str>)]) -> String {
    let mut text = String::new();
    for (name, value) in parameters {
        text.push(if text.is_empty() { '?' } else { '&' });
        text.push_str(name);
        text.push('=');
        encode(&mut text, value.as_ref());
    }
    text
}

fn encode(text: &mut String, value: &str) {
    for byte in value.bytes() {
        // `/` and `:` are allowed in a query (RFC 3986). Unescaped, paths and times stay readable.
        if byte.is_ascii_alphanumeric() || b"/:-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
}

/// Returns `wanted` if it is an address of this service, otherwise [`HOME`]. For a browser,
/// `//host`, `/\host` and `name:` lead elsewhere, and `..`, also written `%2e%2e`, leaves the path
/// under which a proxy serves wattkeeper.
pub(crate) fn local(wanted: &str) -> &str {
    let path = wanted.split(['?', '#']).next().unwrap_or_default();
    let first = path.split('/').next();
    let goes_up = |part: &str| part.to_ascii_lowercase().replace("%2e", ".") == "..";
    // Browsers drop tabs and line feeds from an address.
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    let is_local = first.is_some_and(|first| !first.contains(':'))
        && !wanted.starts_with('/')
        && !path.split('/').any(goes_up)
        && wanted.bytes().all(is_plain);
    if is_local && !wanted.is_empty() {
        wanted
    } else {
        HOME
    }
}

/// The address of the requested page.
pub(crate) fn page_of(request: &HttpRequest) -> &str {
    let page = request.uri().path_and_query().map_or("", |it| it.as_str());
    match page.strip_prefix('/') {
        Some(page) if !page.is_empty() => page,
        _ => HOME,
    }
}

/// The relative path from the requested page up to the root: `./` or `../../`. It counts the
/// slashes of the path as received, because a trailing slash puts the page one level deeper for a
/// browser.
pub(crate) fn up_from(request: &HttpRequest) -> String {
    match request.uri().path().matches('/').count() {
        0 | 1 => HOME.to_owned(),
        slashes => "../".repeat(slashes - 1),
    }
}

/// Turns an address relative to the root into one that the browser can use on a page that is `up`
/// below the root. It always begins with dots, so it never leads to another host.
pub(crate) fn from_here(up: &str, address: &str) -> String {
    format!("{up}{}", address.strip_prefix(HOME).unwrap_or(address))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn values_are_encoded() {
        assert_eq!(address("a", &[]), "a");
        assert_eq!(
            address("a", &[("id", "Wärme & <b>/x"), ("done", "saved")]),
            "a?id=W%C3%A4rme%20%26%20%3Cb%3E/x&done=saved"
        );
        assert_eq!(query_string(&[("at", "10:05+02:00")]), "?at=10:05%2B02:00");
    }

    #[test]
    fn only_local_addresses_are_accepted() {
        for page in [
            HOME,
            "settings",
            "chart?sensor=h:x&start=1#a",
            "./?account=a",
            "a//b",
            "chart?sensor=../x#..",
            "..x",
        ] {
            assert_eq!(local(page), page);
        }
        for other in [
            "",
            "/settings",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "a\r\nSet-Cookie: x",
            "\t//evil.example",
            "ä",
            "../x",
            "..",
            "a/%2E./x",
            ".%2e?a",
        ] {
            assert_eq!(local(other), HOME, "{other:?}");
        }
    }

    #[test]
    fn a_page_knows_the_way_to_the_root() {
        for (asked, page, up) in [
            ("/", HOME, "./"),
            ("/settings?a=/b/c", "settings?a=/b/c", "./"),
            ("/settings/", "settings/", "../"),
            ("/settings/sensor/new", "settings/sensor/new", "../../"),
            ("/a//b", "a//b", "../../"),
        ] {
            let request = TestRequest::with_uri(asked).to_http_request();
            assert_eq!((page_of(&request), &*up_from(&request)), (page, up));
        }
    }

    #[test]
    fn a_redirect_stays_below_the_path_of_the_proxy() {
        for (up, address, expected) in [
            ("./", HOME, "./"),
            ("../", HOME, "../"),
            ("../", "./?account=a", "../?account=a"),
            ("./", "settings", "./settings"),
            ("../../", "settings?x", "../../settings?x"),
        ] {
            assert_eq!(from_here(up, address), expected);
        }
    }
}

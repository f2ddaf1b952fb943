//! Addresses of pages: building them, and checking that they are on this host.

use std::fmt::Write as _;

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
            // Writing to a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
}

/// `wanted` if it is an address on this host, otherwise `/`. To a browser, `//host` and `/\host` are addresses of other hosts.
pub(crate) fn local(wanted: &str) -> &str {
    let mut bytes = wanted.bytes();
    // Browsers drop tabs and line feeds from an address: `/`, a tab and `/host` would be `//host`.
    let is_local = bytes.next() == Some(b'/')
        && !matches!(bytes.next(), Some(b'/' | b'\\'))
        && wanted
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_local { wanted } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded() {
        assert_eq!(address("/a", &[]), "/a");
        assert_eq!(
            address("/a", &[("id", "Wärme & <b>/x"), ("done", "saved")]),
            "/a?id=W%C3%A4rme%20%26%20%3Cb%3E/x&done=saved"
        );
        assert_eq!(query_string(&[("at", "10:05+02:00")]), "?at=10:05%2B02:00");
    }

    #[test]
    fn only_local_addresses_are_accepted() {
        for page in ["/", "/settings", "/chart?sensor=h%20x&start=1#a", "/a//b"] {
            assert_eq!(local(page), page);
        }
        for other in [
            "",
            "settings",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/a\r\nSet-Cookie: x",
            "/\t/evil.example",
            "/ä",
        ] {
            assert_eq!(local(other), "/", "{other:?}");
        }
    }
}

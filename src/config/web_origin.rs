//! Web sites, in the form of browsers: `https://house.example`.

use std::net::Ipv6Addr;
use std::str::FromStr;

/// A web site with pages that may send requests, in the form of browsers:
/// `https://house.example:8443`; or `*`, for any site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebOrigin(String);

/// The error for a text that is not a web site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a web site such as https://house.example, in lower case and without a path")]
pub struct NotWebOrigin;

impl WebOrigin {
    /// Whether it matches all sites.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.0 == "*"
    }

    /// The site in the form of browsers.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WebOrigin {
    type Err = NotWebOrigin;

    fn from_str(text: &str) -> Result<Self, NotWebOrigin> {
        if text == "*" {
            return Ok(Self(text.to_owned()));
        }
        let (scheme, site) = text.split_once("://").ok_or(NotWebOrigin)?;
        let usual_port = match scheme {
            "https" => 443,
            "http" => 80,
            _ => return Err(NotWebOrigin),
        };
        let (host, port) = match site.rsplit_once(':') {
            // In `[::1]` the last colon belongs to the address, not to a port.
            Some((host, port)) if !port.ends_with(']') => {
                let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
                let port = port.parse::<u16>().ok().filter(|_| is_number);
                (host, port.ok_or(NotWebOrigin)?)
            }
            _ => (site, usual_port),
        };
        let host = host_of(host).ok_or(NotWebOrigin)?;
        // Browsers leave out the default port.
        Ok(Self(if port == usual_port {
            format!("{scheme}://{host}")
        } else {
            format!("{scheme}://{host}:{port}")
        }))
    }
}

/// The host in the form of browsers, from text in lower case.
fn host_of(text: &str) -> Option<String> {
    let in_brackets = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
    match in_brackets {
        // An IPv6 address has several spellings; browsers use the shortest.
        Some(address) => {
            let address: Ipv6Addr = address.parse().ok()?;
            Some(format!("[{address}]"))
        }
        None => (!text.is_empty() && text.bytes().all(is_plain)).then(|| text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_sites_are_written_as_browsers_do() {
        for text in [
            "*",
            "http://localhost:3000",
            "https://house.example",
            "https://[fd00::1]:8443",
            "https://[fd00::1]",
        ] {
            let origin: WebOrigin = text.parse().unwrap();
            assert_eq!(origin.as_str(), text);
            assert_eq!(origin.is_any(), text == "*");
        }
        for (text, shortest) in [
            ("https://house.example:443", "https://house.example"),
            ("http://house.example:80", "http://house.example"),
            ("http://house.example:443", "http://house.example:443"),
            ("https://house.example:0443", "https://house.example"),
            ("https://[fd00:0:0::1]:443", "https://[fd00::1]"),
        ] {
            let origin: WebOrigin = text.parse().unwrap();
            assert_eq!(origin.as_str(), shortest);
        }
        for text in [
            "",
            "house.example",
            "https://",
            "https://house.example/",
            "https://house.example/page",
            "https://House.example",
            "https://*.example",
            "null",
            "http://house:port",
            "http://house:",
            "http://house:+80",
            "http://house:99999",
            "http://:80",
            "http://[house]",
            "http://a:1:2",
            "ftp://house.example",
            "https://a, https://b",
        ] {
            assert_eq!(text.parse::<WebOrigin>(), Err(NotWebOrigin), "{text:?}");
        }
    }
}

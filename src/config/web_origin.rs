//! Web sites, as browsers name them: `https://house.example`.

use std::net::Ipv6Addr;
use std::str::FromStr;

/// A web site with pages that may send requests, as browsers name it: `https://house.example:8443`; or `*`, any site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebOrigin(String);

/// The text is not a web site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a web site such as https://house.example, in lower case and without a path")]
pub struct NotWebOrigin;

impl WebOrigin {
    /// Whether it stands for all sites.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.0 == "*"
    }

    /// As browsers name it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WebOrigin {
    type Err = NotWebOrigin;

    fn from_str(text: &str) -> Result<Self, NotWebOrigin> {
        let site = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"));
        let is_origin = site.is_some_and(|site| match site.rsplit_once(':') {
            // In `[::1]` the last colon belongs to the address, not to a port.
            Some((host, port)) if !port.ends_with(']') => {
                is_host(host) && port.parse::<u16>().is_ok()
            }
            _ => is_host(site),
        });
        if is_origin || text == "*" {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotWebOrigin)
        }
    }
}

/// Whether a host is written as browsers do: in lower case.
fn is_host(text: &str) -> bool {
    let in_brackets = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
    match in_brackets {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !text.is_empty() && text.bytes().all(is_plain),
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

//! The address at which devices reach this service.

use std::net::IpAddr;

use actix_web::HttpRequest;
use actix_web::http::header::{HOST, HeaderName};

use super::visit::Visit;
use crate::http::gate::hosts::address_for_others;
use crate::http::gate::peer::{came_by_proxy, came_from};

const X_FORWARDED_PREFIX: HeaderName = HeaderName::from_static("x-forwarded-prefix");
/// The usual name of a Home Assistant machine in its own network.
const USUAL_HOST: &str = "homeassistant.local";
/// The default port of the service.
const USUAL_PORT: u16 = 8080;

/// The address at which devices reach this service.
pub(crate) struct OwnAddress {
    /// Scheme, host, port and the path of a proxy, such as `http://192.168.1.5:8080`. Has no
    /// trailing slash.
    pub(crate) url: String,
    /// The port that the browser used; the usual one if the address names none.
    pub(crate) port: u16,
    /// Whether only this machine can reach it.
    pub(crate) is_local: bool,
}

impl OwnAddress {
    /// The host that the browser used, which devices in the same network can probably use too. A
    /// name that always means the local machine is avoided if there is another.
    pub(crate) fn of(visit: &Visit) -> Self {
        if came_from(visit.request.head(), visit.app.ingress) {
            return Self::beside_ingress(&named(&visit.request), visit);
        }
        // For a browser on another machine, or outside a container, the same name means that
        // machine.
        let peer = visit.request.peer_addr();
        let is_here = peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback());
        let lan = address_for_others(visit.app.listen.ip()).filter(|_| is_here);
        let has_tls = visit.visitor.by_tls;
        let mut own = Self::new(&named(&visit.request), has_tls, lan);
        own.url.push_str(prefix(visit));
        own
    }

    /// Devices cannot sign in to Home Assistant. They use the port of this service on the same
    /// machine, without TLS.
    fn beside_ingress(named: &str, visit: &Visit) -> Self {
        let port = visit.app.listen.port();
        // With TLS the browser may be anywhere, and the name may lead to this machine only from
        // outside.
        let host = match named.rsplit_once(':') {
            _ if visit.visitor.by_tls => USUAL_HOST,
            Some((host, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => named,
        };
        Self {
            port,
            url: format!("http://{host}:{port}"),
            is_local: false,
        }
    }

    fn new(named: &str, has_tls: bool, lan: Option<IpAddr>) -> Self {
        let (host, port) = match named.rsplit_once(':') {
            // In `[::1]` the last colon belongs to the address.
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
            _ => (named, ""),
        };
        let is_loopback = ["localhost", "[::1]"].contains(&host) || host.starts_with("127.");
        let host = match lan {
            Some(IpAddr::V4(address)) if is_loopback => address.to_string(),
            Some(IpAddr::V6(address)) if is_loopback => format!("[{address}]"),
            _ => host.to_owned(),
        };
        let colon = if port.is_empty() { "" } else { ":" };
        let scheme = if has_tls { "https" } else { "http" };
        Self {
            port: port.parse().unwrap_or(USUAL_PORT),
            url: format!("{scheme}://{host}{colon}{port}"),
            is_local: is_loopback && lan.is_none(),
        }
    }
}

/// The path that a trusted proxy removed, by `X-Forwarded-Prefix`; empty without one. Pages work
/// without it: it is only for addresses that somebody copies.
fn prefix(visit: &Visit) -> &str {
    let request = &visit.request;
    let is_trusted = came_by_proxy(request.head(), &visit.app.trusted_proxies);
    // The last value counts: the client may have sent the others.
    let said = request.headers().get_all(X_FORWARDED_PREFIX).last();
    let said = said
        .filter(|_| is_trusted)
        .and_then(|said| said.to_str().ok());
    plain_prefix(said.unwrap_or_default())
}

/// A path without a trailing slash; empty if the text is not a plain path.
fn plain_prefix(said: &str) -> &str {
    let path = said.trim().trim_end_matches('/');
    // It is put into lines that people copy into a shell.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let is_path = path.starts_with('/') && !path.contains("//") && path.bytes().all(is_plain);
    if is_path { path } else { "" }
}

/// The host named by the browser.
fn named(request: &HttpRequest) -> String {
    let named = request.headers().get(HOST);
    let named = named.and_then(|host| host.to_str().ok()).filter(|host| {
        // The client writes this header, and the page puts it into lines that people copy into a
        // shell.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
        !host.is_empty() && host.bytes().all(is_plain)
    });
    named.unwrap_or("localhost").to_owned()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_host_is_the_one_that_the_browser_used() {
        for (sent, expected) in [
            (Some("pi.local:8080"), "pi.local:8080"),
            (Some("[fe80::1]:80"), "[fe80::1]:80"),
            (Some("x'; rm -r ~; '"), "localhost"),
            (Some("\"><script>"), "localhost"),
            (Some(""), "localhost"),
            (None, "localhost"),
        ] {
            let mut request = TestRequest::get();
            if let Some(sent) = sent {
                request = request.insert_header((HOST, sent));
            }
            assert_eq!(named(&request.to_http_request()), expected);
        }
    }

    #[test]
    fn a_prefix_is_a_plain_path() {
        for (said, expected) in [
            ("/energy", "/energy"),
            ("/energy/", "/energy"),
            ("/api/t_0-.~", "/api/t_0-.~"),
            ("", ""),
            ("/", ""),
            ("energy", ""),
            ("//evil.example", ""),
            ("/a//b", ""),
            ("/a\"><script>", ""),
            ("/a; rm -r ~", ""),
            ("https://evil.example/", ""),
        ] {
            assert_eq!(plain_prefix(said), expected, "{said}");
        }
    }

    #[test]
    fn this_machine_is_named_so_that_others_find_it() {
        let lan = Some(IpAddr::from([192, 168, 1, 5]));
        for (sent, lan, url, is_local) in [
            ("pi.local:8080", lan, "http://pi.local:8080", false),
            ("pi.local", None, "http://pi.local", false),
            ("127.0.0.1:8080", lan, "http://192.168.1.5:8080", false),
            ("localhost", lan, "http://192.168.1.5", false),
            ("[::1]:81", lan, "http://192.168.1.5:81", false),
            ("[::1]:81", None, "http://[::1]:81", true),
            ("localhost:8080", None, "http://localhost:8080", true),
            ("[fd00::2]", lan, "http://[fd00::2]", false),
        ] {
            let own = OwnAddress::new(sent, false, lan);
            assert_eq!((own.url.as_str(), own.is_local), (url, is_local), "{sent}");
        }
        let own = OwnAddress::new("pi.lan", true, lan);
        assert_eq!(own.url, "https://pi.lan");
    }
}

//! The host names that the service answers to, against DNS rebinding. A site can make its name
//! resolve to the address of this machine. For a browser, its pages then have the same origin as
//! the service, so they may send it any request and read the answers. The attacker needs a name in
//! public DNS, so names that cannot exist there are always accepted.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use actix_web::dev::RequestHead;
use actix_web::http::header::{HOST, HeaderName};
use ipnet::IpNet;

use crate::config::HostPattern;
use crate::http::gate::peer::{came_by_proxy, came_from};
use crate::http::wire::ApiError;

const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Endings of names in private networks. Nobody can register a name below any of these. `fritz.box`
/// belongs to the maker of the routers that answer for it.
const LOCAL_ENDINGS: [&str; 7] = [
    "local",
    "localdomain",
    "lan",
    "home",
    "home.arpa",
    "internal",
    "fritz.box",
];

/// The names that the service answers to.
pub(crate) struct Hosts {
    /// Names of this machine that may be public, in lower case.
    own: Vec<String>,
    /// Names from the settings.
    named: Vec<HostPattern>,
    /// The address whose requests may name any host: Home Assistant vouches for them. Each carries
    /// Home Assistant's own cookie, which a site that rebinds its name would not have.
    ingress: Option<IpAddr>,
}

impl Hosts {
    /// Collects the names of this machine, as far as it knows them itself, and the names from the
    /// settings.
    pub(crate) fn new(named: Vec<HostPattern>, ingress: Option<IpAddr>) -> Self {
        let machine = rustix::system::uname();
        // Both files may be missing.
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let own = own_names(
            &machine.nodename().to_string_lossy(),
            &read("/etc/hosts"),
            &read("/etc/resolv.conf"),
        );
        Self {
            own,
            named,
            ingress,
        }
    }

    /// Checks that a request names this service, or a host that public name servers cannot point
    /// here: an IP address or a local name.
    ///
    /// A client that names no host passes, because every browser names one. Behind a trusted proxy
    /// both names are checked: the one the proxy was asked for, and the one it asks for.
    ///
    /// # Errors
    /// [`ApiError::UnknownHost`].
    pub(crate) fn check(&self, head: &RequestHead, trusted: &[IpNet]) -> Result<(), ApiError> {
        if came_from(head, self.ingress) {
            return Ok(());
        }
        let target = head.uri.host().into_iter();
        let sent = head.headers.get_all(HOST);
        let sent = sent.map(|value| value.to_str().unwrap_or("?"));
        let unknown = target
            .chain(sent)
            .chain(forwarded_host(head, trusted))
            .find(|host| !self.has(host));
        unknown.map_or(Ok(()), |host| Err(ApiError::UnknownHost(host.to_owned())))
    }

    fn has(&self, host: &str) -> bool {
        let name = without_port(host);
        let name = name.strip_suffix('.').unwrap_or(name);
        name.is_empty()
            || is_address(name)
            || is_local(name)
            || self.own.iter().any(|own| own.eq_ignore_ascii_case(name))
            || self.named.iter().any(|pattern| pattern.fits(name))
    }
}

/// The host that a trusted proxy was asked for. The last value counts: the client may have sent the
/// others.
pub(crate) fn forwarded_host<'a>(head: &'a RequestHead, trusted: &[IpNet]) -> Option<&'a str> {
    let is_trusted = came_by_proxy(head, trusted);
    let said = head.headers.get_all(X_FORWARDED_HOST).last();
    let said = said.filter(|_| is_trusted)?.to_str().unwrap_or("?");
    said.rsplit(',').next().map(str::trim)
}

/// The address of this machine in its network; `None` without a network.
fn lan_address() -> Option<IpAddr> {
    // An address for documentation (RFC 5737). Connecting a UDP socket only looks up the route and
    // sends nothing.
    let elsewhere = (Ipv4Addr::new(192, 0, 2, 1), 9);
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(elsewhere).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

/// The address by which other machines reach a service that listens on `listen`; `None` if only
/// this machine can reach it.
pub(crate) fn address_for_others(listen: IpAddr) -> Option<IpAddr> {
    if listen.is_unspecified() {
        lan_address()
    } else {
        Some(listen).filter(|address| !address.is_loopback())
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // In `[::1]`, the last colon belongs to the address.
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_address(name: &str) -> bool {
    let in_brackets = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match in_brackets {
        // With or without an interface, as in `[fe80::1%eth0]`.
        Some(v6) => v6
            .split('%')
            .next()
            .is_some_and(|v6| v6.parse::<Ipv6Addr>().is_ok()),
        None => name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_ipv4()),
    }
}

/// Whether a name can only exist in a private network: it has a single label or one of the usual
/// endings.
fn is_local(name: &str) -> bool {
    /// In bytes.
    const LONGEST_LABEL: usize = 63;
    const LONGEST_NAME: usize = 253;
    if name.len() > LONGEST_NAME {
        return false;
    }
    let is_label = |label: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        (1..=LONGEST_LABEL).contains(&label.len()) && label.bytes().all(fits)
    };
    let name = name.to_ascii_lowercase();
    let ends_locally = || {
        let mut endings = LOCAL_ENDINGS.into_iter();
        endings.any(|ending| {
            name.strip_suffix(ending)
                .is_some_and(|rest| rest.ends_with('.'))
        })
    };
    name.split('.').all(is_label) && (!name.contains('.') || ends_locally())
}

/// The names of a machine with this `hostname`: the name itself, the name with each search domain
/// of `resolv.conf`, and its aliases in `hosts`.
fn own_names(hostname: &str, hosts: &str, resolv_conf: &str) -> Vec<String> {
    let mut names = Vec::new();
    let host = hostname.trim_end_matches('.').to_ascii_lowercase();
    let short = host.split('.').next().unwrap_or_default();
    if short.is_empty() {
        return names;
    }
    names.push(host.clone());
    for line in hosts.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let on_line: Vec<_> = line
            .split_whitespace()
            .skip(1)
            .map(str::to_ascii_lowercase)
            .collect();
        if on_line.iter().any(|name| *name == host || name == short) {
            names.extend(on_line);
        }
    }
    for line in resolv_conf.lines() {
        let mut words = line.split_whitespace();
        if matches!(words.next(), Some("search" | "domain")) {
            let domains = words.map(|word| word.trim_matches('.').to_ascii_lowercase());
            let domains = domains.filter(|domain| !domain.is_empty());
            names.extend(domains.map(|domain| format!("{short}.{domain}")));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    const HOSTS: &str = "127.0.0.1 localhost\n127.0.1.1 Pi.lan pi energy # own\n192.168.1.9 nas\n";

    fn hosts() -> Hosts {
        Hosts {
            own: own_names("pi", HOSTS, "nameserver 192.168.1.1\nsearch fritz.box .\n"),
            named: vec!["*.example.org".parse().unwrap()],
            ingress: "172.30.32.2".parse().ok(),
        }
    }

    #[test]
    fn a_machine_knows_its_names() {
        let expected = ["pi", "pi.lan", "pi", "energy", "pi.fritz.box"];
        assert_eq!(hosts().own, expected);
        assert!(own_names("", HOSTS, "search a").is_empty());
        let full = own_names("Pi.example.net.", "", "search example.com");
        assert_eq!(full, ["pi.example.net", "pi.example.com"]);
    }

    #[test]
    fn others_reach_what_listens_to_them() {
        let at = |text: &str| address_for_others(text.parse().unwrap());
        for own in ["127.0.0.1", "127.0.0.9", "::1"] {
            assert_eq!(at(own), None, "{own}");
        }
        assert_eq!(at("192.168.1.5"), "192.168.1.5".parse().ok());
        for all in ["0.0.0.0", "::"] {
            assert_eq!(at(all), lan_address(), "{all}");
        }
    }

    #[test]
    fn addresses_and_known_names_pass() {
        let hosts = hosts();
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[fe80::1%eth0]",
            "pi.local.",
            "pi.fritz.box:80",
            "energy.example.org",
            "",
            // Names that public name servers do not know.
            "nas",
            "nas.",
            "3f2a9c0b71de:8080",
            "my_nas",
            "nas.lan:8080",
            "NAS.Local",
            "a.b.localdomain",
            "nas.home",
            "nas.home.arpa",
            "energy.internal",
            "nas.fritz.box",
            "evil.example.lan",
        ] {
            assert!(hosts.has(host), "{host:?}");
        }
        for host in [
            "evil.example",
            "example.org",
            "pi.evil.example",
            "nas.evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "[evil.example]",
            "evil.example:pi",
            "?",
            // Endings count from label to label.
            "evillan.example",
            "evil.notlan",
            "lan.evil.example",
            "evil.arpa",
            "home.arpa",
            "fritz.box",
            "evilfritz.box",
            "evil.box",
            "evil.fritz.box.example",
            ".lan",
            "..lan",
            "evil.example .lan",
            "evil.example/.lan",
            "evil.example@nas",
            "n\u{e4}s",
        ] {
            assert!(!hosts.has(host), "{host:?}");
        }
        assert!(hosts.has(&"x".repeat(63)));
        for long in ["x".repeat(64), "x.".repeat(126) + "lan"] {
            assert!(hosts.has(&long[2..]) && !hosts.has(&long), "{long}");
        }
    }

    #[test]
    fn every_name_in_a_request_counts() {
        let trusted = ["127.0.0.1/32".parse().unwrap()];
        let passes = |peer: &str, uri: &str, headers: &[(&'static str, &str)]| {
            let mut request = TestRequest::with_uri(uri).peer_addr(peer.parse().unwrap());
            for header in headers {
                request = request.append_header(*header);
            }
            let request = request.to_srv_request();
            hosts().check(request.head(), &trusted).is_ok()
        };
        let (proxy, other) = ("127.0.0.1:1", "8.8.8.8:1");
        assert!(passes(other, "/", &[]));
        assert!(passes(other, "/", &[("Host", "pi")]));
        assert!(!passes(
            other,
            "/",
            &[("Host", "pi"), ("Host", "evil.example")]
        ));
        assert!(!passes(other, "http://evil.example/", &[("Host", "pi")]));
        let by = |peer, host, forwarded| {
            passes(
                peer,
                "/",
                &[("Host", host), ("X-Forwarded-Host", forwarded)],
            )
        };
        assert!(by(proxy, "127.0.0.1:8080", "a.example.org"));
        assert!(!by(proxy, "127.0.0.1:8080", "evil.example"));
        assert!(!by(proxy, "127.0.0.1:8080", "pi, evil.example"));
        // A client can send this header through a proxy that does not know it.
        assert!(!by(proxy, "evil.example", "pi"));
        // Of people in Home Assistant, any host that they reach it by.
        assert!(by("172.30.32.2:1", "ha.elsewhere.example", "ha"));
        assert!(!by("172.30.32.3:1", "ha.elsewhere.example", "ha"));
        // Of other clients it means nothing.
        assert!(by(other, "pi", "evil.example"));
    }
}

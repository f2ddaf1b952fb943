//! The client's address and scheme, also behind trusted proxies.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::dev::RequestHead;
use actix_web::http::header::HeaderName;
use ipnet::IpNet;

use super::connection::Connection;
use crate::domain::{HomeUser, HomeUserId};

const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_REMOTE_USER_ID: HeaderName = HeaderName::from_static("x-remote-user-id");
const X_REMOTE_USER_NAME: HeaderName = HeaderName::from_static("x-remote-user-name");
const X_REMOTE_USER_DISPLAY_NAME: HeaderName =
    HeaderName::from_static("x-remote-user-display-name");

/// Whether a trusted proxy sent the request.
pub(crate) fn came_by_proxy(head: &RequestHead, trusted: &[IpNet]) -> bool {
    way_of(head, trusted).1 > 0
}

/// Whether the request was sent directly from this address, not through a proxy's header.
pub(crate) fn came_from(head: &RequestHead, address: Option<IpAddr>) -> bool {
    let peer = head.peer_addr.map(|peer| peer.ip().to_canonical());
    peer.is_some() && peer == address
}

/// The user of Home Assistant who sent the request, as its Supervisor says: `ingress` is the address
/// that its requests come from. Nobody else's headers count.
pub(crate) fn home_user(head: &RequestHead, ingress: Option<IpAddr>) -> Option<HomeUser> {
    if !came_from(head, ingress) {
        return None;
    }
    let id = HomeUserId::new(only(head, &X_REMOTE_USER_ID)?).ok()?;
    let names = [X_REMOTE_USER_DISPLAY_NAME, X_REMOTE_USER_NAME];
    HomeUser::new(id, names.iter().filter_map(|name| only(head, name)))
}

/// The value of a header that comes once. The Supervisor adds its own to those of the client that
/// it does not take for the same, so one of two may be forged.
fn only<'a>(head: &'a RequestHead, name: &HeaderName) -> Option<&'a str> {
    let mut all = head.headers.get_all(name);
    match (all.next(), all.next()) {
        // Home Assistant sends names in UTF-8.
        (Some(one), None) => std::str::from_utf8(one.as_bytes()).ok(),
        _ => None,
    }
}

/// Whether the client uses TLS, to this service or to a trusted proxy that sends
/// `X-Forwarded-Proto`.
pub(crate) fn came_by_tls(request: &HttpRequest, trusted: &[IpNet]) -> bool {
    let connection = request.conn_data::<Arc<Connection>>();
    if connection.is_some_and(|connection| connection.is_tls()) {
        return true;
    }
    let head = request.head();
    let (_, proxies) = way_of(head, trusted);
    let mut schemes = values(head, X_FORWARDED_PROTO);
    // Each proxy appends the scheme that it was called by, as in `X-Forwarded-For`, or replaces all
    // values with it. The values before those of the trusted proxies are the client's own claims.
    let by_trusted = schemes.split_off(schemes.len().saturating_sub(proxies));
    let first = by_trusted.first();
    first.is_some_and(|scheme| scheme.trim().eq_ignore_ascii_case("https"))
}

/// The client's address: the peer's or, if the peer is a trusted proxy, the last one in
/// `X-Forwarded-For` that is not a trusted proxy. A client can forge the entries before it.
pub(crate) fn client_address(head: &RequestHead, trusted: &[IpNet]) -> IpAddr {
    way_of(head, trusted).0
}

/// The client's address, and the number of trusted proxies that the request came through.
fn way_of(head: &RequestHead, trusted: &[IpNet]) -> (IpAddr, usize) {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(&address));
    let peer = head
        .peer_addr
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| {
            peer.ip().to_canonical()
        });
    if !is_trusted(peer) {
        return (peer, 0);
    }
    let mut hops = values(head, X_FORWARDED_FOR);
    let (mut client, mut proxies) = (peer, 1);
    // From the last entry back, because each proxy appends the address that it was called from.
    while let Some(hop) = hops.pop().and_then(parse_hop) {
        client = hop;
        if !is_trusted(hop) {
            break;
        }
        proxies += 1;
    }
    (client, proxies)
}

/// The values of a list header, in order.
fn values(head: &RequestHead, name: HeaderName) -> Vec<&str> {
    head.headers
        .get_all(name)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect()
}

/// Parses an address in the forms that proxies use: plain, with a port, or in brackets.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    // `[::1]:80` without its first bracket is not an address, so it is parsed with its port below.
    bare.parse()
        .or_else(|_| text.parse().map(|with_port: SocketAddr| with_port.ip()))
        .ok()
        .map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let trusted = [
            "127.0.0.1/32".parse().unwrap(),
            "10.0.0.0/8".parse().unwrap(),
        ];
        let mut request = TestRequest::get().peer_addr(peer.parse().unwrap());
        for value in forwarded {
            request = request.append_header(("X-Forwarded-For", *value));
        }
        let request = request.to_srv_request();
        client_address(request.head(), &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(client("8.8.8.8:1", &["1.1.1.1"]), "8.8.8.8");
        assert_eq!(client("[::ffff:8.8.8.8]:1", &[]), "8.8.8.8");
    }

    #[test]
    fn a_trusted_proxy_names_the_client() {
        assert_eq!(client("127.0.0.1:1", &[]), "127.0.0.1");
        assert_eq!(client("127.0.0.1:1", &["1.1.1.1"]), "1.1.1.1");
        assert_eq!(client("[::ffff:127.0.0.1]:1", &["fe80::1"]), "fe80::1");
        assert_eq!(client("127.0.0.1:1", &["9.9.9.9, 1.1.1.1"]), "1.1.1.1");
        assert_eq!(client("127.0.0.1:1", &["1.1.1.1, 10.1.2.3"]), "1.1.1.1");
        assert_eq!(client("127.0.0.1:1", &["9.9.9.9", "1.1.1.1"]), "1.1.1.1");
        assert_eq!(client("127.0.0.1:1", &["[2001:db8::1]:443"]), "2001:db8::1");
        assert_eq!(client("127.0.0.1:1", &["1.1.1.1:80"]), "1.1.1.1");
    }

    #[test]
    fn the_scheme_is_that_of_the_trusted_proxies() {
        let by_tls = |peer: &str, forwarded: &str, proto: &[&str]| {
            let trusted = [
                "127.0.0.1/32".parse().unwrap(),
                "10.0.0.0/8".parse().unwrap(),
            ];
            let mut request = TestRequest::get()
                .peer_addr(peer.parse().unwrap())
                .insert_header(("X-Forwarded-For", forwarded));
            for value in proto {
                request = request.append_header(("X-Forwarded-Proto", *value));
            }
            came_by_tls(&request.to_http_request(), &trusted)
        };
        for (peer, forwarded, proto, is_tls) in [
            ("127.0.0.1:1", "1.1.1.1", &["https"][..], true),
            ("127.0.0.1:1", "1.1.1.1", &["HTTPS"], true),
            ("8.8.8.8:1", "1.1.1.1", &["https"], false),
            ("127.0.0.1:1", "1.1.1.1", &[], false),
            // The client claims a scheme, and the proxy appends its own.
            ("127.0.0.1:1", "1.1.1.1", &["https, http"], false),
            ("127.0.0.1:1", "1.1.1.1", &["http", "https"], true),
            // Two proxies: the first is called by TLS, the second without TLS.
            ("127.0.0.1:1", "1.1.1.1, 10.0.0.1", &["https, http"], true),
            ("127.0.0.1:1", "1.1.1.1, 10.0.0.1", &["https"], true),
            (
                "127.0.0.1:1",
                "1.1.1.1, 10.0.0.1",
                &["https", "http, http"],
                false,
            ),
        ] {
            assert_eq!(by_tls(peer, forwarded, proto), is_tls, "{proto:?}");
        }
    }

    #[test]
    fn an_unreadable_entry_ends_the_chain() {
        assert_eq!(client("127.0.0.1:1", &["unknown"]), "127.0.0.1");
        assert_eq!(
            client("127.0.0.1:1", &["1.1.1.1, _hidden, 10.1.2.3"]),
            "10.1.2.3"
        );
    }

    #[test]
    fn a_user_of_home_assistant_is_named_by_the_supervisor_alone() {
        let ingress = "172.30.32.2".parse().ok();
        let user = |peer: &str, headers: &[(&'static str, &str)]| {
            let mut request = TestRequest::get().peer_addr(peer.parse().unwrap());
            for header in headers {
                request = request.append_header(*header);
            }
            let user = home_user(request.to_srv_request().head(), ingress)?;
            Some((user.id.to_string(), user.name.to_string()))
        };
        let id = ("X-Remote-User-Id", "0f3c");
        let (name, shown) = (
            ("X-Remote-User-Name", "anna"),
            ("X-Remote-User-Display-Name", "\u{c4}nne"),
        );
        let (supervisor, other) = ("172.30.32.2:1", "172.30.32.3:1");
        let is = |name: &str| Some(("0f3c".to_owned(), name.to_owned()));
        assert_eq!(user(supervisor, &[id, name, shown]), is("\u{c4}nne"));
        assert_eq!(user(supervisor, &[id, name]), is("anna"));
        assert_eq!(user(supervisor, &[id]), is("0f3c"));
        assert_eq!(user(supervisor, &[name, shown]), None);
        assert_eq!(user(other, &[id, name, shown]), None);
        // A client's own beside the Supervisor's.
        assert_eq!(user(supervisor, &[id, ("x-remote-user-id", "ffff")]), None);
        assert_eq!(user(supervisor, &[("X-Remote-User-Id", "")]), None);
        let long = "x".repeat(65);
        assert_eq!(user(supervisor, &[("X-Remote-User-Id", &long)]), None);
    }
}

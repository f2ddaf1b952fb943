//! The client's address and scheme, also behind trusted proxies.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use actix_web::HttpRequest;
use actix_web::dev::RequestHead;
use actix_web::http::header::HeaderName;
use ipnet::IpNet;

const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Whether the client uses TLS, to this service or to a trusted proxy that sends `X-Forwarded-Proto`. The first of several
/// values is the client's own connection.
pub(crate) fn came_by_tls(request: &HttpRequest, trusted: &[IpNet]) -> bool {
    if request.app_config().secure() {
        return true;
    }
    let head = request.head();
    let is_trusted = head.peer_addr.is_some_and(|peer| {
        // A socket on `[::]` shows an IPv4 client as `::ffff:a.b.c.d`, which no IPv4 network in the settings contains.
        let peer = peer.ip().to_canonical();
        trusted.iter().any(|network| network.contains(&peer))
    });
    let forwarded = head.headers.get(X_FORWARDED_PROTO);
    let first = forwarded
        .and_then(|value| value.to_str().ok()?.split(',').next())
        .unwrap_or_default();
    is_trusted && first.trim().eq_ignore_ascii_case("https")
}

/// The client's address: the peer's or, if that is a trusted proxy, the last one in `X-Forwarded-For` that is none. A client
/// can forge the entries before it.
pub(crate) fn client_address(head: &RequestHead, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(&address));
    let peer = head
        .peer_addr
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| {
            peer.ip().to_canonical()
        });
    if !is_trusted(peer) {
        return peer;
    }
    let mut hops: Vec<&str> = head
        .headers
        .get_all(X_FORWARDED_FOR)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    // With trusted hops only it is the first of them; without the header, the proxy itself.
    let mut client = peer;
    // From the last entry back: each proxy appends the address that it was called from.
    while let Some(hop) = hops.pop().and_then(parse_hop) {
        client = hop;
        if !is_trusted(hop) {
            break;
        }
    }
    client
}

/// Parses an address in the forms of proxies: plain, with a port, or in brackets.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    // `[::1]:80` is no address without its first bracket, so it is parsed with its port below.
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
    fn an_unreadable_entry_ends_the_chain() {
        assert_eq!(client("127.0.0.1:1", &["unknown"]), "127.0.0.1");
        assert_eq!(
            client("127.0.0.1:1", &["1.1.1.1, _hidden, 10.1.2.3"]),
            "10.1.2.3"
        );
    }
}

//! Addresses of other machines as people type them, their escapes, and which of them are public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Splits `host`, `host:port`, `[::1]` or `[::1]:port` into the host, without brackets, and the
/// port. `None` for anything else: a user, a path or a port of 0 are not allowed.
#[must_use]
pub fn host_and_port(text: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match text.strip_prefix('[') {
        // An IPv6 address itself contains colons.
        Some(rest) => rest.split_once(']')?,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let port = match port.strip_prefix(':') {
        Some(port) => Some(port.parse().ok().filter(|port| *port != 0)?),
        None if !port.is_empty() => return None,
        None => None,
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    (!host.is_empty() && host.chars().all(is_plain)).then_some((host, port))
}

/// Decodes escapes such as `%20`; `None` if one of them is invalid, or if the result is not UTF-8.
#[must_use]
pub fn percent_decoded(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            u8::try_from(16 * high + low).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(decoded).ok()
}

/// Whether an address is one of the public Internet: not of this machine, a private or local
/// network, a multicast group, or reserved. An IPv6 address that leads to one of IPv4 is judged
/// as that.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            v4_inside(address).map_or_else(|| is_public_v6(address), is_public_v4)
        }
    }
}

/// By the registry of special addresses of IPv4 (IANA, RFC 6890).
const fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_shared = a == 100 && b & 0xC0 == 64;
    let is_for_protocols = a == 192 && b == 0 && c == 0;
    let is_for_benchmarks = a == 198 && b & 0xFE == 18;
    !(a == 0
        || a >= 224
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || is_shared
        || is_for_protocols
        || is_for_benchmarks)
}

/// Global unicast addresses begin with the bits 001 (RFC 4291); the first /23 of them and
/// documentation are special.
const fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_special = a == 0x2001 && (b < 0x200 || b == 0xDB8);
    a & 0xE000 == 0x2000 && !is_special && !(a == 0x3FFF && b < 0x1000)
}

/// The IPv4 address that one of IPv6 leads to: mapped, through NAT64 or through 6to4.
const fn v4_inside(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let ([0, 0, 0, 0, 0, 0xFFFF, high, low]
    | [0x64, 0xFF9B, 0, 0, 0, 0, high, low]
    | [0x2002, high, low, ..]) = address.segments()
    else {
        return None;
    };
    let [one, two] = high.to_be_bytes();
    let [three, four] = low.to_be_bytes();
    Some(Ipv4Addr::new(one, two, three, four))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hosts_have_a_port_or_none() {
        for (text, parts) in [
            ("meter.lan", ("meter.lan", None)),
            ("192.168.1.5:1502", ("192.168.1.5", Some(1_502))),
            ("[fd00::1]", ("fd00::1", None)),
            ("[fd00::1]:80", ("fd00::1", Some(80))),
        ] {
            assert_eq!(host_and_port(text), Some(parts));
        }
        for text in [
            "", ":80", "a:", "a:0", "a:70000", "a:+1b", "a/b", "http://a", "me:pw@a", "[::1",
            "[::1]x", "[]", "a b",
        ] {
            assert_eq!(host_and_port(text), None, "{text:?}");
        }
    }

    #[test]
    fn addresses_of_private_networks_are_not_public() {
        for public in [
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.32.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2a00:1450:4001::1",
            "2001:200::1",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "::ffff:8.8.8.8",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for special in [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:a00:1::1",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }

    proptest! {
        #[test]
        fn a_mapped_address_is_judged_as_the_address_in_it(bits in any::<u32>()) {
            let address = Ipv4Addr::from_bits(bits);
            prop_assert_eq!(is_public(address.to_ipv6_mapped().into()), is_public(address.into()));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,12}|[\\[\\]:0-9a]{0,9}") {
            let _ = host_and_port(&text);
        }
    }
}

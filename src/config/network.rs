//! Addresses, networks of them and web sites, as people write them: `192.168.1.2`, `192.168.0.0/16`, `https://house.example`.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::values::{ValueError, parse_text};

/// An address, or all that share its first bits: `192.168.1.2`, `192.168.0.0/16`, `fd00::/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix_bits: u8,
}

/// A web site whose pages may ask, as browsers name it: `https://house.example:8443`; or `*`, any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebOrigin(String);

impl WebOrigin {
    /// Whether it stands for all.
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
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let site = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"));
        let is_origin = site.is_some_and(|site| match site.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                is_host(host) && port.parse::<u16>().is_ok()
            }
            _ => is_host(site),
        });
        if is_origin || text == "*" {
            Ok(Self(text.to_owned()))
        } else {
            Err(ValueError)
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

impl Serialize for WebOrigin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for WebOrigin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse_text(deserializer)
    }
}

impl Network {
    /// Whether `address` lies in it.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(ours), IpAddr::V4(other)) => same_prefix(
                ours.to_bits().into(),
                other.to_bits().into(),
                32,
                self.prefix_bits,
            ),
            (IpAddr::V6(ours), IpAddr::V6(other)) => {
                same_prefix(ours.to_bits(), other.to_bits(), 128, self.prefix_bits)
            }
            _ => false,
        }
    }
}

/// Whether two addresses of `width` bits agree in their first `prefix_bits`.
fn same_prefix(a: u128, b: u128, width: u8, prefix_bits: u8) -> bool {
    let differing = u128::BITS - (a ^ b).leading_zeros();
    differing <= u32::from(width.saturating_sub(prefix_bits))
}

const fn address_bits(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

impl FromStr for Network {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let (address, prefix) = text
            .split_once('/')
            .map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| ValueError)?;
        let most = address_bits(address);
        let prefix_bits = match prefix {
            Some(bits) => bits.parse().map_err(|_| ValueError)?,
            None => most,
        };
        if prefix_bits > most {
            return Err(ValueError);
        }
        Ok(Self {
            address,
            prefix_bits,
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.address)?;
        if self.prefix_bits == address_bits(self.address) {
            Ok(())
        } else {
            write!(f, "/{}", self.prefix_bits)
        }
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse_text(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(network: &str, address: &str) -> bool {
        let network: Network = network.parse().unwrap();
        network.contains(address.parse().unwrap())
    }

    #[test]
    fn networks_hold_what_shares_their_prefix() {
        assert!(contains("192.168.1.2", "192.168.1.2"));
        assert!(contains("192.168.1.2", "::ffff:192.168.1.2"));
        assert!(!contains("192.168.1.2", "192.168.1.3"));
        assert!(contains("192.168.0.0/16", "192.168.255.1"));
        assert!(!contains("192.168.0.0/16", "192.169.0.1"));
        assert!(contains("0.0.0.0/0", "8.8.8.8"));
        assert!(!contains("0.0.0.0/0", "::1"));
        assert!(contains("fd00::/8", "fd12::1"));
        assert!(!contains("fd00::/8", "fe80::1"));
        assert!(contains("::/0", "::1"));
    }

    #[test]
    fn networks_are_read_and_written() {
        for text in ["10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"] {
            assert_eq!(text.parse::<Network>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "10.0.0",
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/",
            "10.0.0.0/-1",
            "localhost",
        ] {
            assert_eq!(text.parse::<Network>(), Err(ValueError), "{text:?}");
        }
    }

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
            assert_eq!(text.parse::<WebOrigin>(), Err(ValueError), "{text:?}");
        }
    }
}

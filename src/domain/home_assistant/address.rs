//! The address of Home Assistant's WebSocket API.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;
use ureq::http::Uri;

/// The longest address, in bytes.
const MAX_BYTES: usize = 1_024;
/// The path of the API, below the address that people open in a browser.
const API: &str = "/api/websocket";
/// The end of an address that is already that of a WebSocket, as of the one that a Supervisor has
/// for its add-ons.
const WEBSOCKET: &str = "/websocket";

/// The address of Home Assistant, as people open it in a browser.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HomeAssistantAddress {
    is_encrypted: bool,
    host: String,
    port: u16,
    /// The path that a proxy puts before the API; empty for none. With [`WEBSOCKET`] at its end, it
    /// is the whole path.
    path: String,
}

/// Why a text is no address of Home Assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "an address such as \"http://homeassistant.local:8123\", \"https://...\" for TLS, without a user, a question mark or a #; the token is a separate setting; or \"\" for none"
)]
pub struct NotHomeAssistantAddress;

impl FromStr for HomeAssistantAddress {
    type Err = NotHomeAssistantAddress;

    fn from_str(text: &str) -> Result<Self, NotHomeAssistantAddress> {
        let (scheme, rest) = text.split_once("://").ok_or(NotHomeAssistantAddress)?;
        let is_encrypted = match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => false,
            "https" | "wss" => true,
            _ => return Err(NotHomeAssistantAddress),
        };
        if text.len() > MAX_BYTES || rest.contains(['@', '?', '#']) {
            return Err(NotHomeAssistantAddress);
        }
        let uri: Uri = format!("http://{rest}")
            .parse()
            .map_err(|_| NotHomeAssistantAddress)?;
        let host = uri.host().filter(|host| !host.is_empty());
        let host = host.ok_or(NotHomeAssistantAddress)?.to_owned();
        let authority = uri.authority().map_or("", |it| it.as_str());
        // Without digits after the colon it is a slip, not the usual port.
        let has_port = authority.len() > host.len();
        if has_port && uri.port_u16().is_none_or(|port| port == 0) {
            return Err(NotHomeAssistantAddress);
        }
        let usual = if is_encrypted { 443 } else { 80 };
        let path = uri.path().trim_end_matches('/');
        Ok(Self {
            is_encrypted,
            host,
            port: uri.port_u16().unwrap_or(usual),
            path: path.strip_suffix(API).unwrap_or(path).to_owned(),
        })
    }
}

impl HomeAssistantAddress {
    /// Whether the connection is encrypted.
    pub(crate) const fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// The host; an address of IPv6 without brackets.
    pub(crate) fn host(&self) -> &str {
        self.host.trim_matches(['[', ']'])
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The address of the WebSocket.
    pub(crate) fn websocket(&self) -> String {
        let scheme = if self.is_encrypted { "wss" } else { "ws" };
        let (host, port, path) = (&self.host, self.port, &self.path);
        let api = if path.ends_with(WEBSOCKET) { "" } else { API };
        format!("{scheme}://{host}:{port}{path}{api}")
    }

    /// The address that people open.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{self}{}", self.path)
    }
}

impl Serialize for HomeAssistantAddress {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for HomeAssistantAddress {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The address that people open, without the path.
impl fmt::Display for HomeAssistantAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for HomeAssistantAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_the_websocket() {
        for (text, websocket, shown) in [
            (
                "http://homeassistant.local:8123",
                "ws://homeassistant.local:8123/api/websocket",
                "http://homeassistant.local:8123",
            ),
            (
                "https://home.example/",
                "wss://home.example:443/api/websocket",
                "https://home.example:443",
            ),
            (
                "WS://[fd00::5]/behind/proxy/",
                "ws://[fd00::5]:80/behind/proxy/api/websocket",
                "http://[fd00::5]:80",
            ),
            (
                "wss://10.0.0.2:8443/api/websocket",
                "wss://10.0.0.2:8443/api/websocket",
                "https://10.0.0.2:8443",
            ),
            (
                "http://supervisor/core/websocket",
                "ws://supervisor:80/core/websocket",
                "http://supervisor:80",
            ),
        ] {
            let address: HomeAssistantAddress = text.parse().unwrap();
            assert_eq!(address.websocket(), websocket, "{text}");
            assert_eq!(address.to_string(), shown, "{text}");
            assert_eq!(format!("{address:?}"), shown, "{text}");
            assert_eq!(address.text().parse(), Ok(address), "{text}");
        }
        let address: HomeAssistantAddress = "http://[fd00::5]:8123".parse().unwrap();
        assert_eq!((address.host(), address.port()), ("fd00::5", 8123));
        let long = format!("http://a/{}", "x".repeat(MAX_BYTES));
        for text in [
            "",
            "homeassistant.local:8123",
            "mqtt://a:1",
            "http://",
            "http://:8123",
            "http://a:0",
            "http://a:",
            "http://a:99999",
            "http://me:pw@a/",
            "http://a/?token=x",
            "http://a/#x",
            "http://a b",
            &long,
        ] {
            let parsed = text.parse::<HomeAssistantAddress>();
            assert_eq!(parsed, Err(NotHomeAssistantAddress), "{text}");
        }
    }
}

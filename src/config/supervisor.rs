//! Home Assistant's Supervisor, which runs this service as an add-on.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::domain::Secret;
use crate::home_assistant::OwnHome;

/// The variable with the token of the Supervisor's API, which the Supervisor itself sets.
pub(super) const TOKEN_VARIABLE: &str = "SUPERVISOR_TOKEN";
/// The variable with the Supervisor's address, if it is not the usual one.
pub(super) const ADDRESS_VARIABLE: &str = "SUPERVISOR";
/// Its usual name in the network of the add-ons, and its address there, which is always the same.
const USUAL_NAME: &str = "supervisor";
const USUAL_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(172, 30, 32, 2));

/// The Supervisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supervisor {
    /// The address of its API.
    pub url: String,
    /// The address that ingress requests come from, sent by people who are signed in to Home
    /// Assistant.
    pub ingress: IpAddr,
    /// The token of its API.
    pub token: Secret,
}

impl Supervisor {
    /// The Supervisor named by the environment variables, if any.
    pub(super) fn found(token: Option<OsString>, address: Option<OsString>) -> Option<Self> {
        let text = |value: Option<OsString>| value.and_then(|value| value.into_string().ok());
        let token = text(token).filter(|token| !token.is_empty())?;
        Some(Self::new(token, &text(address).unwrap_or_default()))
    }

    /// Its Home Assistant, which it connects add-ons to; `None` if its address is no name of a host.
    #[must_use]
    pub fn home_assistant(&self) -> Option<OwnHome> {
        Some(OwnHome {
            address: format!("{}/core/websocket", self.url).parse().ok()?,
            token: self.token.clone(),
        })
    }

    /// The Supervisor with this token, at `address` unless that is empty.
    fn new(token: String, address: &str) -> Self {
        let host = if address.is_empty() {
            USUAL_NAME
        } else {
            address
        };
        Self {
            url: format!("http://{host}"),
            ingress: host
                .parse()
                .map_or(USUAL_ADDRESS, |host: SocketAddr| host.ip()),
            token: Secret::new(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_supervisor_is_where_home_assistant_has_it() {
        let usual = Supervisor::new("t".into(), "");
        assert_eq!(usual.url, "http://supervisor");
        assert_eq!(usual.ingress.to_string(), "172.30.32.2");
        let named = Supervisor::new("t".into(), "hassio.local");
        assert_eq!(named.ingress, usual.ingress);
        let other = Supervisor::new("s3cret".into(), "127.0.0.2:80");
        assert_eq!(other.ingress.to_string(), "127.0.0.2");
        assert!(!format!("{other:?}").contains("s3cret"));
        let home = other.home_assistant().unwrap();
        assert_eq!(home.address.text(), "http://127.0.0.2:80/core/websocket");
        assert_eq!(home.token.reveal(), "s3cret");
        let unfit = Supervisor::new("t".into(), "no host");
        assert_eq!(unfit.home_assistant(), None);
    }
}

//! Addresses of webhooks. The path of such an address is often a secret, so only its host is ever
//! shown.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use ureq::http::Uri;

/// The address of a webhook.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookAddress(String);

/// The error for a text that is not the address of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "an address such as \"https://ntfy.sh/my-topic\", without a user; the token is a separate setting; or \"\" for none"
)]
pub struct NotWebhookAddress;

impl FromStr for WebhookAddress {
    type Err = NotWebhookAddress;

    fn from_str(text: &str) -> Result<Self, NotWebhookAddress> {
        let uri: Uri = text.parse().map_err(|_| NotWebhookAddress)?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        let authority = uri.authority().filter(|it| !it.as_str().contains('@'));
        let is_whole = is_http && authority.is_some_and(|it| !it.host().is_empty());
        is_whole
            .then(|| Self(text.to_owned()))
            .ok_or(NotWebhookAddress)
    }
}

impl WebhookAddress {
    /// The address itself: a secret.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Scheme and host, such as `https://ntfy.sh`.
    #[must_use]
    pub fn host(&self) -> &str {
        let after_scheme = self.0.find("://").map_or(0, |at| at + 3);
        let rest = self.0.get(after_scheme..).unwrap_or_default();
        let length = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        self.0.get(..after_scheme + length).unwrap_or_default()
    }
}

/// Shows only the host.
impl fmt::Debug for WebhookAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.host())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_host_is_shown() {
        for (text, host) in [
            ("https://ntfy.sh/s3cret", "https://ntfy.sh"),
            (
                "http://10.0.0.7:8080/message?token=s3cret",
                "http://10.0.0.7:8080",
            ),
            ("http://[fd00::1]?s3cret", "http://[fd00::1]"),
            ("https://a.example", "https://a.example"),
        ] {
            let address: WebhookAddress = text.parse().unwrap();
            assert_eq!(format!("{address:?}"), host);
            assert_eq!(address.reveal(), text);
        }
        for text in [
            "",
            "ntfy.sh/x",
            "ftp://a/b",
            "https://",
            "https://me:pw@a/b",
            "/x",
            "https://a b",
        ] {
            assert_eq!(
                text.parse::<WebhookAddress>(),
                Err(NotWebhookAddress),
                "{text}"
            );
        }
    }
}

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
    "an address such as \"https://ntfy.sh/my-topic\", without a user, or of a mail server such as \"smtps://mail.example.org\"; the token or the password is a separate setting; or \"\" for none"
)]
pub struct NotWebhookAddress;

impl FromStr for WebhookAddress {
    type Err = NotWebhookAddress;

    fn from_str(text: &str) -> Result<Self, NotWebhookAddress> {
        let uri: Uri = text.parse().map_err(|_| NotWebhookAddress)?;
        let authority = uri.authority().filter(|it| !it.host().is_empty());
        let authority = authority.ok_or(NotWebhookAddress)?;
        let is_whole = match uri.scheme_str() {
            Some("http" | "https") => !authority.as_str().contains('@'),
            // A user, but no password.
            Some("smtp" | "smtps") => {
                let user = authority
                    .as_str()
                    .rsplit_once('@')
                    .map_or("", |(user, _)| user);
                !user.contains(':') && matches!(uri.path(), "" | "/") && uri.query().is_none()
            }
            _ => false,
        };
        is_whole
            .then(|| Self(text.to_owned()))
            .ok_or(NotWebhookAddress)
    }
}

/// A mail server, and how it is reached.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MailServer {
    pub(super) host: String,
    pub(super) port: u16,
    /// Whether TLS begins at once, and not by STARTTLS.
    pub(super) is_tls_at_once: bool,
    /// The name to sign in with, if it is not the sender's address.
    pub(super) user: Option<String>,
}

impl WebhookAddress {
    /// The address itself: a secret.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Scheme and host, such as `https://ntfy.sh`.
    #[must_use]
    pub fn host(&self) -> String {
        let (scheme, rest) = self.0.split_once("://").unwrap_or_default();
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}")
    }

    /// Whether messages go there by e-mail.
    #[must_use]
    pub fn is_mail(&self) -> bool {
        self.mail_server().is_some()
    }

    /// The mail server, if it is one.
    pub(super) fn mail_server(&self) -> Option<MailServer> {
        let uri: Uri = self.0.parse().ok()?;
        let (is_tls_at_once, usual) = match uri.scheme_str()? {
            "smtps" => (true, 465),
            "smtp" => (false, 587),
            _ => return None,
        };
        let authority = uri.authority()?;
        let user = authority.as_str().rsplit_once('@');
        Some(MailServer {
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(usual),
            is_tls_at_once,
            // An address as a name is written with %40.
            user: user.map(|(user, _)| user.replace("%40", "@")),
        })
    }
}

/// Shows only the host.
impl fmt::Debug for WebhookAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host())
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
            (
                "smtps://me%40a.example@mail.example:465",
                "smtps://mail.example:465",
            ),
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
            "smtps://me:pw@a",
            "smtps://a/b",
            "smtp://a?to=b",
            "smtp://",
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

    #[test]
    fn a_mail_server_is_reached_by_tls() {
        let server = |text: &str| text.parse::<WebhookAddress>().unwrap().mail_server();
        let found = server("smtps://mail.example").unwrap();
        assert_eq!(
            (found.port, found.is_tls_at_once, found.user),
            (465, true, None)
        );
        let found = server("smtp://me%40a.example@[::1]:2525/").unwrap();
        assert_eq!(
            (&*found.host, found.port, found.is_tls_at_once),
            ("::1", 2525, false)
        );
        assert_eq!(found.user.as_deref(), Some("me@a.example"));
        assert_eq!(server("https://mail.example"), None);
    }
}

//! Addresses with places to fill in, such as `https://api.example/{zone}?from={from}`.

use std::fmt;
use std::str::FromStr;

use ureq::http::Uri;

/// An address over HTTP or HTTPS with places to fill in. Only its server is ever shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SourceUrl(String);

/// The places that an address can have.
pub(super) const PLACES: [&str; 7] = ["zone", "from", "to", "first", "last", "week", "key"];
const MAX_BYTES: usize = 1_024;

impl FromStr for SourceUrl {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (scheme, rest) = text.split_once("://").ok_or(())?;
        let server = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // A place there could send the request, and the key, anywhere.
        if server.contains(['{', '}', '@']) || !matches!(scheme, "http" | "https") {
            return Err(());
        }
        let filled = PLACES.iter().fold(text.to_owned(), |text, place| {
            text.replace(&format!("{{{place}}}"), "x")
        });
        let uri: Uri = filled.parse().map_err(|_| ())?;
        let has_host = uri.host().is_some_and(|host| !host.is_empty());
        let is_filled = !filled.contains(['{', '}']) && filled.len() <= MAX_BYTES;
        (has_host && is_filled)
            .then(|| Self(text.to_owned()))
            .ok_or(())
    }
}

impl SourceUrl {
    /// Whether it has this place.
    pub(crate) fn has(&self, place: &str) -> bool {
        self.0.contains(&format!("{{{place}}}"))
    }

    /// Whether requests there are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.starts_with("https://")
    }

    /// Scheme and server, such as `https://api.example`.
    pub(crate) fn server(&self) -> &str {
        let begins = self.0.find("://").map_or(0, |at| at + 3);
        let rest = self.0.get(begins..).unwrap_or_default();
        let length = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        self.0.get(..begins + length).unwrap_or_default()
    }

    /// The address with these values in its places.
    pub(super) fn fill(&self, values: &[(&str, &str)]) -> String {
        values.iter().fold(self.0.clone(), |text, (place, value)| {
            text.replace(&format!("{{{place}}}"), &escaped(value))
        })
    }
}

/// Shows only the server.
impl fmt::Debug for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.server())
    }
}

/// A value for a path or a query: everything but letters, digits and `-._~` as `%xx`. So no value
/// can contain another place, either.
fn escaped(value: &str) -> String {
    value.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            use fmt::Write as _;
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_server_is_shown() {
        for (text, server) in [
            ("https://api.example/x?key={key}", "https://api.example"),
            ("http://127.0.0.1:8080?s3cret", "http://127.0.0.1:8080"),
            ("https://[2001:200::1]/{zone}/", "https://[2001:200::1]"),
            ("https://api.example", "https://api.example"),
        ] {
            let url: SourceUrl = text.parse().unwrap();
            assert_eq!(format!("{url:?}"), server);
        }
        let long = format!("https://a/{}", "x".repeat(MAX_BYTES));
        for text in [
            "",
            "api.example/x",
            "ftp://a/b",
            "https://",
            "https:///x",
            "https://{zone}.example/",
            "https://me:pw@a/b",
            "https://a/{colour}",
            "https://a/{",
            "https://a b",
            &long,
        ] {
            assert_eq!(text.parse::<SourceUrl>(), Err(()), "{text}");
        }
    }

    #[test]
    fn values_are_escaped() {
        let url: SourceUrl = "https://a/{zone}?from={from}&key={key}&again={zone}"
            .parse()
            .unwrap();
        let values = [
            ("zone", "a/../{key}"),
            ("from", "2026-01-05T00:00:00+01:00"),
            ("key", "s3&x=1"),
        ];
        assert_eq!(
            url.fill(&values),
            "https://a/a%2F..%2F%7Bkey%7D?from=2026-01-05T00%3A00%3A00%2B01%3A00&key=s3%26x%3D1&again=a%2F..%2F%7Bkey%7D"
        );
    }
}

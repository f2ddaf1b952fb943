//! Names of hosts, for the setting `http.hosts`.

use std::str::FromStr;

/// The name of a host, in lower case: `energy.example.org`; or `*.example.org`, for all names below
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern(String);

/// The error for a text that is not a host name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a name such as energy.example.org, or *.example.org, without a port")]
pub struct NotHostPattern;

impl HostPattern {
    /// Whether `host` matches, in upper or lower case.
    #[must_use]
    pub fn fits(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        match self.0.strip_prefix('*') {
            // The dot is included, so that `*.example.org` does not match `badexample.org`.
            Some(end) => host.len() > end.len() && host.ends_with(end),
            None => host == self.0,
        }
    }
}

impl FromStr for HostPattern {
    type Err = NotHostPattern;

    fn from_str(text: &str) -> Result<Self, NotHostPattern> {
        let name = text.strip_prefix("*.").unwrap_or(text);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let is_label = |label: &str| !label.is_empty() && label.bytes().all(is_plain);
        if name.split('.').all(is_label) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(NotHostPattern)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_name_or_all_names_below_one() {
        let fits = |pattern: &str, host| pattern.parse::<HostPattern>().unwrap().fits(host);
        assert!(fits("Energy.example.org", "energy.EXAMPLE.org"));
        assert!(!fits("example.org", "energy.example.org"));
        assert!(fits("*.example.org", "a.b.example.org"));
        for host in ["example.org", ".example.org", "badexample.org", ""] {
            assert!(!fits("*.example.org", host), "{host:?}");
        }
        for wrong in [
            "", "*", "*.", ".a", "a..b", "a:80", "http://a", "a/b", "a.*", "[::1]", "ä",
        ] {
            assert_eq!(
                wrong.parse::<HostPattern>(),
                Err(NotHostPattern),
                "{wrong:?}"
            );
        }
    }
}

//! HTTP Digest, as required by later Shellys: RFC 7616 with SHA-256 and `auth`.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// A device's challenge to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DigestChallenge {
    realm: String,
    nonce: String,
    opaque: Option<String>,
}

impl DigestChallenge {
    /// The challenge in a header `WWW-Authenticate`; `None` for other schemes and algorithms. A
    /// device that suddenly asks for the password itself does not get it.
    pub(super) fn parse(header: &str) -> Option<Self> {
        let (scheme, rest) = header.trim().split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("Digest") {
            return None;
        }
        let (mut realm, mut nonce, mut opaque) = (None, None, None);
        let (mut is_sha256, mut has_auth) = (false, false);
        for (name, value) in DigestParameters(rest) {
            match name.to_ascii_lowercase().as_str() {
                "realm" => realm = Some(value),
                "nonce" => nonce = Some(value),
                "opaque" => opaque = Some(value),
                "algorithm" => is_sha256 = value.eq_ignore_ascii_case("SHA-256"),
                "qop" => has_auth = value.split(',').any(|qop| qop.trim() == "auth"),
                _ => {}
            }
        }
        let challenge = Self {
            realm: realm?.to_owned(),
            nonce: nonce?.to_owned(),
            opaque: opaque.map(str::to_owned),
        };
        (is_sha256 && has_auth).then_some(challenge)
    }

    /// The header `Authorization` of a GET of `uri`. `cnonce` is random.
    pub(super) fn answer(&self, user: &str, password: &str, uri: &str, cnonce: &str) -> String {
        let Self {
            realm,
            nonce,
            opaque,
        } = self;
        let secret = hash(&format!("{user}:{realm}:{password}"));
        let request = hash(&format!("GET:{uri}"));
        // A challenge is answered once, so the count is always 1.
        let response = hash(&format!(
            "{secret}:{nonce}:00000001:{cnonce}:auth:{request}"
        ));
        let mut header = format!(
            "Digest username=\"{user}\", realm=\"{realm}\", nonce=\"{nonce}\", uri=\"{uri}\", cnonce=\"{cnonce}\", nc=00000001, \
             qop=auth, response=\"{response}\", algorithm=SHA-256"
        );
        if let Some(opaque) = opaque {
            // Writing to a string cannot fail.
            let _ = write!(header, ", opaque=\"{opaque}\"");
        }
        header
    }
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Parses `name=value` and `name="value"`, separated by commas. A value with a backslash ends the
/// list: devices do not send any, and the answer would have to repeat it.
struct DigestParameters<'h>(&'h str);

impl<'h> Iterator for DigestParameters<'h> {
    type Item = (&'h str, &'h str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.trim_start_matches([' ', ',', '\t']);
        let (name, rest) = rest.split_once('=')?;
        let (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => rest.split_at(rest.find([',', ' ']).unwrap_or(rest.len())),
        };
        self.0 = rest;
        let is_plain = |c: char| (c == ' ' || c.is_ascii_graphic()) && c != '\\';
        value.chars().all(is_plain).then_some((name.trim(), value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OF_SHELLY: &str =
        r#"Digest qop="auth", realm="shellyplus1pm-44179394d4d4", nonce="603", algorithm=SHA-256"#;

    #[test]
    fn the_answer_is_that_of_curl() {
        // As in curl's answer to a Shelly Plus 1PM.
        let challenge = DigestChallenge::parse(OF_SHELLY).unwrap();
        let cnonce = "OWQ5M2JjZTFlYTk2ZDNjZTYzZmMxMjFmYTc5YzkxMjQ=";
        assert_eq!(
            challenge.answer("admin", "test", "/rpc/Shelly.GetStatus", cnonce),
            format!(
                "Digest username=\"admin\", realm=\"shellyplus1pm-44179394d4d4\", nonce=\"603\", uri=\"/rpc/Shelly.GetStatus\", \
                 cnonce=\"{cnonce}\", nc=00000001, qop=auth, \
                 response=\"116fbbf9833d348fae9cc69ea96b4706949de269c3c459145ea850248e9692ef\", algorithm=SHA-256"
            )
        );
    }

    #[test]
    fn the_answer_repeats_what_is_opaque() {
        // The example of RFC 7616, 3.9.1.
        let challenge = DigestChallenge::parse(
            r#"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
        )
        .unwrap();
        let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
        let answer = challenge.answer("Mufasa", "Circle of Life", "/dir/index.html", cnonce);
        assert!(answer.contains(
            "response=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\""
        ));
        assert!(answer.ends_with("opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""));
    }

    #[test]
    fn other_challenges_are_not_answered() {
        for header in [
            "",
            "Basic realm=\"x\"",
            "Digest",
            "Digest realm=\"x\", nonce=\"1\", qop=\"auth\"",
            "Digest realm=\"x\", nonce=\"1\", qop=\"auth\", algorithm=MD5",
            "Digest realm=\"x\", nonce=\"1\", algorithm=SHA-256",
            "Digest realm=\"x, nonce=1, qop=auth, algorithm=SHA-256",
            "Digest realm=\"a\\\", nonce=\"1\", qop=\"auth\", algorithm=SHA-256",
        ] {
            assert_eq!(DigestChallenge::parse(header), None, "{header}");
        }
    }

    proptest! {
        #[test]
        fn no_header_panics(header in "Digest \\PC{0,60}|Digest (realm|nonce|qop|algorithm|[=\",a ]){0,20}") {
            if let Some(challenge) = DigestChallenge::parse(&header) {
                let answer = challenge.answer("admin", "p", "/", "c");
                prop_assert!(answer.chars().all(|c| c == ' ' || c.is_ascii_graphic()));
            }
        }
    }
}

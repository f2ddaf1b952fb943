//! The head of a request as received, to explain why the web server refused it, since the web
//! server does not.

use std::fmt;

use actix_web::ResponseError as _;
use actix_web::http::{Method, StatusCode, Uri};

use crate::http::wire::problem::{PROBLEM, problem_details};
use crate::http::wire::text::{LONGEST_LOGGED, plain, shown};
use crate::http::wire::{ApiError, ErrorCode};

/// The maximum number of bytes kept of a head. The fault is usually in its first lines.
const KEPT_AT_MOST: usize = 8_192;
/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 22;
/// Added to a head without a host, for clients that write requests by hand: in HTTP/1.1 the web
/// server requires a host, which may be empty. The connection ends then, so nothing after the body
/// of such a request can be taken for another head.
pub(super) const NO_HOST: &[u8] = b"host:\r\nconnection: close\r\n";

/// Handed to the web server in the place of a head that it is to refuse.
pub(super) const NO_HEAD: &[u8] = b"\0\r\n\r\n";

/// The first bytes of a head.
#[derive(Default)]
pub(super) struct Head {
    bytes: Vec<u8>,
    is_cut: bool,
    /// Whether it came without TLS to an address that speaks it.
    pub(super) is_misplaced: bool,
}

/// A request that the web server refused before any handler.
pub(crate) struct RefusedHead {
    error: ApiError,
    method: String,
    path: String,
    /// The length of the answer's body.
    bytes: usize,
}

impl Head {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.is_cut = false;
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds more bytes of the head.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let room = KEPT_AT_MOST.saturating_sub(self.bytes.len());
        self.is_cut |= bytes.len() > room;
        let kept = bytes.get(..room).unwrap_or(bytes);
        self.bytes.extend_from_slice(kept);
    }

    /// Whether it is a complete HTTP/1.1 head with `\r\n` line ends and without a host.
    pub(super) fn lacks_host(&self) -> bool {
        let is_whole = !self.is_cut && self.bytes.ends_with(b"\r\n\r\n");
        is_whole && self.lines().next().is_some_and(is_of_version_1_1) && self.count("host") == 0
    }

    /// Its lines, without empty ones.
    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        lines
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .filter(|line| !line.is_empty())
    }

    /// The values of the fields named `name`.
    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.lines().skip(1).filter_map(move |line| {
            let (own, value) = split(line, b':')?;
            own.eq_ignore_ascii_case(name.as_bytes())
                .then(|| value.trim_ascii())
        })
    }

    fn count(&self, name: &str) -> usize {
        self.values(name).count()
    }

    /// Explains why the web server refused it with this status.
    pub(super) fn refused(&self, status: StatusCode) -> RefusedHead {
        let error = match status {
            StatusCode::REQUEST_TIMEOUT => ApiError::HeadTimeout,
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => ApiError::HeadTooLarge,
            _ => self.fault(),
        };
        let (method, target) = self.lines().next().and_then(request_line).unzip();
        // The first line may be anything, even a key.
        let method = method.filter(|method| method.bytes().all(|byte| byte.is_ascii_uppercase()));
        let path = target.map(|(target, _)| target.split('?').next().unwrap_or_default());
        let path = path.filter(|path| path.starts_with('/') && method.is_some());
        RefusedHead {
            error,
            method: shown(method.unwrap_or("-"), LONGEST_LOGGED),
            path: shown(plain(path.unwrap_or("-")), LONGEST_LOGGED),
            bytes: 0,
        }
    }

    /// The fault of a head that the web server refused.
    fn fault(&self) -> ApiError {
        if self.is_misplaced {
            // No redirect: keys that a client goes on sending without TLS would work by it.
            return ApiError::MalformedRequest(
                "expected TLS; got HTTP, which this address does not speak: use https://",
            );
        }
        // The line itself is not shown: it may contain a key.
        let no_field = self.lines().skip(1).position(|line| !is_field(line));
        let fault = self.fault_of_first_line();
        match (fault, no_field) {
            (Some(fault), _) => ApiError::MalformedRequest(fault),
            (None, Some(index)) => ApiError::MalformedLine(index + 2),
            (None, None) => ApiError::MalformedRequest(self.fault_of_fields()),
        }
    }

    fn fault_of_first_line(&self) -> Option<&'static str> {
        if self.bytes.first() == Some(&HANDSHAKE) {
            return Some("expected HTTP; got TLS, which this address does not speak: use http://");
        }
        let Some((method, (target, version))) = self.lines().next().and_then(request_line) else {
            return Some("expected a first line such as POST /elec HTTP/1.1");
        };
        if Method::from_bytes(method.as_bytes()).is_err() {
            return Some("expected a method such as POST at the beginning of the first line");
        }
        if !["HTTP/1.1", "HTTP/1.0"].contains(&version) {
            return Some("expected HTTP/1.1 or HTTP/1.0 at the end of the first line");
        }
        target.parse::<Uri>().is_err().then_some(
            "expected an address as RFC 3986 has it in the first line, with other characters as %XX",
        )
    }

    fn fault_of_fields(&self) -> &'static str {
        let line = self.lines().next().and_then(request_line);
        let (method, version) = line.map_or(("", ""), |(method, (_, version))| (method, version));
        self.fault_of_host(version)
            .or_else(|| self.fault_of_length(method, version))
            .unwrap_or("expected a request as RFC 9112 has it")
    }

    fn fault_of_host(&self, version: &str) -> Option<&'static str> {
        match self.count("host") {
            0 if version == "HTTP/1.1" && !self.is_cut => {
                Some("Host is missing: expected a line such as Host: 192.168.1.5:8080")
            }
            0 | 1 => None,
            _ => Some("expected one Host; got several"),
        }
    }

    fn fault_of_length(&self, method: &str, version: &str) -> Option<&'static str> {
        let (length, encoding) = ("content-length", "transfer-encoding");
        let is_number = |value: &[u8]| {
            let text = std::str::from_utf8(value).unwrap_or_default();
            !text.starts_with('+') && text.parse::<u64>().is_ok()
        };
        let is_old = version == "HTTP/1.0";
        let is_encoded = self.count(encoding) > 0;
        if self.values(length).any(|value| !is_number(value)) {
            Some("Content-Length: expected the length of the body in bytes")
        } else if self.count(length) > 1 {
            Some("expected one Content-Length; got several")
        } else if is_encoded && is_old {
            Some("Transfer-Encoding: expected none in HTTP/1.0, or HTTP/1.1")
        } else if is_encoded && self.count(length) > 0 {
            Some("expected Content-Length or Transfer-Encoding; got both")
        } else if is_encoded {
            Some("Transfer-Encoding: expected chunked, once")
        } else if is_old && method == "POST" && self.count(length) == 0 {
            Some("Content-Length is missing: HTTP/1.0 needs the length of the body in bytes")
        } else {
            None
        }
    }
}

impl RefusedHead {
    pub(super) fn status(&self) -> StatusCode {
        self.error.status_code()
    }

    pub(super) const fn code(&self) -> ErrorCode {
        self.error.code()
    }

    /// The whole answer, after which the connection ends.
    pub(super) fn answer(&mut self) -> Vec<u8> {
        let status = self.status();
        let body = problem_details(status, self.code(), &self.error.to_string());
        self.bytes = body.len();
        // With its reason in words.
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\ncontent-type: {PROBLEM}\r\nx-content-type-options: nosniff\r\n\r\n",
            body.len(),
        );
        let body = if self.method == "HEAD" { "" } else { &body };
        [head.as_bytes(), body.as_bytes()].concat()
    }
}

/// As the access log has it: no key, as that could only be in the query or in a line of the head.
impl fmt::Display for RefusedHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (status, ErrorCode(code)) = (self.status().as_u16(), self.code());
        write!(
            f,
            "{} {} {status} {} bytes 0 ms {code}: {}",
            self.method, self.path, self.bytes, self.error
        )
    }
}

fn split(line: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = line.iter().position(|byte| *byte == at)?;
    Some((line.get(..place)?, line.get(place + 1..)?))
}

/// Method, target and version.
fn request_line(line: &[u8]) -> Option<(&str, (&str, &str))> {
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    let found = (words.next()?, (words.next()?, words.next()?));
    words.next().is_none().then_some(found)
}

fn is_of_version_1_1(line: &[u8]) -> bool {
    request_line(line).is_some_and(|(_, (_, version))| version == "HTTP/1.1")
}

/// Whether a line is a header field.
fn is_field(line: &[u8]) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let is_of_value = |byte: &u8| *byte == b'\t' || (*byte >= b' ' && *byte != 127);
    split(line, b':').is_some_and(|(name, value)| {
        !name.is_empty() && name.iter().all(is_of_name) && value.iter().all(is_of_value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        let mut head = Head::default();
        // In pieces, because it may arrive like that.
        for piece in text.as_bytes().chunks(7) {
            head.add(piece);
        }
        head
    }

    #[test]
    fn a_head_without_a_host_is_known() {
        let ends = "GET /elec HTTP/1.1\r\nX-Host: a\r\n\r\n";
        assert!(head(ends).lacks_host());
        for other in [
            "GET /elec HTTP/1.1\r\nhOST: a\r\n\r\n",
            "GET /elec HTTP/1.0\r\n\r\n",
            "GET /elec HTTP/1.1\r\nX-Host: a\r\n",
            "\r\n\r\n",
            "GET /elec HTTP/1.1\n\n",
            &format!(
                "GET /elec HTTP/1.1\r\na: {}\r\n\r\n",
                "a".repeat(KEPT_AT_MOST)
            ),
        ] {
            assert!(!head(other).lacks_host(), "{other}");
        }
    }

    #[test]
    fn neither_the_answer_nor_the_log_has_what_may_be_a_key() {
        for text in [
            "GET /elec?api_key=s3cret HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "POST /elec HTTP/1.1\r\nHost: a\r\nX-Key : s3cret\r\n\r\n",
            "POST /elec HTTP/1.1\r\nHost: a\r\nContent-Length: s3cret\r\n\r\n",
            "s3cret",
            "{\"api_key\":\"s3cret\"} /s3cret HTTP/1.1\r\n",
            "S3CRET s3cret HTTP/1.1\r\n",
        ] {
            let mut refused = head(text).refused(StatusCode::BAD_REQUEST);
            let answer = String::from_utf8(refused.answer()).unwrap();
            let logged = refused.to_string();
            assert!(!answer.contains("s3cret"), "{answer}");
            assert!(!logged.to_lowercase().contains("s3cret"), "{logged}");
        }
    }
}

//! Addresses of other machines as people type them, and their escapes.

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

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,12}|[\\[\\]:0-9a]{0,9}") {
            let _ = host_and_port(&text);
        }
    }
}

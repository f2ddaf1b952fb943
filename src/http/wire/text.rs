//! Received text in messages and the log.

/// The most characters of received text in one log line.
pub(crate) const LONGEST_LOGGED: usize = 200;

/// A received value: at most `longest` characters, with control characters escaped.
pub(crate) fn shown(came: &str, longest: usize) -> String {
    let mut text = String::new();
    for c in came.chars().take(longest) {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    if came.chars().nth(longest).is_some() {
        text.push('…');
    }
    text
}

/// The path up to the first character that occurs in no route: after a typo, such as `&` instead of
/// `?`, the key becomes part of the path.
pub(crate) fn plain(path: &str) -> &str {
    let ours = |c: char| c.is_ascii_alphanumeric() || "/-._~".contains(c);
    path.find(|c| !ours(c))
        .and_then(|end| path.get(..end))
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_is_shown_short_and_escaped() {
        assert_eq!(shown("a\nb\u{1b}[31m", 40), "a\\nb\\u{1b}[31m");
        assert_eq!(shown("Wärme \"x\"", 40), "Wärme \"x\"");
        assert_eq!(shown(&"x".repeat(40), 40), "x".repeat(40));
        assert_eq!(shown(&"ä".repeat(41), 40), format!("{}…", "ä".repeat(40)));
    }

    #[test]
    fn a_path_is_logged_up_to_what_could_be_a_secret() {
        assert_eq!(plain("/api/v0.2/elec"), "/api/v0.2/elec");
        for mistyped in [
            "/elec&api_key=s3cret",
            "/elec%3Fapi_key=s3cret",
            "/elec;k",
            "/elec\n",
        ] {
            assert_eq!(plain(mistyped), "/elec");
        }
    }
}

//! Received text for messages and the log.

/// A received value: at most `longest` characters of it, and control characters escaped.
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
}

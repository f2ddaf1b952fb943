//! Limits the lines of the log. A peer, such as a malicious broker, may cause the same line as
//! often as the network allows, and may choose its text.

use crate::locks::lock;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::Duration;

/// The maximum number of lines that one place in the code writes in a while.
const MOST_LINES: u32 = 100;
const WHILE: Duration = Duration::from_mins(10);
/// The longest line, in bytes.
const LONGEST: usize = 4_096;

/// The number of lines that each place in the code has written. There are a few hundred places.
#[derive(Debug, Default)]
pub(super) struct LineLimit(Mutex<HashMap<CallSite, Written>>);

/// A module, and a line in its file.
type CallSite = (&'static str, u32);

#[derive(Debug)]
struct Written {
    since: Duration,
    lines: u32,
    left_out: u64,
}

impl LineLimit {
    /// Whether a place may write a line, at `elapsed` since the start; returns the number of lines
    /// left out before it.
    pub(super) fn allows(&self, place: CallSite, elapsed: Duration) -> Option<u64> {
        let mut places = lock(&self.0);
        let written = places.entry(place).or_insert(Written {
            since: elapsed,
            lines: 0,
            left_out: 0,
        });
        if elapsed.saturating_sub(written.since) >= WHILE {
            written.since = elapsed;
            written.lines = 0;
        }
        if written.lines >= MOST_LINES {
            written.left_out += 1;
            return None;
        }
        written.lines += 1;
        Some(std::mem::take(&mut written.left_out))
    }
}

/// The line as written: of bounded length, and without characters that would begin another line or
/// control a terminal.
pub(super) fn line_of(text: &str, left_out: u64) -> Cow<'_, str> {
    let is_plain = !text.contains(char::is_control);
    if is_plain && text.len() <= LONGEST && left_out == 0 {
        return Cow::Borrowed(text);
    }
    let mut line = String::new();
    for char in text.chars() {
        if line.len() >= LONGEST {
            line.push('…');
            break;
        }
        if char.is_control() {
            line.extend(char.escape_default());
        } else {
            line.push(char);
        }
    }
    if left_out > 0 {
        // Writing to a string does not fail.
        let _ = write!(line, " ({left_out} more like it were left out)");
    }
    Cow::Owned(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_writes_so_many_lines_in_a_while() {
        let limit = LineLimit::default();
        let count = |line, elapsed| {
            let written = (0..1_000_000).filter_map(|_| limit.allows(("mqtt", line), elapsed));
            written.fold((0, 0), |(lines, left_out), more| {
                (lines + 1, left_out + more)
            })
        };
        assert_eq!(count(1, Duration::ZERO), (100, 0));
        assert_eq!(count(2, Duration::ZERO), (100, 0));
        assert_eq!(count(1, WHILE / 2), (0, 0));
        assert_eq!(count(1, WHILE), (100, 1_999_900));
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(line_of("as it is: ä", 0), "as it is: ä");
        let forged = "a\n[2026] ERROR \x1b[31mb";
        let line = r"a\n[2026] ERROR \u{1b}[31mb (3 more like it were left out)";
        assert_eq!(line_of(forged, 3), line);
        assert!(line_of(&"ä\n".repeat(1 << 20), 0).len() < LONGEST + 10);
    }
}

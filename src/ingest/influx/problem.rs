//! Errors of a line.

/// The error of a line, in InfluxDB's words.
pub(super) type LineProblem = &'static str;

/// The error for the line at the start of `rest`; `number` counts lines from 1.
pub(super) fn line_error(number: usize, problem: LineProblem, rest: &[u8]) -> String {
    let text = begin_of(rest);
    format!("unable to parse '{text}': {problem} (line {number})")
}

/// The first characters of a line, safe to show.
fn begin_of(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    let line = bytes
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    // A character takes at most four bytes.
    let begin = line.get(..4 * LONGEST).unwrap_or(line);
    let text = String::from_utf8_lossy(begin);
    let mut shown = String::new();
    for character in text.trim_end().chars().take(LONGEST) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if text.trim_end().chars().nth(LONGEST).is_some() || begin.len() < line.len() {
        shown.push('…');
    }
    shown
}

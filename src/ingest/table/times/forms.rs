//! Parts of times, in the forms of other systems.

use std::borrow::Cow;

use super::{Reason, expected};
use crate::domain::Timestamp;

/// Splits AM or PM from a time of day; returns `true` for PM.
pub(super) fn half_of_day(clock: &str) -> (&str, Option<bool>) {
    let ends = [("am", false), ("a.m.", false), ("pm", true), ("p.m.", true)];
    let cut = |end: &str| {
        let at = clock.len().checked_sub(end.len())?;
        let (rest, last) = clock.split_at_checked(at)?;
        last.eq_ignore_ascii_case(end).then_some(rest.trim_end())
    };
    let found = ends
        .iter()
        .find_map(|(end, is_pm)| Some((cut(end)?, Some(*is_pm))));
    found.unwrap_or((clock, None))
}

/// The hour of the day, converted from a clock with AM and PM; `None` if there is no such hour.
pub(super) fn hour_of_day(hour: &str, half: Option<bool>) -> Option<Cow<'_, str>> {
    let Some(is_pm) = half else {
        return Some(hour.into());
    };
    let number: u8 = hour.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let number = number % 12 + if is_pm { 12 } else { 0 };
    Some(number.to_string().into())
}

/// A date without separators, such as 20260105, 202601051030 or 20260105 10:30, with separators.
/// Numbers of these lengths are no seconds since 1970 of a year that has passed.
pub(super) fn compact(text: &str) -> Option<String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (date, rest) = text.split_at_checked(digits)?;
    let part = |range: std::ops::Range<usize>| date.get(range);
    let century = part(0..2)?;
    let clock = match (digits, rest.as_bytes().first()) {
        (8, None) => String::new(),
        (8, Some(b' ' | b'T')) => rest.get(1..)?.to_owned(),
        (12, None) => format!("{}:{}", part(8..10)?, part(10..12)?),
        (14, None) => format!("{}:{}:{}", part(8..10)?, part(10..12)?, part(12..14)?),
        _ => return None,
    };
    if !matches!(century, "19" | "20") {
        return None;
    }
    Some(format!(
        "{}-{}-{} {clock}",
        part(0..4)?,
        part(4..6)?,
        part(6..8)?
    ))
}

/// Time since 1970 in seconds, milliseconds, microseconds or nanoseconds. Their ranges do not
/// overlap, so the number reveals the unit. The gaps exclude dates written without separators.
pub(super) fn epoch(text: &str) -> Result<Timestamp, Reason> {
    const S: u64 = 100_000_000;
    const MS: u64 = 300_000_000_000;
    let wrong = || expected(text.as_bytes());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number: u64 = whole.parse().map_err(|_| wrong())?;
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let thousandths = fraction
        .bytes()
        .chain(*b"000")
        .take(3)
        .fold(0, |ms, byte| ms * 10 + u64::from(byte - b'0'));
    let ms = match number {
        S..100_000_000_000 => number * 1_000 + thousandths,
        MS..100_000_000_000_000 => number,
        300_000_000_000_000..100_000_000_000_000_000 => number / 1_000,
        300_000_000_000_000_000.. => number / 1_000_000,
        _ => {
            return Err(format!(
                "the time {text:?} is neither seconds, milliseconds, microseconds nor nanoseconds since 1970 in any year after 1980"
            ));
        }
    };
    i64::try_from(ms)
        .ok()
        .and_then(Timestamp::from_millis)
        .ok_or_else(wrong)
}

/// Splits a time of day from its offset, in the API's form: `Z`, `+hh:mm` or nothing. `None` for an
/// offset of another length; its digits are checked when the time is parsed.
pub(super) fn split_offset(text: &str) -> Option<(&str, Cow<'_, str>)> {
    let utc = ["Z", "UTC", "GMT"];
    if let Some(clock) = utc.iter().find_map(|utc| text.strip_suffix(utc)) {
        return Some((clock.trim_end(), "Z".into()));
    }
    // The date is already split off, so a minus belongs to an offset.
    let Some(at) = text.rfind(['+', '-']) else {
        return Some((text, "".into()));
    };
    let (clock, offset) = text.split_at_checked(at)?;
    let offset = match offset.len() {
        // +hh
        3 => format!("{offset}:00").into(),
        // +hhmm
        5 => {
            let (hours, minutes) = offset.split_at_checked(3)?;
            format!("{hours}:{minutes}").into()
        }
        6 => offset.into(),
        _ => return None,
    };
    Some((clock.trim_end(), offset))
}

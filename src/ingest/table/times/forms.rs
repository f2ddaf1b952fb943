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
    // A month, such as 2026-01 or 01/2026.
    let month = match (text.len(), text.split_once(['-', '/'])) {
        (7, Some((year, month))) if year.len() == 4 => Some((year, month)),
        (7, Some((month, year))) if year.len() == 4 => Some((year, month)),
        _ => None,
    };
    if let Some((year, month)) = month.filter(|(year, _)| year.starts_with("20")) {
        return Some(format!("{year}-{month}-01"));
    }
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

/// The first letters of the months' names, in the languages of `imports/words.toml`.
const MONTHS: [&[&str]; 12] = [
    &["jan", "gen", "ene", "sty", "led"],
    &["feb", "fév", "fev", "lut", "úno"],
    &["mar", "mär", "maa", "mrt", "bře"],
    &["apr", "avr", "abr", "kwi", "dub"],
    &["may", "mai", "mei", "mag", "maj", "kvě"],
    &["jun", "juin", "giu", "cze", "červen", "červn"],
    &["jul", "juil", "lug", "lip", "července"],
    &["aug", "aoû", "aou", "ago", "sie", "srp"],
    &["sep", "set", "wrz", "zář"],
    &["oct", "okt", "ott", "out", "paź", "říj"],
    &["nov", "lis"],
    &["dec", "déc", "dez", "dic", "des", "gru", "pro"],
];
/// The first letters of the weekdays' names.
const WEEKDAYS: [&str; 32] = [
    "mo", "tu", "we", "th", "fr", "sa", "su", "di", "mi", "do", "so", "ma", "wo", "vr", "za", "zo",
    "lu", "me", "je", "ve", "ju", "vi", "gi", "sá", "mi", "po", "út", "st", "čt", "pá", "śr", "ni",
];

/// Abbreviations of zones, with their offsets; others, such as PST and IST, have several meanings.
const ZONES: [(&str, &[&str]); 8] = [
    ("+00:00", &["WET"]),
    ("+01:00", &["CET", "MEZ", "WEST"]),
    ("+02:00", &["CEST", "MESZ", "EET"]),
    ("+03:00", &["EEST"]),
    ("+10:00", &["AEST"]),
    ("+11:00", &["AEDT"]),
    ("+12:00", &["NZST"]),
    ("+13:00", &["NZDT"]),
];

fn month_of(word: &str) -> Option<usize> {
    let word = word.to_lowercase();
    let begins = |names: &&[&str]| {
        let lengths = names.iter().filter(|name| word.starts_with(*name));
        lengths.map(|name| name.len()).max()
    };
    // `juillet` and `července` begin with other months' letters, too.
    let found = MONTHS
        .iter()
        .enumerate()
        .filter_map(|(index, names)| Some((begins(names)?, index)));
    found
        .max_by_key(|(length, _)| *length)
        .map(|(_, index)| index + 1)
}

/// A date with a month's name, such as 5-Jan-2026, or after a weekday's, as year, month and day.
pub(super) fn spelled(text: &str) -> Option<String> {
    // Almost no time of a file has letters.
    if !text.contains(char::is_alphabetic) {
        return None;
    }
    let first = text.split(|c: char| !c.is_alphabetic()).next()?;
    let begins = |day: &&str| first.to_lowercase().starts_with(*day);
    let is_weekday = (2..=10).contains(&first.chars().count())
        && month_of(first).is_none_or(|_| {
            text.get(first.len()..)
                .is_some_and(|it| it.starts_with([',', '.']))
        })
        && WEEKDAYS.iter().any(begins);
    let day = text.get(first.len()..)?.trim_start_matches([' ', ',', '.']);
    let text = if is_weekday { day } else { text };
    let (mut rest, mut numbers, mut month) = (text, Vec::<&str>::new(), None);
    while numbers.len() < 2 || month.is_none() {
        rest = rest.trim_start_matches([' ', '-', '.', ',', '/', '\u{a0}']);
        let end = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        if word.is_empty()
            && month.is_some()
            && matches!(numbers.as_slice(), [year] if year.len() == 4)
        {
            // A month alone.
            numbers.insert(0, "1");
        } else if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
            numbers.push(word);
        } else if month.is_none()
            && word.chars().all(char::is_alphabetic)
            && word.chars().count() > 2
        {
            month = Some((month_of(word)?, numbers.len()));
        } else {
            // Only the weekday is written out.
            return is_weekday
                .then(|| text.to_owned())
                .filter(|it| it.starts_with(|c: char| c.is_ascii_digit()));
        }
    }
    let (month, place) = month?;
    let [a, b] = *numbers.as_slice() else {
        return None;
    };
    let (day, year) = match (place, a.len()) {
        (2, _) => return None,
        (1, 4) => (b, a),
        _ => (a, b),
    };
    let century = if year.len() == 2 { "20" } else { "" };
    let clock = rest.trim_start_matches([' ', ',', '\u{a0}']);
    Some(format!("{century}{year}-{month:02}-{day:0>2} {clock}"))
}

/// The two times in a cell such as `10:00 - 10:15`, or `2026-01-05 10:00 to 2026-01-05 10:15`.
pub(crate) fn two_parts(cell: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    // The shortest is `0:00-0:15`.
    if !(9..=100).contains(&text.len()) {
        return None;
    }
    let parts = [" - ", " – ", " to ", " bis ", " tot ", " until ", "–"];
    // Most times have none of these, and each row is looked at.
    let may_have_one = text.contains(' ') || !text.is_ascii();
    let found = parts
        .into_iter()
        .filter(|_| may_have_one)
        .find_map(|between| text.split_once(between));
    // A date contains minus signs, too.
    let dash = || {
        text.split_once('-')
            .filter(|(from, to)| from.contains(':') && to.contains(':'))
    };
    let (from, to) = found.or_else(dash)?;
    Some((from.trim(), to.trim()))
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
    let zones = ZONES
        .iter()
        .flat_map(|(offset, names)| names.iter().map(move |name| (name, *offset)));
    let mut zones = zones.filter_map(|(name, offset)| Some((text.strip_suffix(name)?, offset)));
    // `MEZ` ends with another one's name.
    let is_clock = |clock: &str| clock.ends_with(|c: char| c == ' ' || c.is_ascii_digit());
    if let Some((clock, offset)) = zones.find(|(clock, _)| is_clock(clock)) {
        return Some((clock.trim_end(), offset.into()));
    }
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
        // GMT+h
        2 if without_zone(clock) != clock => {
            let (sign, hour) = offset.split_at_checked(1)?;
            format!("{sign}0{hour}:00").into()
        }
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
    Some((without_zone(clock.trim_end()), offset))
}

/// A time of day without the abbreviation of a zone, such as `CEST` in `12:00 CEST+0200`: the offset
/// says more.
fn without_zone(clock: &str) -> &str {
    let rest = clock.trim_end_matches(|c: char| c.is_ascii_uppercase());
    // AM and PM are none.
    match clock.len() - rest.len() {
        3..=5 => rest.trim_end(),
        _ => clock,
    }
}

/// A time without a mark that it is one of summer time, as `FusionSolar` writes it, and whether it has
/// one.
pub(super) fn summer_mark(text: &str) -> (&str, bool) {
    match text.strip_suffix(" DST") {
        Some(time) => (time.trim_end(), true),
        None => (text, false),
    }
}

/// A time of day without the word for a clock.
pub(super) fn without_clock_word(clock: &str) -> &str {
    let words = ["Uhr", "uhr"];
    let found = words.into_iter().find_map(|word| clock.strip_suffix(word));
    found.map_or(clock, str::trim_end)
}

/// A time of day without separators, such as `0015` or `001500`, with them.
pub(crate) fn compact_clock(cell: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    let is_clock = matches!(text.len(), 3 | 4 | 6) && text.bytes().all(|it| it.is_ascii_digit());
    let padded = format!("{text:0>4}");
    let part = |from: usize| padded.get(from..from + 2);
    is_clock.then_some(())?;
    Some(match part(4) {
        Some(second) => format!("{}:{}:{second}", part(0)?, part(2)?),
        None => format!("{}:{}", part(0)?, part(2)?),
    })
}

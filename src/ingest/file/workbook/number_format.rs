//! Numbers that are times, by the format of their cell.

use crate::domain::LocalDate;

const DAY_SECONDS: f64 = 86_400.0;

/// Whether a format of Excel, by its number, shows times.
pub(super) const fn is_time_id(id: u32) -> bool {
    matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58)
}

/// Whether a format shows times, such as `dd.mm.yyyy hh:mm`, `[h]:mm` and `mm/dd/yy h:mm AM/PM`.
/// Quoted texts, colours and conditions in it don't count, nor does what follows the first `;`.
pub(super) fn is_time_format(format: &str) -> bool {
    let mut characters = format.chars();
    let mut is_quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            ';' => return false,
            // The next character is shown, or as wide as a gap, or fills the cell.
            '\\' | '_' | '*' => drop(characters.next()),
            '[' => {
                let inside: String = characters.by_ref().take_while(|it| *it != ']').collect();
                let first = inside.chars().next().unwrap_or_default();
                let is_same = |it: char| it.eq_ignore_ascii_case(&first);
                // `[hh]` counts more than a day of hours; `[Red]` and `[$-407]` are something else.
                if matches!(first, 'h' | 'H' | 'm' | 'M' | 's' | 'S') && inside.chars().all(is_same)
                {
                    return true;
                }
            }
            'd' | 'D' | 'h' | 'H' | 'm' | 'M' | 's' | 'S' | 'y' | 'Y' => return true,
            _ => {}
        }
    }
    false
}

/// A number of days since the epoch of the workbook as a date, a time of day, or both. Fractions of
/// days are rounded to the second: a quarter of an hour is not exact. A number that is no time stays
/// one.
#[expect(
    clippy::cast_possible_truncation,
    reason = "days were compared with those of 10,000 years, and seconds of a day have 17 bits"
)]
pub(super) fn time_text(days: f64, is_1904: bool) -> String {
    const MOST: f64 = 2_958_466.0;
    if !(0.0..MOST).contains(&days) {
        return days.to_string();
    }
    let ms = (days.fract() * DAY_SECONDS * 1e3).round();
    let (day, seconds) = (days as i32, (ms / 1e3).round() as i32);
    let clock = |seconds: i32| {
        let minutes = seconds / 60;
        format!(
            "{:02}:{:02}:{:02}",
            minutes / 60,
            minutes % 60,
            seconds % 60
        )
    };
    if days < 1.0 {
        return clock(seconds);
    }
    // The other epoch begins a day early, because Excel takes 1900 for a leap year.
    let epoch = match (is_1904, day) {
        (true, _) => LocalDate::new(1904, 1, 1),
        (false, ..60) => LocalDate::new(1899, 12, 31),
        (false, _) => LocalDate::new(1899, 12, 30),
    };
    let is_next = seconds == 86_400;
    let date = epoch.and_then(|epoch| epoch.plus_days(day + i32::from(is_next)));
    let Some(date) = date else {
        return days.to_string();
    };
    if days.fract() == 0.0 {
        date.to_string()
    } else {
        format!("{date} {}", clock(seconds % 86_400))
    }
}

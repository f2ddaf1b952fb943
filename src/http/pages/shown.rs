//! Times and numbers as people read them.

use crate::domain::calendar::Zone;
use crate::domain::time::Timestamp;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const MS_PER_MINUTE: i64 = 60_000;

/// A time by the clocks of `zone`, to the minute: `5 Jan 2026, 11:30`.
pub(super) fn time(time: Timestamp, zone: &Zone) -> String {
    let local = zone.wall_clock(time);
    let (year, month, day) = local.civil_date();
    let month = usize::from(month.saturating_sub(1));
    let month = MONTHS.get(month).copied().unwrap_or_default();
    let minutes = local.millis_of_day() / MS_PER_MINUTE;
    let (hour, minute) = (minutes / 60, minutes % 60);
    format!("{day} {month} {year}, {hour:02}:{minute:02}")
}

/// A number with its thousands apart: `2,075,259`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_local() {
        let at = Timestamp::parse("2026-07-31T22:05:59").unwrap();
        assert_eq!(time(at, &Zone::UTC), "31 Jul 2026, 22:05");
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        assert_eq!(time(at, &berlin), "1 Aug 2026, 00:05");
    }

    #[test]
    fn thousands_stand_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (123_456, "123,456"),
            (2_075_259, "2,075,259"),
        ] {
            assert_eq!(count(number), text);
        }
    }
}

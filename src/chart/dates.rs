//! Dates and times as people read them, by the clocks of a zone.

use crate::domain::{Interval, Timestamp, Zone};

/// A date: `8 Jul 2026`.
#[must_use]
pub fn date(time: Timestamp, zone: &Zone) -> String {
    zone.format(time, "%-d %b %-Y")
}

/// A date and time of day: `8 Jul 2026 14:05`.
#[must_use]
pub fn moment(time: Timestamp, zone: &Zone) -> String {
    zone.format(time, "%-d %b %-Y %H:%M")
}

/// The name of the bucket of `interval` that begins at `time`: `8 Jul 2026 14:00`, `Jul 2026`.
#[must_use]
pub fn bucket_name(time: Timestamp, interval: Interval, zone: &Zone) -> String {
    match interval {
        Interval::Year => zone.format(time, "%-Y"),
        Interval::Month => zone.format(time, "%b %-Y"),
        Interval::Week => format!("week of {}", date(time, zone)),
        Interval::Day => date(time, zone),
        _ => moment(time, zone),
    }
}

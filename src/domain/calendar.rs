//! Time zones and what the clocks on the wall show: the only place that knows a day can have 23 hours.

use std::fmt;

use jiff::civil;
use jiff::tz::{AmbiguousOffset, TimeZone};
use thiserror::Error;

use super::time::Timestamp;

/// An IANA time zone, such as `Europe/Berlin`. The zone database is part of the binary.
#[derive(Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

/// A name that no zone has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected an IANA time zone such as Europe/Berlin or UTC")]
pub struct UnknownZone;

/// The points in time that a local date and time of day can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalTime {
    /// The usual case.
    Once(Timestamp),
    /// The clocks went back over it: it came twice, earlier and later.
    Twice(Timestamp, Timestamp),
    /// The clocks skipped it: the time at which the clocks, had they not been changed, would show it.
    Skipped(Timestamp),
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self(TimeZone::UTC);

    /// The zone called `name`.
    ///
    /// # Errors
    /// [`UnknownZone`] where the database has none of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownZone> {
        if name == "UTC" {
            return Ok(Self::UTC);
        }
        jiff::tz::db().get(name).map(Self).map_err(|_| UnknownZone)
    }

    /// Its IANA name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// What the clocks of this zone mean by a local time. `local` is that local date and time written
    /// as if it were UTC.
    #[must_use]
    pub fn local(&self, local: Timestamp) -> LocalTime {
        let at = |offset: jiff::tz::Offset| {
            local.saturating_add_millis(-i64::from(offset.seconds()) * 1_000)
        };
        match self.0.to_ambiguous_timestamp(civil_time(local)).offset() {
            AmbiguousOffset::Unambiguous { offset } => LocalTime::Once(at(offset)),
            AmbiguousOffset::Fold { before, after } => LocalTime::Twice(at(before), at(after)),
            AmbiguousOffset::Gap { before, .. } => LocalTime::Skipped(at(before)),
        }
    }
}

fn civil_time(local: Timestamp) -> civil::DateTime {
    let (year, month, day) = local.civil_date();
    let ms = local.millis_of_day();
    let date = civil::Date::new(
        i16::try_from(year).unwrap_or_default(),
        i8::try_from(month).unwrap_or(1),
        i8::try_from(day).unwrap_or(1),
    );
    let midnight = date
        .unwrap_or_default()
        .to_datetime(civil::Time::midnight());
    midnight.saturating_add(jiff::SignedDuration::from_millis(ms))
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn zones_have_names() {
        assert_eq!(
            Zone::parse("Europe/Berlin").unwrap().name(),
            "Europe/Berlin"
        );
        assert_eq!(Zone::parse("UTC").unwrap(), Zone::UTC);
        assert_eq!(Zone::UTC.name(), "UTC");
        for name in ["", "Mars/Olympus", "../etc/passwd", "CEST+2"] {
            assert_eq!(Zone::parse(name), Err(UnknownZone), "{name}");
        }
    }

    #[test]
    fn local_times_around_the_change_of_clocks() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        assert_eq!(
            berlin.local(at("2026-07-01T12:00:00")),
            LocalTime::Once(at("2026-07-01T10:00:00"))
        );
        assert_eq!(
            berlin.local(at("2026-01-01T00:30:00")),
            LocalTime::Once(at("2025-12-31T23:30:00"))
        );
        assert_eq!(
            berlin.local(at("2026-10-25T02:30:00.250")),
            LocalTime::Twice(at("2026-10-25T00:30:00.250"), at("2026-10-25T01:30:00.250"))
        );
        assert_eq!(
            berlin.local(at("2026-03-29T02:30:00")),
            LocalTime::Skipped(at("2026-03-29T01:30:00"))
        );
    }

    #[test]
    fn the_ends_of_time_do_not_panic() {
        for name in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
            let zone = Zone::parse(name).unwrap();
            for time in [Timestamp::MIN, Timestamp::MAX] {
                assert!(matches!(zone.local(time), LocalTime::Once(_)));
            }
        }
    }
}

//! Time zones, and local time in them: the only place that knows a day can have 23 hours.

use std::fmt;

use jiff::civil::{self, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};
use thiserror::Error;
use time::format_description::StaticFormatDescription;

use super::time::Timestamp;
use super::zone_data::ZoneData;

/// An IANA time zone, such as `Europe/Berlin`.
#[derive(Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

/// Why a text is not a zone.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected an IANA time zone such as Europe/Berlin or UTC")]
pub struct UnknownZone;

/// The points in time that a local date and time can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalTime {
    /// The usual case.
    Once(Timestamp),
    /// The clocks were set back over it, so it occurred twice: the earlier and the later time.
    Twice(Timestamp, Timestamp),
    /// The clocks skipped it: the time at which it would have occurred without the change.
    Skipped(Timestamp),
}

/// A period without a change of the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetPeriod {
    /// Its first millisecond.
    pub start: Timestamp,
    /// Its last millisecond.
    pub last: Timestamp,
    /// How far the clocks are ahead of UTC, in milliseconds.
    pub ahead_ms: i64,
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self(TimeZone::UTC);

    /// The zone named `name`.
    ///
    /// # Errors
    /// [`UnknownZone`] if the database has none of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownZone> {
        if name == "UTC" {
            return Ok(Self::UTC);
        }
        let zone = ZoneData::in_use().zone(name).ok_or(UnknownZone)?;
        // `Etc/Unknown` means that the zone is unknown; jiff treats it as UTC.
        if zone.is_unknown() {
            return Err(UnknownZone);
        }
        Ok(Self(zone))
    }

    /// Its IANA name.
    #[must_use]
    pub fn name(&self) -> &str {
        // `parse` accepts only zones with a name.
        self.0.iana_name().unwrap_or("UTC")
    }

    /// The names of the zones for people to choose from, sorted: those of places, and UTC.
    #[must_use]
    pub fn names() -> Vec<String> {
        // The database has more: old names such as `GB`, and `Etc/GMT+5`, which is five hours
        // behind UTC.
        const PLACES: [&str; 10] = [
            "Africa",
            "America",
            "Antarctica",
            "Arctic",
            "Asia",
            "Atlantic",
            "Australia",
            "Europe",
            "Indian",
            "Pacific",
        ];
        let is_chosen = |name: &String| {
            let place = name.split_once('/').map(|(place, _)| place);
            name == "UTC" || place.is_some_and(|place| PLACES.contains(&place))
        };
        let names = ZoneData::in_use().names().into_iter();
        names.filter(is_chosen).collect()
    }

    /// Whether its clocks never change, as in UTC or `Etc/GMT-10`.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        let period = self.period_at(Timestamp::MIN);
        period.last == Timestamp::MAX
    }

    /// The points in time of a local time in this zone. `local` is the local date and time written
    /// as if it were UTC.
    #[must_use]
    pub fn local(&self, local: Timestamp) -> LocalTime {
        let at = |offset: jiff::tz::Offset| {
            local.saturating_add_millis(-i64::from(offset.seconds()) * 1_000)
        };
        match self.0.to_ambiguous_timestamp(civil(local)).offset() {
            AmbiguousOffset::Unambiguous { offset } => LocalTime::Once(at(offset)),
            AmbiguousOffset::Fold { before, after } => LocalTime::Twice(at(before), at(after)),
            AmbiguousOffset::Gap { before, .. } => LocalTime::Skipped(at(before)),
        }
    }

    /// The start of a local day: the first moment at which the local time is its midnight or later.
    /// `midnight` is that local midnight written as if it were UTC.
    ///
    /// If the clocks skip midnight, the day begins at 01:00. If they skip the whole day, this is
    /// the start of the next one.
    #[must_use]
    pub fn start_of_day(&self, midnight: Timestamp) -> Timestamp {
        match self.local(midnight) {
            LocalTime::Once(time) | LocalTime::Twice(time, _) => time,
            // With the old offset, a skipped time is in the period that begins with the change.
            LocalTime::Skipped(time) => self.period_at(time).start,
        }
    }

    /// The local time at `time`, written as if it were UTC.
    #[must_use]
    pub fn shown_at(&self, time: Timestamp) -> Timestamp {
        time.saturating_add_millis(self.period_at(time).ahead_ms)
    }

    /// The local date and time at `time`, as text.
    #[must_use]
    pub fn format(&self, time: Timestamp, form: StaticFormatDescription) -> String {
        self.shown_at(time).format(form)
    }

    /// The first moment at which the local time is `local`, or would have been without a change.
    pub(super) fn first_showing(&self, local: Timestamp) -> Timestamp {
        match self.local(local) {
            LocalTime::Once(time) | LocalTime::Twice(time, _) | LocalTime::Skipped(time) => time,
        }
    }

    /// The period that contains `time`. Finding it takes microseconds, so keep it for times within
    /// it.
    #[must_use]
    pub fn period_at(&self, time: Timestamp) -> OffsetPeriod {
        let at = instant(time);
        let changed = |at: &jiff::Timestamp| Timestamp::from_millis(at.as_millisecond());
        // `preceding` leaves out a change at exactly the given time, but a period begins with its
        // change.
        let next_ms = at.saturating_add(MILLISECOND).unwrap_or(at);
        let found = self.0.preceding(next_ms).next();
        // After the last change listed in the database, jiff goes back by the zone's yearly rule
        // alone, and misses changes that are only listed. It finds them when going forward.
        let listed = found
            .iter()
            .flat_map(|change| self.0.following(change.timestamp()));
        let listed = listed.take_while(|change| change.timestamp() <= at).last();
        let before = listed.or(found);
        let after = self.0.following(at).next();
        OffsetPeriod {
            start: before
                .and_then(|change| changed(&change.timestamp()))
                .unwrap_or(Timestamp::MIN),
            last: after
                .and_then(|change| changed(&change.timestamp()))
                .map_or(Timestamp::MAX, |next| next.saturating_add_millis(-1)),
            ahead_ms: i64::from(self.0.to_offset(at).seconds()) * 1_000,
        }
    }
}

const MILLISECOND: jiff::SignedDuration = jiff::SignedDuration::from_millis(1);

/// The time for jiff, whose timestamps end two days before the end of the year 9999.
fn instant(time: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(time.millis()).unwrap_or(jiff::Timestamp::MAX)
}

/// A local time for jiff, whose dates do not end before ours.
fn civil(local: Timestamp) -> DateTime {
    const EPOCH: DateTime = civil::date(1970, 1, 1).at(0, 0, 0, 0);
    EPOCH.saturating_add(jiff::SignedDuration::from_millis(local.millis()))
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    #[test]
    fn zones_have_names() {
        assert_eq!(
            Zone::parse("Europe/Berlin").unwrap().name(),
            "Europe/Berlin"
        );
        assert_eq!(Zone::parse("UTC").unwrap(), Zone::UTC);
        assert_eq!(Zone::UTC.name(), "UTC");
        for name in ["", "Mars/Olympus", "../etc/passwd", "CEST+2", "Etc/Unknown"] {
            assert_eq!(Zone::parse(name), Err(UnknownZone), "{name}");
        }
    }

    #[test]
    fn zones_can_be_chosen() {
        let names = Zone::names();
        for name in ["Europe/Berlin", "America/Argentina/Buenos_Aires", "UTC"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
        assert!(names.iter().all(|name| Zone::parse(name).is_ok()));
        assert!(!names.iter().any(|name| name.starts_with("Etc/")));
    }

    #[test]
    fn clocks_show_local_time() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        assert_eq!(
            berlin.shown_at(at("2026-07-01T23:00:00")),
            at("2026-07-02T01:00:00")
        );
        assert_eq!(
            berlin.shown_at(at("2026-10-25T01:30:00")),
            at("2026-10-25T02:30:00")
        );
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
    fn periods_begin_and_end_with_each_change() {
        let first = at("2000-01-01T00:00:00");
        for name in ZoneData::in_use().names() {
            let zone = Zone::parse(&name).unwrap_or(Zone::UTC);
            for change in zone.0.following(instant(first)).take(64) {
                let start = Timestamp::from_millis(change.timestamp().as_millisecond()).unwrap();
                let last = start.saturating_add_millis(-1);
                for time in [start, start.saturating_add_millis(60_000)] {
                    assert_eq!(zone.period_at(time).start, start, "{name}");
                }
                assert_eq!(zone.period_at(last).last, last, "{name}");
            }
        }
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

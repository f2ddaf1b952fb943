//! When an upload arrives, and which times its readings may have.

use std::time::Duration;

use super::error::IngestError;
use crate::domain::{Timestamp, UploadedReading};

/// The most that a reading's time may be ahead of the clock.
pub const AHEAD_AT_MOST: Duration = Duration::from_hours(24);

/// The arrival of an upload, by the clock. It is read once per request: it bounds the times of the readings, and the upload is
/// stored under it.
#[derive(Clone, Copy, Debug)]
pub enum Arrival {
    /// By a clock that agrees with the arrivals stored.
    At(Timestamp),
    /// The clock ran ahead, as the newest arrival shows, and is right again now.
    ClockIsBack {
        /// What it says.
        now: Timestamp,
        /// The newest arrival stored.
        newest_arrival: Timestamp,
    },
    /// No upload can be stored: the clock is behind the newest arrival.
    ClockNotSet {
        /// What it says.
        now: Timestamp,
        /// The newest arrival stored.
        newest_arrival: Timestamp,
    },
}

impl Arrival {
    /// The time to store the upload under.
    pub(super) const fn time(self) -> Result<Timestamp, IngestError> {
        match self {
            Self::At(time) | Self::ClockIsBack { now: time, .. } => Ok(time),
            Self::ClockNotSet {
                now,
                newest_arrival,
            } => Err(IngestError::ClockNotSet {
                now,
                newest_arrival,
            }),
        }
    }

    /// The latest time that a reading may have. While the clock is not set it is any: the upload is refused for that later.
    fn latest(self) -> Timestamp {
        self.time()
            .map_or(Timestamp::MAX, |now| now.saturating_add(AHEAD_AT_MOST))
    }

    /// The reading's time, if it is too far ahead.
    pub(super) fn ahead(self, reading: &UploadedReading) -> Option<Timestamp> {
        reading.time.filter(|time| *time > self.latest())
    }
}

/// 2005-01-01T00:00:00Z. An earlier time is one of a clock that was never set: meters begin in 1970 or 2000.
const CLOCKS_ARE_SET_FROM_MS: i64 = 1_104_537_600_000;
/// A device knows nothing of the future, but its clock may be ahead a little.
const AHEAD_OF_US: Duration = Duration::from_mins(10);
/// How old a message may be that waited at a broker.
const WAITED_AT_MOST: Duration = Duration::from_hours(30 * 24);

/// Which times of a device are believed; in place of another one the time of arrival counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceClock {
    /// How far a time may be behind ours. With zero, none is believed.
    pub within: Duration,
}

/// A day: a device may send readings of hours that it could not send before.
impl Default for DeviceClock {
    fn default() -> Self {
        Self {
            within: Duration::from_hours(24),
        }
    }
}

/// Whether the time of a device is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Belief {
    /// It is.
    Believed,
    /// The settings say that none is.
    Ignored,
    /// The device's clock is wrong: ahead by so many milliseconds, or behind if they are below 0.
    Wrong(i64),
}

impl DeviceClock {
    /// Whether `time` is believed `now`, of a message that may have waited at a broker.
    pub(crate) fn belief(self, time: Timestamp, now: Timestamp, has_waited: bool) -> Belief {
        if self.within.is_zero() {
            return Belief::Ignored;
        }
        let behind = if has_waited {
            self.within.max(WAITED_AT_MOST)
        } else {
            self.within
        };
        let is_set = time.millis() >= CLOCKS_ARE_SET_FROM_MS;
        let is_near = time <= now.saturating_add(AHEAD_OF_US.min(self.within))
            && time.saturating_add(behind) >= now;
        if is_set && is_near {
            Belief::Believed
        } else {
            Belief::Wrong(time.millis().saturating_sub(now.millis()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    #[test]
    fn times_of_the_future_of_long_ago_and_of_clocks_that_are_not_set_are_wrong() {
        let now = Timestamp::parse("2026-06-01T12:00:00Z").unwrap();
        let of = |text: &str, has_waited| {
            let time = Timestamp::parse(text).unwrap();
            DeviceClock::default().belief(time, now, has_waited)
        };
        for (time, fresh, waited) in [
            ("2026-06-01T12:09:59Z", true, true),
            ("2026-05-31T12:00:00Z", true, true),
            ("2026-06-01T12:10:01Z", false, false),
            ("2026-06-01T13:00:00Z", false, false),
            ("2027-06-01T12:00:00Z", false, false),
            ("2026-05-31T11:00:00Z", false, true),
            ("2026-01-01T12:00:00Z", false, false),
            ("2000-01-01T00:00:00Z", false, false),
            ("1970-01-01T00:00:01Z", false, false),
        ] {
            assert_eq!(of(time, false) == Belief::Believed, fresh, "{time}");
            assert_eq!(of(time, true) == Belief::Believed, waited, "{time}");
        }
        assert_eq!(
            of("2026-06-01T14:00:00Z", false),
            Belief::Wrong(2 * HOUR_MS)
        );
        assert_eq!(
            of("2026-05-30T12:00:00Z", false),
            Belief::Wrong(-48 * HOUR_MS)
        );
    }

    #[test]
    fn a_setting_widens_narrows_or_ignores_the_clock() {
        let now = Timestamp::parse("2026-06-01T12:00:00Z").unwrap();
        let time = now.saturating_add_millis(-2 * HOUR_MS);
        let belief = |within| DeviceClock { within }.belief(time, now, false);
        assert_eq!(belief(Duration::from_hours(3)), Belief::Believed);
        assert_eq!(belief(Duration::from_hours(1)), Belief::Wrong(-2 * HOUR_MS));
        assert_eq!(belief(Duration::ZERO), Belief::Ignored);
    }
}
